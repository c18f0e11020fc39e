"""What `power accept_reject` may be asked: effects as they are typed, and as they are named."""

import pytest

from analysis.power.simulation import Cell
from analysis.studies.accept_reject.power import (
    PlateSizes,
    Usefulness,
    read_usefulness,
    write_usefulness,
)
from stimuli.errors import UserError


def test_e_brings_what_s_brings_unless_told_otherwise():
    assert PlateSizes(effect=((0.0, 0.0), (0.1, 0.5))).effects == (
        Usefulness(0.0, 0.0),
        Usefulness(0.1, 0.1, 0.5),
    )
    assert PlateSizes(effect=((0.2, 0.0),), effect_expert=0.1).effects == (Usefulness(0.2, 0.1),)


def test_an_effect_is_named_as_in_the_runs_that_are_kept():
    """A run is drawn by its cell's name, which harm is a part of only where there is some."""
    cell = Cell(10, 30, Usefulness(0.2, 0.05))
    assert cell.name == "10x30/S0.2/E0.05"
    assert cell.effect.columns() == {"effect": 0.2, "effect_expert": 0.05, "harm": 0.0}
    assert Cell(10, 30, Usefulness(0.2, 0.05, 0.5)).name == "10x30/S0.2/E0.05/H0.5"


def test_effects_are_written_as_usefulness_and_harm():
    found = read_usefulness("--effect", "0.1:0.5, 0,-0.1")
    assert found == ((-0.1, 0.0), (0.0, 0.0), (0.1, 0.5))
    assert read_usefulness("--effect", write_usefulness(found)) == found
    for text, said in (("a", "as in 0,0.1:0.5"), ("0:1:2", "as in"), ("0:9", "between 0 and 5")):
        with pytest.raises(UserError, match=said):
            read_usefulness("--effect", text)

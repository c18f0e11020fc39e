"""The screens of a trial in a report: pictures that `screens` made, found by the pack's id."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from analysis.questions.question import Pictured
from analysis.questions.screens import MOST, NO_SCREENS, SCREENS, compute, draw, pictures
from analysis.run import screens_at_hand
from participants.folder import LabFolder
from tests.analysis.report.drawings import unreadable, widest_font
from tests.analysis.studies.accept_reject.odd_tables import small
from tests.analysis.studies.accept_reject.whole import dataset

SIZE_PX = (1280, 720)


@pytest.fixture
def lab(tmp_path):
    return LabFolder.make(tmp_path / "lab")


def write(folder, *names):
    """Write a picture of each name, in a grey of its own."""
    folder.mkdir(parents=True)
    for place, name in enumerate(names):
        Image.new("RGB", SIZE_PX, (40 + place,) * 3).save(folder / f"{place + 1:02d}-{name}.png")


def of_lab(lab, *packs):
    return replace(dataset(small()), folder=lab.data.root, copies=dict.fromkeys(packs))


def shown_of(found):
    data = SimpleNamespace(dataset=found)
    answer = compute(data)
    return Pictured(answer, pictures(found, answer), found.protocol, None)


def test_pictures_of_trials_are_found_by_the_pack_and_shown_in_their_order(lab):
    write(lab.screens("pack2") / "de", "trial-unten")
    names = (
        "title",
        "fixation",
        "trial-without",
        "trial-with",
        "trial-with-chosen",
        "round",
        "trial-with-annotated",
    )
    write(lab.screens("pack2") / "en", *names)
    found = of_lab(lab, "pack1", "pack2")
    here = shown_of(replace(found, screens=screens_at_hand(found)))
    assert here.answer.names == ("fixation", "trial-without", "trial-with", "round")
    assert {pixels.shape for pixels in here.pictures.values()} == {(360, 640, 3)}
    greys = [int(here.pictures["screen", name][0, 0, 0]) for name in here.answer.names]
    assert greys == [41, 42, 43, 45]
    with widest_font():
        figure = draw(here)
        assert unreadable(figure) == ([], [])
    shown = [axes.images[0].get_array() for axes in figure.axes if axes.images]
    assert all(
        np.array_equal(one, other) for one, other in zip(shown, here.pictures.values(), strict=True)
    )


def test_of_many_screens_the_first_are_shown_and_counted(lab):
    write(lab.screens("pack") / "en", *(f"trial-{number}" for number in range(MOST + 3)))
    found = of_lab(lab, "pack")
    here = shown_of(replace(found, screens=screens_at_hand(found)))
    assert (len(here.answer.names), here.answer.there) == (MOST, MOST + 3)
    figure = SCREENS.parts[0]
    assert figure.caption(here).endswith(f"The first {MOST} of {MOST + 3}.")


def test_without_pictures_a_report_says_what_to_type(lab):
    found = of_lab(lab, "pack")
    here = shown_of(replace(found, screens=screens_at_hand(found)))
    assert here.answer.names == ()
    assert [part(here) for part in SCREENS.parts if callable(part)] == [NO_SCREENS]
    assert "lab.py screens PACK" in NO_SCREENS.text

"""A pack whose every region is drawn as discs: S's, E's and those of controls alike."""

import numpy as np
import pytest
from scipy import ndimage

from stimuli.maps.relevance import DISCS, region_from_bytes
from stimuli.studies.accept_reject.sketch import SketchRates, sketch
from stimuli.studies.accept_reject.tables import ITEMS, KEY
from tests.stimuli.studies.accept_reject.conftest import SMALL, small_protocol

LARGE = 0.3
"""Share of the square; the plate's disc is .79 of it."""


@pytest.fixture(scope="module")
def shown():
    """Return every region by presentation, and what key.csv says of it."""
    solutions = {**SMALL["solutions"], "trials_per_run": 26, "rungs": [1]}
    protocol = small_protocol(explanation={"outline": "discs"}, solutions=solutions)
    pack = sketch(protocol, [("deutan", 1)], SketchRates(expert_abstention=0.1))
    key = {row["presentation"]: row for row in pack.table(KEY)}
    return [
        (key[row["presentation"]], region_from_bytes(pack.asset(row["region_file"])))
        for row in pack.table(ITEMS)
        if row["region_file"] is not None
    ]


def test_every_region_is_of_twelve_parts_whoever_made_it(shown):
    assert {row["solver"] for row, _ in shown} == {"S", "E", "control"}
    kinds = {row["control_kind"] for row, _ in shown}
    assert {"right_digit_shuffled", "right_digit_elsewhere", "no_numeral_s_like"} <= kinds
    for row, region in shown:
        _, parts = ndimage.label(region, structure=np.ones((3, 3)))
        # A large region may leave no room for the last disc.
        assert parts == DISCS or (parts == DISCS - 1 and region.mean() > LARGE), row["presentation"]


def test_shuffled_discs_lie_where_a_key_of_their_plate_puts_them(shown):
    mixed = {}
    for row, region in shown:
        if row["control_kind"] == "right_digit_shuffled":
            # Like S's, or like E's: each has the area of its own map.
            mixed.setdefault((row["item"], region.sum()), set()).add(region.tobytes())
    assert len(mixed) > 1
    assert all(len(regions) == 1 for regions in mixed.values())
    assert len(set.union(*mixed.values())) == len(mixed)

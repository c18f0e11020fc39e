"""Accepting from the explanation: chance flags nobody, who reads contours is found."""

import numpy as np
import pytest

from analysis.statistics.proportions import Count
from analysis.studies.accept_reject.exclusions import RAN_AWAY, Plates, contour_reading
from bench.parts.control_contours import CONTOUR_WORLDS, flagged
from bench.parts.control_worlds import STUDIES

LIMIT = 0.3


def plates(with_contour, without, n=8):
    pairs = zip(with_contour, without, strict=True)
    return [Plates(f"P{k:02d}", Count(a, n), Count(b, n)) for k, (a, b) in enumerate(pairs)]


def test_an_honest_lead_among_many_is_not_flagged_for_three_plates():
    """3 of 8 with a contour, none without: by itself the old rule's flag, chance among 24."""
    with_contour = [1, 0, 2, 1, 0, 1, 1, 2, 0, 1, 1, 0, 1, 2, 0, 1, 1, 0, 1, 0, 2, 1, 0, 3]
    without = [1, 1, 0, 2, 1, 0, 1, 1, 0, 2, 0, 1, 1, 0, 1, 0, 2, 1, 0, 1, 1, 0, 1, 0]
    found = contour_reading(plates(with_contour, without), LIMIT)
    assert found.model.fitted
    assert found.flagged == frozenset()
    assert found.shrunken["P23"].estimate < 0.2


def test_one_who_reads_contours_among_many_is_flagged_alone():
    with_contour = [1, 0, 2, 1, 0, 1, 1, 2, 0, 1, 1, 0, 1, 2, 0, 1, 1, 0, 1, 0, 2, 1, 0, 8]
    without = [1, 1, 0, 2, 1, 0, 1, 1, 0, 2, 0, 1, 1, 0, 1, 0, 2, 1, 0, 1, 1, 0, 1, 1]
    assert contour_reading(plates(with_contour, without), LIMIT).flagged == {"P23"}


def test_one_who_reads_contours_among_leads_who_accept_nearly_nothing_is_found():
    """7 of 8 against 2 of 8 isn't beyond chance; without a penalty no fit is sound."""
    without = [2, *[0] * 4, 1, 0, 0, 1, 1, 1, *[0] * 7, 1, *[0] * 4, 1]
    with_contour = [7, *[0] * 16, 1, *[0] * 6]
    found = contour_reading(plates(with_contour, without), LIMIT)
    assert found.model.notes[0] == RAN_AWAY
    assert found.shrunken
    assert found.flagged == {"P00"}


def test_few_leads_are_judged_by_fishers_test_divided_by_their_number():
    found = contour_reading(plates([8, 3, 0], [0, 0, 0]), LIMIT)
    assert not found.model.fitted
    assert "3 leads" in found.model.reason
    assert found.flagged == {"P00"}


def test_where_nobody_accepts_a_blank_plate_the_test_still_finds_the_reader():
    """The probit has no finite estimate there."""
    found = contour_reading(plates([0] * 9 + [8], [0] * 10), LIMIT)
    assert found.flagged == {"P09"}
    assert found.shrunken == {}


def test_nobody_is_flagged_without_plates_of_both_kinds():
    rows = [Plates("A", Count(0, 0), Count(3, 8)), Plates("B", Count(8, 8), Count(0, 0))]
    assert contour_reading(rows, LIMIT).flagged == frozenset()


# As docs/accept_reject_truth.md says: several who read contours make the model expect that leads
# differ, and among three leads Fisher's test alone judges.
MOST_FALSE = {"18 accept 10 %, six read contours": 0.15}
LEAST_FOUND = {
    "23 accept 2 %, one reads contours": 0.8,
    "2 accept 2 %, one reads contours": 0.75,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTOUR_WORLDS)
def test_false_flags_are_rare_and_readers_of_contours_found(name):
    errors, readers, spread = CONTOUR_WORLDS[name]
    flags = [flagged(errors, readers, spread, seed) for seed in range(STUDIES)]
    assert np.mean([false > 0 for false, _ in flags]) < MOST_FALSE.get(name, 0.05)
    if readers:
        assert np.mean([caught for _, caught in flags]) > LEAST_FOUND.get(name, 0.9) * readers

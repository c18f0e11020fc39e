"""Verdicts and Ishihara scores."""

from types import MappingProxyType

import pytest

from participants.screening.trivector import Threshold, TrivectorResult
from participants.screening.verdict import IshiharaScore, decide, ishihara_score
from stimuli.errors import UserError
from stimuli.screening import d15
from tests.participants.screening.rules import RULES

PASSED = d15.score(tuple(range(1, 16)))
FAILED = d15.score((1, 15, 2, 3, 14, 13, 4, 12, 5, 11, 6, 10, 7, 9, 8))
BOOK_NORMAL, BOOK_DEFICIENT = IshiharaScore(38, 21, "normal"), IshiharaScore(38, 2, "deficient")


def found(protan: float, deutan: float, tritan: float = 60, right: int = 9) -> TrivectorResult:
    thresholds = {
        axis: Threshold(axis, value, 10.0, 30, 12, at_ceiling=False)
        for axis, value in (("protan", protan), ("deutan", deutan), ("tritan", tritan))
    }
    return TrivectorResult(MappingProxyType(thresholds), 10, right, 100)


@pytest.mark.parametrize(
    ("result", "scores", "role", "axis", "reason"),
    [
        (found(40, 42), (None, None), "expert", None, "red_green_normal"),
        (found(82, 82, 113), (None, BOOK_NORMAL), "expert", None, "red_green_normal"),
        (found(40, 42), (None, BOOK_DEFICIENT), "neither", None, "ishihara_disagrees"),
        (found(40, 83), (PASSED, None), "neither", None, "red_green_between"),
        (found(100, 42), (PASSED, None), "neither", None, "red_green_between"),
        (found(60, 101), (PASSED, None), "lead", "deutan", "d15_passed"),
        (found(180, 120), (PASSED, BOOK_DEFICIENT), "lead", "protan", "d15_passed"),
        (found(60, 120), (PASSED, BOOK_NORMAL), "neither", None, "ishihara_disagrees"),
        (found(60, 120), (None, None), "neither", None, "d15_missing"),
        (found(60, 120), (FAILED, None), "neither", None, "d15_failed"),
        (found(60, 401), (PASSED, None), "neither", None, "beyond_cap"),
        (found(60, 400), (PASSED, None), "lead", "deutan", "d15_passed"),
        (found(40, 42, 114), (PASSED, None), "neither", None, "tritan_raised"),
        (found(40, 42, right=7), (None, None), "neither", None, "catches_missed"),
        (found(40, 42, right=8), (None, None), "expert", None, "red_green_normal"),
    ],
)
def test_the_rules_decide_at_their_limits(result, scores, role, axis, reason) -> None:
    verdict = decide(RULES, result, *scores)
    assert (verdict.role, verdict.axis) == (role, axis)
    assert reason in verdict.reasons


@pytest.mark.parametrize(
    ("edition", "read", "reading"),
    [
        (38, 17, "normal"), (38, 16, "between"), (38, 14, "between"), (38, 13, "deficient"),
        (24, 13, "normal"), (24, 10, "between"), (24, 9, "deficient"),
        (14, 10, "normal"), (14, 8, "between"), (14, 7, "deficient"),
    ],
)  # fmt: skip
def test_the_book_is_read_by_its_instructions(edition: int, read: int, reading: str) -> None:
    assert ishihara_score(edition, read).reading == reading


@pytest.mark.parametrize(("edition", "read"), [(37, 10), (38, 22), (14, -1)])
def test_an_impossible_score_is_refused(edition: int, read: int) -> None:
    with pytest.raises(UserError, match="edition"):
        ishihara_score(edition, read)

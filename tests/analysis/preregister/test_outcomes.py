"""Hypotheses and what became of them: named rows that reports make, regions, and Kleene's logic."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.preregister.outcomes import (
    CONFIRMED,
    NOT_CONFIRMED,
    OPEN,
    decide,
    outcome_table,
    sentences,
)
from analysis.questions.estimates import Quantity
from analysis.questions.registered import Criterion, Hypothesis
from analysis.report.wording import number
from stimuli.catalogue import studies_of
from stimuli.protocol import load_protocol
from tests.analysis.studies.simulated import STUDIES

GAIN = Quantity("gain", "Gain", "What is gained.", number, "points")


@pytest.mark.parametrize("study", STUDIES)
def test_no_hypothesis_can_be_confirmed_by_what_is_not_significant(study):
    """The intervals that say nothing confirm no hypothesis: they reach far to both sides."""
    inquiry = studies_of("analysis")[study].inquiry()
    for hypothesis in inquiry.promises(load_protocol(study)).hypotheses:
        rows = [row(test, -1e6, 1e6) for test in hypothesis.tests]
        assert decide(hypothesis, rows).outcome == NOT_CONFIRMED
        assert decide(hypothesis, []).outcome == OPEN


def row(test, low, high, **more):
    """Return a row of estimates that a test names."""
    by = {"by": test.by[0]} if test.by else {}
    ends = {f"{name}{end}": value for name in ("ci_", "adjusted_")
            for end, value in (("low", low), ("high", high))}  # fmt: skip
    return {
        "question": test.question, "quantity": test.quantity.id, "of": {**test.of, **by},
        "estimate": (low + high) / 2, "p": 0.04, "p_adjusted": 0.04, "low_90": low,
        "high_90": high, **ends, **more,
    }  # fmt: skip


def gain_of(arm, shows="above", value=0.0, by=()):
    return Criterion(f"gain of {arm}", GAIN, {"arm": arm}, shows, value, by, "gains")


NUMBERS = st.integers(-5, 5)


@given(NUMBERS, NUMBERS, st.integers(0, 3), st.sampled_from(["above", "below", "apart", "within"]))
def test_an_interval_shows_what_all_of_its_values_show(low, high, value, shows):
    low, high = min(low, high) - 0.25, max(low, high) + 0.25
    says = {
        "above": lambda one: one > value,
        "below": lambda one: one < value,
        "within": lambda one: -value < one < value,
    }
    inside = [low + (high - low) * part / 400 for part in range(401)]
    sides = ("above", "below") if shows == "apart" else (shows,)
    expected = any(all(says[side](one) for one in inside) for side in sides)
    test = gain_of("a", shows, value)
    result = decide(Hypothesis("H1", "", (test,)), [row(test, low, high)])
    assert (result.outcome == CONFIRMED) is expected
    assert result.tests[0].level == (90 if shows == "within" else 95)


AND = {True: CONFIRMED, False: NOT_CONFIRMED, None: OPEN}


@pytest.mark.parametrize("known", [*product((True, False, None), repeat=3)])
@pytest.mark.parametrize("rule", ["all", "one"])
def test_a_test_that_is_missing_leaves_open_what_the_others_do_not_decide(rule, known):
    """Whatever it would have shown, the outcome is the same; or it is open."""
    tests = tuple(map(gain_of, "abc"))
    rows = [row(test, *((1, 2) if shown else (-1, 2)))
            for test, shown in zip(tests, known, strict=True) if shown is not None]  # fmt: skip
    whole = all if rule == "all" else any
    could = {
        whole(one)
        for one in product(*((True, False) if shown is None else (shown,) for shown in known))
    }
    expected = AND[could.pop()] if len(could) == 1 else OPEN
    assert decide(Hypothesis("H1", "", tests, rule, "arms"), rows).outcome == expected


def test_the_first_analysis_that_the_report_gives_decides():
    test = gain_of("a", by=("model", "means"))
    rows = [{**row(test, low, low + 2), "of": {"arm": "a", "by": by}}
            for by, low in (("means", 1), ("model", -1))]  # fmt: skip
    hypothesis = Hypothesis("H1", "", (test,))
    assert decide(hypothesis, rows).outcome == NOT_CONFIRMED
    assert decide(hypothesis, rows[:1]).outcome == CONFIRMED
    assert decide(hypothesis, [rows[0], {**rows[1], "estimate": None}]).outcome == CONFIRMED


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"estimate": None, "note": "nobody answered"}, "nobody answered"),
        ({"estimate": None}, "it can’t be estimated"),
        ({"ci_low": None}, "it has no limits"),
        ({"ci_low": 2.0, "note": "all pairs differ alike"}, "all pairs differ alike"),
        ({"verdict": "unknown"}, "too few participants, or nothing varies"),
        ({"of": {"arm": "b"}}, "the report has no such estimate"),
    ],
)
def test_what_could_not_be_tested_says_why(changes, why):
    test = gain_of("a")
    result = decide(Hypothesis("H1", "More is gained.", (test,)), [row(test, 1, 2) | changes])
    assert (result.outcome, result.tests[0].why) == (OPEN, why)
    assert list(sentences([result])) == [
        f"H1 couldn’t be tested: More is gained. Not tested, since {why}: gain of a."
    ]


def test_the_page_says_by_which_number():
    tests = (gain_of("a"), gain_of("b"))
    hypothesis = Hypothesis("H1", "More is gained.", tests, "one", "arms")
    rows = [row(tests[0], 1, 3, adjusted_low=0.5), row(tests[1], -1, 3)]
    (said,) = sentences([decide(hypothesis, rows)])
    assert said == (
        "H1 is confirmed: More is gained. The 95 % interval must lie above 0: gain of a "
        "2.0 [0.5, 3.0], p = .040."
    )
    table = outcome_table([decide(hypothesis, rows)])
    assert table.rows[0][0] == "H1 confirmed"
    assert table.rows[1][1:4] == ("gain of b", "1.0 [−1.0, 3.0]", "95 % interval")
    assert table.rows[1][4:] == (".040", "above 0", "no")
    assert "H1 needs one of its 2 tests." in table.note


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tests": ()}, "H1 names nothing that its question estimates"),
        ({"question": "elsewhere"}, "H1 names nothing that its question estimates"),
        ({"family": ""}, "H1 names no family of its tests"),
    ],
)
def test_a_hypothesis_that_names_nothing_is_refused(changes, said):
    """Whoever writes a study sees it when the study is preregistered."""
    inquiry = studies_of("analysis")["accept_reject"].inquiry()
    protocol = load_protocol("accept_reject")
    (one,) = (each for each in inquiry.questions if each.id == "usefulness")
    promise = one.registered(protocol)
    first, *_ = promise.hypotheses
    if "question" in changes:
        changes = {"tests": tuple(replace(test, **changes) for test in first.tests)}
    wrong = replace(promise, hypotheses=(replace(first, **changes),))
    questions = tuple(
        replace(each, registered=lambda _: wrong) if each is one else each
        for each in inquiry.questions
    )
    promised = tuple(questions[inquiry.questions.index(each)] for each in inquiry.promised)
    with pytest.raises(LookupError, match=said):
        replace(inquiry, questions=questions, promised=promised).promises(protocol)

"""Checks of the data: each finds what it asks for, and what the page says of them."""

from types import SimpleNamespace

import pytest

from analysis.report.checks import (
    CHECKS,
    QUICKEST_S,
    check_summary,
    general_checks,
    warning_sentences,
)
from tests.analysis.report.two_sessions import facts, journals, trials


def state_of(table, check, sessions=None):
    found = {row.check: row for row in general_checks(table, table, sessions, 30)}
    return found[check].state, found[check].counts


@pytest.mark.parametrize(
    ("changes", "check", "state"),
    [
        ({}, "Each trial occurs once", "passed"),
        ({"trial": 1}, "Each trial occurs once", "warning"),
        ({}, "Sessions of one purpose", "passed"),
        ({"purpose": ["main", "main", "pilot", "pilot"]}, "Sessions of one purpose", "note"),
        ({"pack_id": ["p", "p", "q", "q"]}, "One pack", "warning"),
        ({"protocol_hash": ["h", "h", "i", "i"]}, "One set of rules", "warning"),
        ({}, "No robots among the participants", "passed"),
        ({"robot": ["lead", "lead", None, None]}, "No robots among the participants", "warning"),
        ({"robot": "lead"}, "No robots among the participants", "note"),
        ({}, "Decision times are possible", "passed"),
        ({"rt_s": [QUICKEST_S / 2, 1, 1, 1]}, "Decision times are possible", "warning"),
        ({"rt_s": [1, 1, 1, 31]}, "Decision times are possible", "warning"),
    ],
)
def test_each_check_finds_what_it_asks_for(changes, check, state):
    assert state_of(trials(**changes), check)[0] == state


FAULTY = trials(
    trial=1,
    purpose=["main", "main", "pilot", "pilot"],
    pack_id=["p", "p", "q", "q"],
    protocol_hash=["h", "h", "i", "i"],
    robot=["lead", "lead", None, None],
    rt_s=31.0,
)


@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize("column", [name for name in FAULTY if name != "participant"])
def test_no_check_passes_because_its_column_is_missing(column, empty):
    """An empty column of robots means that there are none, so it is left out."""
    if empty and column == "robot":
        return
    less = FAULTY.assign(**{column: None}) if empty else FAULTY.drop(columns=column)
    states = {one.check: one.state for one in general_checks(FAULTY, FAULTY, None, 30)}
    for one in general_checks(less, less, None, 30):
        assert one.state in (states[one.check], "not checked")


def test_what_a_serious_check_warns_of_stands_above_the_headline():
    table = trials(trial=1, robot=["lead", "lead", None, None])
    checks = general_checks(table, table, None, 30)
    assert [one.check for one in checks if one.state == "warning"] == [
        "Each trial occurs once", "No robots among the participants",
    ]  # fmt: skip
    assert warning_sentences(checks) == [
        "Each trial occurs once: no. 2 rows repeat a trial of the same person."
    ], "the headline says it of robots"


@pytest.mark.parametrize(
    ("changes", "state", "overridden"),
    [
        ({}, "not checked", None),
        ({"checked": True}, "passed", 0),
        ({"checked": True, "overridden": ("jitter",), "override_reasons": ("lamp",)}, "warning", 1),
    ],
)
def test_sessions_that_began_in_spite_of_a_failed_check_are_told(changes, state, overridden):
    name = "Sessions began on rigs that passed their checks"
    found, counts = state_of(trials(), name, journals(facts("s1", **changes), facts("s2")))
    assert (found, counts.get("overridden_sessions")) == (state, overridden)


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "not checked"),
        ({"checklist": "skipped"}, "not checked"),
        ({"checklist": "asked", "robot": "lead"}, "not checked"),
        ({"checklist": "asked"}, "passed"),
        ({"checklist": "confirmed"}, "passed"),
        ({"checklist": "asked", "checklist_unmet": ("warm_up",)}, "note"),
        ({"checklist": "unanswered"}, "warning"),
    ],
)
def test_the_colour_checklist_of_peoples_sessions(changes, state):
    name = "The colour checklist was answered"
    assert state_of(trials(), name, journals(facts("s1", **changes)))[0] == state


@pytest.mark.parametrize(
    ("failed", "state"),
    [((0, 0, 0), "passed"), ((1, 2, 2), "passed"), ((7, 0, 1), "warning")],
)
def test_more_people_left_out_in_one_arm_are_told(failed, state):
    """Those who stay aren't assigned at random any more: nothing said so."""
    people = [(arm, n < left) for arm, left in zip("xyz", failed, strict=True) for n in range(15)]
    known = [
        facts(f"s{n}", participant=f"p{n}", arm=arm, qualified=not out)
        for n, (arm, out) in enumerate(people)
    ]
    table = trials().iloc[[0] * len(people)].assign(participant=[one.participant for one in known])
    found, counts = state_of(
        table, "Each arm lost about the same number of people", journals(*known)
    )
    assert (found, counts["left_out"], counts["participants"]) == (state, sum(failed), 45)


def test_checks_that_did_not_pass_are_listed_and_the_others_named():
    table = trials(trial=1)
    frame = SimpleNamespace(checks=general_checks(table, table, None, 30))
    (shown,) = CHECKS.parts(frame)
    states = [row[1] for row in shown.rows]
    assert states[0].endswith("warning")
    assert not any(state.endswith("passed") for state in states)
    passed = [one.check for one in frame.checks if one.state == "passed"]
    assert passed
    assert all(name in check_summary(frame.checks).text for name in passed)
    assert len(CHECKS.files(frame)["checks"]) == len(frame.checks)

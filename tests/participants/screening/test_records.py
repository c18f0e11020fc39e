"""What a screening leaves in the registry."""

import pytest

from participants.registry import Registry
from participants.screening.records import (
    ByHand,
    attempt,
    check_may_be_screened,
    decided,
    enter_decision,
    record,
    screened,
)
from participants.screening.titration import TitrationResult, TriedRung
from participants.screening.trivector import Trivector
from participants.screening.verdict import Verdict, ishihara_score
from stimuli.errors import UserError
from stimuli.screening import d15
from tests.participants.registry.people import Clock, assign
from tests.participants.screening.rules import RULES

LEAD = Verdict("lead", "protan", ("red_green_raised", "d15_passed"))
EXPERT = Verdict("expert", None, ("red_green_normal",))
NEITHER = Verdict("neither", None, ("red_green_between",))
VERIFIED = TitrationResult(4, None, (TriedRung(5, 20, 19), TriedRung(4, 40, 14, 40, 38)), 0.34, 139)
WHEN = "2026-01-01T00:00:00Z"
WITHOUT = TitrationResult(None, "too_many", (TriedRung(5, 20, 19),), 0.5, 60)


def settle(registry, code, verdict, titration=None):
    decision = decided(verdict, titration)
    return registry.transact(lambda rows: enter_decision(rows, code, decision, None, WHEN))


@pytest.fixture
def registry(tmp_path):
    opened = Registry.open(f"sqlite:///{(tmp_path / 'registry.sqlite').as_posix()}", Clock())
    yield opened
    opened.close()


def _trivector():
    state = Trivector.start(RULES, 4)
    while (trial := state.trial) is not None:
        state = state.answer(trial.gap if trial.number % 4 else None)
    return state.result()


def test_every_result_comes_back_as_it_was_recorded(registry: Registry) -> None:
    code = registry.enrol("participant")
    results = {
        "trivector": _trivector(),
        "d15": d15.score(tuple(range(1, 16))),
        "ishihara": ishihara_score(38, 15),
        "titration": VERIFIED,
        "by_hand": ByHand("deutan", 3),
    }
    for procedure, result in results.items():
        record(registry, code, procedure, result, session="s-1")
    found = screened(registry, code)
    assert {row.procedure: row.result for row in found} == results
    assert {row.session for row in found} == {"s-1"}
    assert screened(registry, registry.enrol("participant")) == ()


@pytest.mark.parametrize(
    ("verdict", "titration", "becomes"),
    [
        (LEAD, VERIFIED, ("lead", "protan", 4)),
        (LEAD, WITHOUT, ("participant", None, None)),
        (LEAD, None, ("participant", None, None)),
        (EXPERT, None, ("expert", None, None)),
        (NEITHER, None, ("participant", None, None)),
    ],
)
def test_a_verdict_gives_the_role_that_follows(registry, verdict, titration, becomes) -> None:
    code = registry.enrol("participant")
    decision = settle(registry, code, verdict, titration)
    person = registry.person(code)
    assert (person.role, person.axis, person.rung) == becomes
    assert screened(registry, code)[-1].result == decision


def test_who_has_begun_a_study_keeps_role_and_rung(registry: Registry) -> None:
    code = registry.enrol("lead", axis="deutan", rung=3)
    check_may_be_screened(registry, code)
    assign(registry, code)
    with pytest.raises(UserError, match="has begun a study already"):
        check_may_be_screened(registry, code)
    decision = settle(registry, code, EXPERT)
    assert (decision.role, decision.rung) == ("lead", 3)
    assert registry.person(code).role == "lead"


def test_each_titration_is_counted(registry: Registry) -> None:
    code = registry.enrol("participant")
    assert attempt(registry, code) == 1
    record(registry, code, "titration", WITHOUT)
    assert attempt(registry, code) == 2


def test_a_screening_follows_what_was_stated_by_hand(registry: Registry) -> None:
    code = registry.enrol("lead", axis="deutan", rung=2)
    settle(registry, code, LEAD, VERIFIED)
    assert (registry.person(code).axis, registry.person(code).rung) == ("protan", 4)


def test_nobody_unknown_or_withdrawn_is_screened(registry: Registry) -> None:
    code = registry.enrol("participant")
    registry.record_withdrawal(code)
    for who in (code, "CDFHJKM"):
        with pytest.raises(UserError):
            record(registry, who, "titration", WITHOUT)
        with pytest.raises(UserError):
            settle(registry, who, EXPERT)

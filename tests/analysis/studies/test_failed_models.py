"""A model that fails is named with its reason, in all five studies; a check says what it lacks."""

from collections import Counter

import pytest

from analysis.mixed import maximise
from analysis.mixed.result import MixedResult, Outcome
from analysis.studies.human_ai_team.inquiry import TEAM
from analysis.studies.human_ai_team.questions.prior import FORMULA, PRIOR
from analysis.studies.progressive_reveal.data import design_checks
from analysis.studies.progressive_reveal.trials import read_rounds
from stimuli.protocol import load_protocol
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from tests.analysis.studies.human_ai_team.tables_of import crossed, dataset_of
from tests.analysis.studies.progressive_reveal.world import World
from tests.analysis.studies.simulated import STUDIES

WHY = "The estimates ran away in this test."


@pytest.fixture
def no_fit_is_sound(monkeypatch):
    """Every model is fitted, by one step, and no fit is sound."""
    monkeypatch.setattr(maximise, "_quasi_newton", lambda _, start, __: start)
    monkeypatch.setattr(maximise, "_POLISHES", 1)
    monkeypatch.setattr(MixedResult, "converged", property(lambda _: False))
    monkeypatch.setattr(Outcome, "why_not", property(lambda _: WHY))


def models_in(value):
    """Yield the outcome of every model that results.json holds."""
    if isinstance(value, dict):
        if {"asked", "converged", "reason"} <= set(value):
            yield value
        for part in value.values():
            yield from models_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from models_in(part)


@pytest.mark.parametrize("study", STUDIES)
def test_every_model_that_fails_is_listed_with_its_reason(study, no_fit_is_sound):
    found = STUDIES[study](2, 4, 2)
    failed = Counter(one["reason"] for one in models_in(found) if not one["converged"])
    named = Counter(row["reason"] for row in found["missing"])
    assert bool(failed) == (study != "accept_reject_accuracy")
    assert not failed - named
    assert len({row["result"] for row in found["missing"]}) == len(found["missing"])


def test_a_failed_model_of_prior_knowledge_does_not_print_its_bare_formula(no_fit_is_sound):
    frame = crossed(people=8, items=6)
    frame = frame.assign(prior_knowledge=[n % 2 for n in range(len(frame))])
    found = TEAM.analyse(dataset_of(frame), None, (), lambda _: None)
    section = next(one for one in TEAM.build(found).sections if one.id == PRIOR.id)
    assert WHY in str(section)
    assert FORMULA not in str(section)
    named = {row["result"]: row["reason"] for row in found["missing"]}
    assert named["what prior knowledge changes, by the model"] == WHY


def test_rounds_of_a_table_without_left_are_not_said_to_be_whole():
    world, protocol = World(classes=4, each=2, seed=3), load_protocol("progressive_reveal")
    assert isinstance(protocol, ProgressiveReveal)
    table = read_rounds(world.study(4), protocol, world.curves(), "world")
    for says_left, state in ((True, "passed"), (False, "not checked")):
        checks = design_checks(table, protocol, known=False, says_left=says_left)
        states = {check.check: check.state for check in checks}
        assert states["Rounds were seen to their end"] == state

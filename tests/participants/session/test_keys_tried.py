"""Each study's last page before its first choice by keys has every key of the choice pressed."""

from dataclasses import replace

import pytest

from participants.planning import plans_of
from participants.session import Later, Page, TimedChoice
from tests.small_packs import SMALL_PACKS

BY_KEYS = ("accept_reject", "human_ai_team", "simulatability")


@pytest.mark.parametrize("name", BY_KEYS)
def test_the_page_before_the_first_choice_asks_for_its_keys(name):
    for plan in plans_of(SMALL_PACKS[name](), "en"):
        tried = [step for step in plan.steps if isinstance(step, Page) and step.keys]
        first = next(step for step in plan.steps if isinstance(step, TimedChoice))
        between = plan.steps[plan.steps.index(tried[0]) + 1 : plan.steps.index(first)]
        assert [page.keys for page in tried] == [tuple(sorted(first.options))]
        assert not any(isinstance(step, Page | TimedChoice) for step in between)


def test_typed_answers_need_no_such_page():
    plan = plans_of(SMALL_PACKS["progressive_reveal"](), "en")[0]
    assert not any(step.keys for step in plan.steps if isinstance(step, Page))


def test_help_is_asked_for_by_a_key_even_beside_a_mouse():
    plan = plans_of(SMALL_PACKS["human_ai_team"](), "en")[0]
    trial = next(step for step in plan.steps if isinstance(step, TimedChoice))
    asking = replace(trial, later=Later(key="h"))
    assert asking.keys == {*trial.options, "h"}
    assert replace(asking, device="mouse").keys == {"h"}
    assert not replace(trial, device="mouse", later=Later(1.0)).keys

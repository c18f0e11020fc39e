"""Robots through the published study, item for item as it was; skipped without its sheets."""

import random
from collections import Counter, defaultdict
from functools import cache
from statistics import mean

import pytest

from participants.studies.simulatability.trial import Learn, Predict, Rate
from stimuli.pack import Pack
from stimuli.protocol import load_protocol
from stimuli.studies.simulatability.protocol import OMISSION, PUBLISHED_METHODS
from stimuli.studies.simulatability.tables import KEY
from tests.participants.studies.simulatability.taken import of, plan_of, taken
from tests.stimuli.studies.simulatability.small import pack_of as composed
from tests.xai_backend.studies.simulatability.published import published

METHODS = (*PUBLISHED_METHODS, OMISSION, "no_explanation")
PREDICTING = ("forward_pre", "forward_post", "counterfactual_pre", "counterfactual_post")


@cache
def published_pack() -> Pack:
    """Return the published study's pack, all six methods and the arm without explanations."""
    protocol = load_protocol("simulatability", None, {"design": {"methods": list(METHODS)}})
    return composed(protocol, published().material)


@pytest.mark.parametrize("domain", ["text", pytest.param("tabular", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "method",
    [METHODS[0], *(pytest.param(name, marks=pytest.mark.slow) for name in METHODS[1:])],
)
def test_every_arm_shows_the_published_counts_and_strategies_score_half(domain, method):
    pack = published_pack()
    plan = plan_of(pack, f"{domain}_{method}")
    shown = Counter(
        step.section
        for step in plan.steps
        if isinstance(step, Learn | Rate | Predict) and step.step.startswith("trial")
    )
    assert shown == {"learning": 16, "learning_again": 16} | dict.fromkeys(PREDICTING, 32)
    key = {row["presentation"]: row for row in pack.table(KEY)}
    right = defaultdict(list)
    for end in of(taken(plan, pack, "true_label"), "trial_end"):
        right[end["section"]].append(end["decision"] == key[end["presentation"]]["output"])
    assert {section: mean(right[section]) for section in PREDICTING} == dict.fromkeys(
        PREDICTING, 0.5
    )


@pytest.mark.parametrize("arm", ["text_lime", "tabular_composite"])
def test_a_robot_that_is_killed_ten_times_answers_each_item_once(arm):
    pack = published_pack()
    plan, rng, events = plan_of(pack, arm), random.Random(arm), []
    whole = taken(plan, pack, "majority")
    for cut in sorted(rng.sample(range(1, len(whole) - 1), 10)):
        events = taken(plan, pack, "majority", before=events)[:cut]
    events = taken(plan, pack, "majority", before=events)
    ends = Counter(end["trial"] for end in of(events, "trial_end"))
    assert ends == Counter(range(1, 161))
    assert len(of(events, "rating_end")) == len({e["trial"] for e in of(events, "rating_end")})
    assert len(of(events, "rating_end")) == 32

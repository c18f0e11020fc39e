"""Contrasts between all pairs of methods: corrected, drawn over time, and compared between ways."""

from dataclasses import asdict, replace
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

from analysis.preregister.outcomes import CONFIRMED, NOT_CONFIRMED, decide
from analysis.questions.estimates import EstimateRow, Estimates, select
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import by_student
from analysis.studies.progressive_reveal.design import hypotheses
from analysis.studies.progressive_reveal.models import primary_model
from analysis.studies.progressive_reveal.pairs import (
    compared,
    disagreements,
    equivalence_sentence,
    judged,
)
from analysis.studies.progressive_reveal.quantities import (
    MEAN_STEPS,
    REACHED,
    RECOGNISED_LESS,
    STEPS_LESS,
)
from analysis.studies.progressive_reveal.questions.pairs import Pairs, agreement
from analysis.studies.progressive_reveal.recognition import Life, Restricted
from analysis.studies.progressive_reveal.share_curves import BY_SHARE, share_curves
from analysis.studies.progressive_reveal.trials import read_rounds
from analysis.studies.progressive_reveal.words import Methods
from stimuli.protocol import load_protocol
from tests.analysis.studies.progressive_reveal.world import METHODS, World

PLAN = Resampling(200, 1)
EVERY_PAIR = {(b, a) for a, b in combinations(METHODS, 2)}


@pytest.fixture(scope="module")
def rounds():
    world = World(classes=6, each=3, lapse=(0.02, 0.02, 0.30, 0.02), seed=11)
    trials = world.study(20, leaving=0.05, seed=2)
    return read_rounds(trials, load_protocol("progressive_reveal"), world.curves(), "world")


def row(quantity, by, estimate, p):
    ends = (estimate - 1, estimate + 1)
    of = {"method": "lrp", "against": "human", "by": by}
    return EstimateRow(
        quantity=quantity.id, of=of, estimate=estimate, ci_low=ends[0], ci_high=ends[1], p=p,
        p_adjusted=p, adjusted_low=ends[0], adjusted_high=ends[1],
    )  # fmt: skip


def shown(rows):
    """Return what the page reads of contrasts."""
    protocol = load_protocol("progressive_reveal")
    return SimpleNamespace(answer=Pairs(rows, 60), methods=Methods(METHODS), protocol=protocol)


def test_every_pair_of_methods_is_compared_by_means_and_model(rounds):
    for rows in (Life.of(rounds, PLAN).pairs(), primary_model(rounds).pairs,
                 Restricted.of(rounds, PLAN).pairs):  # fmt: skip
        for quantity in {row.quantity for row in rows}:
            own = [(row.of["method"], row.of["against"]) for row in rows
                   if row.quantity == quantity]  # fmt: skip
            assert len(own) == 6
            assert set(own) == EVERY_PAIR


def test_the_reference_is_the_base_level_of_the_model(rounds):
    """Today the base is the first method by alphabet, here LRP's neighbour "attention"."""
    frame = rounds.frame.replace({"method": {"lrp": "attention"}})
    methods = ("human", "attention", *METHODS[2:])
    renamed = replace(rounds, frame=frame, methods=methods)
    terms = {row.term for row in primary_model(renamed).hazard.fixed}
    assert {"method[attention]", "method[occlusion]", "method[protopnet]"} <= terms


def test_a_pair_is_the_difference_of_its_two_methods(rounds):
    life = Life.of(rounds, PLAN)
    answer = Estimates(tuple(life.rows()))
    for one in life.pairs():
        first, second = (
            answer.row(MEAN_STEPS, method=method) if one.quantity == STEPS_LESS.id
            else answer.row(REACHED, method=method, step=str(rounds.steps))
            for method in (one.of["method"], one.of["against"])
        )  # fmt: skip
        assert one.estimate == pytest.approx(first.estimate - second.estimate)


@pytest.mark.parametrize(
    ("model", "drawn", "differ_in"),
    [
        ((1.0, 0.001), (0.8, 0.01), None),
        ((1.0, 0.9), (0.8, 0.6), None),
        ((1.0, 0.001), (0.8, 0.2), "decision"),
        ((0.2, 0.4), (-0.2, 0.6), "sign"),
        ((0.2, 0.001), (-0.2, 0.6), "sign and decision"),
        ((1.0, 0.001), (0.4, 0.001), "size"),
    ],
)
def test_where_means_and_model_differ_the_page_says_so(model, drawn, differ_in):
    rows = (row(STEPS_LESS, "model", *model), row(STEPS_LESS, "means", *drawn))
    found = disagreements(rows)
    assert [one.differ_in for one in found] == ([differ_in] if differ_in else [])
    said = agreement(shown(rows))
    text = said.items[0] if differ_in else said.text
    assert f"differ in {differ_in}" in text if differ_in else "agree on every pair" in text
    # What decides is said, and neither number stands alone.
    assert not differ_in or "the primary analysis" in said.items[-1]


def test_without_a_model_nothing_is_said_of_agreement():
    rows = (row(STEPS_LESS, "means", 1.0, 0.01),)
    assert agreement(shown(rows)) is None


@pytest.mark.parametrize(
    ("third", "se", "verdict", "outcome"),
    [
        (0.0, 0.02, "LRP, occlusion and ProtoPNet are nearly equivalent: two one-sided", CONFIRMED),
        (0.0, 0.09, "Whether LRP, occlusion and ProtoPNet are nearly equivalent is", NOT_CONFIRMED),
        (0.4, 0.02, "LRP, occlusion and ProtoPNet aren’t nearly equivalent", NOT_CONFIRMED),
    ],
)
def test_the_papers_claim_has_a_verdict_from_the_rows_that_decide_it(third, se, verdict, outcome):
    """People's maps explain no model, so it doesn't matter how far they are from the others."""
    heights = {"human": -0.5, "lrp": 0.0, "occlusion": 0.01, "protopnet": third}
    rows = [
        judged(row, 0.1)
        for row in compared(
            RECOGNISED_LESS, "means", METHODS,
            lambda a, b: by_student(heights[METHODS[b]] - heights[METHODS[a]], se, 60),
        )
    ]  # fmt: skip
    (said,) = equivalence_sentence(rows, METHODS, Methods(METHODS).name)
    assert said.startswith(verdict)
    assert "human" not in said
    (third_one,) = (one for one in hypotheses(load_protocol("progressive_reveal"))
                    if one.name == "H3")  # fmt: skip
    tests = tuple(replace(test, question="pairs") for test in third_one.tests)
    plain = [{**asdict(row), "question": "pairs"} for row in rows]
    assert decide(replace(third_one, tests=tests), plain).outcome == outcome


def test_differences_over_time_are_those_of_the_curves_with_bands_of_their_own(rounds):
    life = Life.of(rounds, PLAN)
    answer = Estimates(tuple(life.rows()))
    differences = list(life.over_steps())
    narrower = 0
    for one in differences:
        own, base = (
            answer.row(REACHED, method=name, step=one.of["step"])
            for name in (one.of["method"], "human")
        )
        assert one.estimate == pytest.approx(own.estimate - base.estimate)
        if np.isfinite(one.ci_low):
            both = sum(row.ci_high - row.ci_low for row in (own, base))
            narrower += one.ci_high - one.ci_low < both
    assert narrower > 0.8 * len(differences)
    curves = share_curves(rounds, Resampling(60, 1))
    known = {(row.of["method"], row.of["share"]): row.estimate
             for row in select(curves.rows, BY_SHARE)}  # fmt: skip
    assert {row.of["method"] for row in curves.less} == {*METHODS} - {"human"}
    for gap in curves.less:
        own, base = (known[name, gap.of["share"]] for name in (gap.of["method"], "human"))
        assert (gap.estimate is None) == (own is None or base is None)
        assert gap.estimate is None or gap.estimate == pytest.approx(own - base)

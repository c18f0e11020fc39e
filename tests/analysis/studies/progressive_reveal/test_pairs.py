"""Contrasts between all pairs of methods: corrected, drawn over time, and compared between ways."""

from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import by_student
from analysis.studies.progressive_reveal.models import primary_model
from analysis.studies.progressive_reveal.pairs import Pair, disagreements, pairs_of
from analysis.studies.progressive_reveal.questions.pairs import Pairs, agreement
from analysis.studies.progressive_reveal.recognition import life_tables, restricted_shares
from analysis.studies.progressive_reveal.share_curves import needed_shares
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


def row(of, by, estimate, p):
    ends = (estimate - 1, estimate + 1)
    after = {"p_holm": p, "holm_low": ends[0], "holm_high": ends[1]}
    return Pair(of, by, "lrp", "human", estimate, *ends, p, **after)


def shown(rows):
    """Return what the page reads of contrasts."""
    protocol = load_protocol("progressive_reveal")
    return SimpleNamespace(
        answer=Pairs(rows, disagreements(rows)), methods=Methods(METHODS), protocol=protocol
    )


def test_every_pair_of_methods_is_compared_by_means_and_model(rounds):
    drawn = life_tables(rounds, PLAN)
    model = primary_model(rounds)
    for rows in (drawn.pairs, model.pairs):
        for of in ("steps", "recognised"):
            own = [(row.method, row.other) for row in rows if row.of == of]
            assert len(own) == 6
            assert set(own) == EVERY_PAIR
    restricted = restricted_shares(rounds, PLAN)
    assert {(row.method, row.other) for row in restricted.pairs} == EVERY_PAIR
    # Those to the reference are the same contrasts as before.
    for found in (drawn, restricted):
        of_pair = {
            row.method: row for row in found.pairs
            if row.other == "human" and row.of in ("steps", "restricted")
        }  # fmt: skip
        for gap in found.differences:
            assert gap.estimate == of_pair[gap.method].estimate
            assert gap.p == of_pair[gap.method].p


def test_the_reference_is_the_base_level_of_the_model(rounds):
    """Today the base is the first method by alphabet, here LRP's neighbour "attention"."""
    frame = rounds.frame.replace({"method": {"lrp": "attention"}})
    methods = ("human", "attention", *METHODS[2:])
    renamed = replace(rounds, frame=frame, methods=methods)
    terms = {row.term for row in primary_model(renamed).hazard.fixed}
    assert {"method[attention]", "method[occlusion]", "method[protopnet]"} <= terms
    before = [row.estimate for row in primary_model(rounds).pairs]
    assert [row.estimate for row in primary_model(renamed).pairs] == pytest.approx(before, abs=1e-3)


def test_a_pair_is_the_difference_of_its_two_methods(rounds):
    found = life_tables(rounds, PLAN)
    mean = {row.method: row.estimate for row in found.mean_steps}
    end = {row.method: row.reached for row in found.rows if row.step == rounds.steps}
    for one in found.pairs:
        of = mean if one.of == "steps" else end
        assert one.estimate == pytest.approx(of[one.method] - of[one.other])


def test_holm_is_over_the_pairs_of_one_question_by_one_way():
    p_values = [0.001, 0.02, 0.04]
    tests = {(f"m{place}", "human"): by_student(float(norm.isf(p / 2)), 1.0, np.inf)
             for place, p in enumerate(p_values)}  # fmt: skip
    found = pairs_of("steps", "means", tests)
    wanted = multipletests(p_values, method="holm")[1]
    assert [one.p_holm for one in found] == pytest.approx([*wanted])
    assert [one.holm_low > 0 for one in found] == [p < 0.05 for p in wanted]


def test_what_is_printed_as_0_has_no_sign_to_differ_in():
    """Today "0 [−9, +9] by means, 0 [−10, +10] by the model; they differ in sign"."""
    rows = [row("recognised", "model", 0.002, 0.9), row("recognised", "means", -0.003, 0.9)]
    assert not disagreements(rows)


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
    rows = (row("steps", "model", *model), row("steps", "means", *drawn))
    found = disagreements(rows)
    assert [one.differ_in for one in found] == ([differ_in] if differ_in else [])
    said = agreement(shown(rows))
    text = said.items[0] if differ_in else said.text
    assert f"differ in {differ_in}" in text if differ_in else "agree on every pair" in text
    # What decides is said, and neither number stands alone.
    assert not differ_in or "the primary analysis" in said.items[-1]


def test_without_a_model_nothing_is_said_of_agreement():
    rows = (row("steps", "means", 1.0, 0.01),)
    assert agreement(shown(rows)) is None


def test_differences_over_time_are_those_of_the_curves_with_bands_of_their_own(rounds):
    found = life_tables(rounds, PLAN)
    reached = {(row.method, row.step): row for row in found.rows}
    narrower = 0
    for one in found.over_time:
        own, base = (reached[name, one.step] for name in (one.method, "human"))
        assert one.estimate == pytest.approx(own.reached - base.reached)
        if one.ci_low is not None and np.isfinite(one.ci_low):
            both = sum(row.ci_high - row.ci_low for row in (own, base))
            narrower += one.ci_high - one.ci_low < both
    assert narrower > 0.8 * len(found.over_time)
    needed = needed_shares(rounds, Resampling(60, 1))
    base = next(curve for curve in needed.curves if curve.method == "human")
    assert base.less_reference == ()
    for curve in needed.curves[1:]:
        for gap, own, theirs in zip(curve.less_reference, curve.reached, base.reached, strict=True):
            known = np.isfinite([own, theirs]).all()
            assert np.isfinite(gap) == known
            assert not known or gap == pytest.approx(own - theirs)

"""The run's effect apart from the explanations': with a fixed order, probes and a sham group."""

import numpy as np
import pytest

from analysis.studies.accept_reject.questions.acceptance import ACCEPTANCE
from analysis.studies.accept_reject.questions.controls import CONTROLS
from analysis.studies.accept_reject.questions.model import MIXED_MODEL
from analysis.studies.accept_reject.questions.other_choices import OTHER_CHOICES
from analysis.studies.accept_reject.questions.usefulness import USEFULNESS
from analysis.studies.accept_reject.usefulness import NET_OF_PRACTICE, PRACTICE, run_effect
from tests.analysis.studies.accept_reject.simulate_table import leads
from tests.analysis.studies.accept_reject.whole import (
    PLAN,
    by,
    estimates,
    judged,
    rate,
    results_of,
)


def run_effect_of(table):
    return run_effect(judged(table), PLAN)


def fixed_order(probes=0.0, practice=0.0):
    """Return leads who all have explanations second; some solutions there without one."""
    table = leads(12, per_solver=20)
    table = table.assign(
        order="without_first",
        run=np.where(table["explained"], 2, 1),
    )
    rng = np.random.Generator(np.random.PCG64(9))
    solved = table["solver"].isin(["S", "E"]) & (table["run"] == 2)
    probe = solved & (rng.random(len(table)) < probes)
    read = rng.random(len(table)) < 0.35 + practice
    return table.assign(
        explained=table["explained"] & ~probe,
        decision=table["decision"].mask(probe, np.where(read, "accept", "reject")),
        rt_s=table["rt_s"].mask(probe, 2.0),
    )


def test_a_fixed_order_alone_is_said_to_confound():
    effect = run_effect_of(fixed_order())
    assert not effect.told_apart
    assert "are confounded" in effect.sentence
    results = results_of(fixed_order(), only=[ACCEPTANCE, OTHER_CHOICES])
    missing = by(
        results["missing"], result="the effect of explanations, separate from practice and fatigue"
    )
    assert "one order" in missing["reason"]


def test_probes_tell_practice_from_explanation():
    effect = run_effect_of(fixed_order(probes=0.5, practice=0.2))
    assert effect.by == ["probes"]
    practice = [row.estimate for row in effect.rows(PRACTICE)]
    assert np.mean(practice) == pytest.approx(0.2, abs=0.12)
    for row in effect.rows(NET_OF_PRACTICE):
        assert row.ci_low < 0.75 * 0.93 - 0.55 + 0.1 < row.ci_high + 0.1


def test_too_few_probes_do_not_suffice():
    effect = run_effect_of(fixed_order(probes=0.08))
    assert effect.probe_share > 0
    assert not effect.told_apart
    assert "fewer than 15 %" in effect.sentence


def test_probes_are_neither_of_the_runs_compared():
    table = fixed_order(probes=0.5)
    frame = judged(table).frame
    results = results_of(table, only=[ACCEPTANCE, USEFULNESS, CONTROLS, MIXED_MODEL])
    assert rate(results, "S", "without").n == ((frame["solver"] == "S") & (frame["run"] == 1)).sum()
    model = results["model"]["fit"]
    assert {"run", "explained"} <= {row["term"] for row in model["fixed"]}
    check = by(results["checks"], check="Equal numbers of both orders of the runs")
    assert check["state"] == "note"
    assert "probes separate the effects of explanation and run" in check["finding"]
    assert any("probes" in note for note in model["notes"])


def with_sham():
    """Return the fixed order, in which four of twelve leads have no explanation in either run."""
    table = fixed_order()
    sham = table["participant"].isin(["P001", "P002", "P003", "P004"])
    bare = sham & table["explained"]
    solved = bare & table["solver"].isin(["S", "E"])
    rng = np.random.Generator(np.random.PCG64(3))
    return table.assign(
        order=table["order"].mask(sham, "sham"),
        explained=table["explained"] & ~sham,
        decision=table["decision"].mask(
            solved, np.where(rng.random(len(table)) < 0.35, "accept", "reject")
        ),
        rt_s=table["rt_s"].mask(solved, 2.0),
    )


def test_a_sham_group_gives_practice_and_stands_outside_usefulness():
    table = with_sham()
    sham = table["order"] == "sham"
    results = results_of(table, only=[ACCEPTANCE, OTHER_CHOICES])
    assert results["other_choices"]["by"] == ["sham"]
    (practice,) = estimates(results, PRACTICE)
    assert practice.ci_low < 0.02 < practice.ci_high
    outcomes = {row["participant"]: row["outcome"] for row in results["participants"]["leads"]}
    assert [outcomes[f"P00{k}"] == "sham" for k in (1, 4, 5, 6)] == [True, True, False, False]
    own = table[~sham & (table["solver"] == "S") & ~table["explained"]]
    assert rate(results, "S", "without").n == len(own)

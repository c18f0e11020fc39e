"""Compliance: two thresholds, on controls that neither vision nor an explanation changes."""

import numpy as np
import pytest

from analysis.statistics.proportions import Count
from analysis.studies.accept_reject.exclusions import GroupCompliance, kept_words
from analysis.studies.accept_reject.people import KEPT
from bench.parts.control_compliance import KINDS, kept_by
from bench.parts.control_worlds import FEW
from tests.analysis.studies.accept_reject.simulate_table import Truth, simulate
from tests.analysis.studies.accept_reject.whole import by, estimates, results_of


def excluded(results):
    return {row["participant"]: row["reason"] for row in results["participants"]["by_rule"]}


def test_who_always_rejects_and_who_always_accepts_are_left_out():
    """By the threshold that each misses, and by that alone."""
    found = results_of(simulate(["lead", "rejecting", "lazy", "lead"], per_solver=8), only=())
    gone = excluded(found)
    assert set(gone) == {"P002", "P003"}
    assert gone["P002"] == "too few right decisions on controls that anyone sees"
    assert "controls to reject" in gone["P003"]
    groups = {
        code: {row.of["controls"]: row.estimate for row in estimates(found, KEPT, participant=code)}
        for code in ("P002", "P003")
    }
    assert groups["P002"] == {"anyone": 0.0, "must_reject": 1.0}
    assert groups["P003"] == {"anyone": 1.0, "must_reject": 0.0}


def test_leads_who_comply_stay_however_little_they_accept():
    table = simulate(["lead"] * 6, per_solver=8, truth=Truth(0.35, 0.35, 0.35))
    assert excluded(results_of(table, only=())) == {}


def test_what_must_be_rejected_counts_in_the_run_without_explanations_alone():
    table = simulate(["lead"] * 6, per_solver=8)
    never = table["control_kind"].isin(["no_numeral", "no_solution"]) & ~table["explained"]
    found = results_of(table, only=())
    for row in found["participants"]["leads"]:
        group = by(row["compliance"], name="must_reject")
        own = table[(table["participant"] == row["participant"]) & never]
        assert group["n"] == len(own)
        assert group["right"] == int((own["decision"] != "accept").sum())


def test_a_group_of_few_controls_is_too_few_to_judge_by():
    """One slip among four would leave an honest lead out; among five it doesn't."""
    few, enough = (GroupCompliance.of("anyone", Count(3, n), 0.8, 5) for n in (4, 5))
    assert few.enough
    assert kept_words(few) == "3 of 4, too few to judge"
    assert not enough.enough
    assert kept_words(enough) == "3 of 5"
    assert not GroupCompliance.of("anyone", Count(3, 4), 0.8, 0).enough
    assert GroupCompliance.of("anyone", Count(0, 0), 0.8, 0).enough


@pytest.mark.parametrize("kind", ["always rejects", "always accepts"])
def test_blind_answers_never_reach_both_thresholds(kind):
    assert kept_by(kind, 1) == 0


@pytest.mark.slow
def test_honest_leads_reach_both_thresholds():
    shares = {
        kind: np.mean([kept_by(kind, seed) for seed in range(40)]) / FEW
        for kind in KINDS
        if not kind.startswith(("always", "decides"))
    }
    assert min(shares.values()) > 0.94

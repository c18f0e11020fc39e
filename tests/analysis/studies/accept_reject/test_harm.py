"""Harm: named where it was put in, not where explanations help or nothing changes."""

from types import SimpleNamespace

import numpy as np
import pytest

from analysis.report.wording import points
from analysis.studies.accept_reject.controls import (
    CHANGE,
    CONTROL,
    HARM_FORMULA,
    HARM_TERM,
    MIXED,
    RIGHT_BEYOND_WRONG,
    RISE,
    WHENEVER,
    _why_not,
)
from analysis.studies.accept_reject.questions.controls import CONTROLS
from bench.parts.control_harm import HARM_WORLDS, harm_of
from bench.parts.control_worlds import STUDIES
from tests.analysis.studies.accept_reject.simulate_table import Truth, simulate
from tests.analysis.studies.accept_reject.whole import by, estimate, results_of, said_of

HELPS, FOOLS = (
    HARM_WORLDS[name]
    for name in ("a matched explanation helps", "wrong digits are accepted more often")
)
NOTHING, FROM_NONE = (
    HARM_WORLDS[name]
    for name in ("nothing changes", "wrong digits are accepted only with explanations")
)


@pytest.mark.slow
def test_wrong_digits_that_rise_from_none_are_harm_though_d_prime_has_no_finite_estimate():
    found = harm_of(FROM_NONE, 1)
    assert not found["mixed"]
    assert found["wrong_digits"]


def late(table, chosen):
    """Return the table with trials accepted, but later than the decision time."""
    return table.assign(
        decision=table["decision"].mask(chosen, "accept"), rt_s=table["rt_s"].mask(chosen, 9.0)
    )


def test_wrong_digits_accepted_after_the_decision_time_are_no_harm():
    """They count as rejections, as everywhere; the table of controls still shows them."""
    table = simulate(["lead"] * 6, per_solver=8)
    chosen = (table["control_kind"] == "wrong_digit") & table["explained"]
    found = results_of(late(table, chosen), only=[CONTROLS])
    wrong = {"control_kind": "wrong_digit", "explanation": "with"}
    assert estimate(found, CONTROL, **wrong).estimate == 0
    assert not found["controls"]["more_wrong"]
    assert estimate(found, WHENEVER, **wrong).estimate == 1


def test_a_change_of_d_prime_that_runs_off_comes_from_pooled_counts():
    """As where nearly all wrong digits are rejected: the fit looks sound, its error is huge."""
    rows = [SimpleNamespace(term=term, se=se) for term, se in (("signal", 1.0), (HARM_TERM, 48.0))]
    result = SimpleNamespace(fixed=rows)
    outcome = SimpleNamespace(result=result, sound=result, reason="")
    assert "no finite estimate" in _why_not(outcome)
    rows[1].se = 0.5
    assert _why_not(outcome) == ""


def test_the_model_is_of_matched_digits_within_the_decision_time():
    table = simulate(["lead"] * 8, per_solver=8, truth=Truth(0.5, 0.7, 0.7))
    rng = np.random.Generator(np.random.PCG64(4))
    wrong = table["control_kind"].fillna("").str.startswith("wrong_digit")
    chosen = wrong & (rng.random(len(table)) < 0.3)
    table = table.assign(
        decision=table["decision"].mask(chosen, "accept"), rt_s=table["rt_s"].mask(chosen, 1.5)
    )
    found = results_of(table, only=[CONTROLS])
    model, matched = (
        found["controls"]["model"],
        table["control_kind"].isin(["right_digit", "wrong_digit"]),
    )
    assert found["controls"]["method"] == MIXED
    assert (model["asked"], model["family"]) == (HARM_FORMULA, "probit")
    change, term = estimate(found, CHANGE, by=MIXED), by(model["fixed"], term="signal:explained")
    assert (change.n, change.estimate) == (int(matched.sum()), term["estimate"])
    assert "ratio" not in term


@pytest.mark.slow
@pytest.mark.parametrize(
    ("world", "least", "most"),
    [(NOTHING, 0.0, 0.06), (HELPS, 0.0, 0.03), (FOOLS, 0.5, 1.0), (FROM_NONE, 0.9, 1.0)],
    ids=list(HARM_WORLDS),
)
def test_harm_is_named_where_it_was_put_in(world, least, most):
    found = [harm_of(world, seed) for seed in range(STUDIES)]
    named = np.mean([one["d_prime"] or one["wrong_digits"] for one in found])
    assert least <= named <= most


def results_where_accepted(table, swayed):
    """Return the results of a table some of whose rows are accepted after 1.5 s instead."""
    accepted = table.assign(
        decision=table["decision"].mask(swayed, "accept"), rt_s=table["rt_s"].mask(swayed, 1.5)
    )
    return results_of(accepted, only=[CONTROLS])


def test_acceptance_of_wrong_digits_is_harm_and_no_profit():
    """Leads who accept whatever is explained, right or wrong alike, but nothing without numeral."""
    table = simulate(["lead"] * 8, per_solver=12, truth=Truth(0.35, 0.35, 0.35))
    rng = np.random.Generator(np.random.PCG64(2))
    numeral = table["true_label"] != "no_numeral"
    swayed = table["explained"] & numeral & (table["shown_label"] != "no_solution")
    swayed &= rng.random(len(table)) < 0.9
    found = results_where_accepted(table, swayed)
    assert found["controls"]["less_sensitive"]
    assert estimate(found, CHANGE, by=found["controls"]["method"]).ci_high < 0
    assert any("do harm" in sentence for sentence in found["headline"])
    assert {row["outcome"] for row in found["participants"]["leads"]} == {"indiscriminate"}
    assert found["participants"]["by_rule"] == []  # to be misled is a result


def test_wrong_digits_accepted_for_the_explanations_sake_are_harm_where_d_prime_stays():
    """All digits, right and wrong, are accepted more often: a shift that d′ can't see."""
    table = simulate(["lead"] * 8, per_solver=12, truth=Truth(0.35, 0.35, 0.35))
    rng = np.random.Generator(np.random.PCG64(3))
    solved = table["shown_label"] != "no_solution"
    swayed = table["explained"] & solved & (rng.random(len(table)) < 0.4)
    swayed |= (table["control_kind"].str.startswith("right")) & (rng.random(len(table)) < 0.5)
    found = results_where_accepted(table, swayed)
    assert found["controls"]["more_wrong"]
    assert estimate(found, RISE).estimate > 0.1
    (said,) = (sentence for sentence in found["headline"] if "do harm" in sentence)
    assert "right digits isn’t shown to rise by more" in said
    told = said.rpartition("wrong digits is")[2]
    assert points(estimate(found, RIGHT_BEYOND_WRONG).estimate) in told


def test_explanations_may_do_harm_where_chance_could_explain_that_right_digits_rise_by_more():
    """A study with few controls: right digits rise by more, but its interval holds zero."""
    table = simulate(["lead"] * 8, per_solver=12, truth=Truth(0.1, 0.1, 0.1))
    kind, rng = table["control_kind"].fillna(""), np.random.Generator(np.random.PCG64(6))
    draw, explained = rng.random(len(table)), table["explained"]
    swayed = (kind == "wrong_digit") & (draw < np.where(explained, 0.3, 0.1))
    swayed |= (kind == "right_digit") & (draw < np.where(explained, 0.75, 0.4))
    found = results_where_accepted(table, swayed)
    beyond = estimate(found, RIGHT_BEYOND_WRONG)
    assert beyond.ci_low < 0 < beyond.estimate
    assert found["controls"]["more_wrong"]
    (said,) = (sentence for sentence in found["headline"] if "harm" in sentence)
    assert said.startswith("The explanations may do harm: ")
    assert points(beyond.estimate) in said
    assert "This may be harm" in said_of(found, CONTROLS)


def test_more_wrong_digits_are_no_harm_where_right_ones_rise_by_more():
    """Leads who see more within the decision time accept more of both; the headline says so."""
    table = simulate(["lead"] * 12, per_solver=12, truth=Truth(0.1, 0.1, 0.1))
    kind, rng = table["control_kind"].fillna(""), np.random.Generator(np.random.PCG64(5))
    draw = rng.random(len(table))
    swayed = table["explained"] & (
        ((kind == "wrong_digit") & (draw < 0.25)) | ((kind == "right_digit") & (draw < 0.8))
    )
    found = results_where_accepted(table, swayed)
    assert (found["controls"]["rises"], found["controls"]["more_wrong"]) == (True, False)
    assert estimate(found, RIGHT_BEYOND_WRONG).ci_low > 0
    (said,) = (sentence for sentence in found["headline"] if "wrong digits" in sentence)
    assert said.endswith("but their acceptance of right digits rises by more.")
    assert not any("do harm" in sentence for sentence in found["headline"])
    assert said_of(found, CONTROLS)

"""Decision times: the ratio that was put in comes out, and quantiles are means over leads."""

import numpy as np
import pytest

from analysis.studies.accept_reject.questions.times import TIMES
from analysis.studies.accept_reject.response_times import QUANTILE
from tests.analysis.studies.accept_reject.simulate_table import leads
from tests.analysis.studies.accept_reject.whole import answer_of


def times_of(table):
    return answer_of(TIMES, table)


def slowed(factor, seed=1):
    """Return answers whose log time is drawn from the model, explained ones slower by a factor."""
    table = leads(10, per_solver=16, seed=seed)
    rng = np.random.Generator(np.random.PCG64(seed))
    person = {code: rng.normal(0, 0.3) for code in table["participant"].unique()}
    item = {name: rng.normal(0, 0.2) for name in table["item"].unique()}
    log = 1.0 + table["participant"].map(person) + table["item"].map(item)
    log += np.log(factor) * table["explained"] + rng.normal(0, 0.4, len(table))
    return table.assign(decision=rng.choice(["accept", "reject"], len(table)), rt_s=np.exp(log))


def test_the_model_of_times_finds_the_ratio_that_was_put_in():
    model = times_of(slowed(1.5)).model
    assert model.fitted
    assert model.converged
    terms = {row.term: row for row in model.fixed}
    explained, solver = terms["explained"], terms["solver"]
    assert 1.2 < explained.time_ratio_low < 1.5 < explained.time_ratio_high
    assert solver.time_ratio_low < 1 < solver.time_ratio_high


def test_what_explanations_do_to_times_by_changing_decisions_is_their_effect():
    """Acceptances take twice as long, and explanations bring nine of ten: at equal decisions, 1."""
    table = slowed(1.0)
    rng = np.random.Generator(np.random.PCG64(2))
    accepts = rng.random(len(table)) < np.where(table["explained"], 0.9, 0.1)
    table = table.assign(
        decision=np.where(accepts, "accept", "reject"), rt_s=table["rt_s"] * (1 + accepts)
    )
    terms = {row.term: row for row in times_of(table).model.fixed}
    assert terms["explained"].time_ratio_low < 2**0.8 < terms["explained"].time_ratio_high


def test_quantiles_are_means_over_leads():
    """Straight from the definition."""
    table = slowed(1.2)
    cell = {"solver": "S", "explanation": "with", "decision": "accept"}
    row = times_of(table).row(QUANTILE, **cell, quantile="0.5")
    own = table[(table["solver"] == "S") & table["explained"] & (table["decision"] == "accept")]
    each = [part["rt_s"] for _, part in own.groupby("participant") if len(part) >= 5]
    assert row.n == len(each)
    assert row.estimate == pytest.approx(np.mean([np.quantile(part, 0.5) for part in each]))

"""Change by the published bootstrap, from replicates that a slow loop draws."""

import numpy as np
import pandas as pd
import pytest

from analysis.questions.estimates import row_of, select
from analysis.studies.simulatability.published import TOGETHER, WITHIN, Resampled, change_rows
from analysis.studies.simulatability.quantities import (
    HALF_WIDTH,
    PRE_RIGHT,
    PRE_SHRUNKEN,
    PUBLISHED_CHANGE,
    REPLICATES,
)
from analysis.studies.simulatability.questions.change import published_rows
from analysis.studies.simulatability.resampled_tables import Plan, TrimmedBlocks
from analysis.studies.simulatability.trials import conditions, units_of
from tests.analysis.studies.simulatability.tables_of import (
    predictions_of,
    protocol_of,
    trials_of,
)
from tests.analysis.studies.simulatability.test_shrunken import by_fit


def test_replicates_are_those_of_copied_rows_and_a_fit_of_each():
    """Rows are copied by their weights; accuracy before is fitted, accuracy after averaged."""
    found = predictions_of(trials_of(9, 8, seed=5, lime=0.2, anchor=0.0))
    plan = Plan(12, 7)
    weights = TrimmedBlocks(units_of(found.pairs)).weights(plan.rng(0), 12)
    slow = {method: [] for method in found.methods}
    for own in weights:
        rows = found.pairs.loc[np.repeat(np.arange(len(own)), own)]
        groups = dict(list(rows.groupby("method")))
        names = [method for method in found.methods if method in groups]
        right = np.array([int(groups[m]["pre"].sum()) for m in names])
        shares, sd = by_fit(right, np.array([len(groups[m]) for m in names]))
        if sd < 1e-4:
            continue
        for method, share in zip(names, shares, strict=True):
            slow[method].append(100 * (groups[method]["post"].mean() - share))
    rows = list(change_rows(found.pairs, found.methods, plan))
    for method in found.methods:
        assert_are_those(rows, method, TOGETHER, slow[method])


def assert_are_those(rows, method, resampled, replicates):
    """Change of a method is what these replicates say."""
    wanted, of = Resampled.of(np.array(replicates)), {"method": method, "resampled": resampled}
    used = row_of(rows, REPLICATES, **of)
    assert (used.estimate, used.n) == (wanted.used, 12)
    change = row_of(rows, PUBLISHED_CHANGE, **of)
    assert change.estimate == pytest.approx(wanted.mean, abs=0.005)
    half_width = row_of(rows, HALF_WIDTH, **of).estimate
    assert half_width == pytest.approx(wanted.half_width, abs=0.01)


def test_within_methods_each_methods_rows_are_drawn_by_themselves():
    """A method's replicates are those of its own rows, drawn one method after the other."""
    found = predictions_of(trials_of(9, 8, seed=5, lime=0.2, anchor=0.0))
    plan = Plan(12, 7)
    rng = plan.rng(0)
    parts = [found.pairs[found.pairs["method"] == m].reset_index(drop=True) for m in found.methods]
    drawn = [TrimmedBlocks(units_of(part)).weights(rng, 12) for part in parts]
    slow = []
    for replicate in range(12):
        rows = [
            part.loc[np.repeat(np.arange(len(part)), own[replicate])]
            for part, own in zip(parts, drawn, strict=True)
        ]
        assert [len(own) for own in rows] == [len(part) for part in parts]
        right = np.array([int(own["pre"].sum()) for own in rows])
        shares, sd = by_fit(right, np.array([len(own) for own in rows]))
        if sd >= 1e-4:
            after = np.array([own["post"].mean() for own in rows])
            slow.append(100 * (after - shares))
    rows = list(change_rows(found.pairs, found.methods, plan, within=True))
    for place, method in enumerate(found.methods):
        assert_are_those(rows, method, WITHIN, np.array(slow)[:, place])
    assert select(change_rows(found.pairs, found.methods, plan), resampled=WITHIN) == ()


def test_what_replicates_say_follows_the_definition():
    draws = np.array([1.0, 2.0, 4.0, 9.0, np.nan])
    found = Resampled.of(draws)
    assert found.mean == 4
    assert found.used == 4
    assert found.p == 0.25  # of 1, 2, 4, 9 only 9 lies 4 or more away from 4
    low, high = np.quantile([1, 2, 4, 9], [0.025, 0.975])
    assert found.half_width == pytest.approx((high - low) / 2)


def test_one_method_has_nothing_to_shrink_towards():
    found = predictions_of(trials_of(8, 6).query("method == 'lime'"))
    rows = list(change_rows(found.pairs, found.methods, Plan(200, 1)))
    assert row_of(rows, PRE_SHRUNKEN).estimate == row_of(rows, PRE_RIGHT).estimate
    assert row_of(rows, REPLICATES).estimate == 200


def test_each_domain_and_each_test_have_rows_of_their_own():
    both = pd.concat(
        [trials_of(6, 4, domain="text"), trials_of(6, 4, domain="tabular")], ignore_index=True
    )
    found = predictions_of(both)
    assert len(conditions(found)) == 8
    assert len(conditions(predictions_of(both.query("domain == 'text'")))) == 3
    assert conditions(predictions_of(both.query("domain == 'text' and use == 'forward'"))) == [
        ("text", "forward")
    ]
    rows = published_rows(found, protocol_of(published_replicates=100))
    of_lime = select(rows, PUBLISHED_CHANGE, method="lime")
    n = {(row.of["domain"], row.of["test"]): row.n for row in of_lime}
    assert n["text", "all"] == n["text", "forward"] + n["text", "counterfactual"]
    assert n["all", "forward"] == n["text", "forward"] + n["tabular", "forward"]

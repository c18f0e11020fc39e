import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from statsmodels.discrete.discrete_model import Probit

from analysis.mixed import NotEstimableError, diagnostics, fit_logistic, fit_mixed, fit_probit
from analysis.mixed.design import RandomFactor
from analysis.mixed.estimation import Method
from analysis.mixed.families import POISSON
from analysis.mixed.simplify import fit_simplified
from tests.analysis.mixed import slow
from tests.analysis.mixed.data import public

CROSSED = "y ~ explained*solver + run + order + (1 + explained*solver || participant) + (1 | item)"
TRUTH = {
    "(Intercept)": -0.4,
    "explained": 1.2,
    "solver": 0.3,
    "explained:solver": -0.5,
    "run": 0.2,
    "order": 0.0,
}


def crossed(people=24, items=60, seed=1, sd_person=0.8, sd_slope=0.5, sd_item=0.7):
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        [(p, i) for p in range(people) for i in range(items)], columns=["participant", "item"]
    )
    order = rows["participant"] % 2 - 0.5
    cell = (rows["participant"] // 2 + rows["item"]) % 4
    rows["explained"], rows["solver"] = cell % 2 - 0.5, cell // 2 - 0.5
    rows["order"], rows["run"] = order, -2 * order * rows["explained"]
    person, slope = rng.normal(0, sd_person, people), rng.normal(0, sd_slope, people)
    thing = rng.normal(0, sd_item, items)
    eta = TRUTH["(Intercept)"] + person[rows["participant"]] + thing[rows["item"]]
    eta += slope[rows["participant"]] * rows["explained"]
    for name in ("explained", "solver", "run"):
        eta += TRUTH[name] * rows[name]
    eta += TRUTH["explained:solver"] * rows["explained"] * rows["solver"]
    return rows.assign(y=rng.random(len(rows)) < expit(eta))


def test_vanished_slopes_are_left_out_and_said():
    found = fit_logistic(CROSSED, crossed(sd_slope=0.0, seed=3))
    said = " ".join(found.notes)
    assert "vanishing variance by participant" in said
    assert all(row.sd >= 0.01 for row in found.random if row.term != "(Intercept)")
    assert found.asked == CROSSED
    assert found.formula != CROSSED
    assert {"participant", "item"} <= {row.group for row in found.random}


def test_one_person_gets_plain_logistic_regression_and_is_told():
    rows = crossed(people=2, items=80)
    found = fit_logistic(CROSSED, rows[rows["participant"] == 0])
    said = " ".join(found.notes)
    assert "there is only one participant" in said
    assert "no item was seen twice" in said
    assert "no random effects" in found.engine
    assert not found.random


def test_without_random_effects_it_is_the_plain_regression():
    """statsmodels' GLM and OLS."""
    import statsmodels.api as sm

    rows = crossed(8, 40).assign(v=lambda t: np.arange(len(t)) % 7 / 3.0)
    x = sm.add_constant(rows[["explained", "v"]])
    logit = sm.GLM(rows["y"].astype(float), x, family=sm.families.Binomial()).fit()
    found = fit_mixed("y ~ explained + v", rows, "binomial")
    assert [row.estimate for row in found.fixed] == pytest.approx(logit.params.tolist(), abs=1e-6)
    assert [row.se for row in found.fixed] == pytest.approx(logit.bse.tolist(), rel=1e-4)
    assert found.log_likelihood == pytest.approx(logit.llf, abs=1e-8)
    assert found.criterion == "ML"
    counts = rows.assign(c=np.arange(len(rows)) % 5 + rows["y"])
    poisson = sm.GLM(counts["c"].astype(float), x, family=sm.families.Poisson()).fit()
    found = fit_mixed("c ~ explained + v", counts, "poisson")
    assert [row.estimate for row in found.fixed] == pytest.approx(poisson.params.tolist(), abs=1e-6)
    assert found.log_likelihood == pytest.approx(poisson.llf, abs=1e-8)
    ols = sm.OLS(counts["c"].astype(float), x).fit()
    found = fit_mixed("c ~ explained + v", counts)
    assert [row.se for row in found.fixed] == pytest.approx(ols.bse.tolist(), rel=1e-8)
    assert found.residual_sd == pytest.approx(np.sqrt(ols.scale))


def test_missing_cells_drop_their_rows_and_this_is_said():
    data = public("sleepstudy")
    data.loc[[3, 9], "Reaction"] = np.nan
    data["unused"] = np.nan
    found = fit_mixed("Reaction ~ Days + (1 | Subject)", data)
    assert found.n == 178
    assert "2 of 180 rows were left out for missing cells (Reaction 2)." in found.notes


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("Reaction ~ Days + (1 + Days | Subject)", "72 random effects by Subject"),
        ("Reaction ~ 1 + (1 | one)", "only one one"),
        ("same ~ Days + (1 | Subject)", "the same in every row"),
    ],
)
def test_what_can_not_be_told_apart_is_refused(formula, said):
    data = public("sleepstudy")
    few = data[data["Days"].isin([1, 9])].assign(one="a", same=3.0)
    few = pd.concat([few, few.assign(Subject=few["Subject"] + 1000)])
    with pytest.raises(NotEstimableError, match=said):
        fit_mixed(formula, few)


def test_a_steep_but_overlapping_slope_is_not_called_separated():
    rng = np.random.default_rng(5)
    rows = pd.DataFrame({"g": np.tile(np.arange(20), 50), "x": rng.uniform(-1, 1, 1000)})
    rows["y"] = rng.random(1000) < expit(12 * rows["x"])
    found = fit_mixed("y ~ x + (1 | g)", rows, "binomial")
    assert found.converged
    assert found.fixed[1].estimate == pytest.approx(12, abs=4)


def test_standard_errors_are_those_of_the_definitions_whole_hessian():
    """Second differences of the slow likelihood, by coefficients and SD, with a large SD."""
    rng = np.random.default_rng(12)
    g = np.repeat(np.arange(9), 8)
    x = np.tile([-0.5, 0.5], 36)
    y = rng.random(72) < expit(0.5 + rng.normal(0, 3, 9)[g] + x)
    table = pd.DataFrame({"g": g, "x": x, "y": y})
    found = fit_mixed("y ~ x + (1 | g)", table, "binomial", method=Method(inference="z"))
    design = found.estimates.design
    at = np.array([*(row.estimate for row in found.fixed), found.random[0].sd])

    def value(parameters):
        return slow.laplace(design, "binomial", [np.array([[parameters[2]]])], parameters[:2])

    step = 0.02 * np.eye(3)
    hessian = np.array(
        [
            [
                value(at + a + b) - value(at + a - b) - value(at - a + b) + value(at - a - b)
                for a in step
            ]
            for b in step
        ]
    )
    covariance = np.linalg.inv(-hessian / (4 * 0.02**2))
    assert found.random[0].sd > 1.5
    assert [row.se for row in found.fixed] == pytest.approx(
        np.sqrt(np.diag(covariance)[:2]).tolist(), rel=2e-3
    )


@pytest.mark.parametrize(
    ("rank", "said"),
    [(1, "the 4 effects by g vary along 1 direction only"), (3, "by g nothing varies along ")],
)
def test_flat_directions_of_several_effects_are_counted(rank, said):
    rng = np.random.default_rng(6)
    root = rng.normal(size=(4, rank))
    codes = np.repeat(np.arange(10), 6)
    factor = RandomFactor("g", tuple("abcd"), ((0, 1, 2, 3),), codes, 10, rng.normal(size=(60, 4)))
    notes = diagnostics.singular(factor, root @ root.T)
    assert len(notes) == 1
    assert said in notes[0]
    assert diagnostics.singular(factor, root @ root.T + np.eye(4)) == []


@pytest.mark.parametrize(
    ("family", "bar", "seed"),
    [("gaussian", "|", 26), ("binomial", "||", 12)],
)
def test_a_simplified_model_is_the_one_fitted_from_scratch(family, bar, seed):
    """It begins where the larger model ended, and must end where it would end by itself."""
    rng = np.random.default_rng(seed)
    person, thing = np.repeat(np.arange(30), 16), np.tile(np.arange(16), 30)
    table = pd.DataFrame({"person": person, "thing": thing, "x": (person + thing) % 2 - 0.5})
    eta = rng.normal(0, 0.8, 30)[person] + rng.normal(0, 0.6, 16)[thing] + 0.5 * table["x"]
    rng = np.random.default_rng(seed + 1000)
    noise = rng.normal(0, 1, len(table)) if family == "gaussian" else rng.logistic(size=len(table))
    table["y"] = eta + noise if family == "gaussian" else (eta + noise > 0).astype(int)
    simpler = fit_simplified(f"y ~ x + (1 + x {bar} person) + (1 + x {bar} thing)", table, family)
    assert any("vanishing variance" in note for note in simpler.notes)
    alone = fit_mixed(simpler.formula, table, family)
    assert simpler.log_likelihood == pytest.approx(alone.log_likelihood, abs=1e-8)
    assert [row.estimate for row in simpler.fixed] == pytest.approx(
        [row.estimate for row in alone.fixed], rel=1e-6
    )
    assert [row.se for row in simpler.fixed] == pytest.approx(
        [row.se for row in alone.fixed], rel=1e-5
    )
    assert [row.sd for row in simpler.random] == pytest.approx(
        [row.sd for row in alone.random], rel=1e-5
    )


@pytest.mark.parametrize(
    ("family", "effects"),
    [("gaussian", "u"), ("gaussian", "u + (1 | g)"), ("gaussian", "1 + (1 | g)"), ("gamma", "u")],
)
def test_a_fit_without_a_residual_is_refused(family, effects):
    """Today its errors are of rounding, and p is 1e-154."""
    rng = np.random.default_rng(1)
    g, u = np.repeat(np.arange(10), 10), rng.normal(size=100)
    y = 0.1 + (3.3 * u if "u" in effects else rng.normal(size=10)[g])
    y = np.exp(y) if family == "gamma" else y
    with pytest.raises(NotEstimableError, match="without a residual, but for rounding"):
        fit_mixed(f"y ~ {effects}", pd.DataFrame({"g": g, "u": u, "y": y}), family)


def test_columns_that_differ_by_rounding_are_one():
    """Today both are kept, with coefficients of a million each."""
    rng = np.random.default_rng(1)
    u = rng.normal(size=100)
    table = pd.DataFrame({"u": u, "again": u + 1e-7 * rng.normal(size=100), "y": u})
    table["y"] += rng.normal(size=100)
    found = fit_mixed("y ~ u + again", table)
    assert "again was left out: the terms before it determine it." in found.notes
    far = fit_mixed("y ~ u + far", table.assign(far=1e6 + rng.normal(size=100)))
    assert [row.term for row in far.fixed] == ["(Intercept)", "u", "far"]


def large_counts():
    """Return Poisson counts near e^20 of ten groups."""
    rng = np.random.default_rng(1)
    g, x = np.repeat(np.arange(10), 10), np.tile([0, 1], 50)
    y = rng.poisson(np.exp(20 + rng.normal(0, 0.3, 10)[g] + 0.1 * x))
    return pd.DataFrame({"g": g, "x": x, "y": y, "row": np.arange(100)})


def test_a_poisson_likelihood_of_large_counts_keeps_its_digits():
    y = large_counts()["y"].to_numpy(dtype=float)[:6]
    eta, ones = np.log(y) + 1e-5 * np.arange(6), np.ones(6)
    with mpmath.workdps(40):
        exact = [
            float(k * mpmath.mpf(e) - mpmath.exp(mpmath.mpf(e)) - mpmath.loggamma(k + 1))
            for k, e in zip(y, eta, strict=True)
        ]
    found = POISSON.log_density(y, ones, eta).sum() + POISSON.constant(y, ones)
    assert found == pytest.approx(sum(exact), abs=1e-6)


def test_a_variance_of_zero_beside_large_counts_takes_nothing_from_the_other():
    """Today the groups' degrees of freedom become infinite. Likelihood and SD are glmer's."""
    one, both = (
        fit_mixed(f"y ~ x + {random}", large_counts(), "poisson")
        for random in ("(1 | g)", "(1 | g) + (1 | row)")
    )
    assert one.log_likelihood == pytest.approx(-1233.603401227, abs=1e-6)
    assert one.random[0].sd == pytest.approx(0.18879653, rel=1e-4)
    assert both.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-6)
    assert both.fixed[0].df == pytest.approx(one.fixed[0].df, rel=0.01)
    assert both.fixed[0].se == pytest.approx(one.fixed[0].se, rel=1e-3)


def test_a_perfect_correlation_is_said():
    rng = np.random.default_rng(2)
    g = np.repeat(np.arange(12), 10)
    x = np.tile(np.arange(10.0), 12)
    u = rng.normal(0, 3, 12)
    y = 5 + u[g] + (1 + u[g] / 2) * x + rng.normal(0, 1, len(g))
    found = fit_mixed("y ~ x + (1 + x | g)", pd.DataFrame({"g": g, "x": x, "y": y}))
    assert found.correlations[0].r == pytest.approx(1, abs=1e-3)
    assert any("correlate completely" in note for note in found.notes)


def test_a_probit_without_random_effects_is_statsmodels():
    """Probit by an independent program: estimates, errors and log-likelihood."""
    rows = crossed()
    found = fit_probit("y ~ explained * solver + run", rows)
    columns = rows[["explained", "solver", "run"]].assign(
        both=rows["explained"] * rows["solver"], one=1.0
    )[["one", "explained", "solver", "run", "both"]]
    other = Probit(rows["y"].astype(float), columns).fit(disp=0, tol=1e-12)
    assert [row.estimate for row in found.fixed] == pytest.approx(list(other.params), abs=1e-5)
    assert [row.se for row in found.fixed] == pytest.approx(list(other.bse), rel=1e-4)
    assert found.log_likelihood == pytest.approx(other.llf, abs=1e-6)


def test_statsmodels_finds_the_same_restricted_maximum():
    import statsmodels.formula.api as smf

    data = public("sleepstudy")
    found = fit_mixed("Reaction ~ Days + (1 + Days | Subject)", data)
    model = smf.mixedlm("Reaction ~ Days", data, groups=data["Subject"], re_formula="~Days")
    other = model.fit(reml=True)
    assert found.log_likelihood == pytest.approx(other.llf, abs=1e-5)
    assert [row.se for row in found.fixed] == pytest.approx(other.bse_fe.tolist(), abs=1e-2)

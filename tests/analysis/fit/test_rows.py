"""Predictions, random effects and residuals of a fit."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest

from analysis.fit.rows import figures, residual_tables
from analysis.mixed import fit_mixed
from tests.analysis.fit.test_command import SLEEP, fit
from tests.analysis.mixed.data import FOLDER, public
from tests.modes import modes_below


def test_sleep_is_lme4s():
    """lme4 1.1-31: ranef(fit, condVar = TRUE) and fitted(fit) of the usual model by lmer."""
    tables = residual_tables(fit_mixed(SLEEP, public("sleepstudy")))
    effects = tables["random_effects"].set_index(["level", "term"])
    assert effects.loc[("309", "(Intercept)"), "mode"] == pytest.approx(-40.3987381, abs=5e-4)
    assert effects.loc[("309", "Days"), "mode"] == pytest.approx(-8.6196806, abs=1e-4)
    assert effects.loc[("309", "(Intercept)"), "se"] == pytest.approx(12.070857, abs=1e-4)
    assert effects.loc[("309", "Days"), "se"] == pytest.approx(2.304839, abs=1e-5)
    rows = tables["predictions"]
    assert rows["fitted"][:3].tolist() == pytest.approx(
        [253.663656, 273.329918, 292.996179], abs=2e-5
    )
    assert ((rows["fitted_low"] < rows["fitted"]) & (rows["fitted"] < rows["fitted_high"])).all()


def test_wine_is_clmms():
    """ordinal 2022.11-16: the conditional variances of the modes, sqrt(fit$condVar)."""
    tables = residual_tables(
        fit_mixed("rating ~ temp + contact + (1 | judge)", public("wine"), "ordinal")
    )
    expected = [0.5538459, 0.6147648, 0.5954434, 0.6043070, 0.5971655]
    assert tables["random_effects"]["se"][:5].tolist() == pytest.approx(expected, abs=2e-5)
    rows = tables["predictions"]
    shares = rows[[f"p_{level}" for level in range(1, 6)]]
    assert shares.sum(axis=1).to_numpy() == pytest.approx(1)
    assert rows["fitted"].to_numpy() == pytest.approx(shares.to_numpy() @ np.arange(1, 6))


def test_sick_cattle_is_lme4s():
    """lme4 1.1-31: residuals(glmer(cbind(incidence, size - incidence) ~ period + (1 | herd)))."""
    model = "cbind(incidence, size - incidence) ~ C(period) + (1 | herd)"
    tables = residual_tables(fit_mixed(model, public("cbpp"), "binomial"))
    rows = tables["residuals"][:4]
    assert rows["fitted"].tolist() == pytest.approx(
        [0.308164724, 0.141773370, 0.125985555, 0.084057012], abs=1e-4
    )
    assert rows["pearson"].tolist() == pytest.approx(
        [-1.3395656, 1.0747970, 2.8790881, -0.6773884], abs=1e-3
    )
    assert rows["deviance"].tolist() == pytest.approx(
        [-1.43770782, 0.98847195, 2.35668826, -0.93702271], abs=1e-3
    )


def responses():
    """Return 600 rows, with a response drawn from each family's own model."""
    rng = np.random.default_rng(11)
    table = pd.DataFrame({"g": np.repeat(np.arange(30), 20), "x": rng.normal(size=600)})
    eta = 0.5 * table["x"] + rng.normal(0, 0.5, 30)[table["g"]]
    mean = np.exp(0.7 + eta)
    return table.assign(
        gaussian=rng.normal(eta, 1.3),
        binomial=rng.binomial(1, 1 / (1 + np.exp(-eta))),
        probit=(eta + rng.normal(size=600) > 0).astype(int),
        poisson=rng.poisson(mean),
        nbinom2=rng.negative_binomial(1.5, 1.5 / (1.5 + mean)),
        gamma=rng.gamma(2.5, mean / 2.5),
        ordinal=np.searchsorted([-1.0, 0.0, 1.5], eta + rng.logistic(size=600)),
    )


@pytest.mark.parametrize(
    "family", ["gaussian", "binomial", "probit", "poisson", "nbinom2", "gamma", "ordinal"]
)
def test_residuals_of_the_right_model_are_standard(family):
    """Pearson's have variance 1, randomised quantile residuals are normal."""
    tables = residual_tables(fit_mixed(f"{family} ~ x + (1 | g)", responses(), family))
    rows = tables["residuals"]
    assert rows["pearson"].std() == pytest.approx(1, abs=0.12)
    assert kstest(rows["quantile"], "norm").pvalue > 0.01
    assert (np.sign(rows["deviance"]) == np.where(rows["response"] < 0, -1, 1)).all()
    assert [name for name, _ in figures(tables, "")] == ["residuals", "random_effects_g"]


def test_a_numbers_levels_keep_their_names():
    """Sorted as text, level 10 would stand before 2 and take another level's effect."""
    table = responses().assign(g=lambda rows: rows["g"] + 1)
    effects = residual_tables(fit_mixed("gaussian ~ x + (1 | g)", table))["random_effects"]
    means = (table["gaussian"] - 0.5 * table["x"]).groupby(table["g"]).mean()
    together = np.corrcoef(means[effects["level"].astype(int)], effects["mode"])[0, 1]
    assert together > 0.99


def test_out_is_a_new_folder_with_tables_and_figures(capsys, tmp_path):
    data = public("sleepstudy")
    data.loc[3, "Reaction"] = None
    data.to_csv(tmp_path / "t.csv", index=False)
    model = (SLEEP, "--trials", tmp_path / "t.csv", "--out", tmp_path / "out")
    assert fit(capsys, *model)[0] == 0
    names = ["estimates.csv", "predictions.csv", "random_effects.csv",
             "random_effects_Subject.png", "refit.R", "residuals.csv", "residuals.png",
             "table.csv"]  # fmt: skip
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == names
    assert modes_below(tmp_path / "out") == {"folders": {0o700}, "files": {0o600}}
    rows = pd.read_csv(tmp_path / "out" / "predictions.csv")
    assert rows["row"].tolist() == [1, 2, 3, *range(5, 181)]
    status, _, err = fit(capsys, *model)
    assert (status, err.count("\n")) == (2, 1)
    assert "name a new folder" in err


def test_ordered_text_needs_its_order(capsys, tmp_path):
    words = {1: "poor", 2: "so-so", 3: "fair", 4: "good", 5: "best"}
    table = public("wine").assign(word=lambda rows: rows["rating"].map(words))
    table.to_csv(tmp_path / "t.csv", index=False)
    model = ("word ~ temp + (1 | judge)", "--trials", tmp_path / "t.csv", "--family", "ordinal")
    status, _, err = fit(capsys, *model)
    assert (status, err.count("\n")) == (2, 1)
    assert "give its order with --levels" in err
    status, out, _ = fit(capsys, *model, "--levels", "poor,so-so,fair,good,best")
    assert status == 0
    assert "poor|so-so" in out
    for levels, said in (("poor,so-so", "doesn't list"), ("poor,poor", "each level once")):
        status, _, err = fit(capsys, *model, "--levels", levels)
        assert status == 2
        assert said in err
    status, _, err = fit(capsys, SLEEP, "--trials", FOLDER / "sleepstudy.csv", "--levels", "a,b")
    assert "--levels goes with --family ordinal" in err

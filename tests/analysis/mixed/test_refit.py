"""The R script beside a fit: its text everywhere, its run where R is."""

import io
import os
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from analysis.mixed import fit_mixed
from analysis.mixed.estimation import Method
from analysis.mixed.refit import outcome_files, r_formula, r_term, refit_files
from analysis.mixed.result import Outcome
from analysis.mixed.simplify import fit_simplified
from tests.analysis.mixed.data import public

FITS = {
    "gaussian": ("Reaction ~ Days + (1 + Days | Subject)", "sleepstudy", 1e-3),
    "binomial": ("cbind(incidence, size - incidence) ~ C(period) + (1 | herd)", "cbpp", 2e-3),
    "nbinom2": ("TICKS ~ C(YEAR) + scale(cHEIGHT) + (1 | BROOD)", "grouseticks", 1e-3),
    "gamma": ("Reaction ~ Days + (1 | Subject)", "sleepstudy", 1e-4),
    "ordinal": ("rating ~ temp + contact + (1 | judge)", "wine", 1e-3),
}

SIMPLIFIED, OF_CODINGS = "simplified", "codings"
OTHERS = [*(name for name in FITS if name != "gaussian"), SIMPLIFIED, OF_CODINGS]


def fitted(family):
    if family in (SIMPLIFIED, OF_CODINGS):
        return simplified() if family == SIMPLIFIED else coded()
    formula, data, _ = FITS[family]
    return fit_mixed(formula, public(data), family, Method(inference="z"))


def simplified():
    """A study's model: slopes of a factor and of a product, some of which are left out."""
    rng = np.random.Generator(np.random.PCG64(3))
    people, items = 24, 12
    frame = pd.DataFrame(
        [
            {"who": f"p{person}", "item": f"i{item}", "group": "uv"[person % 4 // 2],
             "method": "abc"[(person + item) % 3],
             "x": 0.5 - (person // 2 + item) % 2, "z": 0.5 - (person % 2)}
            for person in range(people) for item in range(items)
        ]
    )  # fmt: skip
    by_method = {name: rng.normal(0, 1.0, people) for name in "abc"}
    codes = frame["who"].str[1:].astype(int)
    slopes = [by_method[name][code] for name, code in zip(frame["method"], codes, strict=True)]
    logit = 0.5 * frame["x"] + 0.4 * (frame["method"] == "b") + slopes
    frame["right"] = (rng.random(len(frame)) < 1 / (1 + np.exp(-logit))).astype(float)
    return fit_simplified(
        "right ~ method * group * x + z + (1 + method || who) + (1 + x*z || item)",
        frame,
        "binomial",
    )


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("y ~ C(x) + (1 | g)", "y ~ factor(x) + (1 | g)"),
        ('y ~ C(x, Treatment("b")) * z', "y ~ x_from_b * z"),
        ("y ~ C(`x y`,Treatment('b c'))", "y ~ x_y_from_b_c"),
        ("y ~ C(n, Treatment(3))", "y ~ n_from_3"),
        ("y ~ C(x, Sum) + offset(np.log(t))", "y ~ x_sum + offset(log(t))"),
        ("cbind(a, b) ~ I(x^2) + (1 + x || g/h)", "cbind(a, b) ~ I(x^2) + (1 + x || g/h)"),
    ],
)
def test_a_formula_is_spelled_as_r_reads_it(ours, theirs):
    assert r_formula(ours) == theirs


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("(Intercept)", "(Intercept)"),
        ("x:z", "x:z"),
        ("C(step)[3]:method[b]", "factor(step)3:methodb"),
        ('C(x, Treatment("b"))[a:c]', "x_from_ba:c"),
    ],
)
def test_a_coefficient_has_the_name_that_r_gives_it(ours, theirs):
    """R counts levels of a product from the first factor, we from the last."""
    assert r_term(ours) == theirs


def test_the_table_holds_the_formulas_columns_and_the_rows_that_count():
    data = public("sleepstudy").assign(other=1)
    data.loc[4, "Days"] = np.nan
    files = refit_files(fit_mixed("Reaction ~ Days + (1 | Subject)", data))
    lines = files["table.csv"].splitlines()
    assert sorted(lines[0].split(",")) == ["Days", "Reaction", "Subject"]
    assert len(lines) == 1 + 179
    assert "lmer(formula, data, REML = TRUE)" in files["refit.R"]


def test_random_effects_are_spelled_as_they_were_fitted_and_their_columns_are_there():
    result = simplified()
    files = refit_files(result, stem="text_")
    assert set(files) == {"text_table.csv", "text_estimates.csv", "text_refit.R"}
    assert 'read.csv("text_table.csv"' in files["text_refit.R"]
    formula = files["text_refit.R"].split("formula <- ")[1].splitlines()[0]
    assert formula.startswith(
        "right ~ method * group * x + z + (1 | who) + (0 + `method[b]` | who)"
    )
    assert formula.count("|") == len(result.random)
    columns = set(pd.read_csv(io.StringIO(files["text_table.csv"])).columns)
    assert columns >= {row.term for row in result.random} - {"(Intercept)"}
    assert "emmeans(fit, ~ `method` * `group` * `x`, at = at" in files["text_refit.R"]


def runaway():
    table = pd.DataFrame({"g": np.repeat(np.arange(24), 6), "x": np.tile([0.0, 1.0], 72)})
    return fit_mixed("y ~ x + (1 | g)", table.assign(y=table["g"] % 2), "binomial")


def test_the_script_of_a_fit_that_is_not_given_says_why_and_compares_nothing():
    fit = runaway()
    files = outcome_files(Outcome(fit.formula, fit), stem="image_")
    assert set(files) == {"image_table.csv", "image_refit.R"}
    text = files["image_refit.R"]
    assert f"sounder: {fit.fault}" in text
    assert text.index(fit.fault) < text.index("glmer(")
    assert "ours$" not in text
    none = outcome_files(Outcome("y ~ x", None, 'all "1" answers are the same'))
    assert none == {
        "refit.R": 'cat("No model was fitted: all \\"1\\" answers are the same.", "\\n")\n'
    }


CODED = 'Reaction ~ C(f, Treatment("z")) * g2 + C(n, Sum) + (1 + C(f, Treatment("b")) || `the id`)'


def coded():
    """Factors with codings, levels that look like numbers, and ids that only integers hold."""
    data = public("sleepstudy").drop(columns="Subject")
    place = np.arange(len(data))
    frame = data.assign(
        f=np.array(["1.0", "b", "z"])[place % 3], g2=np.array(["u", "v"])[place // 2 % 2],
        n=place // 60 + 1, **{"the id": 2**53 + place // 10},
    )  # fmt: skip
    return fit_mixed(CODED, frame)


def test_factors_with_a_coding_are_columns_of_the_script():
    """Today emmeans looks for a variable that is called "z"."""
    text = refit_files(coded())["refit.R"]
    formula = text.split("formula <- ")[1].splitlines()[0]
    assert formula.startswith("Reaction ~ f_from_z * g2 + n_sum + (1 | `the id`) + (0 + `C(f,")
    assert "data$f_from_z <- relevel(factor(data[['f']]), \"z\")" in text
    assert "~ `f_from_z` * `g2`," in text
    assert "~ `n_sum`," in text
    assert '"f" = "character"' in text
    assert '"the id" = "character"' in text


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="there is no Rscript")
@pytest.mark.parametrize(
    "family",
    ["gaussian", *(pytest.param(one, marks=pytest.mark.slow) for one in OTHERS)],
)
def test_r_finds_the_same_estimates(family, tmp_path):
    for name, text in refit_files(fitted(family)).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["Rscript", "refit.R"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    if "there is no package called" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    if family == OF_CODINGS and "emmean" in done.stdout:
        assert done.stdout.count("emmean ") == 2
    lines = done.stdout.splitlines()
    first = next(place for place, line in enumerate(lines) if line.split()[:2] == ["term", "ours"])
    ours = pd.read_csv(tmp_path / "estimates.csv")
    apart = [float(line.split()[-1]) for line in lines[first + 1 : first + 1 + len(ours)]]
    assert np.abs(apart).max() < (FITS[family][2] if family in FITS else 2e-3)

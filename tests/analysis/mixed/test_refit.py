"""The R script beside a fit: its text everywhere, its run where R is."""

import os
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from analysis.mixed import fit_mixed
from analysis.mixed.estimation import Method
from analysis.mixed.refit import r_formula, refit_files
from tests.analysis.mixed.data import public

FITS = {
    "gaussian": ("Reaction ~ Days + (1 + Days | Subject)", "sleepstudy", 1e-3),
    "binomial": ("cbind(incidence, size - incidence) ~ C(period) + (1 | herd)", "cbpp", 2e-3),
    "nbinom2": ("TICKS ~ C(YEAR) + scale(cHEIGHT) + (1 | BROOD)", "grouseticks", 1e-3),
    "gamma": ("Reaction ~ Days + (1 | Subject)", "sleepstudy", 1e-4),
    "ordinal": ("rating ~ temp + contact + (1 | judge)", "wine", 1e-3),
}


def fitted(family):
    formula, data, _ = FITS[family]
    return fit_mixed(formula, public(data), family, Method(inference="z"))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("y ~ C(x) + (1 | g)", "y ~ factor(x) + (1 | g)"),
        ('y ~ C(x, Treatment("b")) * z', 'y ~ relevel(factor(x), "b") * z'),
        ("y ~ C(n, Treatment(3))", 'y ~ relevel(factor(n), "3")'),
        ("y ~ C(x, Sum) + offset(np.log(t))", "y ~ C(factor(x), contr.sum) + offset(log(t))"),
        ("cbind(a, b) ~ I(x^2) + (1 + x || g/h)", "cbind(a, b) ~ I(x^2) + (1 + x || g/h)"),
    ],
)
def test_a_formula_is_spelled_as_r_reads_it(ours, theirs):
    assert r_formula(ours) == theirs


def test_the_table_holds_the_formulas_columns_and_the_rows_that_count():
    data = public("sleepstudy").assign(other=1)
    data.loc[4, "Days"] = np.nan
    files = refit_files(fit_mixed("Reaction ~ Days + (1 | Subject)", data))
    lines = files["table.csv"].splitlines()
    assert sorted(lines[0].split(",")) == ["Days", "Reaction", "Subject"]
    assert len(lines) == 1 + 179
    assert "lmer(formula, data, REML = TRUE)" in files["refit.R"]


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="there is no Rscript")
@pytest.mark.parametrize("family", FITS)
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
    lines = done.stdout.splitlines()
    first = next(place for place, line in enumerate(lines) if line.split()[:2] == ["term", "ours"])
    ours = pd.read_csv(tmp_path / "estimates.csv")
    apart = [float(line.split()[-1]) for line in lines[first + 1 : first + 1 + len(ours)]]
    assert np.abs(apart).max() < FITS[family][2]

"""R's lmer with Satterthwaite's degrees of freedom, on the same simulated studies."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

SCRIPT = """
suppressPackageStartupMessages(library(lmerTest))
options(warn = -1)
given <- commandArgs(TRUE)
rows <- lapply(split(read.csv(given[1]), ~ study), function(own) {
  row <- tryCatch({
    fit <- suppressMessages(lmer(as.formula(given[2]), own))
    summary(fit)$coefficients["x", c("Estimate", "Std. Error", "df", "Pr(>|t|)")]
  }, error = function(e) rep(NA_real_, 4))
  data.frame(study = own$study[1], estimate = row[1], se = row[2], df = row[3], p = row[4])
})
write.csv(do.call(rbind, rows), given[3], row.names = FALSE)
"""


def fitted(studies: Iterable[pd.DataFrame], formula: str) -> pd.DataFrame | None:
    """Return lmer's estimate, se, df and p of the column x, a row a study; None without lmerTest.

    Parameters
    ----------
    studies
        The trials of each, with the columns of the formula.
    formula
        In lme4's notation.
    """
    rscript = shutil.which("Rscript")
    if rscript is None:
        return None
    frame = pd.concat([own.assign(study=place) for place, own in enumerate(studies)])
    with tempfile.TemporaryDirectory() as folder:
        trials, rows = Path(folder) / "trials.csv", Path(folder) / "rows.csv"
        frame.to_csv(trials, index=False)
        call = [rscript, "-e", SCRIPT, str(trials), formula, str(rows)]
        if subprocess.run(call, capture_output=True, check=False).returncode:
            return None
        return pd.read_csv(rows).sort_values("study").astype({"estimate": np.float64})

"""R's lmer with Satterthwaite's degrees of freedom, on the same simulated studies."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import t as student

from analysis.statistics.proportions import LEVEL
from analysis.statistics.two_way import cell_weights, two_way_means
from bench.book import Effort, Measured, Part, table
from bench.parts.few_people import (
    ARMS,
    CONTRASTS,
    ROTATED,
    WAYS,
    WORLDS,
    alarms,
    between,
    by_person,
    limits,
    percent,
    row_of,
)
from bench.parts.interval_worlds import CELLS, Kind, simulated
from stimuli.errors import UserError

SIZES, BETWEEN = ((3, 24), (6, 24), (24, 4)), ("40 / 6, alike", "40 / 6, the small arm unlike")
STUDIES, ITEMS = 1000, 24
WIDEST = 100
"""Widths of limits beyond this, in scale units, are told as such."""
SLOPES = "y ~ x + (1 + x || participant) + (1 + x || item)"
GROUPS = "y ~ x + (1 | participant) + (1 + x || item)"

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


def fitted(studies: Iterable[pd.DataFrame], formula: str) -> pd.DataFrame:
    """Return lmer's estimate, se, df and p of the column x, a row a study.

    Parameters
    ----------
    studies
        The trials of each, with the columns of the formula.
    formula
        In lme4's notation.

    Raises
    ------
    UserError
        Without R and lmerTest.
    """
    rscript = shutil.which("Rscript") or "Rscript"
    frame = pd.concat([own.assign(study=place) for place, own in enumerate(studies)])
    with tempfile.TemporaryDirectory() as folder:
        trials, rows = Path(folder) / "trials.csv", Path(folder) / "rows.csv"
        frame.to_csv(trials, index=False)
        call = [rscript, "-e", SCRIPT, str(trials), formula, str(rows)]
        try:
            subprocess.run(call, capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            raise UserError("--only lmer: needs R with the package lmerTest") from None
        return pd.read_csv(rows).sort_values("study")


def beside(kind: Kind, studies: int) -> list[str]:
    """Return coverage and width for usefulness of S by the report, by person and by lmer."""
    contrast, frames, found = CONTRASTS["usefulness of S"], [], []
    for own in simulated(kind, studies, "few people, beside"):
        means = two_way_means(own.answers, cell_weights(own.cell, len(CELLS)), own.units)
        found.append([limits(own, means, contrast, LEVEL), by_person(own, contrast)])
        of_s = own.cell < 2
        rows = {"participant": own.units.participant[of_s], "item": own.units.item[of_s]}
        frames += [
            pd.DataFrame({"y": answers, "x": own.cell[of_s] - 0.5, **rows})
            for answers in own.answers[of_s].T
        ]
    fits = fitted(frames, SLOPES).dropna()
    reach = student.ppf((1 + LEVEL) / 2, fits["df"]) * fits["se"]
    by_lmer = np.stack([fits["estimate"], *(fits["estimate"] + s * reach for s in (-1, 1))])
    ways = [np.concatenate(parts, axis=1) for parts in zip(*found, strict=True)]
    rows_of = [row_of(way, 0.0) for way in (*ways, by_lmer)]
    return [f"{row['coverage']:.3f} / {_width(row['width'])}" for row in rows_of]


def _width(width: float) -> str:
    """Return a width in words: with degrees of freedom near 0 limits have no bound."""
    return f"{width:.2f}" if width < WIDEST else f"over {WIDEST}"


def false_alarms(name: str, studies: int) -> list[str]:
    """Return the share of false alarms of every way, and of lmer."""
    sizes, sds = ARMS[name]
    frames = [
        pd.DataFrame({"y": change, "x": own.cell, "participant": own.units.participant,
                      "item": own.units.item})
        for own in between(sizes, sds, ITEMS, studies, name) for change in own.change.T
    ]  # fmt: skip
    own = alarms(name, ITEMS, studies)
    by_lmer = float((fitted(frames[:studies], GROUPS).dropna()["p"] < 0.05).mean())
    return [*map(percent, own.values()), percent(by_lmer)]


def measure(effort: Effort) -> Measured:
    """What other analyses give of the same data: few people, and unequal arms."""
    studies, sizes, arms = (
        (20, SIZES[:1], BETWEEN[:1]) if effort.quick else (STUDIES, SIZES, BETWEEN)
    )
    few, unequal = [], []
    for people, items in sizes:
        effort.say(f"{people} people, {items} items")
        kind = replace(WORLDS["unlike"], people=people, items=items, crossed=items < ROTATED)
        few.append([f"{people} × {items}", *beside(kind, studies)])
    for name in arms:
        effort.say(name)
        unequal.append([name, *false_alarms(name, studies)])
    text = (
        f"{studies:,} studies a row. lmer is R's lmerTest with Satterthwaite's degrees of freedom, "
        f"answers as numbers. Leads who are unlike: coverage and width of the 95 % limits of "
        f"usefulness of S, as above; lmer fits `{SLOPES}`.\n\n"
        + table(["people × items", "report", "t by person", "lmer"], few)
        + f"\n\nFalse alarms with arms of unequal size; lmer fits `{GROUPS}`, whose variance "
        "between people is the same in both arms.\n\n" + table(["people", *WAYS, "lmer"], unequal)
    )
    return Measured(text, {"studies": studies, "few": few, "unequal": unequal})


PARTS: tuple[Part, ...] = (Part("lmer", "The same data by lmer", measure),)

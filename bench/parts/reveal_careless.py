"""Studies in which some people are careless: what the headline says, and what the model says."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from scipy.stats import binom
from threadpoolctl import threadpool_limits

from analysis.questions.estimates import EstimateRow, select
from analysis.report.deciding import MEANS, MODEL
from analysis.statistics.bootstrap import Resampling
from analysis.studies.progressive_reveal.models import primary_model
from analysis.studies.progressive_reveal.power import HazardWorld
from analysis.studies.progressive_reveal.quantities import RECOGNISED_LESS
from analysis.studies.progressive_reveal.recognition import Life
from analysis.studies.progressive_reveal.simulated import effect_of, simulate_rounds
from analysis.studies.progressive_reveal.trials import RoundTable
from bench.book import Effort, Measured, Part, table
from stimuli.io.canonical import seed_of
from stimuli.workers import Workers, ordered_map

WORLD: Final = HazardWorld(methods=("m1", "m2"), recognised=0.7)
RATIO: Final = 2.0
PEOPLE, IMAGES, CLASSES = 20, 24, 17
SHARES: Final = (0.0, 0.05, 0.1, 0.2, 0.3)
STUDIES, QUICK_STUDIES = 500, 2
SURE: Final = 0.999
WORDS: Final[Mapping[str, str]] = {MEANS: "means, the headline", MODEL: "discrete-time model"}


@dataclass(frozen=True, slots=True)
class Study:
    """One study to simulate and analyse: its number, and the share of careless people."""

    number: int
    share: float


def careless_rounds(rng: np.random.Generator, share: float) -> RoundTable:
    """Return the rounds of a study in which each person is careless with a probability.

    Half of the careless never type. The others type one class at random at the first step, and
    nothing more.
    """
    rounds = simulate_rounds(WORLD, rng, PEOPLE, IMAGES, effect_of(WORLD, RATIO))
    frame = rounds.frame.copy()
    people = frame["participant"].to_numpy()
    names = np.unique(people)
    careless = names[rng.random(len(names)) < share]
    typing = careless[rng.random(len(careless)) < 0.5]
    own = np.isin(people, careless)
    lucky = np.isin(people, typing) & (rng.random(len(frame)) < 1 / CLASSES)
    frame.loc[own, "recognised"] = lucky[own]
    frame.loc[own, "step"] = np.where(lucky, 1, rounds.steps)[own]
    for name in ("share", "pixels"):
        frame[name] = frame["step"] / rounds.steps
    return replace(rounds, frame=frame)


def true_difference(share: float) -> float:
    """Return what method m2 adds to recognition by the last step, careless people included."""
    return (1 - share) * effect_of(WORLD, RATIO).recognised


def study(work: Study) -> list[dict[str, Any]]:
    """Return what means and model of one study say of the difference."""
    rng = np.random.Generator(np.random.PCG64(seed_of("careless", f"{work.share:g}", work.number)))
    with threadpool_limits(1):
        rounds = careless_rounds(rng, work.share)
        pairs = (*Life.of(rounds, Resampling(1, 1)).pairs(), *primary_model(rounds).pairs)
    return told_of(pairs, work.share)


def told_of(pairs: Iterable[EstimateRow], share: float) -> list[dict[str, Any]]:
    """Return what contrasts say of recognition at one share of careless people."""
    return [
        {"share": share, "by": row.of["by"], "estimate": row.estimate, "low": row.ci_low,
         "high": row.ci_high}
        for row in select(pairs, RECOGNISED_LESS)
    ]  # fmt: skip


def measure(effort: Effort) -> Measured:
    """Simulate and analyse studies with few and many careless people."""
    usual = QUICK_STUDIES if effort.quick else STUDIES
    studies = int(effort.options.get("studies", usual))
    works = [(f"{n}-{share}", Study(n, share)) for share in SHARES for n in range(studies)]
    found = [row for _, rows in ordered_map(study, works, Workers()) for row in rows]
    rows = [summary(found, share, by) for share in SHARES for by in (MEANS, MODEL)]
    chance = [float(x) / studies for x in binom.interval(SURE, studies, 0.95)]
    cells = [
        [f"{100 * row['share']:.0f} %", WORDS[row["by"]], f"{100 * row['truth']:.1f}",
         f"{100 * row['bias']:+.1f} ± {100 * row['error']:.1f}".replace("-", "−"),
         f"{100 * row['coverage']:.1f} %", f"{100 * row['width']:.1f}", str(row["studies"])]
        for row in rows
    ]  # fmt: skip
    headings = ["careless", "by", "truth", "bias ± SE", "coverage", "width", "studies"]
    text = (
        f"{studies} studies of {PEOPLE} people and {IMAGES} images for each share of careless "
        "people; two methods, of which one has twice the other's odds of recognition at a step. Of "
        "the careless, half never type, and half type one class at random at the first step. The "
        "truth is the difference in recognition by the last step over all people, careless ones "
        "included, in points. If 95 % intervals are right, they hold the truth in "
        f"{100 * chance[0]:.0f} % to {100 * chance[1]:.0f} % of so many studies (99.9 % binomial "
        "limits).\n\n" + table(headings, cells)
    )
    return Measured(text, {"studies": studies, "rows": rows})


def summary(found: Sequence[Mapping[str, Any]], share: float, by: str) -> dict[str, Any]:
    """Return bias, coverage and mean width of one way at one share of careless people."""
    own = [row for row in found if (row["share"], row["by"]) == (share, by)]
    truth = true_difference(share)
    errors = np.array([row["estimate"] - truth for row in own])
    return {
        "share": share,
        "by": by,
        "truth": truth,
        "bias": float(errors.mean()),
        "error": float(errors.std(ddof=1) / len(errors) ** 0.5),
        "coverage": float(np.mean([row["low"] <= truth <= row["high"] for row in own])),
        "width": float(np.mean([row["high"] - row["low"] for row in own])),
        "studies": len(own),
    }


PARTS = (Part("careless", "Careless people", measure),)

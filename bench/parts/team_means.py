"""Intervals by means of people with an AI: how often they hold the truth, in many studies."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from analysis.statistics.bootstrap import Resampling
from analysis.studies.human_ai_team.power import REFERENCE
from analysis.studies.human_ai_team.rates import measure
from analysis.studies.human_ai_team.trials import ALL
from bench.book import Effort, Measured, Part, table
from bench.parts.team_worlds import (
    ALPHA,
    ARM,
    PEOPLE,
    QUANTITIES,
    SEED,
    TRIALS,
    WORLDS,
    Study,
    answers_of,
    expected,
    name_of,
    truths,
)
from stimuli.workers import Workers, ordered_map

STUDIES, QUICK_STUDIES = 1000, 2
FEW_IMAGES = (
    "Where everybody sees the same 30 images, 10 of them have right labels. So few images say "
    "little about how much help varies by image. Use several sheets."
)


def differences_of(study: Study) -> dict[str, dict[str, Any]]:
    """Return one study's differences of the first arm and the reference, with the truth."""
    answers = answers_of(study)
    with threadpool_limits(1):
        rates = measure(answers, answers.plan(Resampling(1, SEED)))
        found = {name: rates.difference(name, ALL, ARM, REFERENCE) for name in QUANTITIES}
    true = truths(study.world.shift, answers.right_share)
    return {
        name: {
            "error": one.estimate - true[name],
            "held": bool(one.ci_low <= true[name] <= one.ci_high),
            "width": one.ci_high - one.ci_low,
        }
        for name, one in found.items()
    }


def means(effort: Effort) -> Measured:
    """How often intervals by means hold the truth, world by world."""
    studies = QUICK_STUDIES if effort.quick else int(effort.options.get("studies", STUDIES))
    figures: dict[str, Any] = {"studies": studies, "seed": SEED}
    for world in WORLDS:
        effort.say(world.name)
        tasks = ((f"{world.name}-{n}", Study(world, n)) for n in range(studies))
        found = [one for _, one in ordered_map(differences_of, tasks, Workers())]
        figures[world.name] = {name: _summed([one[name] for one in found]) for name in QUANTITIES}
    return Measured(text_of(figures), figures)


def _summed(found: Sequence[dict[str, Any]]) -> dict[str, float]:
    errors = np.array([one["error"] for one in found])
    return {
        "held": sum(one["held"] for one in found),
        "bias": float(errors.mean()),
        "sd": float(errors.std(ddof=1)),
        "width": float(np.mean([one["width"] for one in found])),
    }


def _line(world: str, name: str, row: dict[str, float], studies: int) -> list[str]:
    held = f"{row['held']} ({100 * row['held'] / studies:.1f} %)"
    bias = f"{100 * row['bias']:+.2f}".replace("-", "−")
    return [world, name_of(name), held, bias, *(f"{100 * row[key]:.2f}" for key in ("sd", "width"))]


def text_of(figures: dict[str, Any]) -> str:
    """Return the section."""
    studies = figures["studies"]
    low, high = expected(1 - ALPHA, studies)
    lines = [
        _line(world.name if name == QUANTITIES[0] else "", name, row, studies)
        for world in WORLDS
        for name, row in figures[world.name].items()
    ]
    below = [
        f"{name_of(name)} ({world.name}: {100 * row['held'] / studies:.1f} %)"
        for world in WORLDS
        for name, row in figures[world.name].items()
        if row["held"] < low
    ]
    headings = (
        "world", "quantity", "intervals that hold the truth", "bias, points", "SD, points",
        "mean width, points",
    )  # fmt: skip
    return (
        f"{studies:,} studies of each world (the first 500 are those above): {PEOPLE} "
        f"participants, {TRIALS} trials each. One arm is compared with Confidence by means over "
        "participants and images, the estimate in the headline. 95 % intervals hold "
        f"the truth in {low:,} to {high:,} studies (99.9 % binomial limits). *SD* is how much the "
        f"estimates differ between studies.\n\n{table(headings, lines)}"
        + (f"\n\nToo seldom: {'; '.join(below)}. {FEW_IMAGES}" if below else "")
    )


PARTS = (Part("means", "Coverage of the means", means),)

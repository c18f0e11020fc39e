"""Whole studies of people with an AI: false alarms, coverage and bias of the mixed model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import binom
from threadpoolctl import threadpool_limits

from analysis.questions.estimates import AGAINST, select
from analysis.statistics.comparison import mann_whitney
from analysis.studies.human_ai_team.accuracy import own_accuracies
from analysis.studies.human_ai_team.model import effects_of, fitted_model
from analysis.studies.human_ai_team.power import REFERENCE, Shift, TeamWorld
from analysis.studies.human_ai_team.quantities import COMPARED as QUANTITIES
from analysis.studies.human_ai_team.quantities import DIFFERENCES, TESTED
from analysis.studies.human_ai_team.simulated import simulate_trials
from analysis.studies.human_ai_team.strata import Base
from analysis.studies.human_ai_team.trials import Answers, read_answers
from bench.book import Effort, Measured, Part, table
from stimuli.io.canonical import seed_of
from stimuli.protocol import load_protocol
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.workers import Workers, ordered_map

SEED = 21
PEOPLE, TRIALS, SHEETS = 150, 30, 15
STUDIES, QUICK_STUDIES = 500, 2
ARM = "gradcam"
OTHERS = ("extremal_perturbation", "salient_object", "nearest_neighbours")
PLANTED = 0.10
LEVEL = 0.999
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class World:
    """A world: what an arm changes, on how many sheets, and how much that differs by image."""

    name: str
    shift: Shift
    sheets: int = SHEETS
    sd_item_method: float = 0.4
    level_step: float = 0.5


NOTHING = World("nothing changes", Shift(0.0))
OVER_RELIANCE = World("over-reliance rises by 10 points", Shift(PLANTED))
ONE_SHEET = World(
    "nothing changes; everybody sees the same 30 images", Shift(0.0), 1, sd_item_method=0.8
)
UNLIKE = World(
    "nothing changes; nine kinds of images of unlike difficulty, and help varies by image",
    Shift(0.0),
    sd_item_method=0.8,
    level_step=1.0,
)
WORLDS = (NOTHING, OVER_RELIANCE, ONE_SHEET, UNLIKE)


@dataclass(frozen=True, slots=True)
class Study:
    """One simulated study: its world and its number."""

    world: World
    number: int


def answers_of(study: Study) -> Answers:
    """Return what people answer in one study."""
    own = study.world
    arms = {ARM: own.shift} | {arm: Shift(0.0) for arm in OTHERS}
    world = replace(
        TeamWorld(arms=arms), sd_item_method=own.sd_item_method, level_step=own.level_step
    )
    rng = np.random.Generator(np.random.PCG64(seed_of("teams", SEED, own.name, study.number)))
    with threadpool_limits(1):
        return read_answers(simulate_trials(world, PEOPLE, TRIALS, own.sheets, rng), protocol())


def protocol() -> HumanAiTeam:
    """Return the published protocol."""
    published = load_protocol("human_ai_team")
    assert isinstance(published, HumanAiTeam)
    return published


def analysed(study: Study) -> dict[str, Any]:
    """Return what the mixed model says of one study's first arm against the reference."""
    own, answers, margin = study.world, answers_of(study), protocol().analysis.margin
    with threadpool_limits(1):
        model = effects_of(answers, fitted_model(answers), Base.shown(answers), margin)
        rows = select(model, *TESTED)
        shares = own_accuracies(answers)
    first, second = (
        shares.loc[shares["method"] == arm, "correct"].to_numpy() for arm in (ARM, REFERENCE)
    )
    found = {
        quantity: {name: getattr(row, name) for name in ("estimate", "ci_low", "ci_high", "p")}
        for quantity in QUANTITIES
        for row in select(rows, DIFFERENCES[quantity], method=ARM, **{AGAINST: REFERENCE})
    }
    return {
        "fitted": bool(found),
        "quantities": found,
        "truth": truths(own.shift, answers.right_share),
        "rank_p": mann_whitney(first, second).p,
    }


def truths(shift: Shift, mix: float) -> dict[str, float]:
    """Return the true difference of each quantity, for a share `mix` of right labels."""
    return {
        "accuracy": shift.accuracy(mix),
        "over_reliance": shift.over_reliance,
        "under_reliance": shift.under_reliance,
        "discrimination": -shift.over_reliance - shift.under_reliance,
    }


def name_of(quantity: str) -> str:
    """Return what a quantity is called on the page."""
    return quantity.replace("_", "-").replace("accuracy", "right answers")


def found_in(world: World, studies: int) -> list[dict[str, Any]]:
    """Return what was found in so many studies of a world."""
    tasks = ((f"{world.name}-{n}", Study(world, n)) for n in range(studies))
    return [one for _, one in ordered_map(analysed, tasks, Workers())]


def summed(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how often intervals hold the truth, tests reject, and what is said."""
    fitted = [one for one in found if one["fitted"]]
    rows: dict[str, Any] = {
        "studies": len(found),
        "fitted": len(fitted),
        "rank_rejected": sum(one["rank_p"] < ALPHA for one in found),
    }
    for name in QUANTITIES:
        errors = np.array([one["quantities"][name]["estimate"] - one["truth"][name]
                           for one in fitted])  # fmt: skip
        held = [
            one["quantities"][name]["ci_low"]
            <= one["truth"][name]
            <= one["quantities"][name]["ci_high"]
            for one in fitted
        ]
        rows[name] = {
            "bias": float(errors.mean()),
            "bias_se": float(errors.std(ddof=1) / np.sqrt(len(errors))),
            "covered": int(sum(held)),
            "rejected": sum(one["quantities"][name]["p"] < ALPHA for one in fitted),
        }
    return rows


def expected(share: float, studies: int) -> tuple[int, int]:
    """Return the limits between which a count lies in 999 of 1000 cases."""
    low, high = binom.interval(LEVEL, studies, share)
    return int(low), int(high)


def worlds(effort: Effort) -> Measured:
    """False alarms, coverage and bias, world by world."""
    studies = QUICK_STUDIES if effort.quick else int(effort.options.get("studies", STUDIES))
    figures: dict[str, Any] = {
        "studies": studies, "seed": SEED, "people": PEOPLE, "trials": TRIALS, "sheets": SHEETS,
        "expected_rejected": expected(ALPHA, studies),
        "expected_covered": expected(1 - ALPHA, studies),
    }  # fmt: skip
    lines = []
    for world in WORLDS:
        effort.say(world.name)
        figures[world.name] = row = summed(found_in(world, studies))
        lines += _lines(world, row)
    return Measured(_text(studies, figures, lines), figures)


def _lines(world: World, row: Mapping[str, Any]) -> list[list[str]]:
    ranks = f"{row['rank_rejected']} of {row['studies']}"
    return [
        [
            world.name if name == QUANTITIES[0] else "",
            name_of(name),
            f"{row[name]['rejected']} of {row['fitted']}",
            f"{row[name]['covered']} of {row['fitted']}",
            f"{100 * row[name]['bias']:+.2f} ± {100 * row[name]['bias_se']:.2f}".replace("-", "−"),
            ranks if name == "accuracy" else "",
        ]
        for name in QUANTITIES
    ]


def _text(studies: int, figures: Mapping[str, Any], lines: list[list[str]]) -> str:
    low, high = figures["expected_rejected"]
    covered_low, covered_high = figures["expected_covered"]
    return (
        f"{studies} studies of each world, of {PEOPLE} participants in five arms and {TRIALS} "
        f"trials each, on {SHEETS} sheets unless the world says otherwise (seed {SEED}). One arm "
        "is compared with Confidence by the mixed model; nothing is corrected for several tests. "
        f"Tests at 5 % whose null hypothesis is true should reject in {low} to {high} studies, and "
        f"95 % intervals hold the truth in {covered_low} to {covered_high} (99.9 % binomial "
        "limits). Biases are in points, with their Monte-Carlo standard errors. For "
        "comparison: the rank test of accuracy per participant, in which participants are "
        "the only random unit.\n\n"
        + table(
            ["world", "quantity", "model rejects", "intervals that hold the truth", "bias, points",
             "rank test rejects"],
            lines,
        )
    )  # fmt: skip


PARTS = (Part("worlds", "False alarms and coverage of the mixed model", worlds),)

"""Whole studies of people who predict a model: practice, effects, and the published bootstrap."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from scipy.stats import binom
from threadpoolctl import threadpool_limits

from analysis.power.simulation import Difference
from analysis.questions.estimates import EstimateRow, Quantity, select
from analysis.report.wording import grouped
from analysis.statistics.bootstrap import Resampling
from analysis.studies.simulatability.means import method_means
from analysis.studies.simulatability.model import ModelState, averaged, fitted_model
from analysis.studies.simulatability.power import SimulationWorld
from analysis.studies.simulatability.published import change_rows
from analysis.studies.simulatability.quantities import (
    CHANGE_POINTS,
    DIFFERENCE,
    PUBLISHED_CHANGE,
)
from analysis.studies.simulatability.resampled_tables import Plan
from analysis.studies.simulatability.simulated import simulate_predictions
from analysis.studies.simulatability.trials import Predictions, read_predictions
from analysis.studies.simulatability.words import FORWARD, TESTS
from bench.book import Effort, Measured, Part, table
from stimuli.io.canonical import seed_of
from stimuli.protocol import load_protocol
from stimuli.workers import Workers, ordered_map

SEED: Final = 23
PEOPLE, ITEMS, DOMAIN = 24, 16, "tabular"
STUDIES, QUICK_STUDIES = 120, 2
REPLICATES: Final = 1000
PRACTICE, PLANTED = 0.05, 0.10
ARM, OTHER = "lime", "anchor"
LEVEL, ALPHA = 0.999, 0.05
TWO_WAY: Final = Resampling(1, SEED)
ROWS, FULL_REPLICATES, MOST_S = 2166, 25_000, 60


@dataclass(frozen=True, slots=True)
class World:
    """A world: what the first arm's explanations add to Change, and practice in every arm.

    The name is part of the draws' seeds; the table says `words` instead. ``sd_method`` is how much
    what a method's explanations do varies between items, log odds; ``everyone`` says that the
    explanations of all arms add as much; ``carry_over`` is the share of it that the first test
    carries over, and ``orders`` are those of the tests.
    """

    name: str
    words: str
    gain: float
    practice: float = PRACTICE
    sd_method: float = 0.0
    everyone: bool = False
    carry_over: float = 0.0
    orders: tuple[tuple[str, ...], ...] = (TESTS,)


PRACTICE_ALONE: Final = World("practice alone", "5 points of practice, no effect", 0.0)
MUCH_PRACTICE: Final = World(
    "practice alone, of 10 points", "10 points of practice, no effect", 0.0, practice=0.10
)
HELPED: Final = World(
    "practice, and 10 points by one arm’s explanations",
    "5 points of practice, LIME adds 10",
    PLANTED,
)
SOME_ITEMS: Final = World(
    "practice alone, methods that succeed on some items",
    "5 points of practice, methods succeed on some items and fail on others",
    0.0,
    sd_method=0.8,
)
WORLDS: Final = (PRACTICE_ALONE, MUCH_PRACTICE, SOME_ITEMS, HELPED)
QUANTITIES: Final[Mapping[str, str]] = {
    "published": "Change, published bootstrap",
    "model_change": "Change, mixed model",
    "means_change": "Change, two-way means",
    "model_difference": "Change minus that without explanations, mixed model",
    "means_difference": "Change minus that without explanations, two-way means",
}


@dataclass(frozen=True, slots=True)
class Study:
    """One simulated study: its world and its number."""

    world: World
    number: int


def drawn(study: Study) -> Predictions:
    """Return what the people of one study predicted."""
    seed = seed_of("predictions", SEED, study.world.name, study.number)
    rng = np.random.Generator(np.random.PCG64(seed))
    arms = {ARM: Difference(study.world.gain), OTHER: Difference(0.0)}
    world = SimulationWorld(
        practice=study.world.practice, sd_method=study.world.sd_method, arms=arms
    )
    protocol = load_protocol("simulatability")
    trials = simulate_predictions(world, PEOPLE, ITEMS, rng, DOMAIN)
    return read_predictions(trials, protocol)  # type: ignore[arg-type]


def analysed(study: Study) -> dict[str, Any]:
    """Return what is said of one study's first arm, with the truth, in percentage points."""
    with threadpool_limits(1):
        own = drawn(study)
        plan = Plan(REPLICATES, seed_of("replicates", SEED, study.world.name, study.number))
        pairs, fit = own.test(FORWARD).pairs, fitted_model(own)
        published = [
            replace(row, of=row.of | {"test": FORWARD})
            for row in change_rows(pairs, own.methods, plan)
        ]
        effects, means = averaged(own, fit.sound), method_means(own, TWO_WAY)
    found = {
        "published": _of(published, PUBLISHED_CHANGE),
        "model_change": _of(effects, CHANGE_POINTS),
        "means_change": _of(means, CHANGE_POINTS),
        "model_difference": _of(effects, DIFFERENCE),
        "means_difference": _of(means, DIFFERENCE),
    }
    effect, practice = 100 * study.world.gain, 100 * study.world.practice
    truth = {name: effect if name.endswith("difference") else effect + practice
             for name in QUANTITIES}  # fmt: skip
    return {"found": found, "truth": truth, "whole": ModelState.of(own, fit).whole}


def _of(rows: Sequence[EstimateRow], quantity: Quantity) -> dict[str, Any] | None:
    of_arm = select(rows, quantity, method=ARM, test=FORWARD)
    names = ("estimate", "ci_low", "ci_high", "p")
    return {name: getattr(of_arm[0], name) for name in names} if of_arm else None


def summed(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return bias, coverage and rejections of every quantity."""
    rows: dict[str, Any] = {"studies": len(found), "whole": sum(one["whole"] for one in found)}
    for name in QUANTITIES:
        own = [(one["found"][name], one["truth"][name]) for one in found]
        known = [(row, truth) for row, truth in own if row is not None]
        errors = np.array([row["estimate"] - truth for row, truth in known])
        rows[name] = {
            "fitted": len(known),
            "bias": float(errors.mean()),
            "bias_se": float(errors.std(ddof=1) / np.sqrt(len(errors))),
            "covered": sum(row["ci_low"] <= truth <= row["ci_high"] for row, truth in known),
            "rejected": sum(row["p"] < ALPHA for row, _ in known),
            "width": float(np.mean([row["ci_high"] - row["ci_low"] for row, _ in known])),
        }
    return rows


def expected(share: float, studies: int) -> tuple[int, int]:
    """Return the limits between which a count lies in 999 of 1000 cases."""
    low, high = binom.interval(LEVEL, studies, share)
    return int(low), int(high)


def worlds(effort: Effort) -> Measured:
    """Bias, coverage and false alarms of Change, world by world."""
    studies = studies_asked(effort, STUDIES)
    workers = Workers(int(effort.options.get("workers", 1)))
    figures: dict[str, Any] = {
        "studies": studies, "seed": SEED, "people": PEOPLE, "items": ITEMS, "arms": 3,
        "replicates": REPLICATES, "practice": 100 * PRACTICE, "planted": 100 * PLANTED,
        "expected_rejected": expected(ALPHA, studies),
        "expected_covered": expected(1 - ALPHA, studies),
    }  # fmt: skip
    for world in WORLDS:
        effort.say(world.name)
        tasks = ((f"{world.name}-{n}", Study(world, n)) for n in range(studies))
        figures[world.name] = summed([one for _, one in ordered_map(analysed, tasks, workers)])
    return Measured(_text(figures), figures)


def _lines(world: World, row: Mapping[str, Any]) -> list[list[str]]:
    return [
        [
            world.words if place == 0 else "",
            words,
            f"{100 * (world.gain + (0 if name.endswith('difference') else world.practice)):g}",
            f"{row[name]['bias']:+.2f} ± {row[name]['bias_se']:.2f}".replace("-", "−"),
            f"{row[name]['covered']} of {row[name]['fitted']}",
            f"{row[name]['width']:.1f}",
            f"{row[name]['rejected']} of {row[name]['fitted']}",
        ]
        for place, (name, words) in enumerate(QUANTITIES.items())
    ]


def _text(figures: Mapping[str, Any]) -> str:
    lines = [line for world in WORLDS for line in _lines(world, figures[world.name])]
    studies = figures["studies"]
    low, high = figures["expected_rejected"]
    held = figures["expected_covered"]
    alone, much = figures[PRACTICE_ALONE.name], figures[MUCH_PRACTICE.name]
    false = [own["model_difference"]["rejected"] for own in (alone, much)]
    inside = (
        "within the limits" if all(low <= n <= high for n in false)
        else "none above the limits" if max(false) <= high
        else "not all within the limits"
    )  # fmt: skip
    return (
        f"We simulated {studies} studies of each world: {PEOPLE} participants in three arms, "
        f"{ITEMS} items in each of two tests, one domain (seed {SEED}). In each world practice "
        "adds the same points in every arm. The table shows one arm, LIME, in the forward test, in "
        "percentage points, with the Monte-Carlo standard error of each bias. The published "
        "bootstrap uses "
        f"{REPLICATES} replicates here. If the null hypothesis is true, a test at 5 % should "
        f"reject it in {low} to {high} studies. A 95 % interval should contain the truth in "
        f"{held[0]} to {held[1]} (99.9 % binomial limits).\n\n"
        + table(
            ["world", "quantity", "truth", "bias", "intervals with the truth", "mean width",
             "rejects zero"],
            lines,
        )
        + "\n\nA test against zero takes practice for an effect. If practice adds 10 points and "
        "explanations add nothing, the published bootstrap reports an effect in "
        f"{much['published']['rejected']} of {studies} studies, the mixed model in "
        f"{much['model_change']['rejected']}, and two-way means in "
        f"{much['means_change']['rejected']}. If practice adds {figures['practice']:g} points, "
        f"they report one in {alone['published']['rejected']}, {alone['model_change']['rejected']} "
        f"and {alone['means_change']['rejected']}. Compared with the arm without explanations, the "
        f"mixed model gives {false[0]} false alarms with {figures['practice']:g} points of "
        f"practice and {false[1]} with 10, {inside}.\n\n"
        "The published bootstrap resamples people and items one after the other, so its intervals "
        "are wider than necessary: they contain the truth more often than 95 %, and they miss more "
        "effects. The mixed model was fitted as asked in "
        f"{alone['whole'] + much['whole']} of the {2 * studies} studies without an effect; in the "
        "others it lost random effects that had no variance or no sound fit."
    )  # fmt: skip


def studies_asked(effort: Effort, usual: int) -> int:
    """Return the number of studies of a world: as asked, or as usual."""
    return QUICK_STUDIES if effort.quick else int(effort.options.get("studies", usual))


def speed(effort: Effort) -> Measured:
    """Time of the published bootstrap at the published size."""
    replicates = 1000 if effort.quick else FULL_REPLICATES
    effort.say(f"{replicates} replicates of {ROWS} rows")
    arms = {f"m{n}": Difference(0.0) for n in range(5)}
    rng = np.random.Generator(np.random.PCG64(SEED))
    trials = simulate_predictions(SimulationWorld(arms=arms), 68, ITEMS, rng, DOMAIN)
    own = read_predictions(trials, load_protocol("simulatability"))  # type: ignore[arg-type]
    pairs = own.pairs.iloc[:ROWS].reset_index(drop=True)
    seconds = _timed(lambda: list(change_rows(pairs, own.methods, Plan(replicates, SEED))))
    figures = {"rows": len(pairs), "replicates": replicates, "seconds": seconds}
    return Measured(_speed_text(figures), figures)


def _speed_text(figures: Mapping[str, Any]) -> str:
    return (
        f"{grouped(figures['replicates'])} replicates on {grouped(figures['rows'])} rows of six "
        "methods take "
        f"{figures['seconds']:.1f} s on one core (target: less than {MOST_S} s on two). Each "
        "replicate draws participants and items and shrinks accuracies anew."
    )


def _timed(function: Callable[[], Any]) -> float:
    with threadpool_limits(1):
        begun = time.perf_counter()
        function()
        return time.perf_counter() - begun


BIAS = Part("worlds", "Bias, coverage and false alarms of Change", worlds)
SPEED = Part("speed", "Time of the published bootstrap", speed)

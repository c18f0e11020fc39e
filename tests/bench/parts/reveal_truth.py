"""Made-up studies of progressive_reveal: does the analysis find what was put in?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from scipy.stats import binom

from analysis.bootstrap import Plan
from analysis.report.style import FAINT, WIDTH_IN, figure_style
from analysis.studies.progressive_reveal.models import hazard_models
from analysis.studies.progressive_reveal.needed import needed_shares
from analysis.studies.progressive_reveal.rates import life_tables, table3
from analysis.studies.progressive_reveal.restricted_results import restricted_results
from analysis.studies.progressive_reveal.trials import read_rounds
from analysis.studies.progressive_reveal.words import look, method_name
from stimuli.protocol import load_protocol
from stimuli.workers import Workers, ordered_map
from tests.analysis.progressive_reveal.world import METHODS, STEPS, World
from tests.bench.book import Effort, Measured, Part, table

PEOPLE, CLASSES, EACH = 32, 10, 4
LEAVING = 0.03
STUDIES, QUICK_STUDIES = 200, 4
MODELLED, QUICK_MODELLED = 24, 1
REPLICATES, QUICK_REPLICATES = 400, 100
TRUE_WORLDS, QUICK_TRUE_WORLDS = 600, 60
DRAWS = 400
SURE = 0.999
ASKED = 0.10
FAILING = "occlusion"
LAPSES = (0.03, 0.03, 0.30, 0.03)

QUANTITIES: Mapping[str, str] = {
    "restricted": "restricted mean, image by image",
    "all_last_step": "Table III, all rounds with last pixels",
    "recognised": "Table III, recognised rounds only",
    "reached": "recognised by the last step (life table)",
    "turnbull": "recognised with 10 % of the image (Turnbull)",
    "modelled": "recognised by the last step (discrete-time model)",
}


@dataclass(frozen=True, slots=True)
class Study:
    """One study to simulate and analyse."""

    number: int
    replicates: int
    modelled: bool


def world_of(number: int) -> World:
    """Return a world with images of its own."""
    return World(classes=CLASSES, each=EACH, lapse=LAPSES, seed=1000 + number)


def study(work: Study) -> list[dict[str, Any]]:
    """Return what the analysis of one study gives: estimate and limits by quantity and method."""
    world = world_of(work.number)
    trials = world.study(PEOPLE, leaving=LEAVING)
    rounds = read_rounds(trials, load_protocol("progressive_reveal"), world.curves(), "world")
    plan = Plan(work.replicates, work.number)
    rows = [("restricted", row) for row in restricted_results(rounds, plan)["methods"]]
    for row in table3(rounds, plan)["rows"]:
        named = {"ci_low": row["share_low"], "ci_high": row["share_high"]}
        rows.append((row["reading"], {**row, **named, "estimate": row["share"]}))
    for row in life_tables(rounds, plan)["rows"]:
        if row["step"] == STEPS:
            rows.append(("reached", {**row, "estimate": row["reached"]}))
    for row in needed_shares(rounds, plan)["asked"]:
        if row["share"] == ASKED:
            rows.append(("turnbull", row))
    if work.modelled:
        curves = hazard_models(rounds)["curves"]
        rows += [("modelled", row) for row in curves if row["step"] == STEPS]
    return [
        {
            "quantity": quantity,
            "method": row["method"],
            "estimate": float(row["estimate"]),
            "low": float(row["ci_low"]),
            "high": float(row["ci_high"]),
        }
        for quantity, row in rows
    ]


@lru_cache(maxsize=2)
def truths(worlds: int) -> dict[tuple[str, str], float]:
    """Return the true values, averaged over as many worlds with images of their own."""
    sums: dict[tuple[str, str], list[float]] = {}
    for number in range(worlds):
        world = world_of(50_000 + number)
        limits = world.shares[:, :, -1].min(axis=1)
        for m, method in enumerate(METHODS):
            needed = world.population(m, DRAWS)
            shares = world.shares[:, m]
            enough = shares[:, None, :] >= needed[:, :, None]
            recognised = enough.any(axis=2)
            step = np.where(recognised, enough.argmax(axis=2), STEPS - 1)
            last = np.take_along_axis(shares, step, axis=1)
            # Recognition is known to within a step: its middle, as the estimate has it.
            low = np.where(step > 0, np.take_along_axis(shares, np.maximum(step - 1, 0), 1), 0.0)
            middle = (np.minimum(low, limits[:, None]) + np.minimum(last, limits[:, None])) / 2
            values = {
                "restricted": np.where(recognised, middle, limits[:, None]).mean(),
                "all_last_step": last.mean(),
                "recognised": last[recognised].mean(),
                "reached": recognised.mean(),
                "turnbull": (needed <= ASKED).mean(),
                "modelled": recognised.mean(),
                "needed": np.minimum(needed, limits[:, None]).mean(),
            }
            for name, value in values.items():
                sums.setdefault((name, method), []).append(float(value))
    return {key: float(np.mean(values)) for key, values in sums.items()}


def measure(effort: Effort) -> Measured:
    """Simulate and analyse studies; compare estimates with the truth."""
    studies, modelled, replicates, worlds = (
        (QUICK_STUDIES, QUICK_MODELLED, QUICK_REPLICATES, QUICK_TRUE_WORLDS)
        if effort.quick
        else (STUDIES, MODELLED, REPLICATES, TRUE_WORLDS)
    )
    effort.say(f"{studies} studies of {PEOPLE} people")
    true = truths(worlds)
    works = [(str(n), Study(n, replicates, n < modelled)) for n in range(studies)]
    found = [row for _, rows in ordered_map(study, works, Workers()) for row in rows]
    rows = [
        _summary(quantity, method, found, true) for quantity in QUANTITIES for method in METHODS
    ]
    file = "truth.png"
    _picture(rows, effort, file)
    text = "\n\n".join(
        (
            _intro(studies, modelled, replicates),
            effort.shown(file, "Bias of three averages of the uncovered share, by method"),
            _dropping(rows, true),
            _table(rows),
        )
    )
    return Measured(text, {"studies": studies, "rows": rows})


def _summary(
    quantity: str, method: str, found: Sequence[Mapping[str, Any]], true: Mapping[Any, float]
) -> dict[str, Any]:
    own = [row for row in found if row["quantity"] == quantity and row["method"] == method]
    values = np.array([row["estimate"] for row in own])
    wanted = true[quantity, method]
    # Limits that aren't known (a rate of 1) hold nothing.
    held = [row["low"] <= wanted <= row["high"] for row in own]
    chance = binom.ppf([(1 - SURE) / 2, (1 + SURE) / 2], len(own), 0.95) / max(len(own), 1)
    return {
        "quantity": quantity,
        "method": method,
        "studies": len(own),
        "truth": wanted,
        "mean": float(values.mean()),
        "bias": float(values.mean() - wanted),
        "error": float(values.std(ddof=1) / len(own) ** 0.5) if len(own) > 1 else None,
        "coverage": float(np.mean(held)),
        "chance_low": float(chance[0]),
        "chance_high": float(chance[1]),
    }


def _intro(studies: int, modelled: int, replicates: int) -> str:
    return (
        f"{studies} studies of {PEOPLE} people and {CLASSES * EACH} images each, all drawn anew. "
        "Each round needs a share of the image to be recognised: log-logistic, with effects of "
        f"method, image and person. With {method_name(FAILING)} "
        f"{100 * LAPSES[METHODS.index(FAILING)]:.0f} % of the rounds are never recognised, with "
        f"the others {100 * LAPSES[0]:.0f} %; {100 * LEAVING:.0f} % are left midway. Intervals: "
        f"{replicates} replicates over people and images; the discrete-time model was fitted to "
        f"{modelled} of the studies. Truth: what people and images at large show."
    )


def _dropping(rows: Sequence[Mapping[str, Any]], true: Mapping[Any, float]) -> str:
    own = {row["quantity"]: row for row in rows if row["method"] == FAILING}
    needed = true["needed", FAILING]
    dropped, kept = own["recognised"], own["restricted"]
    return (
        f"Dropping unrecognised rounds: with {method_name(FAILING)} people need "
        f"{100 * needed:.2f} % of the image (up to each image's smallest final count). The average "
        f"over recognised rounds says {100 * dropped['mean']:.2f} %, the restricted mean "
        f"{100 * kept['mean']:.2f} %."
    )


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    headings = ("quantity", "method", "truth", "mean", "bias ± SE", "coverage", "studies")
    cells = [
        (
            QUANTITIES[row["quantity"]],
            method_name(row["method"]),
            f"{100 * row['truth']:.2f} %",
            f"{100 * row['mean']:.2f} %",
            f"{100 * row['bias']:+.2f} ± {100 * (row['error'] or 0):.2f}",
            f"{100 * row['coverage']:.1f} % ({100 * row['chance_low']:.0f} to "
            f"{100 * row['chance_high']:.0f})",
            str(row["studies"]),
        )
        for row in rows
    ]
    note = (
        "Coverage of the 95 % intervals for the truth of people and images at large; in brackets, "
        "where it must lie with 99.9 % if it is 95 %. The two-way bootstrap is conservative: more "
        "is expected."
    )
    return f"{table(headings, cells)}\n\n{note}"


def _picture(rows: Sequence[Mapping[str, Any]], effort: Effort, file: str) -> None:
    """Draw what three averages say beside what is needed."""
    kinds = ("restricted", "all_last_step", "recognised")
    with figure_style():
        figure, axes = plt.subplots(figsize=(WIDTH_IN, 2.6), layout="constrained")
        for place, method in enumerate(reversed(METHODS)):
            axes.axhline(place, color=FAINT, linewidth=0.6, zorder=0)
            colour, _, _ = look(METHODS, method)
            for kind, fill in zip(kinds, (colour, FAINT, "white"), strict=True):
                own = next(r for r in rows if r["quantity"] == kind and r["method"] == method)
                marker = {"restricted": "o", "all_last_step": "s", "recognised": "D"}[kind]
                axes.plot(
                    100 * own["mean"], place, marker, color=colour, markerfacecolor=fill,
                    label=QUANTITIES[kind] if not place else None,
                )  # fmt: skip
            wanted = next(
                r for r in rows if r["quantity"] == "restricted" and r["method"] == method
            )
            axes.plot([100 * wanted["truth"]] * 2, [place - 0.3, place + 0.3], color=colour)
        axes.set_yticks(range(len(METHODS)), [method_name(m) for m in reversed(METHODS)])
        axes.set_xlabel("per cent of the image; strokes: the true restricted mean")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper left", ncols=3,
                      fontsize=7.5)  # fmt: skip
        figure.savefig(effort.picture(file), dpi=150)
        plt.close(figure)


PARTS = (Part("truth", "What the analysis finds of worlds whose truth is known", measure),)

"""How many participants the two-way intervals save."""

from dataclasses import replace

import numpy as np

from analysis.statistics.two_way import cell_weights, two_way_means
from analysis.studies.accept_reject.power import PlateWorld
from bench.book import Effort, Measured, Part, table
from bench.parts.interval_methods import LEVEL, percentile
from bench.parts.interval_worlds import CELLS, Kind, simulated

Array = np.ndarray

SIZES = ((24, 48), (24, 72), (40, 72))
MARGIN, WORSE = 0.10, 0.20
STUDIES = 300
BEHIND = np.array([0.0, 1.0, 0.0, -1.0])
"""p_S − p_E, both with explanations."""


def savings(effort: Effort) -> Measured:
    """How often S is found like E, or worse, by either interval."""
    studies = 40 if effort.quick else STUDIES
    figures, lines = {}, []
    for people, items in SIZES:
        alike = Kind(people, items, PlateWorld(), 0.15)
        behind = replace(alike, effect=0.0, ahead=WORSE)
        row = {
            f"{verdict}, {name}": share
            for verdict, kind in (("like", alike), ("worse", behind))
            for name, share in _verdicts(kind, verdict, studies).items()
        }
        figures[f"{people} × {items}"] = row
        lines.append([f"{people} × {items}", *(f"{100 * share:.0f} %" for share in row.values())])
    text = (
        f"Share of {studies} studies that find S like E if both are alike (margin ± 10 "
        f"points), and S worse than E if S is 20 points behind.\n\n"
        + table(
            [
                "leads × plates", "like, two-way", "like, bootstrap", "worse, two-way",
                "worse, bootstrap",
            ],
            lines,
        )
    )  # fmt: skip
    return Measured(text, {"studies": studies, "sizes": figures})


def _verdicts(kind: Kind, verdict: str, studies: int) -> dict[str, float]:
    level = 0.90 if verdict == "like" else LEVEL
    hits: dict[str, list[Array]] = {"two-way": [], "bootstrap": []}
    for own in simulated(kind, studies):
        means = two_way_means(own.answers, cell_weights(own.cell, len(CELLS)), own.units)
        drawn = percentile(own, BEHIND, level)
        found = {
            "two-way": means.rates(BEHIND, level)[1:],
            "bootstrap": (drawn.low, drawn.high),
        }
        for name, (low, high) in found.items():
            within = (low > -MARGIN) & (high < MARGIN)
            hits[name].append(within if verdict == "like" else high < -MARGIN)
    return {name: float(np.mean(np.concatenate(parts))) for name, parts in hits.items()}


PARTS: tuple[Part, ...] = (Part("savings", "How many participants the intervals save", savings),)

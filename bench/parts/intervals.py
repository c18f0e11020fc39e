"""Coverage and width of the intervals of means, beside those of other methods."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.stats import binom

from analysis.statistics.two_way import cell_weights, two_way_means
from bench.book import Effort, Measured, Part, table
from bench.parts.interval_methods import LEVEL, Found, by_sums, independent, ours, percentile
from bench.parts.interval_worlds import CELLS, Kind, grid, odd, simulated

Array = np.ndarray

CONTRASTS: Mapping[str, Array] = {
    "usefulness": np.array([-0.5, 0.5, -0.5, 0.5]),
    "usefulness of S": np.array([-1.0, 1.0, 0.0, 0.0]),
    "p_S − p_E": np.array([0.0, 1.0, 0.0, -1.0]),
    "p_S": np.array([0.0, 1.0, 0.0, 0.0]),
}
SURE, STUDIES = 0.999, 2000
MOST, NARROWEST = 0.975, 0.95
"""Most coverage and least width ratio that count as calibrated."""

Row = dict[str, float]


def coverage(effort: Effort) -> Measured:
    """The grid: three sizes, two item slopes, two effects."""
    return _measured(effort, grid(), "")


def odd_tables(effort: Effort) -> Measured:
    """Rates near 0 and 1, unbalanced tables, missing trials."""
    text = (
        " *Rates of .04*: all four rates are .04 and usefulness is 0. *Rates of .82 and .97*: S's "
        "and E's solutions are accepted at .82 without and at .97 with an explanation, so that "
        "usefulness is .15, p_S is .97, and p_S − p_E compares .97 with .97. In 8 × 24 a "
        "cell has 48 trials, of which only one or two are rare answers. Few results are possible "
        "then, and intervals are too wide, even those that take all answers as independent: a "
        "verdict that they reach holds, but *undecided* may only mean too few trials. *An item "
        "seen by 1.4 people* (2.4, 4.8): each person sees a few of 300 items. In such sparse "
        "tables no levels of participants and items are taken off."
    )
    return _measured(effort, odd(), text)


def measured(kind: Kind, studies: int) -> dict[str, Row]:
    """Return coverage and width of every contrast, and of usefulness by the other methods.

    A contrast's row also has the coverage of the usual interval of independent answers.
    """
    found: dict[str, list[Found]] = {}
    plain: dict[str, list[Found]] = {name: [] for name in CONTRASTS}
    usefulness = CONTRASTS["usefulness"]
    for own in simulated(kind, studies):
        means = two_way_means(own.answers, cell_weights(own.cell, len(CELLS)), own.units)
        parts = {name: ours(own, means, contrast) for name, contrast in CONTRASTS.items()}
        parts |= by_sums(own, usefulness) | {"percentile bootstrap": percentile(own, usefulness)}
        for name, part in parts.items():
            found.setdefault(name, []).append(part)
        for name, contrast in CONTRASTS.items():
            plain[name].append(independent(own, contrast))
    rows = {
        name: Found.joined(parts).row(float(CONTRASTS.get(name, usefulness) @ kind.truths))
        for name, parts in found.items()
    }
    for name, contrast in CONTRASTS.items():
        usual = Found.joined(plain[name]).row(float(contrast @ kind.truths))
        rows[name]["independent"] = usual["coverage"]
    return rows


def _measured(effort: Effort, kinds: Mapping[str, Kind], said: str) -> Measured:
    studies = 40 if effort.quick else STUDIES
    rows = {name: measured(kind, studies) for name, kind in kinds.items()}
    low, high = (float(x) / studies for x in binom.interval(SURE, studies, LEVEL))
    names = list(next(iter(rows.values())))
    summary = {name: _summary([row[name] for row in rows.values()]) for name in names}
    lines = [
        [name, *(_cell(row[contrast], low) for contrast in CONTRASTS)] for name, row in rows.items()
    ]
    others = [
        [name, f"{own['least']:.3f} to {own['most']:.3f}",
         f"{own['width']:.2f} ({own['narrowest']:.2f}–{own['widest']:.2f})"]
        for name, own in summary.items()
    ]  # fmt: skip
    text = (
        f"{studies:,} studies of each kind. Coverage of 95 % intervals, and their width "
        f"divided by the width that the spread of the estimates requires. Correct coverage is "
        f"between {low:.3f} and {high:.3f} in 99.9 % of benches. A result is **bold** if the "
        f"interval covers less than {low:.3f} or more than {MOST:.3f}, or if the ratio is below "
        f"{NARROWEST:.2f}. † stands in place of bold where the usual interval of independent "
        f"answers (Wilson's or Newcombe's) covers more than {MOST:.3f} as well. The rules of the "
        f"intervals were chosen on other simulated studies than these.{said}\n\n"
        + table(["studies", *CONTRASTS], lines)
        + "\n\nThe same over all kinds: least and most coverage, and the mean width ratio with "
        "its range. The methods from the fifth row on are for usefulness, on raw means.\n\n"
        + table(["interval", "coverage", "width ratio"], others)
    )
    figures = {"studies": studies, "low": low, "high": high, "kinds": rows, "summary": summary}
    return Measured(text, figures)


def _cell(row: Row, low: float) -> str:
    text = f"{row['coverage']:.3f} / {row['width']:.2f}"
    if row["width"] >= NARROWEST and low <= row["coverage"] <= MOST:
        return text
    as_usual = row["width"] >= NARROWEST and min(row["coverage"], row["independent"]) > MOST
    return f"{text} †" if as_usual else f"**{text}**"


def _summary(rows: Sequence[Row]) -> Row:
    covered, widths = ([row[name] for row in rows] for name in ("coverage", "width"))
    return {
        "least": min(covered), "most": max(covered), "width": float(np.mean(widths)),
        "narrowest": min(widths), "widest": max(widths),
    }  # fmt: skip


PARTS: tuple[Part, ...] = (
    Part("intervals", "Intervals over participants and items", coverage),
    Part("intervals_odd", "Rates near 0 and 1, gaps, and unequal shares", odd_tables),
)

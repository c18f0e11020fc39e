"""Bar 4 on every rung of the ladder: luminance as the eye sees it from which the plate hides."""

from collections.abc import Mapping, Sequence
from typing import Any

from bench.book import Effort, Measured, table
from bench.parts.classifiers import TEST_PLATES, TRAIN_PLATES, View, read_views
from bench.parts.words import SOURCE_NAMES, SOURCES, bar, share, steps, verdicts
from stimuli.colour.spaces import Axis
from tests.stimuli.plates.contrasts import contrast_ladder

LEFT_CONE: Mapping[Axis, int] = {"deutan": 0, "protan": 1}
"""Which of L and M the matching dichromat has."""
QUICK_PLATES = 60


def measure(effort: Effort) -> Measured:
    """Train a network on each rung's plates of both axes and sources."""
    train, test = (QUICK_PLATES,) * 2 if effort.quick else (TRAIN_PLATES, TEST_PLATES)
    ladder = contrast_ladder()[::7] if effort.quick else contrast_ladder()
    views = tuple(
        View(f"{axis} {steps(contrast)}", axis, axis=axis, cones=(cone,), contrast=contrast)
        for axis, cone in LEFT_CONE.items()
        for contrast in ladder
    )
    found = []
    for source in SOURCES:
        effort.say(f"networks learn {len(ladder)} rungs of {SOURCE_NAMES[source]}")
        found += read_views(source, views, train, test, effort.quick)
    line = _bar(found)
    return Measured(_text(found, ladder, line), {"bars": [line], "rungs": found})


def _bar(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    high = max(row["ci_high"] for row in found)
    first = found[0]
    few = first["trained_on"] < TRAIN_PLATES or first["n"] < TEST_PLATES
    return bar(
        4,
        "the same at every rung of the ladder: upper 95 % bound ≤ .13",
        f"≤ {share(high)} (trained on {first['trained_on']}, n = {first['n']} for each of "
        f"{len(found)} cells)",
        high <= 0.13 and not few,
    )


def _text(found: Sequence[dict[str, Any]], ladder: Sequence[float], line: dict[str, Any]) -> str:
    cells = {(row["source"], row["view"]): row for row in found}
    columns = [(source, axis) for source in SOURCES for axis in LEFT_CONE]
    rows = [
        [
            steps(contrast),
            *(_cell(cells[source, f"{axis} {steps(contrast)}"]) for source, axis in columns),
        ]
        for contrast in ladder
    ]
    heads = ["Δu′v′ in 10⁻⁴"]
    heads += [
        f"{SOURCE_NAMES[s]}, {a}, {'L' if LEFT_CONE[a] == 0 else 'M'} cone" for s, a in columns
    ]
    return "\n\n".join(
        [
            "The positions of dots are the same at every rung, and so should be their light for "
            "the dichromat's remaining cone. For each rung a separate network looks for "
            "differences that are due to 8-bit rounding (share read, upper 95 % bound).",
            verdicts([line]),
            table(heads, rows),
        ]
    )


def _cell(row: dict[str, Any]) -> str:
    return f"{share(row['rate'])} (≤ {share(row['ci_high'])})"

"""Find rows of results whose limits, p and verdict contradict each other."""

from collections.abc import Iterator, Mapping
from typing import Any

ALPHA = 0.05
TESTS = (
    ("ci_low", "ci_high", "p"),
    ("adjusted_low", "adjusted_high", "p_adjusted"),
    ("holm_low", "holm_high", "p_holm"),
    ("holm_low_s", "holm_high_s", "p_holm"),
    ("family_low", "family_high", "p_family"),
    ("shift_low", "shift_high", "p"),
    ("shift_s_low", "shift_s_high", "p"),
    ("difference_low", "difference_high", "p_t"),
    ("g_low", "g_high", "p_t"),
    ("effect_low", "effect_high", "p"),
)
"""Names of limits, and of the p that belongs to them."""
NARROW = (("ci90_low", "ci90_high"), ("low_90", "high_90"))
WITHHELD = (None, "", "unknown")
"""What stands in place of a verdict that isn't given, such as of too few people."""
WHO = ("these", "means")
"""Whom rows of one quantity are about: these people, people in general."""

NO_LEVELS = ("measure", "factor", "data")
"""What rows of studies from a table name beside the levels of factors."""
ENDS = (None, 0.0, 1.0)
"""Where quite different shares and effects may have the same value."""


def rows_of(part: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each object of results with its place."""
    if isinstance(part, Mapping):
        yield path, part
        for name, inner in part.items():
            yield from rows_of(inner, f"{path}.{name}" if path else name)
    elif isinstance(part, list):
        for number, inner in enumerate(part):
            yield from rows_of(inner, f"{path}[{number}]")


def disagreements(results: Mapping[str, Any]) -> list[str]:
    """Return the rows that contradict themselves: zero and p, nested levels, verdicts."""
    found = []
    for place, row in rows_of(dict(results)):
        for low, high, p in TESTS:
            ends, own = (row.get(low), row.get(high)), row.get(p)
            if None in (*ends, own) or abs(own - ALPHA) < 1e-6:
                continue
            if (ends[0] > 0 or ends[1] < 0) != (own < ALPHA):
                found.append(f"{place}: [{ends[0]:g}, {ends[1]:g}] beside {p} = {own:g}")
        for low, high in NARROW:
            inner, outer = (row.get(low), row.get(high)), (row.get("ci_low"), row.get("ci_high"))
            if None in (*inner, *outer):
                continue
            if inner[0] < outer[0] - 1e-9 or inner[1] > outer[1] + 1e-9:
                found.append(f"{place}: the 90 % interval {inner} is wider than {outer}")
        found += _verdict(place, row)
    return [*found, *_narrower_in_general(results), *several_limits(results)]


def several_limits(results: Mapping[str, Any]) -> list[str]:
    """Return shares and means that have one value in several tables, but several limits.

    Two rows are of the same thing if their levels, answers and value are the same.
    """
    ends: dict[tuple[Any, ...], dict[tuple[float, ...], str]] = {}
    for row in results.get("estimates", ()):
        named = {name: at for name, at in row.get("of", {}).items() if name not in NO_LEVELS}
        # A planned test is named by its number.
        levels = frozenset(at for at in named.values() if not at.isdigit())
        if None in (row.get("n"), row.get("ci_low")) or "p" in row or row["estimate"] in ENDS:
            continue
        limits = tuple(round(row[name], 9) for name in ("ci_low", "ci_high"))
        own = ends.setdefault((levels - {"all"}, row["n"], round(row["estimate"], 9)), {})
        own[limits] = f"{row['question']}.{row['quantity']}"
    return [
        f"{sorted(levels)}, {value} of {n}: {several}"
        for (levels, n, value), several in ends.items()
        if len(several) > 1
    ]


def _narrower_in_general(results: Mapping[str, Any]) -> list[str]:
    """Return what is said of people in general with narrower limits than of these people alone."""
    ends: dict[tuple[Any, ...], dict[str, tuple[float, float]]] = {}
    for _, row in rows_of(dict(results)):
        of = row.get("of")
        if not isinstance(of, Mapping) or of.get("by") not in WHO or row.get("ci_low") is None:
            continue
        key = (row["quantity"], *sorted((name, at) for name, at in of.items() if name != "by"))
        ends.setdefault(key, {})[of["by"]] = (row["ci_low"], row["ci_high"])
    return [
        f"{key}: in general {both['means']}, these people {both['these']}"
        for key, both in ends.items()
        if len(both) == len(WHO)
        and (both["means"][0] > both["these"][0] + 1e-9
             or both["means"][1] < both["these"][1] - 1e-9)
    ]  # fmt: skip


def _verdict(place: str, row: Mapping[str, Any]) -> list[str]:
    """Return what a verdict on a margin contradicts."""
    verdict, margin = row.get("verdict"), row.get("margin")
    pairs = [(row.get(low), row.get(high)) for low, high in (("ci_low", "ci_high"), *NARROW)]
    ends = [end for pair in pairs if None not in pair for end in pair]
    if margin is None or len(ends) < 4 or verdict in WITHHELD:
        return []
    shown = {
        "better": ends[0] > margin,
        "worse": ends[1] < -margin,
        "like": ends[2] > -margin and ends[3] < margin,
    }
    right = shown[verdict] if verdict in shown else not any(shown.values())
    varies = ends[0] < ends[1]
    return [] if right or not varies else [f"{place}: {verdict} beside {ends}"]

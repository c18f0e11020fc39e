"""Contrasts between all pairs of methods, by means and by the model, with Holm's correction.

The means over people and images and the mixed model answer the same two questions: how many rounds
are recognised by the end, and how many steps recognition takes. Where they differ in sign, in what
they decide, or by much, the page says so.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from analysis.report.about import about
from analysis.report.estimates import (
    MEANS,
    MODEL,
    WORDS,
    HolmRow,
    apart,
    holm_row,
    limits_row,
)
from analysis.report.wording import listed, p_equals, unknown, with_limits
from analysis.statistics.estimate import Estimate, adjusted
from analysis.statistics.proportions import LEVEL

ALPHA: Final = 1 - LEVEL
_PRINTED_AS_0: Final = {"recognised": 0.005, "steps": 0.05, "restricted": 0.0005}
"""Values nearer to zero have no sign on the page."""


@dataclass(frozen=True)
class Pair(HolmRow):
    """A method less another one; p_holm is over all pairs of the same quantity and analysis."""

    of: Annotated[str, about("What is compared: recognised (by the end), steps or restricted.")]
    by: Annotated[str, about("How: means or model.")]
    method: Annotated[str, about("The method.")]
    other: Annotated[str, about("The method that it is compared with.")]
    estimate: Annotated[float | None, about("Difference: of shares, or in steps.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    p: Annotated[float | None, about("p, two-sided.")]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair on which the means and the model disagree."""

    of: Annotated[str, about("What is compared.")]
    method: Annotated[str, about("The method.")]
    other: Annotated[str, about("The method that it is compared with.")]
    differ_in: Annotated[str, about("In what they differ: sign, decision, size.")]
    model: Annotated[Pair, about("What the model says.")]
    means: Annotated[Pair, about("What the means say.")]


@dataclass(frozen=True, slots=True)
class Difference:
    """A method less the reference, by means over participants and images."""

    reference: Annotated[str, about("The reference.")]
    method: Annotated[str, about("The method.")]
    p: Annotated[float | None, about("p, two-sided.")]
    estimate: Annotated[float | None, about("Difference: of shares, or in steps.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A method less the reference, by the model."""

    reference: Annotated[str, about("The reference.")]
    method: Annotated[str, about("The method.")]
    of: Annotated[str, about("What is compared: recognised (by the end), or steps.")]
    estimate: Annotated[float | None, about("Difference: of shares, or in steps.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


def pairs_of(of: str, by: str, tests: Mapping[tuple[str, str], Estimate]) -> tuple[Pair, ...]:
    """Return contrasts of one quantity by one analysis, corrected over all of them.

    Parameters
    ----------
    of, by
        As in `Pair`.
    tests
        Each contrast by its method and the one that it is compared with.
    """
    return tuple(
        Pair(of, by, method, other, **limits_row(row.of), p=row.of.p, **holm_row(row))
        for (method, other), row in zip(tests, adjusted(list(tests.values())), strict=True)
    )  # fmt: skip


def to_reference(rows: Iterable[Pair], reference: str) -> tuple[Difference, ...]:
    """Return the contrasts to the reference."""
    return tuple(
        Difference(reference, row.method, row.p, row.estimate, row.ci_low, row.ci_high)
        for row in rows
        if row.other == reference
    )


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def corrected(
    rows: Iterable[Pair], contrast: Difference, of: str, write: Callable[[float | None], str]
) -> str:
    """Return a contrast to the reference with limits and p after Holm over all pairs.

    E.g. ``+8 [+1, +15], p = .031``; the contrast itself where it has no such pair.
    """
    for pair in rows:
        if pair.of == of and (pair.method, pair.other) == (contrast.method, contrast.reference):
            p = "" if unknown(pair.p_holm) else f", {p_equals(pair.p_holm)}"
            return f"{write(pair.estimate)}{with_limits(pair.holm_low, pair.holm_high, write)}{p}"
    limits = with_limits(contrast.ci_low, contrast.ci_high, write)
    return f"{write(contrast.estimate)}{limits}"


def family(methods: int, by: str) -> str:
    """Return by which analysis tests are, ``model`` or ``means``, and over which family."""
    over = f", after Holm over all {methods * (methods - 1) // 2} pairs" if methods > 2 else ""
    return f"; limits and p are by {'means' if by == MEANS else WORDS[by]}{over}"


def disagreements(rows: Sequence[Pair]) -> tuple[Disagreement, ...]:
    """Return the contrasts in which means and model differ in sign, decision or size.

    A decision is whether there is a difference at 5 % after Holm's correction. They differ in size
    by more than a quarter of the width of the means' interval.
    """
    found: dict[tuple[str, str, str], dict[str, Pair]] = {}
    for row in rows:
        found.setdefault((row.of, row.method, row.other), {})[row.by] = row
    return tuple(
        Disagreement(*place, what, ways[MODEL], ways[MEANS])
        for place, ways in found.items()
        if set(ways) == {MODEL, MEANS} and (what := _differ_in(ways[MODEL], ways[MEANS]))
    )


def _differ_in(model: Pair, means: Pair) -> str:
    """Return in what the two ways differ; empty if they don't, or if one isn't known."""
    if unknown(model.estimate) or unknown(means.estimate):
        return ""
    tested_both = not (unknown(model.p_holm) or unknown(means.p_holm))
    decided = [_number(row.p_holm) < ALPHA for row in (model, means)]
    otherwise, far = tested_both and decided[0] != decided[1], apart(means, model)
    opposite = _number(model.estimate) * _number(means.estimate) < 0
    largest = max(abs(_number(row.estimate)) for row in (model, means))
    parts = {
        "sign": opposite and largest >= _PRINTED_AS_0[model.of],
        "decision": otherwise,
        "size": far,
    }
    said = [name for name, differs in parts.items() if differs]
    return listed(said) if said else ""

"""Contrasts between all pairs of methods, by means and by the model, with Holm's correction.

The means over people and images and the mixed model answer the same two questions: how many rounds
are recognised by the end, and how many steps recognition takes. Where they differ in sign, in what
they decide, or by much, the page says so.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from analysis.questions.estimates import (
    AGAINST,
    Contrast,
    EstimateRow,
    Quantity,
    family,
)
from analysis.report.deciding import MEANS, MODEL, THESE, WORDS, apart
from analysis.report.wording import (
    estimated,
    listed,
    p_equals,
    points,
    unknown,
    unsigned_points,
    with_limits,
)
from analysis.statistics.estimate import NARROW, Estimate
from analysis.statistics.proportions import LEVEL, judge
from analysis.statistics.survival.life_tables import pairs
from analysis.studies.progressive_reveal.quantities import (
    RECOGNISED_LESS,
    RESTRICTED_LESS,
    STEPS_LESS,
)
from stimuli.studies.progressive_reveal.protocol import HUMAN

ALPHA: Final = 1 - LEVEL
QUANTITIES: Final = {
    quantity.id: quantity for quantity in (RECOGNISED_LESS, STEPS_LESS, RESTRICTED_LESS)
}
"""What methods are compared by, in the order of the page."""
_PRINTED_AS_0: Final = {RECOGNISED_LESS.id: 0.005, STEPS_LESS.id: 0.05, RESTRICTED_LESS.id: 0.0005}
"""Values nearer to zero have no sign on the page."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair on which the means and the model disagree, and in what: sign, decision, size."""

    model: EstimateRow
    means: EstimateRow
    differ_in: str


def compared(
    quantity: Quantity,
    by: str,
    methods: Sequence[str],
    difference: Callable[[int, int], Estimate],
    spread: Callable[[int, int], float | None] = lambda a, b: None,
) -> tuple[EstimateRow, ...]:
    """Return each method less each before it, corrected over all these pairs.

    Parameters
    ----------
    quantity, by
        What is compared, and how: ``means``, ``these`` or ``model``.
    methods
        The reference first.
    difference
        Returns the second less the first, by their places.
    spread
        Returns the standard deviation of a single round with them; None if it isn't known.
    """
    contrasts = [
        Contrast(
            quantity,
            {"method": methods[b], AGAINST: methods[a], "by": by},
            difference(a, b),
            sd=spread(a, b),
        )
        for a, b in pairs(len(methods))
    ]
    return tuple(
        replace(row, low_90=narrow.ci_low, high_90=narrow.ci_high)
        for row, contrast in zip(family(contrasts), contrasts, strict=True)
        for narrow in [contrast.value.at(NARROW)]
    )


def judged(row: EstimateRow, margin: float) -> EstimateRow:
    """Return a difference in recognition with what it shows against the margin."""
    narrow = replace(row, ci_low=row.low_90, ci_high=row.high_90).interval
    return replace(row, margin=margin, verdict=judge(row.interval, narrow, margin))


def explaining(methods: Sequence[str]) -> list[str]:
    """Return the methods that explain a model: all but people's maps, if these are several."""
    others = [method for method in methods if method != HUMAN]
    return others if len(others) > 1 else list(methods)


def equivalence_sentence(
    rows: Sequence[EstimateRow], methods: Sequence[str], name: Callable[[str], str]
) -> list[str]:
    """Return whether methods are nearly equivalent, by two one-sided tests of each pair.

    Parameters
    ----------
    rows
        Differences in recognition by the analysis that decides, with verdicts.
    methods, name
        All methods, and what each is called.
    """
    among = explaining(methods)
    tested = [row for row in rows if {row.of["method"], row.of[AGAINST]} <= set(among)]
    margin = tested[0].margin if tested else None
    if margin is None or any(row.verdict == "unknown" for row in tested):
        return []
    whom, least = listed([name(method) for method in among]), f"{unsigned_points(margin)} points"

    def differences(differing: Sequence[EstimateRow], low: str, high: str) -> str:
        return listed(
            [
                f"{name(row.of['method'])} less {name(row.of[AGAINST])} "
                + estimated(points, row.estimate, getattr(row, low), getattr(row, high))
                for row in differing
            ]
        )

    if beyond := [row for row in tested if _beyond(row, margin)]:
        return [
            f"{whom} aren’t nearly equivalent: recognition by the last step differs by more than "
            f"{least} (95 % interval, corrected as above: "
            f"{differences(beyond, 'adjusted_low', 'adjusted_high')})."
        ]
    if undecided := [row for row in tested if row.verdict != "like"]:
        return [
            f"Whether {whom} are nearly equivalent is undecided: that recognition by the last step "
            f"differs by {least} or more isn’t ruled out (90 % interval: "
            f"{differences(undecided, 'low_90', 'high_90')})."
        ]
    return [
        f"{whom} are nearly equivalent: two one-sided tests of each pair show that recognition by "
        f"the last step differs by less than {least} (90 % interval: "
        f"{differences(tested, 'low_90', 'high_90')})."
    ]


def _beyond(row: EstimateRow, margin: float) -> bool:
    """Return whether corrected limits lie beyond the margin, on either side."""
    low, high = row.adjusted_low, row.adjusted_high
    return low is not None and high is not None and (low > margin or high < -margin)


def corrected(row: EstimateRow, write: Callable[[float | None], str]) -> str:
    """Return a contrast with limits and p after Holm, e.g. ``+8 [+1, +15], p = .031``."""
    p = "" if unknown(row.p_adjusted) else f", {p_equals(row.p_adjusted)}"
    return f"{write(row.estimate)}{with_limits(row.adjusted_low, row.adjusted_high, write)}{p}"


def family_words(methods: int, by: str) -> str:
    """Return by which analysis tests are, ``model`` or ``means``, and over which family."""
    over = f", after Holm over all {methods * (methods - 1) // 2} pairs" if methods > 2 else ""
    return f"; limits and p are by {'means' if by == MEANS else WORDS[by]}{over}"


def disagreements(rows: Iterable[EstimateRow]) -> Iterator[Disagreement]:
    """Yield the contrasts in which means and model differ in sign, decision or size.

    A decision is whether there is a difference at 5 % after Holm's correction. They differ in size
    by more than a quarter of the width of the means' interval.
    """
    ways: dict[tuple[str, str, str], dict[str, EstimateRow]] = {}
    for row in rows:
        place = (row.quantity, row.of["method"], row.of[AGAINST])
        ways.setdefault(place, {})[row.of["by"]] = row
    for by in ways.values():
        model, means = by.get(MODEL), by.get(THESE) or by.get(MEANS)
        if model and means and (what := _differ_in(model, means)):
            yield Disagreement(model, means, what)


def _differ_in(model: EstimateRow, means: EstimateRow) -> str:
    """Return in what the two ways differ; empty if they don't, or if one isn't known."""
    if model.estimate is None or means.estimate is None:
        return ""
    p_values = [row.p_adjusted for row in (model, means) if row.p_adjusted is not None]
    largest = max(abs(model.estimate), abs(means.estimate))
    parts = {
        "sign": model.estimate * means.estimate < 0 and largest >= _PRINTED_AS_0[model.quantity],
        "decision": len({p < ALPHA for p in p_values}) > 1,
        "size": apart(means, model),
    }
    names = [name for name, differs in parts.items() if differs]
    return listed(names) if names else ""

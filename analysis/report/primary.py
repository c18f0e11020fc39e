"""The primary analysis, which the protocol names, and the other one beside it."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.report.parts import cell
from analysis.report.wording import interval, unknown

Row = Any
"""A row with ``estimate, ci_low, ci_high``: a dataclass, or a mapping."""

MODEL, MEANS = "model", "means"
WORDS: Final[Mapping[str, str]] = {
    MODEL: "the mixed model",
    MEANS: "the means over participants and items",
}
SLIGHT: Final = 0.005
"""Estimates nearer to zero than this have no sign to disagree in: they are printed as 0."""
WHY: Final = (
    "The model takes log odds to vary normally between people and between items, and adjusts for "
    "what its formula names; the means adjust for nothing and count every trial alike."
)


def used(asked: str, sound: bool) -> str:
    """Return which analysis is taken: the one asked for, or the means without a sound model."""
    return MODEL if asked == MODEL and sound else MEANS


def decides(asked: str) -> str:
    """Return the sentence on which of the two decides."""
    primary = f"The protocol names {WORDS[asked]} as the primary analysis"
    return f"{WHY} {primary}. Conclusions follow from it."


def disagreement(
    what: str, source: str, raw: Row, model: Row, write: Callable[[float], str]
) -> list[str]:
    """Return a sentence where two analyses differ in sign or in whether there is a difference.

    Parameters
    ----------
    what
        What was estimated, with its unit.
    source, raw
        What the first rests on, in the plural, and its ``estimate, ci_low, ci_high``.
    model
        The model's.
    write
        Writes a number.

    Returns
    -------
    list of str
        Empty where both agree, or one isn't known.
    """
    if any(unknown(cell(row, name)) for row in (raw, model) for name in ("estimate", "ci_low")):
        return []
    first, second = cell(raw, "estimate"), cell(model, "estimate")
    opposite = first * second < 0
    slight = min(abs(first), abs(second)) < SLIGHT
    if opposite and not slight:
        how = "they disagree in sign"
    elif _decided(raw) != _decided(model):
        how = "they disagree on whether it differs from zero"
    else:
        return []
    pair = [
        f"{write(cell(row, 'estimate'))} "
        f"{interval(cell(row, 'ci_low'), cell(row, 'ci_high'), write)}"
        for row in (raw, model)
    ]
    return [f"{what}: {source} give {pair[0]}, the mixed model {pair[1]}; {how}."]


def _decided(row: Row) -> int:
    """Return on which side of zero an interval lies; 0 where it holds zero."""
    return int(cell(row, "ci_low") > 0) - int(cell(row, "ci_high") < 0)

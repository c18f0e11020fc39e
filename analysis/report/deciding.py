"""Which of two analyses decides, and what stands beside it.

A headline gives the design's estimate: means over participants and items with two-way limits. They
assume no distribution. The model's estimate is given beside it, whichever of the two the protocol
names as primary.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np

from analysis.report.about import about
from analysis.report.parts import cell
from analysis.report.wording import interval, listed, unknown

Array = np.ndarray

Row = Any
"""A row with ``estimate, ci_low, ci_high``: a dataclass, or a mapping."""

MODEL, MEANS, THESE = "model", "means", "these"
WORDS: Final[Mapping[str, str]] = {
    MODEL: "the mixed model",
    MEANS: "the means over participants and items",
    THESE: "the means of these participants over items",
}
SLIGHT: Final = 0.005
"""Estimates nearer to zero than this have no sign to disagree in: they are printed as 0."""
APART: Final = 0.25
"""Part of the width of the design's interval from which on a difference is reported."""
APART_WORDS: Final = "they differ by more than a quarter of the interval’s width"
LEAST_ANSWERS: Final = 10
"""Answers from which on a person or an item can be said to hardly vary."""
RARE: Final = 0.05
"""Share of the rarer answer up to which a person or an item hardly varies."""
WHY: Final = (
    "The model takes log odds to vary normally between people and between items, and adjusts for "
    "what its formula names; the means adjust for nothing and count every trial alike."
)


def chosen(primary: str, used: str) -> str:
    """Return which analysis is primary, and why: by the protocol, or since people are few."""
    if used == THESE:
        return f"The primary analysis is, with so few participants, {WORDS[THESE]}"
    return f"The primary analysis, named in the protocol, is {WORDS[primary]}"


def used(primary: str, sound: bool) -> str:
    """Return which analysis is taken: the one asked for, or the means without a sound model."""
    return MODEL if primary == MODEL and sound else MEANS


def deciders(primary: str, *, few: bool = False) -> tuple[str, ...]:
    """Return the analyses that may decide, the first that a report has first.

    Parameters
    ----------
    primary
        The one that the protocol names.
    few
        Whether the study's results are of these participants if they are few.
    """
    return ((THESE,) if few else ()) + ((MODEL, MEANS) if primary == MODEL else (MEANS,))


def words_of(primary: str) -> str:
    """Return the analysis that decides, and what takes its place if no model is sound."""
    return WORDS[primary] + (f" (by {WORDS[MEANS]} if no fit is sound)" if primary == MODEL else "")


def decides(primary: str) -> str:
    """Return the sentence on which of the two decides."""
    first = (
        " The means come first everywhere, since they assume no distribution."
        if primary == MODEL
        else ""
    )
    choice = f"The protocol names {WORDS[primary]} as the primary analysis"
    return f"{WHY}{first} {choice}. Conclusions follow from it."


@dataclass(frozen=True, slots=True)
class Unvarying:
    """How many people and items hardly vary: at most one answer in twenty differs from the rest.

    A normal random effect is stretched by them, and so a model's average effect may shrink.
    """

    people: Annotated[int, about("People who hardly vary, of those with ten answers or more.")]
    of_people: Annotated[int, about("All people.")]
    items: Annotated[int, about("Items that hardly vary, of those with ten answers or more.")]
    of_items: Annotated[int, about("All items.")]

    @classmethod
    def count(cls, answers: Array, people: Array, items: Array) -> "Unvarying":
        """Count people and items whose answers hardly vary.

        Parameters
        ----------
        answers
            (n,) of two kinds, as 0 and 1.
        people, items
            (n,) who gave each answer, and on which item.
        """
        return cls(*_unvarying(answers, people), *_unvarying(answers, items))

    def words(self, people: str = "people", items: str = "items") -> str:
        """Return, e.g., "6 of 20 people hardly vary"; empty if all people and items vary."""
        parts = ((self.people, self.of_people, people), (self.items, self.of_items, items))
        shares = [f"{few} of {all_} {noun}" for few, all_, noun in parts if few]
        verb = "varies" if self.people + self.items == 1 else "vary"
        return f"{listed(shares)} hardly {verb}" if shares else ""


def _unvarying(answers: Array, units: Array) -> tuple[int, int]:
    names, codes = np.unique(units.astype(str), return_inverse=True)
    n = np.bincount(codes, minlength=len(names))
    share = np.bincount(codes, weights=answers.astype(float), minlength=len(names)) / n
    rarer = np.minimum(share, 1 - share)
    return int(((rarer <= RARE) & (n >= LEAST_ANSWERS)).sum()), len(names)


def apart(raw: Row, model: Row) -> bool:
    """Whether estimates differ by more than a quarter of the width of the design's interval."""
    if _any_unknown(raw, model):
        return False
    width = cell(raw, "ci_high") - cell(raw, "ci_low")
    away = abs(cell(raw, "estimate") - cell(model, "estimate"))
    return away > max(APART * width, SLIGHT)


def beside(
    raw: Row,
    model: Row | None,
    write: Callable[[float], str],
    unvarying: str = "",
    *,
    by: str = MODEL,
) -> str:
    """Return one analysis's estimate, for a headline that has just given the other's.

    Parameters
    ----------
    raw, model
        The design's ``estimate, ci_low, ci_high``, and the model's; None without a sound fit. If
        its limits are corrected, too, these are given.
    write
        Writes a number.
    unvarying
        Why they may differ, as in `Unvarying.words`.
    by
        Whose estimate it is: the model's, or the design's where the model decides.

    Returns
    -------
    str
        E.g. ``by the mixed model +21 [+14, +27]; they differ by more than a quarter of the
        interval’s width: 6 of 20 people hardly vary``. Empty without a model.
    """
    if model is None or unknown(cell(model, "estimate")):
        return ""
    row, name = (model, WORDS[MODEL]) if by == MODEL else (raw, MEANS)
    text = f"by {name} {_written(_corrected(row), write)}"
    if not apart(raw, model):
        return text
    return f"{text}; {APART_WORDS}{f': {unvarying}' if unvarying else ''}"


def ruled_out(low: float | None, high: float | None, margin: float | None) -> str:
    """Return what an undecided difference still rules out; empty if nothing.

    Parameters
    ----------
    low, high
        The limits that are printed beside it.
    margin
        Differences below it don't matter.
    """
    if low is None or high is None or margin is None:
        return ""
    return "not better" if high < margin else "not worse" if low > -margin else ""


def disagreement(
    quantity: str, source: str, raw: Row, model: Row, write: Callable[[float], str]
) -> list[str]:
    """Return a sentence where two analyses differ in what they decide, or by much.

    By much is more than a quarter of the width of the design's interval. Opposite signs of two
    estimates that are both near zero are no disagreement.

    Parameters
    ----------
    quantity
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
        Empty if both agree, or one isn't known.
    """
    if _any_unknown(raw, model):
        return []
    first, second = cell(raw, "estimate"), cell(model, "estimate")
    far, otherwise = apart(raw, model), _decided(raw) != _decided(model)
    how = []
    if first * second < 0 and (far or otherwise):
        how.append("they disagree in sign")
    elif otherwise:
        how.append("they disagree on whether it differs from zero")
    if far:
        how.append(f"{APART_WORDS}, as people or items that hardly vary can cause")
    if not how:
        return []
    pair = [_written(row, write) for row in (raw, model)]
    return [f"{quantity}: {source} give {pair[0]}, the mixed model {pair[1]}; {'; '.join(how)}."]


def _corrected(row: Row) -> Row:
    """Return a row with the limits that its correction gives, if it has one.

    It stands beside corrected limits and p.
    """
    low, high = (getattr(row, name, None) for name in ("adjusted_low", "adjusted_high"))
    if low is None or high is None:
        return row
    return {"estimate": row.estimate, "ci_low": low, "ci_high": high}


def _written(row: Row, write: Callable[[float], str]) -> str:
    limits = interval(cell(row, "ci_low"), cell(row, "ci_high"), write)
    return f"{write(cell(row, 'estimate'))} {limits}"


def _any_unknown(*rows: Row) -> bool:
    names = ("estimate", "ci_low", "ci_high")
    return any(unknown(cell(row, name)) for row in rows for name in names)


def _decided(row: Row) -> int:
    """Return on which side of zero an interval lies; 0 if it holds zero."""
    return int(cell(row, "ci_low") > 0) - int(cell(row, "ci_high") < 0)

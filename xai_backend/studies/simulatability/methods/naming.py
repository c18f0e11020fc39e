"""What words and values are called in a list, and which of them are shown."""

from collections import Counter

import numpy as np

from stimuli.studies.simulatability.stimulus import TableInput, Weighted, Weights
from xai_backend.studies.simulatability.trained import AnyInput, Reals

DIGITS = 6
"""Decimal places of the numbers that explanations state."""


def names_of(given: AnyInput) -> tuple[str, ...]:
    """Return the name of each part of an input, by place.

    A word that occurs several times gets a number, as in ``if (2nd)``. A value is named with its
    column, as in ``Sex = Male``, unless it contains the column's name, as in ``Age > 48.00``.
    """
    if isinstance(given, TableInput):
        return tuple(map(value_name, given.columns, given.values))
    total, seen = Counter(given.tokens), Counter[str]()
    names = []
    for token in given.tokens:
        seen[token] += 1
        names.append(f"{token} ({ordinal(seen[token])})" if total[token] > 1 else token)
    return tuple(names)


def value_name(column: str, value: str) -> str:
    """Return the name of a column's value."""
    return value if column in value else f"{column} = {value}"


def ordinal(number: int) -> str:
    """Return a number as ``1st``, ``2nd``, ``3rd``, ``4th`` and so on."""
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def stated(value: float) -> float:
    """Return a number as explanations state it, without digits that are noise."""
    return round(float(value), DIGITS) + 0.0


def shown_weights(given: AnyInput, weights: Reals, target: str | None, most: int) -> Weights:
    """Return the largest weights that aren't 0, from the highest to the lowest.

    Parameters
    ----------
    given
        The input.
    weights
        Of its parts, shape (parts,).
    target
        The class that weights above 0 count for, or None.
    most
        Most weights that are shown.
    """
    names = names_of(given)
    largest = np.argsort(-np.abs(weights), kind="stable")[:most]
    order = sorted(largest.tolist(), key=lambda place: (-weights[place], place))
    return Weights(
        target=target,
        terms=tuple(
            Weighted(name=names[place], places=(place,), weight=stated(weights[place]))
            for place in order
            if stated(weights[place])
        ),
    )

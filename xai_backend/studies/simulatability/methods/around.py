"""Inputs around an input: each place keeps what stands there or takes another option."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stimuli.studies.simulatability.inputs import TableInput, TextInput
from xai_backend.studies.simulatability.methods.asking import Codes
from xai_backend.studies.simulatability.trained import AnyInput, Reals, TableSpace, TextSpace

CHANGED_TAGS = ("NOUN", "VERB", "ADJ", "ADV", "ADP")
"""Parts of speech that are replaced (published code)."""
UNCHANGED_WORDS = ("be",)
NEAREST = 500
"""So many neighbours are looked at for those with a word's own part of speech (published code)."""


@dataclass(frozen=True, slots=True)
class Around:
    """An input, and what each of its places can hold.

    Attributes
    ----------
    given
        The input.
    options
        By place: what stands there, then what it can be changed to. A code is an index into them.
    cosines
        By place: how alike each of the others is to what stands there, above 0; empty for tables.
    """

    given: AnyInput
    options: tuple[tuple[str, ...], ...]
    cosines: tuple[Reals, ...] = ()

    @property
    def changeable(self) -> NDArray[np.intp]:
        """The places that can hold something else."""
        return np.flatnonzero([len(own) > 1 for own in self.options])

    def inputs(self, codes: Codes) -> list[AnyInput]:
        """Return the inputs of codes of shape (n, places)."""
        columns = [np.array(own, object)[codes[:, place]] for place, own in enumerate(self.options)]
        name = "tokens" if isinstance(self.given, TextInput) else "values"
        return [self.given.model_copy(update={name: parts}) for parts in zip(*columns, strict=True)]


def words_around(given: TextInput, space: TextSpace, most: int) -> Around:
    """Return a sentence with up to ``most`` neighbours of the same part of speech a word."""
    options, cosines = [], []
    for token, tag in zip(given.tokens, space.tags(given.tokens), strict=True):
        others: list[tuple[str, float]] = []
        if tag in CHANGED_TAGS and token not in UNCHANGED_WORDS:
            near = (one for one in space.neighbours(token)[:NEAREST] if one[1] > 0)
            others = [one for one in near if space.tags((one[0],))[0] == tag][:most]
        options.append((token, *(word for word, _ in others)))
        cosines.append(np.array([cosine for _, cosine in others], float))
    return Around(given, tuple(options), tuple(cosines))


def drawn_words(
    around: Around, n: int, chance: float, temperature: float, rng: np.random.Generator
) -> Codes:
    """Draw sentences: each word is replaced with a chance, by a neighbour.

    A neighbour's chance grows with its cosine to the power of 1/temperature.

    Returns
    -------
    Codes
        Shape (n, tokens); 0 where the word stayed.
    """
    codes = np.zeros((n, len(around.options)), np.int16)
    for place in around.changeable:
        weights = around.cosines[place] ** (1 / temperature)
        changed = np.flatnonzero(rng.random(n) < chance)
        codes[changed, place] = 1 + rng.choice(
            len(weights), len(changed), p=weights / weights.sum()
        )
    return codes


def values_around(given: TableInput, space: TableSpace) -> Around:
    """Return a row with all other values of each column."""
    return Around(
        given,
        tuple(
            (own, *(level for level in space.levels[column] if level != own))
            for column, own in zip(given.columns, given.values, strict=True)
        ),
    )


def coded(around: Around, rows: Sequence[AnyInput]) -> Codes:
    """Return the codes of rows of a table, shape (n, columns)."""
    names = [{value: code for code, value in enumerate(own)} for own in around.options]
    found = [[code[value] for code, value in zip(names, row.parts, strict=True)] for row in rows]
    return np.array(found, np.int16).reshape(len(rows), len(names))

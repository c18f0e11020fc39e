"""Changed versions of an input, and what a model says of each, asked once.

A model of more than two classes is treated as one that says either the explained class or another.
The explained class is the output on the input. Methods that are published for two classes (Anchor,
Decision boundary, LIME) work on it unchanged.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from stimuli.studies.simulatability.stimulus import Edit, TableInput, TextInput, Weighted, Weights
from xai_backend.studies.simulatability.trained import (
    AnyInput,
    AnyModel,
    ManyClasses,
    Reals,
    TableSpace,
    TaskModel,
    TextSpace,
    Trained,
    outputs_of,
)

DIGITS = 6
"""Decimal places of the numbers that explanations state."""


def names_of(instance: AnyInput) -> tuple[str, ...]:
    """Return the name of each part of an input, by place.

    A word that occurs several times gets a number, as in ``if (2nd)``. A value is named with its
    column, as in ``Sex = Male``, unless it contains the column's name, as in ``Age > 48.00``.
    """
    if isinstance(instance, TableInput):
        return tuple(map(value_name, instance.columns, instance.values))
    total, seen = Counter(instance.tokens), Counter[str]()
    names = []
    for token in instance.tokens:
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


def shown_weights(instance: AnyInput, weights: Reals, target: str | None, most: int) -> Weights:
    """Return the largest weights that aren't 0, from the highest to the lowest.

    Parameters
    ----------
    instance
        The input.
    weights
        Of its parts, shape (parts,).
    target
        The class that weights above 0 count for, or None.
    most
        Most weights that are shown.
    """
    names = names_of(instance)
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


Codes = NDArray[np.integer]
"""Inputs as numbers, one row for each input. The caller decides what a number means."""

BATCH = 1024
"""Most inputs that a model is given in one call."""

TRIES: Final = 10
"""Most tries to draw something that fits."""
CHANGES: Final = 10_000
"""Draws in each try for the change that people are shown."""
IN_PROPORTION: Final = 1.0
"""Temperature at which words are drawn in proportion to their cosines."""
LEAST: Final = 1e-9
"""The margin if the output is the explained class, but another class has the same score."""


@dataclass(frozen=True, slots=True)
class Around:
    """An input, and what each of its places can hold.

    Attributes
    ----------
    original
        The input.
    options
        By place: the original, then what it can be changed to. A code is an index into them.
    cosines
        By place: the similarity of each of the others to the original, above 0; empty for tables.
    """

    original: AnyInput
    options: tuple[tuple[str, ...], ...]
    cosines: tuple[Reals, ...] = ()

    @property
    def changeable(self) -> NDArray[np.intp]:
        """The places that can hold something else."""
        return np.flatnonzero([len(option) > 1 for option in self.options])

    def edits(self, codes: Codes) -> tuple[Edit, ...]:
        """Return the edits of an input from its codes, shape (places,)."""
        return tuple(
            Edit(
                place=int(place), old=self.options[place][0], new=self.options[place][codes[place]]
            )
            for place in np.flatnonzero(codes)
        )

    def inputs(self, codes: Codes) -> list[AnyInput]:
        """Return the inputs of codes of shape (n, places)."""
        columns = [
            np.array(option, object)[codes[:, place]] for place, option in enumerate(self.options)
        ]
        name = "tokens" if isinstance(self.original, TextInput) else "values"
        return [
            self.original.model_copy(update={name: parts}) for parts in zip(*columns, strict=True)
        ]


def words_around(sentence: TextInput, space: TextSpace) -> Around:
    """Return a sentence with the possible replacements of each word."""
    others = space.substitutes(sentence)
    options = (
        (token, *(word for word, _ in substitutes))
        for token, substitutes in zip(sentence.tokens, others, strict=True)
    )
    cosines = tuple(
        np.array([cosine for _, cosine in substitutes], float) for substitutes in others
    )
    return Around(sentence, tuple(options), cosines)


def change_chance(tokens: int, number: int) -> float:
    """Return the chance that a word is replaced: less in longer sentences, more in later tries.

    Parameters
    ----------
    tokens
        Number of tokens of the sentence.
    number
        Number of the try, from 0 (settings of the published code).
    """
    return 0.25 - min(0.005 * tokens, 0.15) + 0.05 * number


def drawn_words(
    around: Around, n: int, chance: float, temperature: float, rng: np.random.Generator
) -> Codes:
    """Draw sentences: with a probability, each word is replaced by a substitute.

    A substitute's probability is proportional to its cosine to the power of 1/temperature.

    Returns
    -------
    Codes
        Shape (n, tokens); 0 for unchanged words.
    """
    codes = np.zeros((n, len(around.options)), np.int16)
    for place in around.changeable:
        weights = around.cosines[place] ** (1 / temperature)
        changed = np.flatnonzero(rng.random(n) < chance)
        codes[changed, place] = 1 + rng.choice(
            len(weights), len(changed), p=weights / weights.sum()
        )
    return codes


def changed_words(
    space: TextSpace, sentence: TextInput, most_edits: int, rng: np.random.Generator
) -> Iterator[tuple[Edit, ...]]:
    """Draw changes of a sentence, all different within a try (published code; appendix A.2).

    A try has 10,000 draws. In each, a word is replaced with a probability that falls with the
    sentence's length and rises from try to try, by a substitute drawn in proportion to its cosine.
    Those with at most ``most_edits`` new words come first, in random order, then those with the
    fewest. A sentence in which no word can be replaced has none.
    """
    around = words_around(sentence, space)
    for number in range(TRIES if len(around.changeable) else 0):
        chance = change_chance(len(sentence.tokens), number)
        codes = drawn_words(around, CHANGES, chance, IN_PROPORTION, rng)
        codes = rng.permutation(np.unique(codes[codes.any(axis=1)], axis=0))
        too_many = np.maximum((codes != 0).sum(axis=1), most_edits)
        for row in np.argsort(too_many, kind="stable"):
            yield around.edits(codes[row])


def values_around(row: TableInput, space: TableSpace) -> Around:
    """Return a row with all other values of each column."""
    return Around(
        row,
        tuple(
            (value, *(level for level in space.levels[column] if level != value))
            for column, value in zip(row.columns, row.values, strict=True)
        ),
    )


def drawn_values(around: Around, n: int, most_edits: int, rng: np.random.Generator) -> Codes:
    """Draw rows with one to ``most_edits`` new values, uniformly and never the original ones.

    Returns
    -------
    Codes
        Shape (n, columns); 0 for unchanged values.
    """
    places = around.changeable
    most = min(most_edits, len(places))
    codes = np.zeros((n, len(around.options)), np.int16)
    if most:
        chosen = rng.permuted(np.tile(places, (n, 1)), axis=1)[:, :most]
        new = rng.integers(1, np.array([len(option) for option in around.options])[chosen])
        new[np.arange(most) >= rng.integers(1, most + 1, n)[:, None]] = 0
        np.put_along_axis(codes, chosen, new.astype(np.int16), axis=1)
    return codes


def coded(around: Around, rows: Sequence[AnyInput]) -> Codes:
    """Return the codes of rows of a table, shape (n, columns)."""
    names = [{value: code for code, value in enumerate(option)} for option in around.options]
    codes = [[code[value] for code, value in zip(names, row.parts, strict=True)] for row in rows]
    return np.array(codes, np.int16).reshape(len(rows), len(names))


class CachedAnswers:
    """A model's answers for coded inputs; the model is asked once for each distinct input.

    Parameters
    ----------
    ask
        Returns a number for each input, such as a model's margin.
    inputs_of
        Makes inputs from codes, shape (n, places).
    """

    def __init__(
        self,
        ask: Callable[[Sequence[AnyInput]], Reals],
        inputs_of: Callable[[Codes], Sequence[AnyInput]],
    ) -> None:
        self._ask = ask
        self._inputs_of = inputs_of
        self._known: dict[bytes, float] = {}

    def values(self, codes: Codes) -> Reals:
        """Return the model's numbers, shape (n,), for codes of shape (n, places)."""
        codes = np.ascontiguousarray(codes)
        keys = [row.tobytes() for row in codes]
        new = {key: place for place, key in enumerate(keys) if key not in self._known}
        names, places = list(new), list(new.values())
        for start in range(0, len(new), BATCH):
            part = slice(start, start + BATCH)
            values = self._ask(self._inputs_of(codes[places[part]]))
            self._known.update(zip(names[part], values.tolist(), strict=True))
        return np.array([self._known[key] for key in keys])


def is_positive(margins: Reals) -> NDArray[np.bool_]:
    """Return whether a model's output is the positive class: margins above 0."""
    return margins > 0


@dataclass(frozen=True, slots=True)
class OneOfMany:
    """A `TaskModel` whose positive class is one of a model's classes.

    Attributes
    ----------
    model
        The model.
    output
        The class.
    """

    model: ManyClasses
    output: str

    @property
    def classes(self) -> tuple[str, str]:
        """Any other class, then the explained one."""
        return (f"not {self.output}", self.output)

    def margins(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return by how much the class's score exceeds the best of the others', shape (n,).

        It is above 0 exactly if the model's output is the class.
        """
        scores = np.asarray(self.model.scores(inputs))
        place = self.model.classes.index(self.output)
        best = np.delete(scores, place, axis=1).max(axis=1)
        margins = scores[:, place] - best
        is_said = scores.argmax(axis=1) == place
        return np.where(is_said, np.maximum(margins, LEAST), np.minimum(margins, 0))

    def latents(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return the model's features, shape (n, d)."""
        return cast(TaskModel, self.model).latents(inputs)

    def margins_without(self, instance: AnyInput) -> Reals:
        """Not supported: no method leaves out parts of such a model's input."""
        raise NotImplementedError


def explained_model(trained: Trained, instance: AnyInput) -> TaskModel:
    """Return a domain's model with two classes; of more, the output is the positive one."""
    if len(trained.classes) == 2:
        return trained.task
    (output,) = outputs_of(trained.model, [instance])
    return OneOfMany(cast(ManyClasses, trained.model), output)


def explained_share(model: AnyModel, output: str) -> Callable[[Sequence[AnyInput]], Reals]:
    """Return a function for the positive class's probability; of more than two, the output's."""
    if len(model.classes) == 2:
        two = cast(TaskModel, model)
        return lambda inputs: expit(two.margins(inputs))
    many, place = cast(ManyClasses, model), model.classes.index(output)
    return lambda inputs: softmax(np.asarray(many.scores(inputs)), axis=1)[:, place]

"""What explanations and items are made of: a trained model, its prototype network, the data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from stimuli.studies.simulatability.inputs import Edit, TableInput, TextInput

Reals = NDArray[np.float64]
AnyInput = TextInput | TableInput
Split = Literal["train", "validation", "test"]


@dataclass(frozen=True, slots=True)
class Labelled:
    """An input of the data with its id there and its true class."""

    source_id: str
    given: AnyInput
    label: str


def margins_of(scores: Reals) -> Reals:
    """Return the evidence margins, shape (n,), of scores of two classes, shape (n, 2)."""
    return scores[:, 1] - scores[:, 0]


class TaskModel(Protocol):
    """A model of two classes."""

    @property
    def classes(self) -> tuple[str, str]:
        """The negative class, then the positive one."""

    def margins(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return evidence margins, shape (n,): log odds of the positive class."""

    def latents(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return the features before the last layer, shape (n, d)."""

    def margins_without(self, given: AnyInput) -> Reals:
        """Return the margins with each part left out in turn, shape (parts,).

        A token becomes the unknown token (variant ``near_code``) or a zero embedding
        (``near_paper``); a value's margin is the expectation over the column's values given the
        rest.
        """


class PrototypeModel(TaskModel, Protocol):
    """A network that decides by likeness to prototypes, which are training examples."""

    @property
    def prototypes(self) -> tuple[AnyInput, ...]:
        """The training examples that inputs are compared with."""

    @property
    def prototype_labels(self) -> tuple[str, ...]:
        """Their classes."""

    def likeness(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return exp(-|z - p|²) of inputs and prototypes, shape (n, prototypes)."""

    def scores(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return the classes' scores (logits), shape (n, 2), the negative class first."""

    def scores_without(self, given: AnyInput) -> Reals:
        """Return the scores with each part left out in turn, shape (parts, 2).

        Parts are left out as in `margins_without`.
        """


@runtime_checkable
class TextSpace(Protocol):
    """What a sentence can be changed to."""

    def neighbours(self, token: str) -> tuple[tuple[str, float], ...]:
        """Return the known words that are most alike, the nearest first, with cosines.

        The token itself is not among them. A token without a vector has none.
        """

    def tags(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """Return each token's universal part of speech, such as ``NOUN``."""

    def substitutes(self, tokens: Sequence[str]) -> tuple[tuple[tuple[str, float], ...], ...]:
        """Return what each token may become: neighbours of the same form, with cosines above 0.

        Only nouns, verbs, adjectives, adverbs and adpositions have any.
        """

    def changes(
        self, given: TextInput, most_edits: int, rng: np.random.Generator
    ) -> Iterator[tuple[Edit, ...]]:
        """Draw changes of an input, of which the first that fits is shown."""


@runtime_checkable
class TableSpace(Protocol):
    """What a table's row can be changed to."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in the inputs' order."""

    @property
    def levels(self) -> Mapping[str, tuple[str, ...]]:
        """All values of each column."""

    @property
    def shares(self) -> Mapping[str, Reals]:
        """How often each of them stands in the training split; sums to 1 in each column."""

    def changes(
        self, given: TableInput, most_edits: int, rng: np.random.Generator
    ) -> Iterator[tuple[Edit, ...]]:
        """Draw changes of an input, of which the first that fits is shown."""


@dataclass(frozen=True, slots=True)
class Trained:
    """One domain, trained.

    Attributes
    ----------
    domain
        ``text`` or ``tabular``.
    model, prototypes
        The task model, and its prototype network.
    splits
        The data, by split.
    space
        What an input can be changed to.
    accuracy
        Share of the test split that is right, of the model and of the prototype network.
    """

    domain: Literal["text", "tabular"]
    model: TaskModel
    prototypes: PrototypeModel
    splits: Mapping[Split, Sequence[Labelled]]
    space: TextSpace | TableSpace
    accuracy: tuple[float, float]

    @property
    def classes(self) -> tuple[str, str]:
        """The negative class, then the positive one."""
        return self.model.classes

    @property
    def words(self) -> TextSpace:
        """What a sentence can be changed to; of the domain ``text`` alone."""
        assert isinstance(self.space, TextSpace)
        return self.space

    @property
    def table(self) -> TableSpace:
        """What a row can be changed to; of the domain ``tabular`` alone."""
        assert isinstance(self.space, TableSpace)
        return self.space

    def changes(
        self, given: AnyInput, most_edits: int, rng: np.random.Generator
    ) -> Iterator[tuple[Edit, ...]]:
        """Draw changes of an input, of which the first that fits is shown."""
        if isinstance(given, TextInput):
            return self.words.changes(given, most_edits, rng)
        return self.table.changes(given, most_edits, rng)

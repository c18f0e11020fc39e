"""What explanations and items are made of: a trained model, its prototype network, the data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from stimuli.io.canonical import hash_of, sha256_hex
from stimuli.studies.simulatability.material import Use
from stimuli.studies.simulatability.stimulus import Edit, TableInput, TextInput

Reals = NDArray[np.float64]
AnyInput = TextInput | TableInput
Split = str
"""``train``, ``validation`` or ``test``; for a table with outputs, the use of its rows."""
SPLIT_OF: Final[Mapping[Use, Split]] = {
    "learning": "validation",
    "counterfactual": "test",
    "forward": "test",
}
"""The split from which items come. Counterfactuals are chosen before the forward test's items,
since they are more demanding of an input."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """An input of the data, with its id and true class.

    Attributes
    ----------
    source_id, instance, label
        The id, the input and its class.
    output
        The model's output, if it is known; else empty.
    """

    source_id: str
    instance: AnyInput
    label: str
    output: str = ""


def margins_of(scores: Reals) -> Reals:
    """Return the evidence margins, shape (n,), of scores of two classes, shape (n, 2)."""
    return scores[:, 1] - scores[:, 0]


class AnyModel(Protocol):
    """A model of two or more classes that only answers."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes; of two the negative one first."""


@runtime_checkable
class TwoClasses(AnyModel, Protocol):
    """A model of two classes."""

    def margins(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return evidence margins, shape (n,): log odds of the positive class."""


@runtime_checkable
class ManyClasses(AnyModel, Protocol):
    """A model of any number of classes."""

    def scores(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return the classes' scores, shape (n, classes): log probabilities or logits."""


def outputs_of(model: AnyModel, inputs: Sequence[AnyInput]) -> list[str]:
    """Return a model's outputs (classes); a margin of 0 is negative."""
    if not inputs:
        return []
    return [model.classes[place] for place in _places_said(model, inputs)]


def _places_said(model: AnyModel, inputs: Sequence[AnyInput]) -> list[int]:
    if len(model.classes) == 2:
        assert isinstance(model, TwoClasses)
        return (np.asarray(model.margins(inputs)) > 0).astype(int).tolist()
    assert isinstance(model, ManyClasses)
    return np.asarray(model.scores(inputs)).argmax(axis=1).tolist()


def share_right(model: AnyModel, split: Sequence[Labelled]) -> float:
    """Return the share of a split that a model gets right, 0…1."""
    outputs = outputs_of(model, [row.instance for row in split])
    return float(np.mean([output == row.label for output, row in zip(outputs, split, strict=True)]))


def answers_sha256(model: AnyModel, inputs: Sequence[AnyInput]) -> str:
    """Return a hash of a model's answers to inputs, to the last bit."""
    if isinstance(model, TwoClasses) and len(model.classes) == 2:
        values = model.margins(inputs)
    else:
        assert isinstance(model, ManyClasses)
        values = model.scores(inputs)
    return sha256_hex(np.asarray(values, dtype=np.float64).tobytes())


class TaskModel(TwoClasses, Protocol):
    """A model of two classes whose internals are known."""

    def latents(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return the features before the last layer, shape (n, d)."""

    def margins_without(self, instance: AnyInput) -> Reals:
        """Return the margins with each part left out in turn, shape (parts,).

        A token becomes the unknown token (variant ``near_code``) or a zero embedding
        (``near_paper``); a value's margin is the expectation over the column's values given the
        rest.
        """


class PrototypeModel(TaskModel, Protocol):
    """A network that decides by similarity to prototypes, which are training examples."""

    @property
    def prototypes(self) -> tuple[AnyInput, ...]:
        """The training examples that inputs are compared with."""

    @property
    def prototype_labels(self) -> tuple[str, ...]:
        """The prototypes' classes."""

    def likeness(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return exp(-|z - p|²) of inputs and prototypes, shape (n, prototypes)."""

    def scores(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return the classes' scores (logits), shape (n, 2), the negative class first."""

    def scores_without(self, instance: AnyInput) -> Reals:
        """Return the scores with each part left out in turn, shape (parts, 2).

        Parts are left out as in `margins_without`.
        """


class Changes(Protocol):
    """Possible changes of inputs, and nothing else."""

    def changes(
        self, instance: Any, most_edits: int, rng: np.random.Generator
    ) -> Iterator[tuple[Edit, ...]]:
        """Draw changes of an input, of which the first that fits is shown."""


@runtime_checkable
class TextSpace(Protocol):
    """Possible changes of a sentence."""

    def substitutes(self, sentence: TextInput) -> tuple[tuple[tuple[str, float], ...], ...]:
        """Return each token's possible replacements, with weights above 0, such as cosines."""

    def changes(
        self, instance: TextInput, most_edits: int, rng: np.random.Generator
    ) -> Iterator[tuple[Edit, ...]]:
        """Draw changes of an input, of which the first that fits is shown."""


@runtime_checkable
class TableSpace(Protocol):
    """Possible changes of a table's row."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in the inputs' order."""

    @property
    def levels(self) -> Mapping[str, tuple[str, ...]]:
        """All values of each column."""

    @property
    def shares(self) -> Mapping[str, Reals]:
        """Share of each value in the training split; shares sum to 1 in each column."""

    def changes(
        self, instance: TableInput, most_edits: int, rng: np.random.Generator
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
        The task model, and its prototype network; None without one.
    splits
        The data, by split.
    space
        Possible changes of an input; None if they aren't known.
    edits
        Given changes, for the counterfactuals; None if changes are drawn.
    accuracy
        Share of the test split that the model, and the prototype network (None without one),
        classify correctly; None if no model was asked.
    uses
        The split from which each use's items come, in the order in which they are chosen.
    source
        What is known about a lab's own model or outputs; empty for a model that was trained here.
    """

    domain: Literal["text", "tabular"]
    model: AnyModel
    prototypes: PrototypeModel | None
    splits: Mapping[Split, Sequence[Labelled]]
    space: "TextSpace | TableSpace | None"
    accuracy: tuple[float, float | None] | None
    edits: "Changes | None" = None
    uses: Mapping[Use, Split] = field(default_factory=lambda: SPLIT_OF)
    source: Mapping[str, str] = field(default_factory=dict)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes; of two the negative one first."""
        return self.model.classes

    @property
    def task(self) -> TaskModel:
        """The model as a model of two classes, for methods that need margins and latents."""
        return cast(TaskModel, self.model)

    @property
    def identity(self) -> str:
        """Identifies the domain: a hash of the data and the models' answers to them."""
        rows = self.splits[self.uses["learning"]]
        inputs = [row.instance for row in rows]
        models = [model for model in (self.model, self.prototypes) if model is not None]
        hashes = [answers_sha256(model, inputs) for model in models]
        labelled = [[row.source_id, row.label] for row in rows]
        known = [dict(self.source)] if self.source else []
        return hash_of([self.domain, self.classes, labelled, hashes, *known])

    @property
    def words(self) -> TextSpace:
        """Possible changes of a sentence; only for the domain ``text``."""
        assert isinstance(self.space, TextSpace)
        return self.space

    @property
    def table(self) -> TableSpace:
        """Possible changes of a row; only for the domain ``tabular``."""
        assert isinstance(self.space, TableSpace)
        return self.space

    def changes(
        self, instance: AnyInput, most_edits: int, rng: np.random.Generator
    ) -> Iterator[tuple[Edit, ...]]:
        """Draw changes of an input, of which the first that fits is shown."""
        changes = cast("Changes | None", self.edits or self.space)
        assert changes is not None
        return changes.changes(instance, most_edits, rng)

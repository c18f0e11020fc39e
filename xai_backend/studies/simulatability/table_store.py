"""A table's networks and models, their file, and what a row of the table can be changed to.

A row is coded as whole numbers, which a network reads as one-hot inputs. What a model says of a row
without one of its values (appendix A.1) is the expected score over the column's values. A
multinomial logistic regression on the other columns gives the probabilities of these values.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load as tensors_of
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits
from torch import Tensor, nn

from stimuli.errors import UserError
from stimuli.io.files import write_whole
from stimuli.studies.simulatability.stimulus import Edit, TableInput
from xai_backend.models.checkpoint import checkpoint_bytes, filled, read_about, sound, state_of
from xai_backend.progress import Reporter, Silent
from xai_backend.studies.simulatability.methods.around import (
    CHANGES,
    TRIES,
    drawn_values,
    values_around,
)
from xai_backend.studies.simulatability.prototype_training import (
    CLASSES,
    PROTOTYPES,
    ROWS,
    TASK,
    PrototypeNetwork,
)
from xai_backend.studies.simulatability.trained import (
    AnyInput,
    Labelled,
    Reals,
    Split,
    Trained,
    margins_of,
    share_right,
)

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Coding:
    """Codes values: a value's code is its index among the levels of its column.

    Attributes
    ----------
    levels
        All values of each column, in order.
    """

    levels: Mapping[str, tuple[str, ...]]
    _places: tuple[Mapping[str, int], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = tuple({v: k for k, v in enumerate(values)} for values in self.levels.values())
        object.__setattr__(self, "_places", places)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(self.levels)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many levels each column has."""
        return tuple(len(values) for values in self.levels.values())

    def codes(self, inputs: Sequence[AnyInput]) -> Codes:
        """Return codes, int64 (n, columns).

        Raises
        ------
        ValueError
            If an input has other columns, or a value that isn't a level.
        """
        codes = np.empty((len(inputs), len(self._places)), dtype=np.int64)
        for row, instance in zip(codes, inputs, strict=True):
            if not isinstance(instance, TableInput) or instance.columns != self.columns:
                raise ValueError("the input isn't a row of this table")
            try:
                row[:] = [place[v] for place, v in zip(self._places, instance.values, strict=True)]
            except KeyError as error:
                raise ValueError(f"{error.args[0]!r} isn't a value of its column") from None
        return codes

    def row(self, codes: Codes) -> TableInput:
        """Return the row of codes, int64 (columns,)."""
        named = zip(self.levels.values(), codes.tolist(), strict=True)
        return TableInput(columns=self.columns, values=tuple(values[k] for values, k in named))


def one_hot(codes: Codes, sizes: Sequence[int]) -> NDArray[np.float64]:
    """Return 1 for each value that a row has and 0 for others, (n, Σ sizes)."""
    parts = [np.eye(size)[codes[:, place]] for place, size in enumerate(sizes)]
    return np.concatenate(parts, axis=1)


class OneHot(nn.Module):
    """`one_hot` as a layer, from int64 (n, columns), in the network's precision."""

    offsets: Tensor
    ones: Tensor

    def __init__(self, sizes: Sequence[int]) -> None:
        super().__init__()
        self.inputs = sum(sizes)
        starts = torch.tensor([0, *sizes[:-1]]).cumsum(0)
        self.register_buffer("offsets", starts, persistent=False)
        self.register_buffer("ones", torch.ones(1), persistent=False)

    def forward(self, codes: Tensor) -> Tensor:
        """Return (n, inputs)."""
        rows = self.ones.new_zeros(len(codes), self.inputs)
        return rows.scatter_(1, codes + self.offsets, self.ones.expand(codes.shape))


MOST_STEPS: Final = 1000
NEVER: Final = -1e9
"""Log odds of a value that never occurs in the training split."""


@dataclass(frozen=True, slots=True)
class Chances:
    """Probability of each value of each column, given the other columns' values.

    Attributes
    ----------
    sizes
        How many levels each column has.
    weights, baselines
        Of each column's regression, (levels, one-hot inputs) and (levels,); the inputs of the
        column itself have weight 0.
    """

    sizes: tuple[int, ...]
    weights: tuple[Reals, ...]
    baselines: tuple[Reals, ...]

    def of_column(self, codes: Codes, place: int) -> Reals:
        """Return the probabilities of a column's values, (n, levels), for codes, (n, columns)."""
        scores = one_hot(codes, self.sizes) @ self.weights[place].T + self.baselines[place]
        return softmax(scores, axis=1)


def fitted_chances(codes: Codes, sizes: Sequence[int], reporter: Reporter = Silent()) -> Chances:
    """Fit a multinomial logistic regression of each column on the others.

    Parameters
    ----------
    codes
        Codes of the training split, int64 (n, columns).
    sizes
        How many levels each column has.
    """
    inputs = one_hot(codes, sizes)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    weights, baselines = [], []
    with reporter.stage("what values follow from", len(sizes)) as advance, threadpool_limits(1):
        for place, size in enumerate(sizes):
            others = owner != place
            weight, baseline = np.zeros((size, len(owner))), np.full(size, NEVER)
            present, fit = _regression(inputs[:, others], codes[:, place])
            weight[np.ix_(present, others)], baseline[present] = fit
            weights.append(weight)
            baselines.append(baseline)
            advance(1)
    return Chances(tuple(sizes), tuple(weights), tuple(baselines))


def expected_scores(chances: Chances, scores: Callable[[Codes], Reals], row: Codes) -> Reals:
    """Return the classes' expected scores with each value left out in turn, (columns, 2).

    Parameters
    ----------
    scores
        Scores of the classes, (n, 2), of codes, (n, columns).
    row
        Codes of one row, (columns,).
    """
    owner = np.repeat(np.arange(len(chances.sizes)), chances.sizes)
    variants = np.tile(row, (len(owner), 1))
    variants[np.arange(len(owner)), owner] = np.concatenate([np.arange(k) for k in chances.sizes])
    weights = [chances.of_column(row[None], place)[0] for place in range(len(row))]
    weighted = np.concatenate(weights)[:, None] * scores(variants)
    return np.add.reduceat(weighted, np.flatnonzero(np.diff(owner, prepend=-1)))


def _regression(inputs: Reals, values: Codes) -> tuple[Codes, tuple[Reals, Reals]]:
    """Return the values that occur, and their weights and baselines."""
    present = np.unique(values)
    if len(present) == 1:
        return present, (np.zeros((1, inputs.shape[1])), np.zeros(1))
    fit = LogisticRegression(max_iter=MOST_STEPS).fit(inputs, values)
    if len(present) == 2:  # sklearn gives only the second value's log odds
        nothing = np.zeros_like(fit.coef_)
        return present, (np.concatenate([nothing, fit.coef_]), np.array([0.0, fit.intercept_[0]]))
    return present, (fit.coef_, fit.intercept_)


HIDDEN: Final = 50
AT_ONCE: Final = 4096
DECIMALS: Final = 10
"""Decimals that don't depend on which rows are read together."""


def table_encoder(sizes: Sequence[int]) -> nn.Sequential:
    """Return an encoder from codes to features, (n, 50): two hidden layers of 50 on one-hot inputs.

    Parameters
    ----------
    sizes
        How many levels each column has.
    """
    return nn.Sequential(
        OneHot(sizes),
        nn.Linear(sum(sizes), HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, HIDDEN),
        nn.ReLU(),
    )


class TableNetwork(nn.Module):
    """The encoder with a linear layer on its features, or on a latent space above them.

    Parameters
    ----------
    sizes
        How many levels each column has.
    latent
        Dimensions of the latent space; None for none. A prototype network begins with the layers
        of a network that has one.
    """

    def __init__(self, sizes: Sequence[int], latent: int | None = None) -> None:
        super().__init__()
        self.encoder = table_encoder(sizes)
        self.reduced = None if latent is None else nn.Linear(HIDDEN, latent)
        self.last = nn.Linear(latent or HIDDEN, CLASSES)

    def latents(self, codes: Tensor) -> Tensor:
        """Return the last layer's inputs, (n, 50) or (n, latent)."""
        features = self.encoder(codes)
        return features if self.reduced is None else torch.sigmoid(self.reduced(features))

    def forward(self, codes: Tensor) -> Tensor:
        """Return scores of the classes, (n, 2)."""
        return self.last(self.latents(codes))


@dataclass(frozen=True, slots=True)
class TableModel:
    """A `TaskModel` of rows.

    Attributes
    ----------
    network
        Trained, in float64 and in evaluation mode.
    coding
        Codes of the table's values.
    chances
        Probabilities of the table's values.
    classes
        The negative class, then the positive one.
    """

    network: TableNetwork | PrototypeNetwork
    coding: Coding
    chances: Chances
    classes: tuple[str, str]

    def margins(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return log odds of the positive class, shape (n,)."""
        return margins_of(self.scores(inputs))

    def scores(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return the classes' scores, shape (n, 2)."""
        return self._scores(self.coding.codes(inputs))

    def latents(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return the features before the last layer, shape (n, d)."""
        return in_parts(self.network.latents, self.coding.codes(inputs))

    def margins_without(self, instance: AnyInput) -> Reals:
        """Return the expected margins with each value left out in turn, shape (columns,)."""
        return margins_of(self.scores_without(instance))

    def scores_without(self, instance: AnyInput) -> Reals:
        """Return the expected scores with each value left out in turn, shape (columns, 2)."""
        return expected_scores(self.chances, self._scores, self.coding.codes([instance])[0])

    def _scores(self, codes: Codes) -> Reals:
        return in_parts(self.network, codes)


@dataclass(frozen=True, slots=True)
class TablePrototypes(TableModel):
    """A `PrototypeModel` of rows.

    Attributes
    ----------
    prototypes, prototype_labels
        The training examples that are the network's prototypes, and their classes.
    """

    prototypes: tuple[TableInput, ...]
    prototype_labels: tuple[str, ...]

    def likeness(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return exp(−‖z − p‖²) of inputs and prototypes, shape (n, prototypes)."""
        assert isinstance(self.network, PrototypeNetwork)
        return in_parts(self.network.likeness, self.coding.codes(inputs))


@torch.inference_mode()
def in_parts(of: Callable[[Tensor], Tensor], codes: Codes) -> Reals:
    """Return a network's values for rows, in batches.

    Parameters
    ----------
    of
        From codes, int64 (k, columns), to values, (k, …).
    codes
        int64 (n, columns).
    """
    parts = [of(part) for part in torch.from_numpy(codes).split(AT_ONCE)]
    return np.round(torch.cat(parts).double().numpy(), DECIMALS) + 0.0


FORMAT: Final = "table_networks/1.0"
ENTRY: Final = "table"


@dataclass(frozen=True, slots=True)
class TableNetworks:
    """What is learned from a table, all in float64.

    Attributes
    ----------
    task, prototypes
        The task model's network, and the prototype network.
    rows
        int64 (prototypes,): index of each prototype's row in the training split.
    chances
        Probabilities of values, given the other columns' values.
    """

    task: TableNetwork
    prototypes: PrototypeNetwork
    rows: Tensor
    chances: Chances


def trained_of(
    coding: Coding,
    classes: tuple[str, str],
    splits: Mapping[Split, Sequence[Labelled]],
    networks: TableNetworks,
) -> Trained:
    """Return the models and the data, with their accuracy on the test split."""
    train = splits["train"]
    examples = [train[row] for row in networks.rows.tolist()]
    model = TableModel(networks.task, coding, networks.chances, classes)
    by_prototypes = TablePrototypes(
        networks.prototypes,
        coding,
        networks.chances,
        classes,
        prototypes=tuple(example.instance for example in examples),
        prototype_labels=tuple(example.label for example in examples),
    )
    return Trained(
        domain="tabular",
        model=model,
        prototypes=by_prototypes,
        splits=splits,
        space=table_changes(coding, coding.codes([row.instance for row in train])),
        accuracy=(share_right(model, splits["test"]), share_right(by_prototypes, splits["test"])),
    )


def save(networks: TableNetworks, path: Path) -> None:
    """Write a table's networks to a file, atomically."""
    chances = zip(networks.chances.weights, networks.chances.baselines, strict=True)
    tensors = {
        **state_of(TASK, networks.task),
        **state_of(PROTOTYPES, networks.prototypes),
        ROWS: networks.rows,
    }
    for place, (weights, baselines) in enumerate(chances):
        tensors[f"chances.{place}.weights"] = torch.from_numpy(weights)
        tensors[f"chances.{place}.baselines"] = torch.from_numpy(baselines)
    write_whole(path, checkpoint_bytes(tensors, {"format": FORMAT}, ENTRY))


def load(path: Path, sizes: Sequence[int]) -> TableNetworks:
    """Return the networks of a file, for a table whose columns have so many levels.

    Raises
    ------
    UserError
        If the file is incomplete, can't be read, or has another version.
    """
    try:
        with sound(path, "models of a table"):
            if read_about(path, ENTRY)["format"] != FORMAT:
                raise ValueError("it is of another version")
            return _networks(tensors_of(path.read_bytes()), sizes)
    except UserError as error:
        raise UserError(f"{error}; delete it to train the models again") from None


def _networks(tensors: Mapping[str, Tensor], sizes: Sequence[int]) -> TableNetworks:
    count, latent = tensors[f"{PROTOTYPES}prototypes"].shape
    prototypes = PrototypeNetwork(table_encoder(sizes), HIDDEN, count // CLASSES, latent)
    weights, baselines = (
        tuple(tensors[f"chances.{place}.{of}"].numpy() for place in range(len(sizes)))
        for of in ("weights", "baselines")
    )
    return TableNetworks(
        filled(TableNetwork(sizes), TASK, tensors),
        filled(prototypes, PROTOTYPES, tensors),
        tensors[ROWS],
        Chances(tuple(sizes), weights, baselines),
    )


@dataclass(frozen=True, slots=True)
class TableChanges:
    """A `TableSpace`.

    Attributes
    ----------
    columns
        In the inputs' order.
    levels
        All values of each column.
    shares
        Share of each value in the training split; they sum to 1 in each column.
    """

    columns: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]]
    shares: Mapping[str, Reals]

    def changes(
        self, instance: TableInput, most_edits: int, rng: np.random.Generator
    ) -> Iterator[tuple[Edit, ...]]:
        """Draw 10 tries of 10,000 changes: 1 to ``most_edits`` columns, each to any other value.

        The number of columns, the columns and the values are drawn uniformly (appendix A.2).
        """
        around = values_around(instance, self)
        for _ in range(TRIES if len(around.changeable) else 0):
            for codes in drawn_values(around, CHANGES, most_edits, rng):
                yield around.edits(codes)


def table_changes(coding: Coding, train: Codes) -> TableChanges:
    """Return the possible changes of rows.

    Parameters
    ----------
    train
        Codes of the training split, int64 (n, columns).
    """
    shares = {
        name: np.bincount(train[:, place], minlength=size) / len(train)
        for place, (name, size) in enumerate(zip(coding.columns, coding.sizes, strict=True))
    }
    return TableChanges(coding.columns, coding.levels, shares)

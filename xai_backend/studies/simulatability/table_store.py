"""A table's models as a file, and what a row of it can be changed to."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from safetensors.torch import load as tensors_of
from torch import Tensor, nn

from stimuli.errors import UserError
from stimuli.io.files import write_whole
from stimuli.studies.simulatability.stimulus import Edit, TableInput
from xai_backend.models.checkpoint import checkpoint_bytes, read_about, sound
from xai_backend.studies.simulatability.methods.around import (
    CHANGES,
    TRIES,
    drawn_values,
    values_around,
)
from xai_backend.studies.simulatability.prototype_network import CLASSES, PrototypeNetwork
from xai_backend.studies.simulatability.table_model import (
    HIDDEN,
    Chances,
    Codes,
    Coding,
    TableModel,
    TableNetwork,
    TablePrototypes,
    table_encoder,
)
from xai_backend.studies.simulatability.trained import Labelled, Reals, Split, TaskModel, Trained

FORMAT: Final = "table_models/1.0"
ENTRY: Final = "table"
SPLITS: Final[tuple[Split, ...]] = ("train", "validation", "test")


@dataclass(frozen=True, slots=True)
class TableParts:
    """Everything that a trained table consists of.

    Attributes
    ----------
    levels
        All values of each column, in order.
    classes
        The negative class, then the positive one.
    splits
        The data.
    network, prototypes
        Trained, in float64.
    rows
        Index of each prototype's row in the training split.
    chances
        Probabilities of values, given the other columns' values.
    """

    levels: Mapping[str, tuple[str, ...]]
    classes: tuple[str, str]
    splits: Mapping[Split, tuple[Labelled, ...]]
    network: TableNetwork
    prototypes: PrototypeNetwork
    rows: tuple[int, ...]
    chances: Chances


def trained_of(parts: TableParts) -> Trained:
    """Return the models and the data, with their accuracy on the test split."""
    coding = Coding(parts.levels)
    train = parts.splits["train"]
    shown = [train[row] for row in parts.rows]
    model = TableModel(parts.network, coding, parts.chances, parts.classes)
    network = TablePrototypes(
        parts.prototypes,
        coding,
        parts.chances,
        parts.classes,
        prototypes=tuple(coding.row(codes) for codes in coding.codes([one.given for one in shown])),
        prototype_labels=tuple(one.label for one in shown),
    )
    test = parts.splits["test"]
    return Trained(
        domain="tabular",
        model=model,
        prototypes=network,
        splits=parts.splits,
        space=table_changes(coding, coding.codes([row.given for row in train])),
        accuracy=(_accuracy(model, test), _accuracy(network, test)),
    )


def save(parts: TableParts, path: Path) -> None:
    """Write a table's models to a file, atomically."""
    coding = Coding(parts.levels)
    tensors = _named("network", parts.network) | _named("prototypes", parts.prototypes)
    for place, (weights, baselines) in enumerate(
        zip(parts.chances.weights, parts.chances.baselines, strict=True)
    ):
        tensors[f"chances.{place}.weights"] = torch.from_numpy(weights)
        tensors[f"chances.{place}.baselines"] = torch.from_numpy(baselines)
    for split, rows in parts.splits.items():
        codes = coding.codes([row.given for row in rows])
        labels = [parts.classes.index(row.label) for row in rows]
        tensors[f"{split}.codes"] = torch.from_numpy(codes)
        tensors[f"{split}.labels"] = torch.tensor(labels)
    about = {
        "format": FORMAT,
        "levels": [[name, list(values)] for name, values in parts.levels.items()],
        "classes": list(parts.classes),
        "ids": {split: [row.source_id for row in rows] for split, rows in parts.splits.items()},
        "rows": list(parts.rows),
    }
    write_whole(path, checkpoint_bytes(tensors, about, ENTRY))


def load(path: Path) -> Trained:
    """Return the models of a file.

    Raises
    ------
    UserError
        If the file is incomplete, can't be read, or has another version.
    """
    try:
        with sound(path, "models of a table"):
            tensors, about = tensors_of(path.read_bytes()), read_about(path, ENTRY)
            if about["format"] != FORMAT:
                raise ValueError("it is of another version")
            return trained_of(_parts(tensors, about))
    except UserError as error:
        raise UserError(f"{error}; delete it to train the models again") from None


def _parts(tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> TableParts:
    levels = {name: tuple(values) for name, values in about["levels"]}
    coding, (first, second) = Coding(levels), about["classes"]
    places = range(len(levels))
    per_class, latent = tensors["prototypes.prototypes"].shape
    return TableParts(
        levels=levels,
        classes=(first, second),
        splits={split: _rows(coding, (first, second), tensors, about, split) for split in SPLITS},
        network=_filled(TableNetwork(coding.sizes), "network", tensors),
        prototypes=_filled(
            PrototypeNetwork(table_encoder(coding.sizes), HIDDEN, per_class // CLASSES, latent),
            "prototypes",
            tensors,
        ),
        rows=tuple(about["rows"]),
        chances=Chances(
            coding.sizes,
            tuple(tensors[f"chances.{place}.weights"].numpy() for place in places),
            tuple(tensors[f"chances.{place}.baselines"].numpy() for place in places),
        ),
    )


def _rows(
    coding: Coding,
    classes: tuple[str, str],
    tensors: Mapping[str, Tensor],
    about: Mapping[str, Any],
    split: Split,
) -> tuple[Labelled, ...]:
    codes, labels = tensors[f"{split}.codes"].numpy(), tensors[f"{split}.labels"].tolist()
    return tuple(
        Labelled(name, coding.row(row), classes[label])
        for name, row, label in zip(about["ids"][split], codes, labels, strict=True)
    )


def _named(name: str, network: nn.Module) -> dict[str, Tensor]:
    return {f"{name}.{key}": value for key, value in network.state_dict().items()}


def _filled(network: nn.Module, name: str, tensors: Mapping[str, Tensor]) -> Any:
    prefix = f"{name}."
    state = {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
    network.double().load_state_dict(state)
    return network.eval().requires_grad_(False)


def _accuracy(model: TaskModel, rows: tuple[Labelled, ...]) -> float:
    """Return the share of rows that the model classifies correctly, 0…1."""
    said = model.margins([row.given for row in rows]) > 0
    return float(np.mean(said == [row.label == model.classes[1] for row in rows]))


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
        self, given: TableInput, most_edits: int, rng: np.random.Generator
    ) -> Iterator[tuple[Edit, ...]]:
        """Draw 10 tries of 10,000 changes: 1 to ``most_edits`` columns, each to any other value.

        The number of columns, the columns and the values are drawn uniformly (appendix A.2).
        """
        around = values_around(given, self)
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

"""From a table to its models: read, trained, and kept for the next build."""

import copy
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np
import torch

from stimuli.io.canonical import file_sha256, seed_of
from stimuli.places import cache_dir
from stimuli.studies.simulatability.protocol import Simulatability
from xai_backend.models.checkpoint import checkpoint_id
from xai_backend.progress import Reporter, Silent
from xai_backend.studies.simulatability.prototype_network import (
    PrototypeSettings,
    prototype_settings,
)
from xai_backend.studies.simulatability.prototype_training import (
    Examples,
    PrototypeResult,
    Start,
    TrainingSplits,
    train_prototypes,
)
from xai_backend.studies.simulatability.table_codes import Coding
from xai_backend.studies.simulatability.table_data import (
    TableData,
    read_table,
    split_table,
    table_file,
)
from xai_backend.studies.simulatability.table_model import HIDDEN, TableNetwork
from xai_backend.studies.simulatability.table_omission import fitted_chances
from xai_backend.studies.simulatability.table_store import TableParts, load, save
from xai_backend.studies.simulatability.table_training import (
    TableSettings,
    prototype_steps,
    train_table_network,
)
from xai_backend.studies.simulatability.trained import Labelled, Split, Trained

VERSION: Final = 1
"""Raised by hand whenever the same settings would make other models."""
PER_CLASS: Final = 20
STEPS_AN_EPOCH: Final = 12
"""As many as the published batches of 1,000 make of Adult; smaller tables have smaller batches."""
SMALLEST_BATCH: Final = 16


@dataclass(frozen=True, slots=True)
class TableTraining:
    """How a table's models are trained.

    Attributes
    ----------
    settings
        The task model.
    prototypes
        The prototype network; None for what the protocol's variant has.
    """

    settings: TableSettings = field(default_factory=TableSettings)
    prototypes: PrototypeSettings | None = None


def trained_table(
    source: Path,
    protocol: Simulatability,
    reporter: Reporter = Silent(),
    *,
    seed: int = 0,
    folder: Path | None = None,
    training: TableTraining = TableTraining(),
) -> Trained:
    """Return a table's task model and prototype network, trained here or before.

    Parameters
    ----------
    source
        See `read_table`.
    protocol
        Of its ``models``, the variant and the resampling count.
    seed
        Root of the splits and of training.
    folder
        Where models are kept and found again; None for the lab's cache.
    training
        How they are trained.

    Raises
    ------
    UserError
        If the table can't be read, or no models can be trained on it.
    """
    models = protocol.models
    settings = training.settings
    prototypes = training.prototypes or prototype_settings(models.variant, PER_CLASS)
    data = read_table(source)
    determined_by = {
        "architecture": "table",
        "version": VERSION,
        "data": file_sha256(table_file(source)),
        "adult": data.adult,
        "resample": models.resample,
        "seed": seed,
        "settings": asdict(settings),
        "prototypes": asdict(prototypes),
    }
    folder = folder or cache_dir() / "simulatability"
    kept = folder / f"{checkpoint_id(determined_by)}.safetensors"
    if not kept.exists():
        splits = split_table(data, models.resample, seed)
        save(_train(data, splits, settings, prototypes, seed, reporter), kept)
    return load(kept)


def _train(
    data: TableData,
    splits: dict[Split, tuple[Labelled, ...]],
    settings: TableSettings,
    prototypes: PrototypeSettings,
    seed: int,
    reporter: Reporter,
) -> TableParts:
    coding = Coding(data.levels)
    read = {split: _examples(coding, rows, data.classes) for split, rows in splits.items()}
    batch = max(SMALLEST_BATCH, len(splits["train"]) // STEPS_AN_EPOCH)
    settings = replace(settings, batch=min(settings.batch, batch))
    prototypes = replace(prototypes, batch=min(prototypes.batch, batch))
    how = (coding.sizes, TrainingSplits(read["train"], read["validation"]), settings)
    network = train_table_network(*how, seed_of("table", seed), reporter)
    start = network
    if not prototypes.frozen:
        start = train_table_network(*how, seed_of("latent", seed), reporter, prototypes.latent)
    found = _prototypes(start, read, prototypes, seed, reporter)
    return TableParts(
        levels=data.levels,
        classes=data.classes,
        splits=splits,
        network=network.double().requires_grad_(False),
        prototypes=found.network,
        rows=tuple(found.rows.tolist()),
        chances=fitted_chances(read["train"].inputs.numpy(), coding.sizes, reporter),
    )


def _prototypes(
    start: TableNetwork,
    read: dict[Split, Examples],
    settings: PrototypeSettings,
    seed: int,
    reporter: Reporter,
) -> PrototypeResult:
    inputs = read["train"].inputs.numpy()
    # Prototypes are to differ, and many rows are equal.
    labelled = np.column_stack([inputs, read["train"].labels.numpy()])
    first = np.sort(np.unique(labelled, axis=0, return_index=True)[1])
    return train_prototypes(
        Start(copy.deepcopy(start.encoder), HIDDEN, start.reduced),
        TrainingSplits(read["train"], read["validation"], torch.from_numpy(first)),
        settings,
        seed_of("prototypes", seed),
        optimiser=prototype_steps,
        reporter=reporter,
    )


def _examples(coding: Coding, rows: tuple[Labelled, ...], classes: tuple[str, str]) -> Examples:
    codes = coding.codes([row.given for row in rows])
    labels = [classes.index(row.label) for row in rows]
    return Examples(torch.from_numpy(codes), torch.tensor(labels))

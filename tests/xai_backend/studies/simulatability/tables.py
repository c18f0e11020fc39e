"""A small table, written as a CSV, and its models; trained in a second or two."""

import csv
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np

from stimuli.studies import simulatability as study
from stimuli.studies.simulatability.protocol import Simulatability
from xai_backend.studies.simulatability.prototype_training import prototype_settings
from xai_backend.studies.simulatability.train_table import (
    TableSettings,
    TableTraining,
    trained_table,
)

HEADER = ("id", "Age", "Work", "Home", "Children", "label")


def small_rows(count=400):
    """Rows whose label follows from age, work and home, but for some noise."""
    rng = np.random.default_rng(3)
    age, children = rng.integers(18, 80, count), rng.integers(0, 4, count)
    work, home = rng.choice(["none", "part", "full"], count), rng.choice(["own", "rent"], count)
    merit = (age > 40) + (work == "full") * 1.5 + (home == "own") + rng.normal(0, 0.4, count)
    label = np.where(merit > np.quantile(merit, 0.55), "yes", "no")
    columns = (np.arange(1000, 1000 + count), age, work, home, children, label)
    return [tuple(map(str, row)) for row in zip(*columns, strict=True)]


def write_csv(path, rows, header=HEADER):
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path


def protocol(variant="near_code", resample="balanced"):
    values = tomllib.loads((Path(study.__file__).parent / "protocol.toml").read_text("utf-8"))
    values["models"] |= {"variant": variant, "resample": resample}
    return Simulatability.model_validate(values)


def small_trained(tmp_path, variant="near_code", folder="models", epochs=15, seed=0):
    """The small table's models."""
    prototypes = replace(prototype_settings(variant, per_class=4), epochs=epochs, push_after=2)
    return trained_table(
        write_csv(tmp_path / "small.csv", small_rows(900)),
        protocol(variant),
        folder=tmp_path / folder,
        training=TableTraining(TableSettings(epochs=epochs), prototypes),
        seed=seed,
    )

"""Sessions of the two assessments that lie in one data folder, told apart."""

from dataclasses import replace
from pathlib import Path
from typing import Final

import pandas as pd

from analysis.data.sessions import Sessions
from analysis.data.tables import Dataset
from analysis.report.wording import count
from stimuli.images.names import words_of
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from stimuli.studies.accept_reject_accuracy.tables import LABELS

ONE_RUN: Final = "one_run"
"""The order of a session that assesses accuracy; plates come in two runs."""


def label_words(folder: Path | None) -> dict[str, str]:
    """Return what the packs of a data folder call their labels in English; {} without packs."""
    words: dict[str, str] = {}
    for table in sorted((folder / "packs").glob("*/labels.csv")) if folder is not None else ():
        words |= words_of(LABELS.read(table), "en")
    return words


def of_one_assessment(dataset: Dataset) -> Dataset:
    """Return the trials, items and sessions of the assessment that the dataset's protocol is of.

    A lab's data folder may hold sessions of both; the protocol is that of the pack with
    most trials. The others are left out, and a note says so.
    """
    dataset = replace(dataset, items=_items(dataset))
    trials = dataset.trials
    if "order" not in trials:
        return dataset
    of_accuracy = trials["order"] == ONE_RUN
    keep = of_accuracy if isinstance(dataset.protocol, AcceptRejectAccuracy) else ~of_accuracy
    gone = int((~keep).sum())
    if not gone or not keep.any():
        return dataset
    kept = trials[keep].reset_index(drop=True)
    note = (
        f"{count(gone, 'trial')} of the study’s other assessment were left out; analyse them "
        "from a data folder of their own."
    )
    sessions = _sessions(dataset, trials[~keep], kept)
    return replace(dataset, trials=kept, sessions=sessions, notes=(*dataset.notes, note))


def _sessions(dataset: Dataset, gone: pd.DataFrame, kept: pd.DataFrame) -> Sessions | None:
    """Return what journals say of all sessions but those whose trials were left out."""
    sessions = dataset.sessions
    if sessions is None or "session" not in gone:
        return sessions
    others = set(gone["session"]) - set(kept["session"])
    return replace(
        sessions, facts=tuple(fact for fact in sessions.facts if fact.session not in others)
    )


def _items(dataset: Dataset) -> pd.DataFrame | None:
    """Return the item table's rows of this assessment: plates have an axis, images none."""
    items = dataset.items
    if items is None or "axis" not in items:
        return items
    of_images = items["axis"].isna()
    keep = of_images if isinstance(dataset.protocol, AcceptRejectAccuracy) else ~of_images
    return items[keep].reset_index(drop=True) if keep.any() else items

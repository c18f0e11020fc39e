"""What labels are called in words."""

from pathlib import Path

from stimuli.images.names import words_of
from stimuli.studies.accept_reject_accuracy.tables import LABELS


def label_words(folder: Path | None) -> dict[str, str]:
    """Return what the packs of a data folder call their labels in English; {} without packs."""
    words: dict[str, str] = {}
    for table in sorted((folder / "packs").glob("*/labels.csv")) if folder is not None else ():
        words |= words_of(LABELS.read(table), "en")
    return words

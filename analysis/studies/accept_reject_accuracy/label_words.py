"""What labels are called in words."""

from collections.abc import Iterable

from stimuli.images.names import words_of
from stimuli.pack import Pack
from stimuli.studies.accept_reject_accuracy.tables import LABELS


def label_words(packs: Iterable[Pack]) -> dict[str, str]:
    """Return what packs call their labels in English; {} without packs."""
    words: dict[str, str] = {}
    for pack in packs:
        if f"{LABELS.name}.csv" in pack.manifest.files:
            words |= words_of(pack.table(LABELS), "en")
    return words

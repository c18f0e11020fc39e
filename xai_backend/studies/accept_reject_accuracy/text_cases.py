"""Texts in place of images: what they change in a protocol, and the set that they are."""

from pathlib import Path
from typing import Any, Final

from stimuli.errors import UserError
from stimuli.studies.accept_reject_accuracy.tables import RESERVED
from xai_backend.packs.text_cases import LabelledText, read_texts

MOST_TRIALS: Final = 100
LIMIT_S: Final = 90.0
"""Without a protocol file: reading a text takes longer than looking at an image."""


def text_changes(*, by_file: bool) -> dict[str, Any]:
    """Return what texts change in a protocol; in one by a lab's file nothing but the cases."""
    changes: dict[str, Any] = {"cases": "texts"}
    if not by_file:
        changes["solutions"] = {"most_trials": MOST_TRIALS}
        changes["trial"] = {"cutoff_s": LIMIT_S, "limit_s": LIMIT_S}
    return changes


def text_set(source: Path) -> dict[str, LabelledText]:
    """Return a set of texts, sorted by item.

    Raises
    ------
    UserError
        As `read_texts`, or if there are fewer than two labels.
    """
    found = read_texts(source, RESERVED)
    if len({one.label for one in found.values()}) < 2:
        raise UserError(
            f"{source}: all {len(found)} texts have one label; a set needs texts of at least two"
        )
    return dict(sorted(found.items()))

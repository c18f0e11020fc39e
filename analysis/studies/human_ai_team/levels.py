"""How hard each image is by the AI's confidence: as the table says, or from the confidence."""

from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.report.wording import count
from stimuli.studies.human_ai_team.bins import band_of, band_of_percent, is_on_limit, level_of
from stimuli.studies.human_ai_team.protocol import Bins
from stimuli.studies.human_ai_team.tables import LEVELS

Array = np.ndarray

_OUTSIDE: Final = "bin"
"""What tables from elsewhere may call the column of levels, or of low, mid and high."""
_MID: Final = frozenset({"mid", "medium", "middle"})


def known_levels(main: pd.DataFrame, bins: Bins) -> tuple[Array, Array, list[str]]:
    """Return the AI's confidence (0…1, NaN if not known) and each image's level.

    Parameters
    ----------
    main
        Trials; ``ai_correct`` must be there. The column ``level`` goes before ``bin``, and that
        before ``confidence``, which may be a share or per cent.
    bins
        Limits of the bins.

    Returns
    -------
    tuple
        (n,) float; (n,) text, empty where not known or between the bins; notes.
    """
    confidence, whole = _confidence(main)
    right = main["ai_correct"].astype(bool).to_numpy()
    for name in ("level", _OUTSIDE):
        said = _read_levels(main, name, right)
        if said is not None:
            return confidence, said, []
    known = np.isfinite(confidence)
    level = np.array(
        [
            _by_confidence(p, ok, bins, whole) if is_known else ""
            for p, ok, is_known in zip(confidence.tolist(), right.tolist(), known, strict=True)
        ],
        dtype=object,
    )
    if not known.any():
        return confidence, level, []
    between = int((known & (level == "")).sum())
    settled = [is_on_limit(round(100 * p), bins) for p in confidence[known]] if whole else []
    notes = []
    if any(settled):
        notes.append(
            f"The AI's confidence is known in whole per cent: {count(sum(settled), 'answer')} at "
            f"{100 * bins.low_below:g} or {100 * bins.mid_below:g} per cent were taken to lie "
            "below these limits."
        )
    if between:
        notes.append(
            f"{count(between, 'answer')} to images between the bins stand in no bin; all other "
            "results hold them."
        )
    return confidence, level, notes


def _confidence(main: pd.DataFrame) -> tuple[Array, bool]:
    """Return confidences as shares, and whether they are whole per cents alone."""
    if "confidence" not in main:
        return np.full(len(main), np.nan), False
    values = main["confidence"].astype(float).to_numpy()
    known = values[np.isfinite(values)]
    if len(known) and known.max() > 1:
        values, known = values / 100, known / 100
    whole = np.isclose(100 * known, np.round(100 * known), rtol=0, atol=1e-6)
    return values, bool(len(known) and whole.all())


def _by_confidence(confidence: float, right: bool, bins: Bins, whole: bool) -> str:
    band = band_of_percent(round(100 * confidence), bins) if whole else band_of(confidence, bins)
    return level_of(band, right) or ""


def _read_levels(main: pd.DataFrame, name: str, right: Array) -> Array | None:
    """Return levels that a column states; None where it states none."""
    if name not in main:
        return None
    words = main[name].fillna("").astype(str).str.casefold().str.strip().to_numpy(dtype=object)
    level = np.array(
        [_level(word, ok) for word, ok in zip(words, right, strict=True)], dtype=object
    )
    return level if (level != "").any() else None


def _level(word: str, right: Any) -> str:
    last = word.replace("-", "_").rpartition("_")[2]
    if last in LEVELS:
        return last
    if last in _MID:
        return "medium"
    if last in ("low", "high"):
        return "easy" if (last == "high") == bool(right) else "hard"
    return ""

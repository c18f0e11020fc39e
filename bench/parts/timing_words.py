"""How the parts on timing put errors into words, and judge them."""

from collections.abc import Mapping
from typing import Any

from bench.parts.words import bar
from experiments.rig.timing.command import ratio_words

NAMES = {"onset": "onset", "duration": "duration", "key": "key", "button": "mouse button"}
LARGEST_SD_MS = {"onset": 0.10, "duration": 0.10, "key": 0.15, "button": 0.30}
LARGEST_KEY_MEAN_MS = 0.3
LARGEST_RATIO = 1.15


STARTING_S = 8.0
"""What starting and ending a program under a photodiode takes, beside its trials."""


def lasting(seconds: float) -> str:
    """Return in words how long a part takes."""
    about = f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} s"
    return f"about {about} in all"


def ms(value: float) -> str:
    """Return milliseconds with three digits."""
    return f"{value:.3f}"


def spread_cells(found: Mapping[str, float] | None) -> list[str]:
    """Return mean, SD, 95 % and largest of a spread as cells of a table."""
    if found is None:
        return ["", "", "", ""]
    return [ms(found[key]) for key in ("mean", "sd", "p95", "max")]


def sd_bars(told: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Judge the suite's errors by the bars."""
    found = []
    for measure, largest in LARGEST_SD_MS.items():
        spread = told[f"{measure}_error_ms"]
        measured = "no sample" if spread is None else f"{ms(spread['sd'])} ms"
        met = spread is not None and spread["sd"] <= largest
        asked = f"{NAMES[measure]} error: SD ≤ {largest:.2f} ms"
        if measure == "key":
            asked += f", mean ≤ {LARGEST_KEY_MEAN_MS} ms"
            measured += "" if spread is None else f", mean {ms(spread['mean'])} ms"
            met = met and abs(spread["mean"]) <= LARGEST_KEY_MEAN_MS
        found.append(bar(len(found) + 1, asked, measured, met))
    return found


def ratio_bars(ratios: Mapping[str, Any], first: int) -> list[dict[str, Any]]:
    """Judge the suite's spreads against the plain script's."""
    found = []
    for measure, name in NAMES.items():
        by = ratios[f"{measure}_error_ms"]
        met = by is not None and by["ci_high"] is not None and by["ci_high"] <= LARGEST_RATIO
        asked = f"{name} error: SD by the plain script's, upper bound ≤ {LARGEST_RATIO}"
        found.append(bar(first + len(found), asked, ratio_words(by), met))
    return found

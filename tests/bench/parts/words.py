"""How the parts on plates put numbers into words."""

from collections.abc import Sequence
from typing import Any

SOURCES = ("uci", "mnist")
SOURCE_NAMES = {"uci": "UCI", "mnist": "MNIST"}


def share(value: float) -> str:
    """Return a share with three digits, as .953, 1.000 or −.046."""
    text = f"{abs(value):.3f}"
    text = text[1:] if text.startswith("0") else text
    return f"−{text}" if value < 0 else text


def steps(contrast: float) -> str:
    """Return a contrast, Δu′v′, in units of 10⁻⁴."""
    return f"{contrast * 1e4:.0f}"


def bar(number: int, asked: str, measured: str, met: bool) -> dict[str, Any]:
    """Return a line of the summary of quality bars."""
    return {"bar": number, "asked": asked, "measured": measured, "met": bool(met)}


def verdicts(bars: Sequence[dict[str, Any]]) -> str:
    """Return bars as sentences, one a line."""
    return "\n".join(
        f"- Bar {line['bar']}: {line['asked']}. Measured: {line['measured']}. "
        f"**{'Met' if line['met'] else 'Not met'}.**"
        for line in bars
    )

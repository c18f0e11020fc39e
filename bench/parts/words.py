"""How the parts on plates put numbers into words."""

from collections.abc import Sequence
from typing import Any

from analysis.statistics.proportions import Count, wilson

SOURCES = ("uci", "mnist")
SOURCE_NAMES = {"uci": "UCI", "mnist": "MNIST"}


def share(value: float) -> str:
    """Return a share with three digits, as .953, 1.000 or −.046."""
    text = f"{abs(value):.3f}"
    text = text[1:] if text.startswith("0") else text
    return f"−{text}" if value < 0 else text


def percent_of(hits: int, n: int) -> str:
    """Return a share in percent with its 95 % interval (Wilson's), as 2.0 % [1.1, 3.6]."""
    found = wilson(Count(hits, n))
    low, high = 100 * found.ci_low, 100 * found.ci_high
    return f"{100 * found.estimate:.1f} % [{low:.1f}, {high:.1f}]"


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

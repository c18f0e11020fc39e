"""Numbers as people read them."""

import math
from collections.abc import Callable, Sequence
from typing import Any

NOTHING = "–"
_MANY = 10_000  # degrees of freedom that are as good as the normal distribution
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def percent(share: float | None, digits: int = 0) -> str:
    """Return a share as per cent, e.g. ``35 %``; a dash where it isn't known."""
    return NOTHING if share is None or unknown(share) else f"{100 * share:.{digits}f} %"


def points(difference: float | None) -> str:
    """Return a difference of shares in percentage points with its sign, e.g. ``+38``."""
    if difference is None or unknown(difference):
        return NOTHING
    rounded = round(100 * difference)
    return "0" if rounded == 0 else f"{rounded:+d}".replace("-", "−")


def signed(value: float | None, digits: int = 1) -> str:
    """Return a number with its sign, e.g. ``+3.2``; a dash where it isn't known."""
    if value is None or unknown(value):
        return NOTHING
    value = round(value, digits)
    text = number(abs(value), digits)
    return text if value == 0 else f"{'+' if value > 0 else '−'}{text}"


def points_tenth(share: float | None) -> str:
    """Return a difference of shares in percentage points with one decimal and its sign."""
    return NOTHING if share is None else signed(100 * share)


def unsigned_points(share: float) -> str:
    """Return a margin or limit (0…1) in percentage points, e.g. ``10``."""
    return points(share).lstrip("+")


def number(value: float | None, digits: int = 2) -> str:
    """Return a number with a typographic minus; a dash where it isn't known."""
    if value is None or unknown(value):
        return NOTHING
    if abs(value) >= 1e4:
        digits_shown, _, power = f"{value:.1e}".partition("e")
        return f"{digits_shown}×10{str(int(power)).translate(_RAISED)}".replace("-", "−")
    return f"{value:.{digits}f}".replace("-", "−")


def p_value(p: float | None) -> str:
    """Return a p value, never as zero."""
    if p is None or unknown(p):
        return NOTHING
    return "< .001" if p < 0.001 else f"{p:.3f}".lstrip("0")


def p_equals(p: float | None) -> str:
    """Return a p value for a sentence, such as "p = .012" or "p < .001"."""
    said = p_value(p)
    return f"p {said}" if said.startswith("<") else f"p = {said}"


def freedom(df: float | None) -> str:
    """Return degrees of freedom with one digit, or that they are as good as unlimited."""
    if df is None or df >= _MANY:  # results.json holds no infinity
        return "∞"
    return NOTHING if unknown(df) else f"{df:.1f}"


def interval(low: float | None, high: float | None, write: Callable[[float], str] = number) -> str:
    """Return limits in brackets; a dash where they aren't known."""
    if low is None or high is None or unknown(low) or unknown(high):
        return NOTHING
    return f"[{write(low)}, {write(high)}]"


def listed(names: Sequence[str]) -> str:
    """Return names as ``a, b and c``."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def digits_of(low: float | None, high: float | None, most: int) -> int:
    """Return how many decimals an interval supports: none finer than its uncertainty.

    Half the interval's width gets two significant digits if it begins with 1, 2 or 3.0 to 3.5,
    else one (Particle Data Group, Review of Particle Physics, Introduction, section 5.3).

    Parameters
    ----------
    low, high
        The limits.
    most
        Decimals at most, and without limits.
    """
    if low is None or high is None or unknown(low) or unknown(high) or not high > low:
        return most
    half = (high - low) / 2
    place = math.floor(math.log10(half))
    finer = half / 10**place < 3.55
    return min(most, max(0, finer - place))


def unknown(value: float | None) -> bool:
    """Whether there is no such number."""
    return value is None or not math.isfinite(value)


def bare_percent(share: float | None, digits: int = 1) -> str:
    """Return a share as per cent without the sign, for limits and cells."""
    return NOTHING if share is None else number(100 * share, digits)


def rounded(write: Callable[[float | None, int], str], digits: int) -> Callable[[Any], str]:
    """Return `percent`, `number` and the like with so many digits after the point."""
    return lambda value: write(value, digits)


def grouped(n: int | None) -> str:
    """Return a whole number with thin spaces between thousands; a dash where it isn't known."""
    return NOTHING if n is None else f"{n:,}".replace(",", "\u202f")


def count(n: int, noun: str, plural: str = "") -> str:
    """Return so many of something, e.g. ``1 trial``, ``2 trials``."""
    return f"{grouped(n)} {noun if n == 1 else plural or noun + 's'}"


def shortened(names: Sequence[str], most: int, noun: str) -> str:
    """Return names as `listed`, or how many there are where they are more than `most`."""
    return listed(names) if len(names) <= most else count(len(names), noun)

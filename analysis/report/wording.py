"""Numbers as people read them."""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

NOTHING = "–"
_MANY = 10_000  # degrees of freedom that are as good as the normal distribution
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def percent(share: float | None, digits: int = 0) -> str:
    """Return a share as per cent, e.g. ``35 %``; a dash if it isn't known."""
    return NOTHING if share is None or unknown(share) else f"{100 * share:.{digits}f} %"


def points(difference: float | None) -> str:
    """Return a difference of shares in percentage points with its sign, e.g. ``+38``."""
    if difference is None or unknown(difference):
        return NOTHING
    rounded = round(100 * difference)
    return "0" if rounded == 0 else f"{rounded:+d}".replace("-", "−")


def signed(value: float | None, digits: int = 1) -> str:
    """Return a number with its sign, e.g. ``+3.2``; a dash if it isn't known."""
    if value is None or unknown(value):
        return NOTHING
    value = round(value, digits)
    text = number(abs(value), digits)
    return text if value == 0 else f"{'+' if value > 0 else '−'}{text}"


def points_tenth(share: float | None) -> str:
    """Return a difference of shares in percentage points with one decimal and its sign."""
    return NOTHING if share is None else signed(100 * share)


def unsigned_points(share: float | None) -> str:
    """Return a margin or limit (0…1) in percentage points, e.g. ``10``."""
    return points(share).lstrip("+")


def number(value: float | None, digits: int = 2) -> str:
    """Return a number with a typographic minus; a dash if it isn't known."""
    if value is None or unknown(value):
        return NOTHING
    if abs(value) >= 1e4:
        digits_shown, _, power = f"{value:.1e}".partition("e")
        return f"{digits_shown}×10{str(int(power)).translate(_RAISED)}".replace("-", "−")
    return f"{value:z.{digits}f}".replace("-", "−")


def ratio(value: float | None) -> str:
    """Return a ratio; beside limits its digits follow from these, see `no_finer`."""
    return number(value)


def correlation(value: float | None) -> str:
    """Return a correlation, with two decimals however wide its interval is."""
    return number(value)


def bayes_factor(factor: float | None) -> str:
    """Return a Bayes factor with two digits; above 100 and below .01 only that it is."""
    if factor is None or unknown(factor):
        return NOTHING
    if not 0.01 <= factor <= 100:
        return "> 100" if factor > 1 else "< 0.01"
    return number(factor, max(0, 1 - math.floor(math.log10(factor))))


def p_value(p: float | None) -> str:
    """Return a p value, never as zero or one."""
    if p is None or unknown(p):
        return NOTHING
    if p >= 0.9995:
        return "> .999"
    return "< .001" if p < 0.001 else f"{p:.3f}".lstrip("0")


def p_equals(p: float | None) -> str:
    """Return a p value for a sentence, such as "p = .012" or "p < .001"."""
    written = p_value(p)
    return f"p {written}" if written[0] in "<>" else f"p = {written}"


def freedom(df: float | None) -> str:
    """Return degrees of freedom with one digit, or that they are as good as unlimited."""
    if df is None or df >= _MANY:  # results.json holds no infinity
        return "∞"
    return NOTHING if unknown(df) else f"{df:.1f}"


def interval(low: float | None, high: float | None, write: Callable[[float], str] = number) -> str:
    """Return limits in brackets; a dash if they aren't known."""
    if low is None or high is None or unknown(low) or unknown(high):
        return NOTHING
    return f"[{write(low)}, {write(high)}]"


def with_limits(
    low: float | None, high: float | None, write: Callable[[float], str] = number
) -> str:
    """Return limits in brackets for a sentence, after a space; empty if they aren't known."""
    written = interval(low, high, write)
    return "" if written == NOTHING else f" {written}"


def listed(names: Sequence[str]) -> str:
    """Return names as ``a, b and c``."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def unknown(value: float | None) -> bool:
    """Whether there is no such number."""
    return value is None or not math.isfinite(value)


def bare_percent(share: float | None, digits: int = 1) -> str:
    """Return a share as per cent without the sign, for limits and cells."""
    return NOTHING if share is None else number(100 * share, digits)


def whole_percent(share: float | None) -> str:
    """Return a share as whole per cent without the sign, as for rates of some hundred answers."""
    return bare_percent(share, 0)


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes a number with a given number of decimals.

    Attributes
    ----------
    write
        Returns the text of a number with a number of decimals.
    digits
        How many at most.
    scale
        What it multiplies a number by: 100 for per cent and points.
    """

    write: Callable[[Any, int], str]
    digits: int
    scale: int = 1

    def __call__(self, value: float | None) -> str:
        """Return the text of a number."""
        return self.write(value, self.digits)


def rounded(write: Callable[[float | None, int], str], digits: int) -> Writer:
    """Return `percent`, `number` and the like with a given number of digits after the point."""
    return Writer(write, digits, _HUNDREDFOLD.get(write, 1))


def no_finer(
    write: Callable[[Any], str], low: float | None, high: float | None, middle: float | None = None
) -> Callable[[Any], str]:
    """Return a writer without the decimals that an interval makes meaningless.

    Two digits of the interval's width stay (JCGM 100:2008, 7.2.6). Where the interval is not
    symmetric, the narrower side counts twice. Limits of a `ratio` are symmetric on the log scale,
    so each number has two digits of its own part of the width, and no limit becomes 0.

    Parameters
    ----------
    write
        One of this module's, which may write fewer decimals; any other is returned as it is.
    low, high
        The limits; unknown ones change nothing.
    middle
        The estimate; None for the middle of the limits.
    """
    if write is ratio and low is not None and high is not None and 0 < low < high < math.inf:
        return partial(_ratio_text, math.log(high / low))
    known = _WRITERS.get(write, write) if isinstance(write, Hashable) else write
    if not isinstance(known, Writer) or low is None or high is None:
        return write
    middle = (low + high) / 2 if middle is None or unknown(middle) else middle
    sides = [side for side in (middle - low, high - middle) if math.isfinite(side) and side > 0]
    if not sides:
        return write
    digits = 1 - math.floor(math.log10(2 * known.scale * min(sides)))
    return replace(known, digits=min(known.digits, max(0, digits)))


def alike(
    write: Callable[[Any], str], intervals: Iterable[tuple[float | None, ...]]
) -> Writer | None:
    """Return a writer with as many decimals as the narrowest interval of a column allows.

    Parameters
    ----------
    write
        As in `no_finer`.
    intervals
        Lower limit, upper limit and estimate of each row.

    Returns
    -------
    Writer or None
        None if each row is written by itself, as a `ratio` is, or no row has limits.
    """
    known = (
        bounds
        for bounds in intervals
        if not any(map(unknown, bounds[:2])) and bounds[0] != bounds[1]
    )
    writers = (no_finer(write, *bounds) for bounds in known)
    finest = (writer for writer in writers if isinstance(writer, Writer))
    return max(finest, key=lambda writer: writer.digits, default=None)


def estimated(
    write: Callable[[Any], str],
    value: float | None,
    low: float | None,
    high: float | None,
    unit: str = "",
) -> str:
    """Return an estimate with its limits, e.g. ``+42 [+36, +48]``, no finer than these allow.

    Parameters
    ----------
    write
        Writes a number, as in `no_finer`.
    value, low, high
        The estimate and its limits; without limits there are no brackets.
    unit
        What follows the estimate, e.g. `` %``.
    """
    writer = no_finer(write, low, high, value)
    return f"{writer(value)}{unit}{with_limits(low, high, writer)}"


def estimated_alike(
    write: Callable[[Any], str], rows: Iterable[tuple[float | None, ...]], unit: str = ""
) -> list[str]:
    """Return estimates with their limits, as `estimated`, with equally many decimals in all.

    Parameters
    ----------
    write, unit
        As in `estimated`.
    rows
        Estimate, lower limit and upper limit of each.
    """
    rows = list(rows)
    common = alike(write, [(low, high, value) for value, low, high in rows])
    if common is None:
        return [estimated(write, *row, unit) for row in rows]
    return [f"{common(value)}{unit}{with_limits(low, high, common)}" for value, low, high in rows]


def grouped(n: float | None) -> str:
    """Return a whole number with thin spaces between thousands; a dash if it isn't known."""
    return NOTHING if n is None or unknown(n) else f"{n:,.0f}".replace(",", "\u202f")


def count(n: int | None, noun: str, plural: str = "") -> str:
    """Return a number and what it counts, e.g. ``1 trial``, ``2 trials``."""
    return f"{grouped(n)} {noun if n == 1 else plural or noun + 's'}"


def were(n: int) -> str:
    """Return the verb that goes with a number: ``was``, ``were``."""
    return "was" if n == 1 else "were"


def are(n: int) -> str:
    """Return the verb that goes with a number: ``is``, ``are``."""
    return "is" if n == 1 else "are"


def shortened(names: Sequence[str], most: int, noun: str) -> str:
    """Return names as `listed`, or how many there are if they are more than `most`."""
    return listed(names) if len(names) <= most else count(len(names), noun)


def _ratio_text(width: float, value: float | None) -> str:
    """Return a ratio, given the logarithm of its upper limit over the lower one."""
    if value is None or unknown(value) or value <= 0:
        return ratio(value)
    return number(value, max(0, 1 - math.floor(math.log10(value * width))))


def _points(share: float | None, digits: int) -> str:
    return NOTHING if share is None else signed(100 * share, digits)


_HUNDREDFOLD: Final[Mapping[Any, int]] = {percent: 100, bare_percent: 100, _points: 100}
_WRITERS: Final[Mapping[Any, Writer]] = {
    number: Writer(number, 2),
    signed: Writer(signed, 1),
    percent: Writer(percent, 0, 100),
    bare_percent: Writer(bare_percent, 1, 100),
    points_tenth: Writer(_points, 1, 100),
}
"""Functions that may write fewer decimals, with those that they write."""


def sentence_if(holds: bool, sentence: str) -> list[str]:
    """Return a sentence if it holds of these results, to be spread among others."""
    return [sentence] if holds else []

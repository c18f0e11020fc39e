"""Times as a journal keeps them."""

from typing import Final

RT_DECIMALS: Final = 6
"""Times are judged and kept to the microsecond: below it the difference of two stamps is
rounding error, which must not decide what was in time."""


def to_microseconds(time_s: float) -> float:
    """Return a time in seconds as it is kept."""
    return round(time_s, RT_DECIMALS)

"""Flips' times held against the refreshes that the pacing counted between them."""

import statistics
from collections.abc import Sequence

MEDIAN_S, QUARTILE_S = 0.0005, 0.002


def assert_stamps_agree(errors_s: Sequence[float]) -> None:
    """Assert that times agree with counts: half within .5 ms, three quarters within 2 ms.

    A stamp comes late where the machine stands still between a swap and its stamp. That says
    nothing of the suite, so most trials tell, not each; the counts are asked of each.
    """
    sizes_s = [abs(error_s) for error_s in errors_s]
    _, median_s, upper_s = statistics.quantiles(sizes_s, n=4)
    assert median_s < MEDIAN_S
    assert upper_s < QUARTILE_S

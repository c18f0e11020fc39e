"""Times of flips and presses, judged by the best quarter of them.

A shared machine stands still now and then, and what is sent or stamped just then comes late. A
fault of ours would make all stamps late, so a quarter of exact ones tells the two apart. How exact
the others are is measured by `lab.py bench timing`, beside a plain script in the same run.
"""

from collections.abc import Sequence

import numpy as np

EXACT_S = 0.002
"""An eighth of a frame at 60 Hz: what is stamped by frames is seldom that near."""
EARLY_S = 0.001
"""No stamp lies further before its press than this."""


def lateness_s(stamp_s: float, before_s: float, after_s: float) -> float:
    """Return by how much a stamp is later than its press, which was sent between two times.

    0 if it lies between them, below 0 if it is earlier. Whoever sends a press waits for the
    display's answer: on a busy machine that takes as long as the press's way to its stamp.
    """
    if stamp_s < before_s:
        return stamp_s - before_s
    return max(stamp_s - after_s, 0.0)


def assert_counts_agree(errors_s: Sequence[float]) -> None:
    """Assert that flips lie where the pacing's own count of frames puts them."""
    assert np.quantile(np.abs(errors_s), 0.25) < EXACT_S


def assert_stamped_as_made(late_s: Sequence[float], within_s: float = EXACT_S) -> None:
    """Assert that presses bear the time at which they were made, and none an earlier time."""
    assert min(late_s) > -EARLY_S
    assert np.quantile(late_s, 0.25, method="lower") < within_s

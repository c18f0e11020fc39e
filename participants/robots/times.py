"""Response times: ex-Gaussian, in seconds."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class ExGaussian:
    """A normal variable plus an exponential one; draws are cut off at ``least_s``.

    Attributes
    ----------
    mean_s, sd_s
        Of the normal part.
    tail_s
        Mean of the exponential part.
    least_s
        Nobody answers faster.
    """

    mean_s: float
    sd_s: float
    tail_s: float
    least_s: float = 0.12

    def draw(self, rng: np.random.Generator) -> float:
        """Return one time in seconds."""
        time_s = rng.normal(self.mean_s, self.sd_s) + rng.exponential(self.tail_s)
        return max(self.least_s, float(time_s))


WHOLE = ExGaussian(0.5, 0.05, 0.15)
"""The whole time of an answer that needs no look at the plate: jsPsych's defaults for
simulated reaction times (normal 500 ms, SD 50 ms, exponential rate 1/150 per ms)."""

MOTOR = ExGaussian(0.2, 0.05, 0.15)
"""From the decision to the press, for those who look: the same without the 300 ms that
go into seeing, which the observer's latency holds."""

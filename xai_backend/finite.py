"""Say what is wrong with numbers that should be finite."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def not_finite(values: NDArray[np.floating] | Tensor) -> str:
    """Return how many numbers are NaN or infinite, in words; empty if all are finite.

    Parameters
    ----------
    values
        Real numbers of any shape.
    """
    plain = values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else values
    counts = {"NaN": int(np.isnan(plain).sum()), "infinite": int(np.isinf(plain).sum())}
    return ", ".join(
        f"{count} of {plain.size} numbers {'is' if count == 1 else 'are'} {what}"
        for what, count in counts.items()
        if count
    )

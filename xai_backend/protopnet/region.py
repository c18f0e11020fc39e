"""From an activation map on the latent grid to the picture."""

from collections.abc import Sequence

import numpy as np
from torch import Tensor
from torch.nn import functional

Box = tuple[int, int, int, int]
"""Top, left, bottom, right: rows top … bottom − 1, columns left … right − 1."""

PERCENTILE = 95.0


def enlarged(activations: Tensor, size: Sequence[int]) -> Tensor:
    """Return activation maps (n, h, w) at a picture's size (n, H, W), bilinearly."""
    fine = functional.interpolate(
        activations[:, None], tuple(size), mode="bilinear", align_corners=False
    )
    return fine[:, 0]


def most_active_box(activation: Tensor) -> Box:
    """Return the smallest rectangle around the pixels of an enlarged map that are most active.

    Those are the pixels that reach the map's 95th percentile (section 2.4).

    Parameters
    ----------
    activation
        (H, W).
    """
    values = activation.cpu().double().numpy()
    active = values >= np.percentile(values, PERCENTILE)
    rows, columns = np.flatnonzero(active.any(axis=1)), np.flatnonzero(active.any(axis=0))
    return int(rows[0]), int(columns[0]), int(rows[-1]) + 1, int(columns[-1]) + 1

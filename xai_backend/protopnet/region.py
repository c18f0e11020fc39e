"""From an activation map on the latent grid to the picture."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from xai_backend.protopnet.lattice import Lattice

Box = tuple[int, int, int, int]
"""Top, left, bottom, right: rows top … bottom − 1, columns left … right − 1."""

PERCENTILE = 95.0


def enlarged(activations: Tensor, size: Sequence[int], lattice: Lattice) -> Tensor:
    """Return activation maps (n, h, w) at a picture's size (n, H, W).

    Each cell's value stands where the cell looks; between middles it is bilinear, and beyond
    the outermost ones it stays.
    """
    down, across = (
        _shares(cells, pixels, lattice, activations)
        for cells, pixels in zip(activations.shape[1:], size, strict=True)
    )
    return down @ activations @ across.T


def _shares(cells: int, pixels: int, lattice: Lattice, like: Tensor) -> Tensor:
    """Return each cell's share (pixels, cells) in each pixel of a line."""
    place = (torch.arange(pixels) - lattice.first_px) / lattice.step_px
    apart = place.clamp(0, cells - 1)[:, None] - torch.arange(cells)
    return (1 - apart.abs()).clamp(min=0).to(like)


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

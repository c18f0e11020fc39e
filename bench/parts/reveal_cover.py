"""How much of a digit a map points at: the share of its strongest pixels that lie on strokes."""

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation

from xai_backend.protopnet.backbone import Lattice

Maps = NDArray[np.float32]
Masks = NDArray[np.bool_]

REACH_PX = 2
"""Half a stroke: strongest pixels may lie as far beside one, pixels of the network's input."""


def strokes(figures: Masks) -> Masks:
    """Return digits' figures (n, H, W) with all pixels no farther than `REACH_PX` from them."""
    down, across = np.mgrid[-REACH_PX : REACH_PX + 1, -REACH_PX : REACH_PX + 1]
    disk = np.hypot(down, across) <= REACH_PX
    return np.stack([binary_dilation(figure, disk) for figure in figures])


def on_strokes(maps: Maps, figures: Masks) -> NDArray[np.float64]:
    """Return each map's share (n,) of strongest pixels that lie on its digit's `strokes`.

    As many pixels are taken as the digit has. Maps (n, H, W) and figures are of one size.
    """
    return np.array(
        [
            wide.ravel()[np.argsort(-values.ravel(), kind="stable")[: figure.sum()]].mean()
            for values, figure, wide in zip(maps, figures, strokes(figures), strict=True)
        ]
    )


def by_chance(figures: Masks) -> float:
    """Return what pixels drawn anywhere in the pictures would have, on average."""
    return float(strokes(figures).mean())


def in_one_place(figures: Masks, cells: int, lattice: Lattice) -> NDArray[np.float64]:
    """Return the most (n,) that a round spot of as many pixels around one cell could have."""
    down, across = np.mgrid[: figures.shape[1], : figures.shape[2]]
    middles = lattice.first_px + lattice.step_px * np.arange(cells)
    spots = [-np.hypot(down - y, across - x) for y in middles for x in middles]
    return np.max([on_strokes(np.broadcast_to(s, figures.shape), figures) for s in spots], axis=0)

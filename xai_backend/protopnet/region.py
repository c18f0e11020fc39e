"""From an activation map on the latent grid to the picture, cell by cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.fx import Node, Tracer

Box = tuple[int, int, int, int]
"""Top, left, bottom, right: rows top … bottom − 1, columns left … right − 1."""

PERCENTILE = 95.0

WINDOWS = (nn.Conv2d, nn.MaxPool2d, nn.AvgPool2d)

WHOLE = (nn.AdaptiveAvgPool2d, nn.AdaptiveMaxPool2d)


@dataclass(frozen=True, slots=True)
class Lattice:
    """Middles of cells' receptive fields, alike along both sides.

    That of cell k is at ``first_px + k · step_px``, in pixels of the input whose own middles
    are whole numbers. Layers that halve a picture by padded kernels of odd size look around its
    first pixel, so that the first middle is 0; kernels of 2 look around the middle of a block.
    """

    first_px: float = 0.0
    step_px: float = 1.0


class _DownToLeaves(Tracer):
    """Follows a network down to the modules that hold no others."""

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        """Return whether a module isn't looked into."""
        return next(m.children(), None) is None


def lattice_of(trunk: nn.Module) -> Lattice:
    """Return where the cells of a network's feature maps look.

    Parameters
    ----------
    trunk
        From a picture to feature maps by convolutions and pooling, in whose forward there is
        no way that hangs on values. Ways that meet lie on one lattice, as they do wherever
        they are padded to one size.

    Raises
    ------
    ValueError
        If its output has no cells that look at parts of the picture.
    """
    root = nn.Sequential(trunk)  # a lone layer is a leaf too
    found: dict[Node, Lattice | None] = {}
    for node in _DownToLeaves().trace(root).nodes:
        below = [found[one] for one in node.all_input_nodes if found[one] is not None]
        found[node] = Lattice() if node.op == "placeholder" else next(iter(below), None)
        if node.op == "call_module":
            found[node] = _above(found[node], root.get_submodule(str(node.target)))
    lattice = next(value for node, value in found.items() if node.op == "output")
    if lattice is None:
        raise ValueError("the feature maps have no cells that look at parts of the picture")
    return lattice


def _above(below: Lattice | None, module: nn.Module) -> Lattice | None:
    """Return the lattice of a module's output, from that of its input."""
    if below is None or isinstance(module, WHOLE):
        return None
    if not isinstance(module, WINDOWS):
        return below
    kernel, stride, padding, dilation = (
        _first_side(getattr(module, name, 1))
        for name in ("kernel_size", "stride", "padding", "dilation")
    )
    reach = dilation * (kernel - 1) / 2
    offset = 0.0 if padding == "same" else reach - (0 if padding == "valid" else float(padding))
    return Lattice(below.first_px + offset * below.step_px, below.step_px * float(stride))


def _first_side(value: Any) -> Any:
    return value[0] if isinstance(value, tuple) else value


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

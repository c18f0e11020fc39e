"""Where in a picture the cells of a network's feature maps look."""

from dataclasses import dataclass
from typing import Any

from torch import nn
from torch.fx import Node, Tracer

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

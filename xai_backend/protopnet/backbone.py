"""Any convolutional network's layers up to its last feature maps, as a ProtoPNet's backbone.

The layers are followed to find where each cell of these maps looks. So an activation map on the
latent grid is laid on the picture cell by cell.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from pydantic import TypeAdapter
from torch import Tensor, nn
from torch.fx import Node, Tracer
from torchvision.models.feature_extraction import create_feature_extractor

from stimuli.errors import UserError
from stimuli.plates.spec import PlateSpec
from xai_backend.models import picture_cnn, plate_cnn
from xai_backend.models.classifier import Classifier, EvenAveragePool
from xai_backend.models.frame import Normalise
from xai_backend.models.image_model import ImageModel
from xai_backend.models.torchvision_models import last_features, untrained

Box = tuple[int, int, int, int]
"""Top, left, bottom, right: rows top … bottom − 1, columns left … right − 1."""

PERCENTILE = 95.0

WINDOWS = (nn.Conv2d, nn.MaxPool2d, nn.AvgPool2d)

WHOLE = (nn.AdaptiveAvgPool2d, nn.AdaptiveMaxPool2d)


@dataclass(frozen=True, slots=True)
class Lattice:
    """Centres of cells' receptive fields, the same along both sides.

    The centre of cell k is at ``first_px + k · step_px``, in pixels of the input; pixels' centres
    are whole numbers. With layers that halve a picture by padded kernels of odd size, the first
    centre is that of the first pixel, 0; with kernels of 2 it is the middle of a block.
    """

    first_px: float = 0.0
    step_px: float = 1.0


class _DownToLeaves(Tracer):
    """Traces a network down to the modules without submodules."""

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        """Return whether a module isn't traced into."""
        return next(m.children(), None) is None


def lattice_of(trunk: nn.Module) -> Lattice:
    """Return the centres of the receptive fields of a network's feature maps.

    Parameters
    ----------
    trunk
        From a picture to feature maps, by convolutions and pooling. The control flow of its forward
        mustn't depend on values. Branches that meet have the same lattice, as they always do if
        they are padded to the same size.

    Raises
    ------
    ValueError
        If its output has no cells whose receptive fields are parts of the picture.
    """
    root = nn.Sequential(trunk)  # a single layer is a leaf too
    lattices: dict[Node, Lattice | None] = {}
    for node in _DownToLeaves().trace(root).nodes:
        below = [
            lattices[source] for source in node.all_input_nodes if lattices[source] is not None
        ]
        lattices[node] = Lattice() if node.op == "placeholder" else next(iter(below), None)
        if node.op == "call_module":
            lattices[node] = _above(lattices[node], root.get_submodule(str(node.target)))
    lattice = next(value for node, value in lattices.items() if node.op == "output")
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

    Each cell's value is put at the centre of its receptive field. Values between centres are
    interpolated bilinearly; beyond the outermost centres they stay constant.
    """
    down, across = (
        _shares(cells, pixels, lattice, activations)
        for cells, pixels in zip(activations.shape[1:], size, strict=True)
    )
    return down @ activations @ across.T


def _shares(cells: int, pixels: int, lattice: Lattice, like: Tensor) -> Tensor:
    """Return the weight of each cell in each pixel of a line, (pixels, cells)."""
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


class Trunk(nn.Module):
    """A network's layers up to one of them; weights keep their names.

    Parameters
    ----------
    network
        The control flow of its forward mustn't depend on values. Its layers are used, not copied.
    layer
        Name of the last module.
    """

    def __init__(self, network: nn.Module, layer: str) -> None:
        super().__init__()
        self.layer = layer
        self.layers = create_feature_extractor(
            network,
            [layer],
            tracer_kwargs={"leaf_modules": [EvenAveragePool]},
            suppress_diff_warning=True,
        )

    def forward(self, signal: Tensor) -> Tensor:
        """Return the layer's feature maps (n, features, h, w)."""
        return self.layers(signal)[self.layer]


@dataclass(frozen=True, slots=True)
class Backbone:
    """What is needed to rebuild a backbone before its weights are loaded.

    Attributes
    ----------
    architecture
        Name of the network that it comes from.
    preprocessing
        What is done to RGB codes before it, as plain JSON values.
    plate
        Look of the plates for which the network's front is made; only for ``plate_cnn``, else None.
    """

    architecture: str
    preprocessing: Any
    plate: Mapping[str, Any] | None = None


def backbone_of(plain: Classifier) -> Backbone:
    """Return what is needed to rebuild a network's backbone.

    Raises
    ------
    UserError
        If the network has no last feature maps.
    """
    if plain.model.last_features is None:
        raise UserError(f"protopnet: {plain.name} has no last feature maps to be its backbone")
    front = plain.model.normalise
    plate = asdict(front.spec) if isinstance(front, plate_cnn.RedGreen) else None
    return Backbone(plain.name, plain.preprocessing, plate)


def copied_trunk(model: ImageModel) -> Trunk:
    """Return a copy of a network's layers up to its last feature maps, free to learn."""
    assert model.last_features is not None
    return Trunk(copy.deepcopy(model.network), model.last_features).requires_grad_(True)


def blank(backbone: Backbone) -> tuple[nn.Module, Trunk]:
    """Return a backbone's front, and its layers without weights (on torch's ``meta``)."""
    if backbone.plate is not None:
        spec = TypeAdapter(PlateSpec).validate_python(dict(backbone.plate))
        front: nn.Module = plate_cnn.RedGreen(spec)
    else:
        mean, std = (tuple(backbone.preprocessing[key]) for key in ("mean", "std"))
        front = Normalise(mean, std, bgr=backbone.preprocessing.get("channels") == "bgr")
    with torch.device("meta"):
        network, layer = _network(backbone.architecture)
    return front, Trunk(network, layer)


def feature_channels(front: nn.Module, trunk: Trunk, side_px: int) -> int:
    """Return the number of channels of the feature maps, for pictures of a side."""
    device = next(trunk.parameters()).device
    trunk.eval()
    with torch.no_grad():
        return trunk(front(torch.zeros(1, 3, side_px, side_px, device=device))).shape[1]


def _network(architecture: str) -> tuple[nn.Module, str]:
    if architecture == picture_cnn.ARCHITECTURE:
        return picture_cnn.picture_cnn(1).network, picture_cnn.LAST_FEATURES
    if architecture == plate_cnn.ARCHITECTURE:
        return plate_cnn.plate_layers(), plate_cnn.LAST_FEATURES
    layer = last_features(architecture)
    if layer is None:
        raise UserError(f"protopnet: {architecture} has no last feature maps")
    return untrained(architecture), layer

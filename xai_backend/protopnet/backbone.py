"""Any convolutional network's layers up to its last feature maps, as a ProtoPNet's backbone."""

import copy
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import torch
from pydantic import TypeAdapter
from torch import Tensor, nn
from torchvision.models.feature_extraction import create_feature_extractor

from stimuli.errors import UserError
from stimuli.plates.spec import PlateSpec
from xai_backend.models import picture_cnn, plate_cnn
from xai_backend.models.classifier import Classifier, EvenAveragePool
from xai_backend.models.frame import Normalise
from xai_backend.models.image_model import ImageModel
from xai_backend.models.torchvision_models import last_features, untrained


class Trunk(nn.Module):
    """A network's layers up to one of them; weights keep their names.

    Parameters
    ----------
    network
        In whose forward there is no way that hangs on values. Its layers are taken, not
        copied.
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
    """How a backbone is rebuilt, before its weights are loaded.

    Attributes
    ----------
    architecture
        Name of the network that it is of.
    preprocessing
        What is done to RGB codes before it, as plain JSON values.
    plate
        Look of the plates that the network's front is made for; None for all but
        ``plate_cnn``.
    """

    architecture: str
    preprocessing: Any
    plate: Mapping[str, Any] | None = None


def backbone_of(plain: Classifier) -> Backbone:
    """Return how a network's backbone is rebuilt.

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
    """Return how many channels the feature maps have of pictures of a side."""
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

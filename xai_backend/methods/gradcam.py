"""GradCAM and its relatives LayerCAM and Score-CAM, on feature maps and on tokens."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn import functional

from xai_backend.methods.features import FeatureReader, Features, over_image
from xai_backend.methods.method import Execution, InBatches, OneByOne
from xai_backend.models.image_model import ImageModel

INPUTS_AT_ONCE = 8
MAPS_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class GradCam(InBatches):
    """Gradient-weighted class activation maps (Selvaraju et al. 2017, equations 1 and 2).

    Feature maps are weighted by the mean gradient of the target's logit, summed, rectified,
    enlarged to the input (bilinearly) and divided by their maximum, so that a map goes from
    0 to 1; if nothing speaks for the class, it is 0 everywhere.

    Attributes
    ----------
    layer
        See `FeatureReader`.
    """

    layer: str = ""

    inputs_at_once: ClassVar[int] = INPUTS_AT_ONCE
    name: ClassVar[str] = "gradcam"
    version: ClassVar[int] = 1

    def maps_of(self, model: ImageModel, images: Tensor, targets: Tensor) -> Tensor:
        """Return maps, (n, H, W), 0…1; see `InBatches.maps_of` and `FeatureReader.read`."""
        reader, size = FeatureReader(self.name, self.layer), images.shape[2:]
        features = reader.read(model, images, targets)
        weights = features.slopes.mean(dim=(2, 3), keepdim=True)
        return over_image(_summed(weights, features), size)


@dataclass(frozen=True, slots=True)
class LayerCam(InBatches):
    """LayerCAM (Jiang et al. 2021, section III).

    As GradCAM, but each place of a feature map is weighted by the positive part of its own
    gradient, so that earlier layers give maps, too.

    Attributes
    ----------
    layer
        See `FeatureReader`.
    """

    layer: str = ""

    inputs_at_once: ClassVar[int] = INPUTS_AT_ONCE
    name: ClassVar[str] = "layer_cam"
    version: ClassVar[int] = 1

    def maps_of(self, model: ImageModel, images: Tensor, targets: Tensor) -> Tensor:
        """Return maps, (n, H, W), 0…1; see `InBatches.maps_of` and `FeatureReader.read`."""
        reader, size = FeatureReader(self.name, self.layer), images.shape[2:]
        features = reader.read(model, images, targets)
        return over_image(_summed(features.slopes.clamp(min=0), features), size)


@dataclass(frozen=True, slots=True)
class ScoreCam(OneByOne):
    """Score-CAM (Wang et al. 2020, algorithm 1): feature maps weighted without gradients.

    Each feature map is enlarged to the image, scaled to 0…1 and multiplied with the image. Its
    weight is the softmax, over the feature maps, of the target's logit of that image.

    Attributes
    ----------
    layer
        See `FeatureReader`.
    """

    layer: str = ""

    name: ClassVar[str] = "score_cam"
    version: ClassVar[int] = 1

    def map_of(self, model: ImageModel, image: Tensor, target: int, execution: Execution) -> Tensor:
        """Return a map (H, W); see `OneByOne.map_of`."""
        reader, size = FeatureReader(self.name, self.layer), image.shape[1:]
        at_once = execution.at_once or MAPS_AT_ONCE
        image = image.to(model.device)[None]
        chosen = torch.tensor([target], device=model.device)
        features = reader.read(model, image, chosen)
        scores = [
            _logits(model, image * masks, target)
            for masks in _masks(features.maps[0], size).split(at_once)
        ]
        weights = torch.cat(scores).softmax(dim=0)[None, :, None, None]
        return over_image(_summed(weights, features), size)[0]


def _summed(weights: Tensor, features: Features) -> Tensor:
    """Return the weighted sum of feature maps, rectified, (n, 1, h, w)."""
    return (weights * features.maps).sum(dim=1, keepdim=True).relu()


def _masks(maps: Tensor, size: tuple[int, ...]) -> Tensor:
    """Return feature maps (C, h, w) as masks (C, 1, H, W), 0…1; a constant map hides everything."""
    fine = functional.interpolate(maps[:, None], tuple(size), mode="bilinear", align_corners=False)
    least, most = (edge(fine, dim=(1, 2, 3), keepdim=True) for edge in (torch.amin, torch.amax))
    return torch.where(most > least, (fine - least) / (most - least).clamp(min=1e-12), 0.0)


@torch.no_grad()
def _logits(model: ImageModel, images: Tensor, target: int) -> Tensor:
    return model(images)[:, target]

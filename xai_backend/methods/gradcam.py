"""GradCAM, by captum."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from captum.attr import LayerGradCam
from torch import Tensor, nn
from torch.nn import functional

from stimuli.errors import UserError
from xai_backend.determinism import deterministic
from xai_backend.methods.method import Execution
from xai_backend.models.image_model import ImageModel, batches

INPUTS_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class GradCam:
    """Gradient-weighted class activation maps (Selvaraju et al. 2017, equations 1 and 2).

    Feature maps are weighted by the mean gradient of the target's logit, summed, rectified,
    enlarged to the input (bilinearly) and divided by their maximum, so that a map goes from
    0 to 1; where nothing speaks for the class it is 0 throughout.

    Attributes
    ----------
    layer
        Name, within the network, of the module whose output is weighted; without it the
        last feature maps that the model names.
    """

    layer: str = ""

    name: ClassVar[str] = "gradcam"
    version: ClassVar[int] = 1

    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return maps, float32 (n, H, W), 0…1; see `Method.explain`.

        Raises
        ------
        UserError
            If the network has no such layer, or none with feature maps.
        """
        model.eval()
        captum = LayerGradCam(model, self._module(model))
        rows = torch.arange(len(inputs))
        maps = []
        with deterministic(threads=execution.threads):
            for some, count in batches(rows, execution.at_once or INPUTS_AT_ONCE):
                images = inputs[some].to(model.device).detach().requires_grad_()
                chosen = targets[some].to(model.device)
                coarse = captum.attribute(images, chosen, relu_attributions=True).detach()
                self._check(coarse, inputs.shape[2:])
                maps.append(_enlarged(coarse, inputs.shape[2:])[:count].cpu())
        return torch.cat(maps)

    def _module(self, model: ImageModel) -> nn.Module:
        layer = self.layer or model.last_features
        if layer is None:
            raise UserError(f"gradcam: no layer of feature maps is known; {_hint(model.network)}")
        try:
            return model.network.get_submodule(layer)
        except AttributeError:
            raise UserError(
                f"gradcam: the network has no layer {layer!r}; {_hint(model.network)}"
            ) from None

    def _check(self, coarse: Tensor, size: torch.Size) -> None:
        """Refuse what doesn't lie over the input: no map, or one whose channels come last."""
        if coarse.dim() != 4:
            raise UserError(f"gradcam: the output of {self.layer!r} is not a feature map")
        height, width = coarse.shape[2:]
        # Sides are rounded: the shapes may differ by less than one place of the map.
        if abs(height * size[1] - width * size[0]) > max(size):
            raise UserError(
                f"gradcam: the output of {self.layer!r} isn't shaped as the image ({height} × "
                f"{width} for {size[0]} × {size[1]}); its channels come last, so name a layer "
                "whose output is (images, channels, height, width)"
            )


def _hint(network: nn.Module) -> str:
    """Return which layer to name; a network of tokens has one convolution, which cuts patches."""
    names = [name for name, part in network.named_modules() if isinstance(part, nn.Conv2d)]
    if len(names) < 2:
        return "it has too few convolutions: take occlusion or integrated_gradients"
    return f"name it with --set layer=…, such as its last convolution, {names[-1]}"


def _enlarged(coarse: Tensor, size: torch.Size) -> Tensor:
    """Return (n, 1, h, w) as (n, H, W), each map's maximum 1."""
    fine = functional.interpolate(coarse, tuple(size), mode="bilinear", align_corners=False)[:, 0]
    peaks = fine.amax(dim=(1, 2), keepdim=True)
    return torch.where(peaks > 0, fine / peaks.clamp(min=torch.finfo(fine.dtype).tiny), fine)

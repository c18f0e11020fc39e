"""GradCAM, on feature maps and on tokens."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from stimuli.errors import UserError
from xai_backend.methods.attention import Run, class_tokens, run
from xai_backend.methods.method import Execution
from xai_backend.models.image_model import ImageModel

INPUTS_AT_ONCE = 8
ANOTHER = "name another by --set layer=…, or take occlusion or integrated_gradients"


@dataclass(frozen=True, slots=True)
class GradCam:
    """Gradient-weighted class activation maps (Selvaraju et al. 2017, equations 1 and 2).

    Feature maps are weighted by the mean gradient of the target's logit, summed, rectified,
    enlarged to the input (bilinearly) and divided by their maximum, so that a map goes from
    0 to 1; if nothing speaks for the class, it is 0 everywhere.

    Feature maps may have their channels first or last; their shape is compared with the picture's.
    Tokens of patches are feature maps, too, arranged as the patches are in the picture. The
    default is the output of the norm before the last attention: after that attention only the
    class token affects the logits.

    Attributes
    ----------
    layer
        Name, within the network, of the module whose output is weighted; without it the
        last feature maps that the model names, or the tokens that enter the last attention.
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
            If the network has no such layer, or none with feature maps or tokens of patches.
        """
        module, size = self._module(model), inputs.shape[2:]

        def found(images: Tensor, chosen: Tensor) -> Tensor:
            with _kept(module) as outputs:
                ran = run(model, images, chosen)
            features = outputs[-1] if outputs else ran.watch.tokens
            return _enlarged(self._coarse(model, ran, features, size), size)

        return execution.in_batches(model, inputs, targets, found, INPUTS_AT_ONCE)

    def _module(self, model: ImageModel) -> nn.Module | None:
        layer = self.layer or model.last_features
        if layer is None:
            return None
        try:
            return model.network.get_submodule(layer)
        except AttributeError:
            raise UserError(
                f"gradcam: the network has no layer {layer!r}; {_hint(model.network)}"
            ) from None

    def _coarse(
        self, model: ImageModel, ran: Run, features: Tensor | None, size: tuple[int, ...]
    ) -> Tensor:
        """Return the weighted sum, rectified, (n, 1, h, w)."""
        layer = self.layer or model.last_features
        if features is None and layer is None:
            raise UserError(f"gradcam: no layer of feature maps is known; {_hint(model.network)}")
        (gradient,) = [None] if features is None else ran.gradients([features])
        if features is None or gradient is None:
            raise UserError(
                f"gradcam: the logits don't depend on the output of {layer!r}; {ANOTHER}"
            )
        maps, slopes = (_laid_out(layer, ran, one, size) for one in (features, gradient))
        if features.dim() == 3 and bool(gradient.any()) and not bool(slopes.any()):
            read = ran.watch.tokens
            if not self.layer and read is not None and read is not features:
                return self._coarse(model, ran, read, size)
            raise UserError(
                f"gradcam: after {layer!r} only the class token affects the logits; {ANOTHER}"
            )
        weights = slopes.mean(dim=(2, 3), keepdim=True)
        return (weights * maps.detach()).sum(dim=1, keepdim=True).relu()


def _laid_out(layer: str | None, ran: Run, values: Tensor, size: tuple[int, ...]) -> Tensor:
    """Return values of a layer as (n, C, h, w); refuse values that don't lie over the input."""
    if values.dim() == 3 and ran.watch.grid is not None:
        before = class_tokens(ran.watch, values.shape[1], size)
        if before is None and values.shape[1] == ran.watch.grid[0] * ran.watch.grid[1]:
            before = 0
        if before is not None:
            return values[:, before:].transpose(1, 2).unflatten(2, ran.watch.grid)
    if values.dim() != 4:
        raise UserError(f"gradcam: the output of {layer!r} is not a feature map; {ANOTHER}")
    if _over(values.shape[2:], size):
        return values
    if _over(values.shape[1:3], size):
        return values.permute(0, 3, 1, 2)
    shape = " × ".join(map(str, values.shape[1:]))
    raise UserError(
        f"gradcam: the output of {layer!r} isn't shaped as the image ({shape} for {size[0]} × "
        f"{size[1]}); {ANOTHER}"
    )


def _over(sides: tuple[int, ...], size: tuple[int, ...]) -> bool:
    """Return whether a map lies over an image: its proportions fit but for rounding."""
    return abs(sides[0] * size[1] - sides[1] * size[0]) <= max(size)


@contextmanager
def _kept(module: nn.Module | None) -> Iterator[list[Tensor]]:
    """Within a block, collect the tensors that a module returns."""
    outputs: list[Tensor] = []

    def keep(_: nn.Module, __: Any, output: Any) -> None:
        first = output[0] if isinstance(output, tuple) else output
        if isinstance(first, Tensor):
            outputs.append(first)

    handle = module.register_forward_hook(keep) if module is not None else None
    try:
        yield outputs
    finally:
        if handle is not None:
            handle.remove()


def _hint(network: nn.Module) -> str:
    """Suggest a layer to name; a network with a single convolution has no feature maps."""
    names = [name for name, part in network.named_modules() if isinstance(part, nn.Conv2d)]
    if len(names) < 2:
        return "it has too few convolutions: take occlusion or integrated_gradients"
    return f"name it with --set layer=…, such as its last convolution, {names[-1]}"


def _enlarged(coarse: Tensor, size: tuple[int, ...]) -> Tensor:
    """Return (n, 1, h, w) as (n, H, W), each map's maximum 1."""
    fine = functional.interpolate(coarse, tuple(size), mode="bilinear", align_corners=False)[:, 0]
    peaks = fine.amax(dim=(1, 2), keepdim=True)
    return torch.where(peaks > 0, fine / peaks.clamp(min=torch.finfo(fine.dtype).tiny), fine)

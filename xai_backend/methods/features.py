"""Feature maps of a network, or tokens of patches, and their gradients: what CAM methods read."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.fx import GraphModule
from torch.nn import functional

from stimuli.errors import UserError
from xai_backend.methods.attention import Run, run, tokens_before
from xai_backend.models.image_model import ImageModel

ANOTHER = "name another by --set layer=…, or take occlusion or integrated_gradients"


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Feature maps (n, C, h, w), and the gradients of the targets' logits at them."""

    maps: Tensor
    slopes: Tensor


@dataclass(frozen=True, slots=True)
class FeatureReader:
    """Reads the feature maps of a layer.

    They may have their channels first or last; their shape is compared with the picture's. Tokens
    of patches are feature maps, too, arranged as the patches are in the picture.

    By default they are what the model names, else the last values of a convolutional network that
    have the last convolution's size. Of a transformer they are the output of the norm before the
    last attention: after that attention only the class token affects the logits. Where patches are
    merged, as in Swin, it is the output of the last norm.

    Attributes
    ----------
    method
        The method's name, for messages.
    layer
        Name, within the network, of the module whose output is read; if empty, the last feature
        maps that the model names, or the tokens that enter the last attention.
    """

    method: str
    layer: str

    def read(self, model: ImageModel, images: Tensor, targets: Tensor) -> Features:
        """Return the feature maps of images (n, 3, H, W), for the classes (n,).

        Raises
        ------
        UserError
            If the network has no such layer, or none with feature maps or tokens of patches.
        """
        module, size = self._module(model), images.shape[2:]
        with _kept(module, cut=True) as outputs:
            ran = run(model, images, targets, from_image=module is None)
        if module is not None and not outputs:
            # Not feature maps but tokens, for which what comes before them is read, too.
            with _kept(module, cut=False) as outputs:
                ran = run(model, images, targets)
        features = outputs[-1] if outputs else _usual(ran, images)
        return self._features(model, ran, features, size)

    def _module(self, model: ImageModel) -> nn.Module | None:
        layer = self.layer or model.last_features
        if layer is None:
            return None
        try:
            return model.network.get_submodule(layer)
        except AttributeError:
            raise UserError(
                f"{self.method}: the network has no layer {layer!r}; {_hint(model.network)}"
            ) from None

    def _features(
        self, model: ImageModel, ran: Run, features: Tensor | None, size: tuple[int, ...]
    ) -> Features:
        layer = self.layer or model.last_features or ""
        if features is None and not layer:
            raise UserError(
                f"{self.method}: no layer of feature maps is known; {_hint(model.network)}"
            )
        (gradient,) = [None] if features is None else ran.gradients([features])
        if features is None or gradient is None:
            raise UserError(
                f"{self.method}: the logits don't depend on {_output(layer)}; {ANOTHER}"
            )
        maps, slopes = (self._laid_out(layer, ran, tensor, size) for tensor in (features, gradient))
        if features.dim() == 3 and bool(gradient.any()) and not bool(slopes.any()):
            read = ran.watch.tokens
            if not self.layer and read is not None and read is not features:
                return self._features(model, ran, read, size)
            raise UserError(
                f"{self.method}: after {layer!r} only the class token affects the logits; {ANOTHER}"
            )
        return Features(maps.detach(), slopes)

    def _laid_out(self, layer: str, ran: Run, values: Tensor, size: tuple[int, ...]) -> Tensor:
        """Return values of a layer as (n, C, h, w); refuse values that don't lie over the input."""
        if values.dim() == 3 and ran.watch.grid is not None:
            before = tokens_before(ran.watch, values.shape[1], size)
            if before is not None:
                return values[:, before:].transpose(1, 2).unflatten(2, ran.watch.grid)
            if merged := _merged(ran, values.shape[1], size):
                return values.transpose(1, 2).unflatten(2, merged)
        if values.dim() != 4:
            raise UserError(f"{self.method}: {_output(layer)} is not a feature map; {ANOTHER}")
        if _over(values.shape[2:], size):
            return values
        if _over(values.shape[1:3], size):
            return values.permute(0, 3, 1, 2)
        shape = " × ".join(map(str, values.shape[1:]))
        raise UserError(
            f"{self.method}: {_output(layer)} isn't shaped as the image ({shape} for "
            f"{size[0]} × {size[1]}); {ANOTHER}"
        )


def _usual(ran: Run, images: Tensor) -> Tensor | None:
    """Return what is read of a network whose feature maps have no known layer."""
    watch, tokens = ran.watch, ran.watch.tokens
    if watch.maps is not None and not watch.attentions:
        return watch.maps
    size, last = images.shape[2:], watch.normed
    return last if last is not None and _merged(ran, last.shape[1], size) else tokens


def _merged(ran: Run, tokens: int, size: tuple[int, ...]) -> tuple[int, int] | None:
    """Return the rows and columns of patches that were merged by a power of 2; None if they aren't.

    Parameters
    ----------
    ran
        The network's run.
    tokens
        How many are left.
    size
        The image's (height, width).
    """
    if ran.watch.grid is None or not _over(ran.watch.grid, size):
        return None
    rows, columns = ran.watch.grid
    while rows * columns > tokens and rows % 2 == columns % 2 == 0:
        rows, columns = rows // 2, columns // 2
    merged = 1 < rows * columns == tokens and (rows, columns) != ran.watch.grid
    return (rows, columns) if merged else None


def _output(layer: str) -> str:
    return f"the output of {layer!r}" if layer else "what enters the last attention"


def _over(sides: tuple[int, ...], size: tuple[int, ...]) -> bool:
    """Return whether a map lies over an image: its proportions fit but for rounding."""
    return abs(sides[0] * size[1] - sides[1] * size[0]) <= max(size)


@contextmanager
def _kept(module: nn.Module | None, *, cut: bool) -> Iterator[list[Tensor]]:
    """Within a block, collect the tensors that a module returns.

    If it is cut, only feature maps are collected, and gradients reach no further back than them: so
    no layer before them keeps what it would need for its own.
    """
    outputs: list[Tensor] = []

    def keep(_: nn.Module, __: Any, output: Any) -> Tensor | None:
        first = output[0] if isinstance(output, tuple) and not cut else output
        if not isinstance(first, Tensor) or (cut and first.dim() != 4):
            return None
        # A copy, since the layer after it may write over it, and not over the graph's first tensor.
        outputs.append(first.detach().requires_grad_().clone() if cut else first)
        return outputs[-1] if cut else None

    handle = module.register_forward_hook(keep) if module is not None else None
    try:
        yield outputs
    finally:
        if handle is not None:
            handle.remove()


def _hint(network: nn.Module) -> str:
    """Suggest a layer to name; a network with a single convolution has no feature maps."""
    if isinstance(network, GraphModule):
        return (
            "the exported program has fewer than two convolutions that look at an image; take "
            "occlusion or integrated_gradients"
        )
    names = [name for name, part in network.named_modules() if isinstance(part, nn.Conv2d)]
    if len(names) < 2:
        return "it has too few convolutions: take occlusion or integrated_gradients"
    return f"name it with --set layer=…, such as its last convolution, {names[-1]}"


def over_image(coarse: Tensor, size: tuple[int, ...]) -> Tensor:
    """Return (n, 1, h, w) as (n, H, W), enlarged bilinearly, each map's maximum 1."""
    fine = functional.interpolate(coarse, tuple(size), mode="bilinear", align_corners=False)[:, 0]
    peaks = fine.amax(dim=(1, 2), keepdim=True)
    return torch.where(peaks > 0, fine / peaks.clamp(min=torch.finfo(fine.dtype).tiny), fine)

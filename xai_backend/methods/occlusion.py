"""Occlusion: how far the target's logit falls when a patch of the image is black."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn import functional

from xai_backend.determinism import deterministic
from xai_backend.methods.method import Execution
from xai_backend.models.image_model import ImageModel

WINDOWS_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Occlusion:
    """Occlusion sensitivity (Zeiler & Fergus 2014, section 4.2).

    Each pixel is given the mean fall of the logit over the patches that cover it, once for
    each of the three channels, which a patch always covers together; channels are summed.
    Where patch and stride don't fill the side, the last patch runs over the edge.

    Attributes
    ----------
    patch_px
        Side of the black patch, pixels of the input.
    stride_px
        Step of the patch, not larger than the patch.
    """

    patch_px: int = 32
    stride_px: int = 8

    name: ClassVar[str] = "occlusion"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not 1 <= self.stride_px <= self.patch_px:
            raise ValueError(
                f"stride_px is {self.stride_px}, must be 1 to patch_px ({self.patch_px})"
            )

    @torch.no_grad()
    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return maps, float32 (n, H, W); see `Method.explain`.

        Raises
        ------
        ValueError
            If the patch is larger than the input.
        """
        channels, height, width = inputs.shape[1:]
        if self.patch_px > min(height, width):
            raise ValueError(f"patch_px is {self.patch_px}, but the input {height}×{width}")
        model.eval()
        at_once = execution.at_once or WINDOWS_AT_ONCE
        maps = torch.empty(len(inputs), height, width)
        with deterministic(threads=execution.threads):
            images = inputs.to(model.device)
            signals = model.normalise(images)
            black = model.normalise(torch.zeros_like(images[:1]))
            for k, target in enumerate(targets.tolist()):
                falls = self._falls(model, signals[k : k + 1], black, target, at_once)
                maps[k] = self._spread(falls, height, width) * channels
        return maps

    def starts(self, side: int) -> list[int]:
        """Return where patches begin along a side of so many pixels."""
        steps = -(-(side - self.patch_px) // self.stride_px)
        return [step * self.stride_px for step in range(steps + 1)]

    def _falls(
        self, model: ImageModel, signal: Tensor, black: Tensor, target: int, at_once: int
    ) -> Tensor:
        """Return the fall of the logit at every patch, (rows, columns)."""
        rows, columns = self.starts(signal.shape[2]), self.starts(signal.shape[3])
        corners = [(row, column) for row in rows for column in columns]
        whole = model.network(signal)[0, target]
        # Refilled for every batch of patches: no mask is made, nothing is multiplied.
        filled = signal.repeat(at_once, 1, 1, 1)
        logits = []
        for start in range(0, len(corners), at_once):
            some = corners[start : start + at_once]
            patches = [
                (slice(row, row + self.patch_px), slice(column, column + self.patch_px))
                for row, column in some
            ]
            for k, (down, across) in enumerate(patches):
                filled[k, :, down, across] = black[0, :, down, across]
            logits.append(model.network(filled[: len(some)])[:, target])
            for k, (down, across) in enumerate(patches):
                filled[k, :, down, across] = signal[0, :, down, across]
        return (whole - torch.cat(logits)).reshape(len(rows), len(columns))

    def _spread(self, falls: Tensor, height: int, width: int) -> Tensor:
        """Return the mean of the falls over each pixel, (height, width)."""
        patch = torch.ones(1, 1, self.patch_px, self.patch_px)
        both = torch.stack([falls.cpu(), torch.ones(falls.shape)])[:, None]
        total, count = functional.conv_transpose2d(both, patch, stride=self.stride_px)[
            :, 0, :height, :width
        ]
        return total / count

"""Attention rollout: the class token's attention to the patches, through all layers."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from xai_backend.methods.attention import checked_layers, of_patches, run
from xai_backend.methods.method import Execution
from xai_backend.models.image_model import ImageModel

INPUTS_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class AttentionRollout:
    """Attention rollout (Abnar & Zuidema 2020, section 3.1), for vision transformers.

    A layer's attention is averaged over its heads and mixed with the identity, for the residual
    connection: Ã = (1 - residual) A + residual I. The map is the class token's row, over the
    patches, of the product Ã_L … Ã_1, enlarged bilinearly. It does not depend on the class.

    Attributes
    ----------
    residual
        Weight of the residual connection, 0…1.
    """

    residual: float = 0.5

    name: ClassVar[str] = "attention_rollout"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not 0 <= self.residual <= 1:
            raise ValueError(f"residual is {self.residual}, must be 0 to 1")

    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return maps, float32 (n, H, W), ≥ 0; see `Method.explain`.

        Raises
        ------
        UserError
            See `checked_layers`.
        """
        size = inputs.shape[2:]

        def found(images: Tensor, chosen: Tensor) -> Tensor:
            ran = run(model, images, chosen)
            layers = checked_layers(self.name, ran, size)
            reached = torch.eye(layers[0].shape[2], device=images.device, dtype=images.dtype)
            for layer in layers:
                attention = layer.weights().mean(dim=1).to(reached)
                reached = (1 - self.residual) * attention @ reached + self.residual * reached
            return of_patches(reached, ran.watch, size)

        return execution.in_batches(model, inputs, targets, found, INPUTS_AT_ONCE)

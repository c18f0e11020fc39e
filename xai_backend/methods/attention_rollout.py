"""Attention rollout: the class token's attention to the patches, through all layers."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from xai_backend.methods.attention import Attention, followed, run
from xai_backend.methods.method import Execution
from xai_backend.models.image_model import ImageModel

INPUTS_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class AttentionRollout:
    """Attention rollout (Abnar & Zuidema 2020, section 3.1), for vision transformers.

    A layer's attention is averaged over its heads and mixed with the identity, for the residual
    connection: Ã = (1 - residual) A + residual I. The map is the class token's row, over the
    patches, of the product Ã_L … Ã_1, enlarged bilinearly; the mean row of all tokens that the
    answer is read from where these are several, such as all patches. It does not depend on the
    class.

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
            See `followed`.
        """
        size = inputs.shape[2:]

        def found(images: Tensor, chosen: Tensor) -> Tensor:
            ran = run(model, images, chosen)
            path = followed(self.name, ran, size)
            tokens = path.layers[0].shape[3]

            def mixed(layer: Attention) -> Tensor:
                return layer.weights().mean(dim=1).to(images.dtype)

            reached = torch.eye(tokens, device=images.device, dtype=images.dtype)
            for layer in path.layers:
                reached = (1 - self.residual) * mixed(layer) @ reached + self.residual * reached
            return path.over_image(reached, mixed, size)

        return execution.in_batches(model, inputs, targets, found, INPUTS_AT_ONCE)

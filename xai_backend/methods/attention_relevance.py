"""Chefer's relevance: attention times its gradient, accumulated over all layers."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from xai_backend.methods.attention import Attention, followed, run
from xai_backend.methods.method import Execution
from xai_backend.models.image_model import ImageModel

INPUTS_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class AttentionRelevance:
    """Relevance by attention and gradients (Chefer, Gur & Wolf 2021, equations 5 and 6).

    "Generic Attention-model Explainability", self-attention: R begins as the identity, and each
    layer adds Ā R, where Ā is the mean over the heads of the positive part of the attention
    matrix times the gradient of the target's logit at it. The map is the class token's row of R
    over the patches, enlarged bilinearly; the mean row of all tokens that the answer is read from
    where these are several, such as all patches.
    """

    name: ClassVar[str] = "attention_relevance"
    version: ClassVar[int] = 1

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
                weighted = layer.weights() * layer.slope(ran.gradient(layer.node))
                return weighted.clamp(min=0).mean(dim=1).to(images.dtype)

            relevance = torch.eye(tokens, device=images.device, dtype=images.dtype)
            for layer in path.layers:
                relevance = relevance + mixed(layer) @ relevance
            return path.over_image(relevance, mixed, size)

        return execution.in_batches(model, inputs, targets, found, INPUTS_AT_ONCE)

"""Chefer's relevance: attention times its gradient, accumulated over all layers."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from xai_backend.methods.attention import checked_layers, of_patches, run
from xai_backend.methods.method import Execution
from xai_backend.models.image_model import ImageModel

INPUTS_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class AttentionRelevance:
    """Relevance by attention and gradients (Chefer, Gur & Wolf 2021, equations 5 and 6).

    "Generic Attention-model Explainability", self-attention: R begins as the identity, and each
    layer adds Ā R, where Ā is the mean over the heads of the positive part of the attention
    matrix times the gradient of the target's logit at it. The map is the class token's row of R
    over the patches, enlarged bilinearly.
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
            See `checked_layers`.
        """
        size = inputs.shape[2:]

        def found(images: Tensor, chosen: Tensor) -> Tensor:
            ran = run(model, images, chosen)
            layers = checked_layers(self.name, ran, size)
            gradients = ran.gradients([layer.node for layer in layers])
            relevance = torch.eye(layers[0].shape[2], device=images.device, dtype=images.dtype)
            for layer, gradient in zip(layers, gradients, strict=True):
                assert gradient is not None  # layers follow each other up to the logits
                weighted = layer.weights() * layer.slope(gradient)
                positive = weighted.clamp(min=0).mean(dim=1).to(relevance)
                relevance = relevance + positive @ relevance
            return of_patches(relevance, ran.watch, size)

        return execution.in_batches(model, inputs, targets, found, INPUTS_AT_ONCE)

"""EpsilonPlusFlat as zennit does it, for networks that aren't read and as the fast path's oracle.

A module of its own: zennit is imported by those who need it.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torchvision.models.mobilenetv2 import InvertedResidual
from zennit.canonizers import AttributeCanonizer, Canonizer, SequentialMergeBatchNorm
from zennit.composites import EpsilonPlusFlat
from zennit.core import Composite
from zennit.layer import Sum
from zennit.rules import Pass
from zennit.torchvision import ResNetBasicBlockCanonizer, ResNetBottleneckCanonizer

from xai_backend.models.plate_cnn import PlateContrast


def composite(epsilon: float, biases: bool = True) -> Composite:
    """Return zennit's rules for a network's layers; without ``biases`` no relevance is absorbed."""
    canonizers: list[Canonizer] = [
        ResNetBasicBlockCanonizer(),
        ResNetBottleneckCanonizer(),
        AttributeCanonizer(_inverted_residual),
        ExactMerge(),
    ]
    return EpsilonPlusFlat(
        epsilon=epsilon,
        zero_params=None if biases else "bias",
        layer_map=[(PlateContrast, Pass())],
        canonizers=canonizers,
    )


class ExactMerge(SequentialMergeBatchNorm):
    """Merges batch norms into the layers before them and leaves exactly the identity.

    zennit's (0.5.1) leaves a division by √(1 + eps) in each, which through fifty layers comes
    to 2e-4 of a map, and to more where relevance of both signs cancels.
    """

    @staticmethod
    def merge_batch_norm(modules: list[nn.Module], batch_norm: nn.Module) -> None:
        """Merge, then subtract from the variance the eps that the layer will add to it."""
        assert isinstance(batch_norm, nn.BatchNorm1d | nn.BatchNorm2d | nn.BatchNorm3d)
        assert batch_norm.running_var is not None
        SequentialMergeBatchNorm.merge_batch_norm(modules, batch_norm)
        batch_norm.running_var.data -= batch_norm.eps


def _inverted_residual(name: str, module: nn.Module) -> dict[str, Any] | None:
    """Let a MobileNetV2 block with a shortcut add its branches where a rule can see it."""
    if not isinstance(module, InvertedResidual) or not module.use_res_connect:
        return None

    def forward(block: Any, x: Tensor) -> Tensor:
        return block.canonizer_sum(torch.stack([x, block.conv(x)], dim=-1))

    return {"forward": forward.__get__(module), "canonizer_sum": Sum()}

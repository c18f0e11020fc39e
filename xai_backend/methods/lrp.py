"""Layer-wise relevance propagation, by zennit."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor
from zennit.canonizers import SequentialMergeBatchNorm
from zennit.composites import EpsilonPlusFlat
from zennit.core import Composite
from zennit.rules import Pass

from xai_backend.determinism import deterministic
from xai_backend.models.image_model import ImageModel, batches
from xai_backend.models.plate_cnn import PlateContrast

INPUTS_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Lrp:
    """LRP with the composite EpsilonPlusFlat (Kohlbrenner et al. 2020).

    The target's logit is passed down: by the ε rule through linear layers, the z⁺ rule
    through convolutions, the flat rule through the first one, after batch norms have been
    merged into the layers before them. A layer that only scales a plate's signal and
    rectifies it passes relevance on as it is. The map is that of the network's input,
    channels summed.

    Attributes
    ----------
    epsilon
        Stabiliser of the ε rule.
    """

    epsilon: float = 1e-6

    name: ClassVar[str] = "lrp"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not self.epsilon > 0:
            raise ValueError(f"epsilon is {self.epsilon}, must be above 0")

    def composite(self) -> Composite:
        """Return zennit's rules for the layers of a network."""
        return EpsilonPlusFlat(
            epsilon=self.epsilon,
            layer_map=[(PlateContrast, Pass())],
            canonizers=[SequentialMergeBatchNorm()],
        )

    def explain(self, model: ImageModel, inputs: Tensor, targets: Tensor) -> Tensor:
        """Return maps, float32 (n, H, W); see `Method.explain`."""
        model.eval()
        rows = torch.arange(len(inputs))
        maps = []
        with deterministic():
            for some, count in batches(rows, INPUTS_AT_ONCE):
                relevance = self._relevance(model, inputs[some], targets[some])
                maps.append(relevance[:count].sum(dim=1).cpu())
        return torch.cat(maps)

    def _relevance(self, model: ImageModel, images: Tensor, targets: Tensor) -> Tensor:
        with torch.no_grad():
            signal = model.normalise(images.to(model.device))
        signal.requires_grad_()
        with self.composite().context(model.network) as network, torch.enable_grad():
            logits = network(signal)
            start = torch.zeros_like(logits)
            chosen = targets.to(model.device)[:, None]
            start.scatter_(1, chosen, logits.detach().gather(1, chosen))
            (relevance,) = torch.autograd.grad(logits, signal, grad_outputs=start)
        return relevance.detach()

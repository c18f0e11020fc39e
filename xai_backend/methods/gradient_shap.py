"""Gradient SHAP: integrated gradients averaged over several baselines."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from xai_backend.determinism import deterministic
from xai_backend.methods.method import Execution, generator_for, input_gradients, one_by_one
from xai_backend.models.image_model import ImageModel

SAMPLES_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class GradientShap:
    """Expected gradients (Erion et al. 2021, equation 3), known as gradient SHAP.

    Each sample takes a baseline in turn, goes a random share of the way from it to the
    image, and multiplies the gradient there by the whole way. The shares are stratified:
    one in each of as many equal intervals as a baseline has samples. A map sums to the
    target's logit less the baselines' mean logit, but for chance. All random numbers are drawn on
    the CPU from the image's content, so they are the same on every device.

    Attributes
    ----------
    samples
        Number of samples; each baseline gets an equal part, rounded up.
    baselines
        Greys of the evenly coloured images that are the baselines, 0 (black) … 1 (white).
        With both ends neither black nor white parts of an object are blind spots.
    """

    samples: int = 50
    baselines: tuple[float, ...] = (0.0, 1.0)

    name: ClassVar[str] = "gradient_shap"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise ValueError(f"samples is {self.samples}, must be 1 or more")
        if not self.baselines or not all(0 <= grey <= 1 for grey in self.baselines):
            raise ValueError(f"baselines are {self.baselines}, must be greys of 0 to 1")

    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return maps, float32 (n, H, W); see `Method.explain`."""
        model.eval()
        at_once = execution.at_once or SAMPLES_AT_ONCE

        def explain_one(image: Tensor, target: int) -> Tensor:
            greys, shares = (part.to(model.device) for part in self.draws(image, target))
            there = image.to(model.device)
            total = torch.zeros_like(there)
            for grey, share in zip(greys.split(at_once), shares.split(at_once), strict=True):
                way = there - grey.view(-1, 1, 1, 1)
                points = there - (1 - share).view(-1, 1, 1, 1) * way
                chosen = torch.full((len(grey),), target, device=model.device)
                total += (way * input_gradients(model, points, chosen)).sum(dim=0)
            return (total / len(greys)).sum(dim=0)

        with deterministic(threads=execution.threads):
            return one_by_one(explain_one, inputs, targets)

    def draws(self, image: Tensor, target: int) -> tuple[Tensor, Tensor]:
        """Return each sample's baseline (grey) and its share of the way, both (samples,)."""
        each = -(-self.samples // len(self.baselines))
        generator = generator_for(self.name, image, target)
        within = torch.from_numpy(generator.random((len(self.baselines), each), dtype="float32"))
        shares = (torch.arange(each) + within) / each
        greys = torch.tensor(self.baselines)[:, None].expand(-1, each)
        return greys.reshape(-1), shares.reshape(-1)

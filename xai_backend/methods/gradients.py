"""Gradients of the target's logit: integrated gradients (captum), gradient SHAP, SmoothGrad."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from xai_backend.methods.method import (
    Execution,
    OneByOne,
    generator_for,
    input_gradients,
)
from xai_backend.models.image_model import ImageModel

SAMPLES_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class GradientShap(OneByOne):
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

    def map_of(self, model: ImageModel, image: Tensor, target: int, execution: Execution) -> Tensor:
        """Return a map (H, W); see `OneByOne.map_of`."""
        at_once = execution.at_once or SAMPLES_AT_ONCE
        greys, shares = (part.to(model.device) for part in self.draws(image, target))
        there = image.to(model.device)
        total = torch.zeros_like(there)
        for grey, share in zip(greys.split(at_once), shares.split(at_once), strict=True):
            way = there - grey.view(-1, 1, 1, 1)
            points = there - (1 - share).view(-1, 1, 1, 1) * way
            chosen = torch.full((len(grey),), target, device=model.device)
            total += (way * input_gradients(model, points, chosen)).sum(dim=0)
        return (total / len(greys)).sum(dim=0)

    def draws(self, image: Tensor, target: int) -> tuple[Tensor, Tensor]:
        """Return each sample's baseline (grey) and its share of the way, both (samples,)."""
        per_baseline = -(-self.samples // len(self.baselines))
        generator = generator_for(self.name, image, target)
        within = torch.from_numpy(
            generator.random((len(self.baselines), per_baseline), dtype="float32")
        )
        shares = (torch.arange(per_baseline) + within) / per_baseline
        greys = torch.tensor(self.baselines)[:, None].expand(-1, per_baseline)
        return greys.reshape(-1), shares.reshape(-1)


STEPS_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class IntegratedGradients(OneByOne):
    """Integrated gradients from a black image (Sundararajan et al. 2017, equation 1).

    The integral is taken by Gauss–Legendre quadrature. A map sums to the target's logit
    less that of the black image, but for the quadrature's error (axiom of completeness).

    Attributes
    ----------
    steps
        Points of the quadrature.
    """

    steps: int = 50

    name: ClassVar[str] = "integrated_gradients"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ValueError(f"steps is {self.steps}, must be 1 or more")

    def map_of(self, model: ImageModel, image: Tensor, target: int, execution: Execution) -> Tensor:
        """Return a map (H, W); see `OneByOne.map_of`."""
        from captum.attr import IntegratedGradients as CaptumIntegratedGradients

        captum = CaptumIntegratedGradients(model, multiply_by_inputs=True)
        attributed = captum.attribute(
            image[None].to(model.device),
            baselines=0,
            target=target,
            n_steps=self.steps,
            method="gausslegendre",
            internal_batch_size=execution.at_once or STEPS_AT_ONCE,
        )
        return attributed[0].sum(dim=0)


@dataclass(frozen=True, slots=True)
class SmoothGrad(OneByOne):
    """SmoothGrad (Smilkov et al. 2017, section 3).

    The gradient of the target's logit is averaged over copies of the image with Gaussian
    noise. The noise is drawn on the CPU from the image's content, so it is the same on
    every device.

    Attributes
    ----------
    samples
        Noisy copies.
    noise
        Standard deviation of the noise, as a share of the image's range (maximum less
        minimum), as in the paper.
    absolute
        Whether channels' absolute values are summed, the paper's choice for photographs, instead of
        the signed values.
    """

    samples: int = 50
    noise: float = 0.15
    absolute: bool = True

    name: ClassVar[str] = "smoothgrad"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise ValueError(f"samples is {self.samples}, must be 1 or more")
        if not self.noise >= 0:
            raise ValueError(f"noise is {self.noise}, must be 0 or more")

    def map_of(self, model: ImageModel, image: Tensor, target: int, execution: Execution) -> Tensor:
        """Return a map (H, W); see `OneByOne.map_of`."""
        at_once = execution.at_once or SAMPLES_AT_ONCE
        copies = self.noisy_copies(image, target)
        total = torch.zeros_like(image, device=model.device)
        for batch in copies.split(at_once):
            chosen = torch.full((len(batch),), target, device=model.device)
            total += input_gradients(model, batch.to(model.device), chosen).sum(dim=0)
        mean = total / self.samples
        return (mean.abs() if self.absolute else mean).sum(dim=0)

    def noisy_copies(self, image: Tensor, target: int) -> Tensor:
        """Return the copies (samples, 3, H, W), on the CPU, of an image (3, H, W)."""
        generator = generator_for(self.name, image, target)
        drawn = generator.standard_normal((self.samples, *image.shape), dtype="float32")
        picture = image.detach().cpu()
        return picture + torch.from_numpy(drawn) * self.noise * (picture.max() - picture.min())

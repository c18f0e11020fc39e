"""SmoothGrad: gradients averaged over noisy copies of the image."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from xai_backend.determinism import deterministic
from xai_backend.methods.method import Execution, generator_for, input_gradients, one_by_one
from xai_backend.models.image_model import ImageModel

SAMPLES_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class SmoothGrad:
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
            copies = self.noisy_copies(image, target)
            total = torch.zeros_like(image, device=model.device)
            for some in copies.split(at_once):
                chosen = torch.full((len(some),), target, device=model.device)
                total += input_gradients(model, some.to(model.device), chosen).sum(dim=0)
            mean = total / self.samples
            return (mean.abs() if self.absolute else mean).sum(dim=0)

        with deterministic(threads=execution.threads):
            return one_by_one(explain_one, inputs, targets)

    def noisy_copies(self, image: Tensor, target: int) -> Tensor:
        """Return the copies (samples, 3, H, W), on the CPU, of an image (3, H, W)."""
        generator = generator_for(self.name, image, target)
        drawn = generator.standard_normal((self.samples, *image.shape), dtype="float32")
        picture = image.detach().cpu()
        return picture + torch.from_numpy(drawn) * self.noise * (picture.max() - picture.min())

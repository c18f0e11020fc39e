"""Adversarial images by projected gradient descent: no explanation, but something to explain."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn import functional

from xai_backend.methods.method import Execution, generator_for
from xai_backend.models.image_model import ImageModel

INPUTS_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Pgd:
    """Untargeted PGD under the maximum norm (Madry et al. 2018, section 2.1).

    Attributes
    ----------
    epsilon
        Largest change of a colour value, on the scale 0…1.
    steps
        Steps of ascent on the cross-entropy of the label.
    relative_step
        Length of a step as a share of ``epsilon``.
    random_start
        Whether to start at a random point of the ball, drawn from the image's content, instead of
        at the image.
    """

    epsilon: float = 16 / 255
    steps: int = 40
    relative_step: float = 1 / 30
    random_start: bool = True

    name: ClassVar[str] = "pgd"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not 0 < self.epsilon <= 1:
            raise ValueError(f"epsilon is {self.epsilon}, must be above 0 and at most 1")
        if self.steps < 1 or not self.relative_step > 0:
            raise ValueError("steps starts at 1, relative_step must be above 0")

    def attack(
        self,
        model: ImageModel,
        inputs: Tensor,
        labels: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return attacked images (n, 3, H, W), 0…1, on the CPU.

        Parameters
        ----------
        model
            The network that is attacked.
        inputs
            Images (n, 3, H, W), fractions 0…1.
        labels
            int64 (n,): the classes that the attack leads away from.
        execution
            How to run.
        """

        def attacked(images: Tensor, chosen: Tensor) -> Tensor:
            *_, last = self.ascent(model, images, chosen)
            return last

        return execution.in_batches(model, inputs, labels, attacked, INPUTS_AT_ONCE)

    def ascent(self, model: ImageModel, inputs: Tensor, labels: Tensor) -> Iterator[Tensor]:
        """Yield the images (n, 3, H, W), on the model's device, after each of the steps."""
        images, chosen = inputs.to(model.device).detach(), labels.to(model.device)
        low = (images - self.epsilon).clamp(min=0)
        high = (images + self.epsilon).clamp(max=1)
        here = images
        if self.random_start:
            starts = [self.start(*pair) for pair in zip(inputs, labels.tolist(), strict=True)]
            here = torch.clamp(images + torch.stack(starts).to(model.device), low, high)
        for _ in range(self.steps):
            here = here.detach().requires_grad_()
            with torch.enable_grad():
                loss = functional.cross_entropy(model(here), chosen, reduction="sum")
                (slope,) = torch.autograd.grad(loss, here)
            moved = here.detach() + self.relative_step * self.epsilon * slope.sign()
            here = torch.clamp(moved, low, high)
            yield here.detach()

    def start(self, image: Tensor, label: int) -> Tensor:
        """Return where the ascent starts, as a change of the image (3, H, W) within ±epsilon."""
        drawn = generator_for(self.name, image, label).random(tuple(image.shape), dtype="float32")
        return (torch.from_numpy(drawn) * 2 - 1) * self.epsilon

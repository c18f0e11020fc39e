"""Integrated gradients, by captum."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from xai_backend.determinism import deterministic
from xai_backend.methods.method import Execution, one_by_one
from xai_backend.models.image_model import ImageModel

STEPS_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class IntegratedGradients:
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

    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return maps, float32 (n, H, W); see `Method.explain`."""
        from captum.attr import IntegratedGradients as CaptumIntegratedGradients

        model.eval()
        captum = CaptumIntegratedGradients(model, multiply_by_inputs=True)

        def explain_one(image: Tensor, target: int) -> Tensor:
            attributed = captum.attribute(
                image[None].to(model.device),
                baselines=0,
                target=target,
                n_steps=self.steps,
                method="gausslegendre",
                internal_batch_size=execution.at_once or STEPS_AT_ONCE,
            )
            return attributed[0].sum(dim=0)

        with deterministic(threads=execution.threads):
            return one_by_one(explain_one, inputs, targets)

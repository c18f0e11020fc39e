"""ProtoPNet's own explanation: where the picture looks like the prototype that it is most like."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import torch
from torch import Tensor

from stimuli.errors import UserError
from xai_backend.determinism import deterministic
from xai_backend.methods.method import Execution
from xai_backend.models.image_model import ImageModel, batches
from xai_backend.protopnet.backbone import enlarged
from xai_backend.protopnet.network import ProtoPNet, own_class

INPUTS_AT_ONCE = 8

Values = Callable[[ProtoPNet, Tensor, Tensor], Tensor]


def _of_class(network: ProtoPNet, scores: Tensor, targets: Tensor) -> Tensor:
    return torch.where(own_class(targets, network.prototype_classes), scores, -torch.inf)


def _contribution(network: ProtoPNet, scores: Tensor, targets: Tensor) -> Tensor:
    return _of_class(network, scores * network.last.weight[targets], targets)


def _of_any(network: ProtoPNet, scores: Tensor, targets: Tensor) -> Tensor:
    return scores


READINGS: Mapping[str, Values] = MappingProxyType(
    {"class": _of_class, "contribution": _contribution, "any": _of_any}
)
"""How a prototype is chosen: takes the network, similarities (n, m) and classes (n,), and returns
values (n, m); the prototype with the largest value is chosen."""


@dataclass(frozen=True, slots=True)
class ProtoPNetMap:
    """The activation map of one prototype (Chen et al. 2019, sections 2.1 and 2.4).

    Dawoud et al. 2023 (section III) reduce a ProtoPNet's reasoning to "the filter response
    (activation map) with the highest prototype similarity". Here that is, usually, the
    prototype **of the explained class** whose similarity anywhere in the picture is highest, as it
    is the evidence for that class; ``any`` takes the words literally, with all classes' prototypes,
    and ``contribution`` counts what a prototype adds to the logit. The
    map is the prototype's similarity at each place of the latent grid (7×7 for a ResNet that
    sees 224 pixels), enlarged bilinearly. It is positive everywhere.

    Attributes
    ----------
    reading
        ``class``: the highest similarity among the prototypes of the explained class.
        ``contribution``: the highest similarity × weight in the class's logit among these
        prototypes.
        ``any``: the highest similarity among all prototypes, whatever class is explained.
    """

    reading: str = "class"

    name: ClassVar[str] = "protopnet"
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if self.reading not in READINGS:
            raise ValueError(f"reading is {self.reading!r}, must be one of {', '.join(READINGS)}")

    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return maps, float32 (n, H, W); see `Method.explain`.

        Raises
        ------
        UserError
            If the network isn't a ProtoPNet.
        """
        return self._maps_and_prototypes(model, inputs, targets, execution)[0]

    def winners(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> list[int]:
        """Return, for each image, the number of the prototype whose map is shown.

        It is an index into `Trained.prototypes`; arguments and errors are those of `explain`.
        """
        return self._maps_and_prototypes(model, inputs, targets, execution)[1]

    @torch.no_grad()
    def _maps_and_prototypes(
        self, model: ImageModel, inputs: Tensor, targets: Tensor, execution: Execution
    ) -> tuple[Tensor, list[int]]:
        network = model.network
        if not isinstance(network, ProtoPNet):
            raise UserError(
                "protopnet: explains a ProtoPNet only (--model protopnet); take gradcam or "
                "occlusion for this network"
            )
        model.eval()
        maps, chosen = [], []
        rows = torch.arange(len(inputs))
        with deterministic(threads=execution.threads):
            for batch, count in batches(rows, execution.at_once or INPUTS_AT_ONCE):
                images = inputs[batch].to(model.device)
                activations = network.activations(model.normalise(images))
                values = READINGS[self.reading](
                    network, activations.amax(dim=(2, 3)), targets[batch].to(model.device)
                )
                best = values.argmax(dim=1)  # the first of several equal maxima
                coarse = activations[torch.arange(len(best), device=best.device), best]
                fine = enlarged(coarse, inputs.shape[2:], network.lattice)
                maps.append(fine[:count].cpu().float())
                chosen += best[:count].tolist()
        return torch.cat(maps), chosen

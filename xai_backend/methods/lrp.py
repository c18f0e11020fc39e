"""Layer-wise relevance propagation: zennit's rules, by a fast path where there is one."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from stimuli.errors import UserError, first_line
from xai_backend.determinism import deterministic
from xai_backend.fast.lrp import Prepared, prepared, relevance
from xai_backend.methods.method import Execution
from xai_backend.methods.rectifiers import remedy_for
from xai_backend.models.image_model import ImageModel
from xai_backend.models.plate_cnn import PlateContrast
from xai_backend.protopnet.network import ProtoPNet

INPUTS_AT_ONCE = 16

LOST_AT_MOST = 0.01
"""Share of the relevance that may be lost or gained on the way through an unknown network, by its
layers' rules without biases. It allows for rounding and stabilisers only."""
KNOWN_FAMILIES = ("alexnet", "googlenet", "mobilenetv2", "resnet", "squeezenet", "vgg")
"""torchvision's families whose branches and batch norms `zennit_rules` accounts for. In others (a
sum of branches, say) relevance would be counted twice without any error."""

INSTEAD = "take gradcam, occlusion or integrated_gradients"


@dataclass(frozen=True, slots=True)
class Lrp:
    """LRP with the composite EpsilonPlusFlat (Kohlbrenner et al. 2020).

    The target's logit is passed down: by the ε rule through linear layers, the z⁺ rule
    through convolutions, the flat rule through the first one, after batch norms have been
    merged into the layers before them. Where branches are added, relevance is shared in
    proportion to what each brings. A layer that only scales a plate's signal and rectifies
    it passes relevance on as it is. The map is that of the network's input, channels summed.

    If the network's structure can be read (`prepared`), zennit isn't needed; maps differ by no more
    than rounding. A network that can't be read and isn't of a known family is tested first: without
    biases, the relevance that arrives at the input must equal the logit's.

    Attributes
    ----------
    epsilon
        Stabiliser of the ε rule.
    """

    epsilon: float = 1e-6

    composite_name: ClassVar[str] = "epsilon_plus_flat"
    name: ClassVar[str] = "lrp"
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if not self.epsilon > 0:
            raise ValueError(f"epsilon is {self.epsilon}, must be above 0")

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
            If the network is of a family of torchvision's that no rules are known for, a
            ProtoPNet, or a network in which relevance gets lost or counts twice.
        """
        model.eval()
        _check_family(model.network)
        network = model.derived(_prepared)
        if network is None and not _is_known(model.network):
            self._check_conserves(model, inputs[:1].to(model.device))

        def relevance_of(images: Tensor, chosen: Tensor) -> Tensor:
            signal = _signal(model, images)
            if network is None:
                return self.by_zennit(model, signal, chosen)
            return relevance(network, signal, chosen, self.epsilon)

        return execution.in_batches(model, inputs, targets, relevance_of, INPUTS_AT_ONCE)

    def _check_conserves(self, model: ImageModel, image: Tensor) -> None:
        signal = _signal(model, image)
        with torch.no_grad():
            logits = model.network(signal)[0]
        target = logits.abs().argmax()
        try:
            with deterministic():
                backward = self.by_zennit(model, signal, target[None], biases=False)
        except Exception as fault:  # zennit's hooks may raise anything on layers they don't know
            raise UserError(
                f"lrp: no rules for this network ({first_line(fault)}); {INSTEAD}"
            ) from None
        if not logits[target]:
            raise UserError(
                f"lrp: all answers of this network are 0, so there is no relevance; {INSTEAD}"
            )
        arrived = float(backward.sum() / logits[target])
        if not abs(arrived - 1) <= LOST_AT_MOST:
            amount = f"{100 * arrived:.0f} %" if abs(arrived) < 10 else "a multiple"
            remedies = filter(None, (remedy_for(model.network, signal), INSTEAD))
            raise UserError(
                f"lrp: of the relevance that sets out, {amount} arrives at the image, "
                f"so its rules don't fit this network; {', or '.join(remedies)}"
            )

    def by_zennit(
        self, model: ImageModel, signal: Tensor, targets: Tensor, biases: bool = True
    ) -> Tensor:
        """Return maps (n, H, W) by zennit, whatever the network's structure.

        Parameters
        ----------
        model
            In evaluation mode.
        signal
            The network's input (n, C, H, W).
        targets
            int64 (n,), on the same device.
        biases
            Whether layers' biases take their share of the relevance.
        """
        from xai_backend.methods.zennit_rules import composite

        signal = signal.detach().requires_grad_()
        with composite(self.epsilon, biases).context(model.network) as network, torch.enable_grad():
            logits = network(signal)
            start = torch.zeros_like(logits)
            chosen = targets[:, None]
            start.scatter_(1, chosen, logits.detach().gather(1, chosen))
            (propagated,) = torch.autograd.grad(logits, signal, grad_outputs=start)
        return propagated.detach().sum(dim=1)


@torch.no_grad()
def _signal(model: ImageModel, images: Tensor) -> Tensor:
    return model.normalise(images)


def _prepared(network: nn.Module) -> Prepared | None:
    return prepared(network, passing=(PlateContrast,))


def _check_family(network: nn.Module) -> None:
    if isinstance(network, ProtoPNet):
        raise UserError("lrp: no rules for a layer of prototypes; explain the plain network")
    origin = type(network).__module__
    family = origin.rpartition(".")[2]
    if origin.startswith("torchvision.models") and family not in KNOWN_FAMILIES:
        raise UserError(
            f"lrp: no rules for {family}; there are for {', '.join(KNOWN_FAMILIES)}; {INSTEAD}"
        )


def _is_known(network: nn.Module) -> bool:
    """Return whether a network is torchvision's: `_check_family` says which of them fit."""
    return type(network).__module__.startswith("torchvision.models")

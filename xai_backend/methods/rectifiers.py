"""Rectifiers that a network calls as functions: methods with rules for layers don't see them."""

from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.fx import GraphModule
from torch.nn import functional
from torch.overrides import TorchFunctionMode

AS_LAYERS: Final = "write functional.relu as a layer, self.relu = nn.ReLU(), one for each place"
OF_A_PROGRAM: Final = "an exported program has no layers: name the network itself, module:function"
_FUNCTIONS: Final = frozenset(
    {functional.relu, functional.relu_, torch.relu, torch.relu_, Tensor.relu, Tensor.relu_,
     functional.relu6, functional.leaky_relu}
)  # fmt: skip
_LAYERS: Final = (nn.ReLU, nn.ReLU6, nn.LeakyReLU)


class _Calls(TorchFunctionMode):
    """Counts calls of rectifiers; of a function that calls another one, the outer."""

    count = 0

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        self.count += func in _FUNCTIONS
        return func(*args, **(kwargs or {}))


def remedy_for(network: nn.Module, signal: Tensor) -> str:
    """Return what to do about rectifiers that aren't layers; empty if all are. The network runs.

    Parameters
    ----------
    network
        The network.
    signal
        Its input (1, C, H, W).
    """
    if any(isinstance(part, GraphModule) for part in network.modules()):
        return OF_A_PROGRAM
    by_layers = 0

    def count(*_: object) -> None:
        nonlocal by_layers
        by_layers += 1

    handles = [part.register_forward_hook(count)
               for part in network.modules() if isinstance(part, _LAYERS)]  # fmt: skip
    try:
        with torch.no_grad(), _Calls() as calls:
            network(signal)
    finally:
        for handle in handles:
            handle.remove()
    return AS_LAYERS if calls.count > by_layers else ""

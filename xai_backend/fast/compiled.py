"""A network through torch.compile, and one line where that can't work."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from stimuli.errors import UserError

Forward = Callable[[Tensor], Tensor]


def compiled(network: nn.Module) -> Forward:
    """Return a network's way from input to logits, compiled at its first call.

    That call takes ten seconds or more on a CPU, and so does the first one with each other
    size of batch, precision or number of threads: give it batches of one size. Weights
    stay the network's own.

    Parameters
    ----------
    network
        In evaluation mode.

    Returns
    -------
    Forward
        Raises UserError where torch.compile fails: without a C++ compiler (without Triton
        on a graphics card), say.
    """
    try:
        # Isolated: torch counts what it compiles of a code, and of a ninth copy none any more.
        isolated: dict[str, Any] = {"isolate_recompiles": True}
        forward = torch.compile(network, dynamic=False, **isolated)
    except RuntimeError as fault:  # so it refuses a Python that it doesn't know
        raise _refusal(fault) from fault

    def run(x: Tensor) -> Tensor:
        # They take seconds to import, which none but those who compile shall wait for.
        from torch._dynamo.exc import TorchDynamoException
        from torch._inductor import config

        try:
            with config.patch(deterministic=True):  # `deterministic` leaves the compiler alone
                return forward(x)
        except TorchDynamoException as fault:
            raise _refusal(fault) from fault

    return run


def _refusal(fault: RuntimeError) -> UserError:
    # Where a compiler failed, torch's exception wraps the one that says why.
    reason = getattr(fault, "inner_exception", fault)
    words = [type(reason).__name__, *str(reason).strip().splitlines()[:1]]
    return UserError(
        f"torch.compile fails here ({': '.join(words)}); go without --compile, or give it "
        "what it lacks: a C++ compiler on a CPU, Triton on a graphics card"
    )

"""What every explanation method takes: a network with its preprocessing."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

Made = TypeVar("Made")


class ImageModel(nn.Module):
    """A network together with the preprocessing of its images.

    Parameters
    ----------
    normalise
        From images (n, 3, H, W), RGB codes as fractions 0…1, to the network's input
        (n, C, H, W). **Pointwise**: each output pixel depends on the same input pixel
        alone. So blacking out a patch of the image is the same as putting ``normalise(0)`` into
        that patch of the network's input, and methods may do either.
    network
        From the network's input to logits (n, K).
    last_features
        Name, within the network, of the module that gives the last feature maps
        (n, C, h, w); None if there are none.
    """

    def __init__(
        self, normalise: nn.Module, network: nn.Module, last_features: str | None = None
    ) -> None:
        super().__init__()
        self.normalise = normalise
        self.network = network
        self.last_features = last_features
        self._derived: dict[Callable[[nn.Module], Any], tuple[object, object, Any]] = {}

    def forward(self, images: Tensor) -> Tensor:
        """Return the logits (n, K) of images (n, 3, H, W)."""
        return self.network(self.normalise(images))

    @property
    def device(self) -> torch.device:
        """The device of the model's weights, or of its normalisation if it has no weights."""
        held = itertools.chain(self.parameters(), self.buffers())
        return next((tensor.device for tensor in held), torch.device("cpu"))

    def derived(self, make: Callable[[nn.Module], Made]) -> Made:
        """Return ``make(network)``; it is cached until a weight changes."""
        tensors = [*self.network.parameters(), *self.network.buffers()]
        state = [
            (tensor.data_ptr(), tensor._version, tensor.dtype, tensor.device) for tensor in tensors
        ]
        if make not in self._derived or self._derived[make][0] != state:
            # While the weights are kept alive, no other tensor can get their address.
            alive = [tensor.detach() for tensor in tensors]
            self._derived[make] = (state, alive, make(self.network))
        return self._derived[make][2]


def probability(logits: NDArray[np.float32], output: int) -> float:
    """Return the probability, 0…1, that logits (K,) give one of a network's outputs."""
    shares = np.exp(logits.astype(np.float64) - logits.max())
    return float(shares[output] / shares.sum())


@torch.no_grad()
def logits_of(model: ImageModel, images: Tensor, batch: int = 64) -> Tensor:
    """Return logits (n, K), float32 on the CPU, of images (n, 3, H, W).

    Every batch has the same size (the last is filled up), so that an image's logits
    don't depend on how many others there are.
    """
    model.eval()
    parts = [
        model(filled.to(model.device))[:count].cpu() for filled, count in batches(images, batch)
    ]
    return torch.cat(parts)


def batches(values: Tensor, size: int) -> Sequence[tuple[Tensor, int]]:
    """Return parts of exactly ``size`` rows, and how many rows of each count; the rest repeat."""
    parts = []
    for start in range(0, len(values), size):
        part = values[start : start + size]
        short = size - len(part)
        filled = torch.cat([part, part[-1:].expand(short, *part.shape[1:])]) if short else part
        parts.append((filled, len(part)))
    return parts


def as_images(codes: Tensor) -> Tensor:
    """Return images (n, 3, H, W), float32 0…1, of RGB codes, uint8 (n, H, W, 3)."""
    return codes.permute(0, 3, 1, 2).to(torch.float32) / 255

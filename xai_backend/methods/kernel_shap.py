"""Kernel SHAP over square patches of the image."""

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from xai_backend.methods.method import Execution, OneByOne, generator_for
from xai_backend.models.image_model import ImageModel

COALITIONS_AT_ONCE = 32

Floats = NDArray[np.float64]
Coalitions = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class KernelShap(OneByOne):
    """Kernel SHAP (Lundberg & Lee 2017, theorem 2) over square patches, absent ones black.

    Coalitions of patches are drawn from the Shapley kernel, each with its complement, which
    cancels much of the chance (Covert & Lee 2021, section 4); the regression is solved with
    the constraint that the values sum to the logit of the image less that of a black one
    (their equation 7). If there are no more than ``samples`` coalitions, all of them are taken, and
    the values are the exact Shapley values. A patch's value is spread evenly over its
    pixels, so a map sums to the same difference.

    Attributes
    ----------
    patch_px
        Side of a patch; those at the right and lower edge may be smaller.
    samples
        Coalitions at most.
    """

    patch_px: int = 32
    samples: int = 1000

    name: ClassVar[str] = "kernel_shap"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.patch_px < 1:
            raise ValueError(f"patch_px is {self.patch_px}, must be 1 or more")
        if self.samples < 2:
            raise ValueError(f"samples is {self.samples}, must be 2 or more")

    @torch.no_grad()
    def map_of(self, model: ImageModel, image: Tensor, target: int, execution: Execution) -> Tensor:
        """Return a map (H, W); see `OneByOne.map_of`.

        Raises
        ------
        ValueError
            If there are fewer samples than patches: their values would be undetermined.
        """
        patches = self._patches(*image.shape[1:])
        count = int(patches.max()) + 1
        if count > self.samples:
            raise ValueError(f"samples is {self.samples}, but there are {count} patches")
        at_once = execution.at_once or COALITIONS_AT_ONCE
        coalitions, weights = self.coalitions(count, generator_for(self.name, image, target))
        ends = np.array([np.zeros(count), np.ones(count)], dtype=np.bool_)
        logits = _logits(model, image, target, patches, np.vstack([ends, coalitions]), at_once)
        values = shapley_values(coalitions, weights, logits[2:] - logits[0], logits[1] - logits[0])
        per_pixel = values / np.bincount(patches.ravel().numpy(), minlength=count)
        return torch.from_numpy(per_pixel)[patches].to(torch.float32)

    def coalitions(self, count: int, generator: np.random.Generator) -> tuple[Coalitions, Floats]:
        """Return coalitions (m, count), neither empty nor whole, and their weights (m,)."""
        if 2**count - 2 <= self.samples:
            rows = np.array(list(product((False, True), repeat=count))[1:-1], dtype=np.bool_)
            rows = rows.reshape(-1, count)
            sizes = rows.sum(axis=1)
            return rows, (kernel_of_sizes(count) / _of_size(count))[sizes - 1]
        sizes = generator.choice(
            np.arange(1, count), size=self.samples // 2, p=kernel_of_sizes(count)
        )
        ranks = generator.random((len(sizes), count)).argsort(axis=1).argsort(axis=1)
        drawn = ranks < sizes[:, None]
        rows = np.stack([drawn, ~drawn], axis=1).reshape(-1, count)
        return rows, np.ones(len(rows))

    def _patches(self, height: int, width: int) -> Tensor:
        """Return which patch a pixel belongs to, int64 (H, W)."""
        columns = -(-width // self.patch_px)
        down = torch.arange(height) // self.patch_px
        across = torch.arange(width) // self.patch_px
        return down[:, None] * columns + across


def kernel_of_sizes(count: int) -> Floats:
    """Return the Shapley kernel's probability of each coalition size 1 … count − 1."""
    sizes = np.arange(1, count)
    weights = 1.0 / (sizes * (count - sizes))
    return weights / weights.sum()


def _of_size(count: int) -> Floats:
    """Return how many coalitions there are of each size 1 … count − 1."""
    ratios = [(count - size + 1) / size for size in range(1, count)]
    return np.cumprod(ratios, dtype=np.float64)


def shapley_values(coalitions: Coalitions, weights: Floats, gains: Floats, whole: float) -> Floats:
    """Return the values (count,) that fit the coalitions' gains and sum to the whole's.

    Parameters
    ----------
    coalitions
        bool (m, count).
    weights
        (m,).
    gains
        (m,): a coalition's logit less that of the empty one.
    whole
        The same of all patches together.

    Notes
    -----
    Weighted least squares under one linear constraint: Covert & Lee 2021, equation 7.
    """
    if coalitions.shape[1] == 1:
        return np.array([whole])
    present = coalitions.astype(np.float64)
    share = weights / weights.sum()
    products = (present * share[:, None]).T @ present
    inverse = np.linalg.pinv(products, hermitian=True)
    free = inverse @ ((present * share[:, None]).T @ gains)
    ones = inverse.sum(axis=1)
    return free - ones * (free.sum() - whole) / ones.sum()


def _logits(
    model: ImageModel,
    image: Tensor,
    target: int,
    patches: Tensor,
    coalitions: Coalitions,
    at_once: int,
) -> Floats:
    """Return the target's logit, float64 (m,), of the image with each coalition's patches."""
    there, place = image.to(model.device), patches.to(model.device)
    rows = torch.from_numpy(coalitions).to(model.device)
    logits = [
        model(there * batch[:, place][:, None])[:, target].cpu() for batch in rows.split(at_once)
    ]
    return torch.cat(logits).numpy().astype(np.float64)

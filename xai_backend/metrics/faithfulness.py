"""Does the network's answer follow the pixels that a map calls relevant?

Deletion and insertion of Petsiuk et al. 2018 (RISE, section 4.2).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stimuli.io.canonical import seed_of
from xai_backend.determinism import deterministic
from xai_backend.methods.extremal_perturbation import blurred
from xai_backend.methods.method import Execution
from xai_backend.models.image_model import ImageModel

STEPS = 224
BLUR_PX = 5.0
INPUTS_AT_ONCE = 32

Maps = NDArray[np.floating]
Order = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Curve:
    """The target's probability while pixels are changed in a map's order.

    Attributes
    ----------
    share
        float64 (steps + 1,): share of the pixels that are changed, 0…1.
    probability
        float64 (n, steps + 1).
    """

    share: NDArray[np.float64]
    probability: NDArray[np.float64]

    @property
    def area(self) -> NDArray[np.float64]:
        """Area under each curve, by the trapezium rule, 0…1 (n,)."""
        return np.asarray(np.trapezoid(self.probability, self.share, axis=1))


def deletion(
    model: ImageModel,
    inputs: Tensor,
    targets: Tensor,
    maps: Maps,
    steps: int = STEPS,
    execution: Execution = Execution(),
) -> Curve:
    """Return the curves for blackening the most relevant pixels first; low areas are good.

    Parameters
    ----------
    model, inputs, targets, execution
        As in `Method.explain`.
    maps
        (n, H, W) of these images and targets. Ties are broken by a fixed random order.
    steps
        Number of equal shares of the pixels, which are changed one after the other.
    """
    explained = _Explained(inputs, targets, maps)
    return _curve(model, explained, steps, execution, lambda images: (images, None))


def insertion(
    model: ImageModel,
    inputs: Tensor,
    targets: Tensor,
    maps: Maps,
    steps: int = STEPS,
    execution: Execution = Execution(),
) -> Curve:
    """Return the curves for restoring the most relevant pixels first; high areas are good.

    It starts from a blurred image (Gaussian, standard deviation 5 px, as in the paper); otherwise
    it is like `deletion`.
    """
    explained = _Explained(inputs, targets, maps)
    return _curve(model, explained, steps, execution, _from_blurred)


@dataclass(frozen=True, slots=True, eq=False)
class _Explained:
    """Images (n, 3, H, W), their targets (n,), and the maps of both (n, H, W)."""

    inputs: Tensor
    targets: Tensor
    maps: Maps


def _from_blurred(images: Tensor) -> tuple[Tensor, Tensor]:
    return blurred(images, BLUR_PX), images


Ends = Callable[[Tensor], tuple[Tensor, Tensor | None]]


def _curve(
    model: ImageModel, explained: _Explained, steps: int, execution: Execution, ends: Ends
) -> Curve:
    inputs, targets, maps = explained.inputs, explained.targets, explained.maps
    pixels = maps[0].size
    if not 1 <= steps <= pixels:
        raise ValueError(f"steps is {steps}, must be 1 to {pixels}")
    if maps.shape != (len(inputs), *inputs.shape[2:]):
        raise ValueError(f"maps {maps.shape} don't belong to images {tuple(inputs.shape)}")
    model.eval()
    counts = np.round(np.linspace(0, pixels, steps + 1)).astype(np.int64)
    rows = []
    with deterministic(threads=execution.threads), torch.no_grad():
        for image, target, values in zip(inputs, targets.tolist(), maps, strict=True):
            first, last = ends(image[None])
            last = torch.zeros_like(first) if last is None else last
            rank = torch.from_numpy(ranks(values)).to(image.device)
            logits = []
            for batch in torch.from_numpy(counts).split(execution.at_once or INPUTS_AT_ONCE):
                changed = rank < batch.to(image.device).view(-1, 1, 1)
                perturbed = torch.where(changed[:, None], last, first)
                logits.append(model(perturbed.to(model.device)).double().cpu())
            rows.append(torch.cat(logits).softmax(dim=1)[:, target].numpy())
    return Curve(counts / pixels, np.stack(rows))


def ranks(values: NDArray[np.floating]) -> Order:
    """Return each pixel's rank by falling relevance, int64 (H, W), from 0.

    Ties are broken by a fixed random order: in row order they would form a shape.
    """
    ties = np.random.Generator(np.random.PCG64(seed_of("ranks", *values.shape)))
    order = np.lexsort((ties.permutation(values.size), -values.ravel()))
    places = np.empty(values.size, dtype=np.int64)
    places[order] = np.arange(values.size)
    return places.reshape(values.shape)

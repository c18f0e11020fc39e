"""What becomes of a model's answer, and of a map, if parts of the image or the text change.

Infidelity and maximal sensitivity are Yeh et al.'s (2019), comprehensiveness and sufficiency
DeYoung et al.'s (2020), ROAD is Rong et al.'s (2022).
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.linalg import spsolve
from torch import Tensor

from stimuli.io.canonical import seed_of
from xai_backend.determinism import deterministic, drawn_from
from xai_backend.metrics.faithfulness import INPUTS_AT_ONCE, Maps, ranks
from xai_backend.models.image_model import ImageModel

PARTS: Final = 64
"""Number of random squares (of a text: runs of words) that infidelity hides, one at a time."""
PART: Final = 0.25
"""Their side, as a share of the image's shorter side; of a text the share of its words."""
KEPT: Final = (0.01, 0.05, 0.1, 0.2, 0.5)
"""Shares of the pixels or words over which comprehensiveness and sufficiency are means (as in the
paper)."""
REMOVED: Final = (0.2, 0.4, 0.6, 0.8)
"""Shares of the pixels that ROAD replaces."""
NOISE: Final = 0.01
"""Standard deviation of the noise that ROAD adds, so that replaced pixels can't be told apart."""
NEIGHBOURS: Final = {
    (down, right): 1 / 6 if 0 in (down, right) else 1 / 12
    for down in (-1, 0, 1)
    for right in (-1, 0, 1)
    if (down, right) != (0, 0)
}
"""Weights of a pixel's neighbours in ROAD."""
RADIUS: Final = 0.02
"""Largest change of a code (0…1) in maximal sensitivity."""
DRAWS: Final = 4
DIGITS: Final = 6
"""Decimals that packs keep; further ones differ between machines."""

Numbers = NDArray[np.float64]
Explain = Callable[[Tensor, Tensor], Tensor]
"""From images (n, 3, H, W) and targets (n,) to maps (n, H, W)."""
Answer = Callable[[NDArray[np.bool_]], Numbers]
"""From what is shown, (n, *shape of the values), to the target's probability, (n,)."""


def blackened(model: ImageModel, image: Tensor, target: int) -> Answer:
    """Return what a network answers to parts of an image, the rest black.

    Parameters
    ----------
    model
        The network.
    image
        (3, H, W), codes 0…1.
    target
        The explained class.
    """

    def answer(visible: NDArray[np.bool_]) -> Numbers:
        masks = torch.from_numpy(visible)[:, None].to(image.device, image.dtype)
        return _share(model, image * masks, target)

    return answer


def infidelity(answer: Answer, values: Maps) -> float:
    """Return how badly values foretell the fall of the probability where parts are hidden.

    The mean of (β m − d)² over parts: m is the relevance in a part, d the fall of the target's
    probability without it. β is the best factor, so that methods of different scales compare (Yeh
    et al., section 4.1). Low is good.

    Parameters
    ----------
    answer
        The model's, such as `blackened`.
    values
        The map (H, W), or the weights of words (n,).
    """
    parts = _parts(values.shape)
    falls = answer(np.ones((1, *values.shape), bool))[0] - answer(~parts)
    mass = (parts * values.astype(np.float64)).reshape(PARTS, -1).sum(axis=1)
    scale = (mass @ falls) / (mass @ mass) if mass.any() else 0.0
    return float(np.mean((scale * mass - falls) ** 2))


def comprehensiveness(answer: Answer, values: Maps) -> float:
    """Return the mean fall of the probability without what is most relevant; high is good.

    The mean over shares of the pixels or words (`KEPT`). Parameters as in `infidelity`.
    """
    return _fall(answer, ~_tops(values))


def sufficiency(answer: Answer, values: Maps) -> float:
    """Return the mean fall of the probability with what is most relevant alone; low is good.

    Parameters as in `infidelity`.
    """
    return _fall(answer, _tops(values))


def faithfulness(answer: Answer, values: Maps) -> dict[str, float]:
    """Return comprehensiveness, sufficiency and infidelity by their names, rounded.

    Parameters as in `infidelity`.
    """
    metrics = (comprehensiveness, sufficiency, infidelity)
    return {metric.__name__: round(metric(answer, values), DIGITS) for metric in metrics}


def road(model: ImageModel, image: Tensor, target: int, values: Maps) -> float:
    """Return how much more the probability depends on relevant pixels than on others; high is good.

    Half of what it is without the least relevant pixels, less what it is without the most relevant
    ones; a mean over shares of the pixels (`REMOVED`). Removed pixels are imputed from their
    neighbours (`imputed`), which tells the network nothing by their shape.
    Parameters as in `blackened`; the values are a map (H, W).
    """
    place, count = ranks(values), values.size
    masks = [
        removed
        for share in REMOVED
        for removed in (place >= count - round(share * count), place < round(share * count))
    ]
    filled = torch.stack([imputed(image, removed) for removed in masks])
    shares = _share(model, filled, target)
    return float(np.mean(shares[::2] - shares[1::2]) / 2)


def imputed(image: Tensor, removed: NDArray[np.bool_]) -> Tensor:
    """Return an image whose removed pixels are weighted means of their neighbours, with noise.

    Noisy linear imputation (Rong et al. 2022, section 4.2): the means of all removed pixels are
    solved together.

    Parameters
    ----------
    image
        (3, H, W), codes 0…1.
    removed
        (H, W).
    """
    places = np.flatnonzero(removed)
    number = np.full(removed.size, -1)
    number[places] = np.arange(len(places))
    rows, columns = np.unravel_index(places, removed.shape)
    codes = image.detach().cpu().double().numpy().reshape(len(image), -1)
    known, total = np.zeros((len(places), len(image))), np.zeros(len(places))
    entries: list[tuple[Numbers, Numbers, Numbers]] = []
    for (down, right), weight in NEIGHBOURS.items():
        there_row, there_column = rows + down, columns + right
        inside = (there_row >= 0) & (there_row < removed.shape[0])
        inside &= (there_column >= 0) & (there_column < removed.shape[1])
        here = np.flatnonzero(inside)
        there = there_row[here] * removed.shape[1] + there_column[here]
        total[here] += weight
        open_ = number[there] >= 0
        entries.append((here[open_], number[there[open_]], np.full(open_.sum(), -weight)))
        known[here[~open_]] += weight * codes[:, there[~open_]].T
    diagonal = np.arange(len(places))
    at, to, weights = map(np.concatenate, zip(*entries, (diagonal, diagonal, total), strict=True))
    size = len(places)
    system = coo_array((weights, (at, to)), shape=(size, size)).tocsc()
    solved = spsolve(system, known).reshape(len(places), -1)
    rng = np.random.default_rng(seed_of("road", *removed.shape, len(places)))
    filled = codes.copy()
    filled[:, places] = (solved + NOISE * rng.standard_normal(solved.shape)).T
    return torch.from_numpy(filled).reshape(image.shape).to(image.device, image.dtype)


def max_sensitivity(explain: Explain, image: Tensor, target: int) -> float:
    """Return how much a map changes at most if the image hardly does; low is good.

    The largest distance of maps over `DRAWS` random changes of at most `RADIUS`, divided by the
    map's length (captum's ``sensitivity_max``).

    Parameters
    ----------
    explain
        The method.
    image, target
        As in `blackened`.
    """
    from captum.metrics import sensitivity_max

    def explained(images: tuple[Tensor]) -> tuple[Tensor]:
        return (explain(images[0], torch.full((len(images[0]),), target)),)

    with drawn_from(seed_of("max_sensitivity", *image.shape) % 2**32):
        sensitivity = sensitivity_max(
            explained, (image[None],), perturb_radius=RADIUS, n_perturb_samples=DRAWS
        )
    return float(sensitivity[0])


def _parts(shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return random squares, or runs of words, (n, *shape); the same for all inputs of a shape."""
    rng = np.random.default_rng(seed_of("squares", *shape))
    side = max(1, round(PART * min(shape)))
    within = np.ones((PARTS, *shape), np.bool_)
    for axis, length in enumerate(shape):
        starts = rng.integers(length - side + 1, size=PARTS)[:, None]
        run = (starts <= np.arange(length)) & (np.arange(length) < starts + side)
        others = tuple(place for place in range(len(shape)) if place != axis)
        within &= np.expand_dims(run, tuple(1 + place for place in others))
    return within


def _tops(values: Maps) -> NDArray[np.bool_]:
    place = ranks(values)
    return np.stack([place < max(1, round(share * values.size)) for share in KEPT])


def _fall(answer: Answer, visible: NDArray[np.bool_]) -> float:
    whole = answer(np.ones((1, *visible.shape[1:]), bool))[0]
    return float(np.mean(whole - answer(visible)))


def _share(model: ImageModel, images: Tensor, target: int) -> Numbers:
    """Return the target's probability for each image, float64 (n,)."""
    model.eval()
    with deterministic(), torch.no_grad():
        parts = [
            model(batch.to(model.device)).double().cpu() for batch in images.split(INPUTS_AT_ONCE)
        ]
    return torch.cat(parts).softmax(dim=1)[:, target].numpy()

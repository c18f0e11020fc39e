"""Try a network and a method on one photograph before hours of work."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from stimuli.errors import UserError
from xai_backend.determinism import drawn_from, not_finite
from xai_backend.explain.answering import classifier_at_hand
from xai_backend.explain.precompute import checked_workers
from xai_backend.explain.request import ExplainRequest
from xai_backend.explain.working import check_target
from xai_backend.methods import named_method
from xai_backend.methods.method import Method, input_gradients
from xai_backend.models.classifier import checked_device
from xai_backend.models.frame import photos_in, read_photo, seen_line
from xai_backend.models.image_model import ImageModel, as_images
from xai_backend.own_code import FAILURES, fault_line

TOLERANCE = 1e-4
"""Share of the largest logit by which an answer may depend on the batch: other kernels round
differently."""
SEEDS = (1, 2)
"""Seeds of the random generators in two calls: a network that draws numbers answers differently."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One check: its name, whether it passed, and what it found."""

    what: str
    passed: bool
    found: str


def check(request: ExplainRequest) -> Iterator[Tried]:
    """Yield the results of checks of a network and a method, on the folder's first photograph.

    Raises
    ------
    UserError
        If the network, the method, a photograph or a scheduler isn't available at all.
    """
    photos = request.photos
    method = named_method(request.method, request.how.settings)
    path = photos_in(photos.images)[0]
    checked_device(photos.device)
    checked_workers(photos.workers, photos.device)
    classifier = classifier_at_hand(photos.model, photos.weights, photos.device)
    check_target(photos.target, classifier)
    model = classifier.model
    photo = read_photo(path)
    yield Tried("photograph", True, seen_line(classifier.name, classifier.frame, [photo.size]))
    codes = classifier.frame.codes(photo)
    images = as_images(torch.tensor(codes[None])).to(model.device)
    yield (answer := _tried("answer", lambda: _answer(model, images)))
    if not answer.passed:
        return
    logits = _logits(model, images)
    yield _tried("same answer again", lambda: _same_again(model, images, logits))
    yield _tried("same answer in a batch", lambda: _same_beside(model, images, logits))
    target = int(logits[0].argmax()) if photos.target is None else photos.target
    yield _tried("gradients", lambda: _gradients(model, images, target))
    yield from _maps(method, model, images, target)


def _logits(model: ImageModel, images: torch.Tensor, seed: int = SEEDS[0]) -> NDArray[np.float64]:
    with torch.no_grad(), drawn_from(seed):
        return model(images).double().cpu().numpy()


def _answer(model: ImageModel, images: torch.Tensor) -> str:
    logits = _logits(model, images)
    if fault := not_finite(logits):
        raise UserError(fault)
    return f"{logits.shape[1]} classes, finite"


def _same_again(model: ImageModel, images: torch.Tensor, logits: NDArray[np.float64]) -> str:
    """Compare two calls with the same random numbers, then with other random numbers."""
    _check_same(logits, _logits(model, images))
    try:
        return _check_same(logits, _logits(model, images, SEEDS[1]))
    except UserError as fault:
        raise UserError(
            f"random: {fault} with other random numbers; is dropout on, or does it draw numbers?"
        ) from None


def _same_beside(model: ImageModel, images: torch.Tensor, logits: NDArray[np.float64]) -> str:
    """Compare with the answer in a batch with another picture: batch statistics would change it."""
    both = torch.cat([images, 1 - images])
    return _check_same(logits, _logits(model, both)[:1], TOLERANCE)


def _check_same(
    expected: NDArray[np.floating], other: NDArray[np.floating], tolerance: float = 0.0
) -> str:
    if fault := not_finite(other):
        raise UserError(fault)
    off = float(np.abs(expected - other).max())
    if off > tolerance * float(np.abs(expected).max()):
        raise UserError(f"differs by up to {off:.2g}")
    return "yes"


def _gradients(model: ImageModel, images: torch.Tensor, target: int) -> str:
    values = input_gradients(model, images, torch.tensor([target], device=images.device))
    if fault := not_finite(values):
        raise UserError(fault)
    if not values.abs().max() > 0:
        raise UserError("zero everywhere: the answer doesn't follow the picture")
    return "finite, not zero"


def _maps(method: Method, model: ImageModel, images: torch.Tensor, target: int) -> Iterator[Tried]:
    targets, maps = torch.tensor([target]), []

    def explained() -> str:
        started = time.perf_counter()
        values = method.explain(model, images, targets).numpy()
        maps.append(values)
        if values.shape != (1, *images.shape[2:]):
            raise UserError(f"is {values.shape}, not {(1, *images.shape[2:])}")
        if fault := not_finite(values):
            raise UserError(fault)
        if not values.any():
            raise UserError("zero everywhere: people would see nothing; try --target or settings")
        return (
            f"{values.shape[2]} × {values.shape[1]} pixels, {time.perf_counter() - started:.2f} s"
        )

    yield (first := _tried(f"map of {method.name}", explained))
    if first.passed:
        yield _tried(
            "same map again",
            lambda: _check_same(maps[0], method.explain(model, images, targets).numpy()),
        )


def _tried(title: str, attempt: Callable[[], str]) -> Tried:
    """Return the result of a check."""
    try:
        return Tried(title, True, attempt())
    except UserError as fault:
        return Tried(title, False, str(fault))
    except FAILURES as fault:
        return Tried(title, False, fault_line(fault))

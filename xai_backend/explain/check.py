"""Try a network and a method on one photograph before hours of work."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from stimuli.errors import UserError, first_line
from xai_backend.determinism import deterministic
from xai_backend.explain.answering import classifier_at_hand
from xai_backend.explain.job import ExplainRequest
from xai_backend.methods import named_method
from xai_backend.methods.method import Method, input_gradients
from xai_backend.models.classifier import checked_device
from xai_backend.models.frame import photos_in, read_photo
from xai_backend.models.image_model import ImageModel, as_images

TOLERANCE = 1e-4
"""Share of the largest logit by which an answer may depend on the batch: other kernels round
otherwise."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One thing that was tried: what, whether it went well, and what was found."""

    what: str
    passed: bool
    found: str


def check(request: ExplainRequest) -> Iterator[Tried]:
    """Yield what is found of a network and a method, on the first photograph of the folder.

    Raises
    ------
    UserError
        If the network, the method or a photograph can't be had at all.
    """
    method = named_method(request.method, request.settings)
    path = photos_in(request.images)[0]
    checked_device(request.device)
    classifier = classifier_at_hand(request.model, request.weights, request.device)
    model = classifier.model
    codes = classifier.frame.codes(read_photo(path))
    images = as_images(torch.tensor(codes[None])).to(model.device)
    logits = _logits(model, images)
    yield Tried("answer", bool(np.isfinite(logits).all()), f"{logits.shape[1]} classes, finite")
    again = _logits(model, images)
    yield _same("same answer again", logits, again, 0.0)
    # Beside another picture: what keeps statistics of a batch answers differently there.
    both = torch.cat([images, 1 - images])
    yield _same("same answer in a batch", logits, _logits(model, both)[:1], TOLERANCE)
    target = int(logits[0].argmax()) if request.target is None else request.target
    yield _gradients(model, images, target)
    yield from _maps(method, model, images, target)


def _logits(model: ImageModel, images: torch.Tensor) -> NDArray[np.float64]:
    with torch.no_grad(), deterministic():
        return model(images).double().cpu().numpy()


def _same(
    what: str, one: NDArray[np.floating], other: NDArray[np.floating], tolerance: float
) -> Tried:
    off = float(np.abs(one - other).max())
    passed = off <= tolerance * float(np.abs(one).max())
    return Tried(what, passed, "yes" if passed else f"differs by up to {off:.2g}")


def _gradients(model: ImageModel, images: torch.Tensor, target: int) -> Tried:
    def gradients() -> str:
        values = input_gradients(model, images, torch.tensor([target], device=images.device))
        if not torch.isfinite(values).all():
            raise UserError("not finite")
        if not values.abs().max() > 0:
            raise UserError("zero everywhere: the answer doesn't follow the picture")
        return "finite, not zero"

    return _tried("gradients", gradients)


def _maps(method: Method, model: ImageModel, images: torch.Tensor, target: int) -> Iterator[Tried]:
    targets, maps = torch.tensor([target]), []

    def explained() -> str:
        started = time.perf_counter()
        values = method.explain(model, images, targets).numpy()
        maps.append(values)
        if values.shape != (1, *images.shape[2:]):
            raise UserError(f"is {values.shape}, not {(1, *images.shape[2:])}")
        if not np.isfinite(values).all():
            raise UserError("holds numbers that aren't finite")
        return (
            f"{values.shape[2]} × {values.shape[1]} pixels, {time.perf_counter() - started:.2f} s"
        )

    yield (first := _tried(f"map of {method.name}", explained))
    if first.passed:
        second = method.explain(model, images, targets).numpy()
        yield _same("same map again", maps[0], second, 0.0)


def _tried(what: str, attempt: Callable[[], str]) -> Tried:
    """Return how an attempt went; other people's code fails in any way it likes."""
    try:
        return Tried(what, True, attempt())
    except Exception as fault:
        return Tried(what, False, first_line(fault))

"""Without images of the lab's own: UCI's digits, and the small network that reads them."""

from dataclasses import replace
from math import floor
from pathlib import Path
from typing import Final

from stimuli.images.digits import DIGIT_WORDS, digit_name, digit_picture, load_digits, place_by
from stimuli.io.canonical import keyed_order
from stimuli.io.files import write_whole
from stimuli.places import cache_dir
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from xai_backend.explain.overlay import png_of
from xai_backend.models.picture_cnn import ARCHITECTURE
from xai_backend.packs.digit_network import (
    ERRING,
    FEW,
    digit_network,
    digits_to_learn_from,
    never_learnt,
    numbers_of,
)
from xai_backend.progress import Reporter
from xai_backend.studies.accept_reject_accuracy.request import AccuracyRequest

SET: Final = "uci"
BLOCKS: Final = 2
"""Digits are judged in so many blocks, each shown by two lists."""


def with_digits(
    request: AccuracyRequest, protocol: AcceptRejectAccuracy, reporter: Reporter
) -> AccuracyRequest:
    """Return the request with UCI's digits as its images and a network that often errs as S.

    The network learns from a few digits that nobody judges; it is trained or found.
    """
    digits, seed = load_digits(SET), protocol.seed
    weights = digit_network(digits, seed, request.device, reporter, ERRING, FEW)
    others = never_learnt(digits, numbers_of(digits_to_learn_from(digits, seed, FEW)))
    size, solutions = protocol.images.size_px, protocol.solutions
    block = max(1, floor(solutions.most_trials * (solutions.shares.S + solutions.shares.E)))
    # All that is in the folder is judged: another number of digits has another one.
    folder = cache_dir() / "digits" / f"{SET}-{seed}-{size}-{BLOCKS * block}"
    for number in keyed_order(others, seed, "judged")[: BLOCKS * block]:
        name = digit_name(digits, number)
        path = folder / SET / str(digits.labels[number]) / f"{name}.png"
        if not path.exists():
            codes = digit_picture(digits.images[number], size, place_by(name))
            write_whole(path, png_of(codes))
    return replace(
        request,
        source=str(folder / SET),
        model=ARCHITECTURE,
        weights=weights,
        names=request.names or _names(folder / "names.csv"),
    )


def _names(path: Path) -> Path:
    """Write what the digits are called, in each language, and return the file."""
    names = DIGIT_WORDS
    lines = [f"{label},{names[label, '']},{names[label, 'de']}" for label in map(str, range(10))]
    write_whole(path, "\n".join(("label,name,de", *lines, "")).encode("utf-8"))
    return path

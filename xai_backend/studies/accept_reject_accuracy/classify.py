"""S's answers to photographs: a classifier's most likely labels.

If the lab gives no images, UCI's digits are used, with the small network that reads them.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import floor
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.images.digits import DIGIT_WORDS, digit_name, digit_picture, load_digits, place_by
from stimuli.images.sets import Answer, LabelledImage
from stimuli.io.canonical import keyed_order
from stimuli.io.files import write_whole
from stimuli.places import cache_dir
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from xai_backend.explain.overlay import png_of
from xai_backend.explain.precompute import Picture, Precompute
from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import InputFrame, cut_line, read_photo
from xai_backend.models.picture_cnn import (
    ARCHITECTURE,
    ERRING,
    FEW,
    digit_network,
    digits_to_learn_from,
    never_learnt,
    numbers_of,
)
from xai_backend.progress import Reporter
from xai_backend.store import input_sha256
from xai_backend.studies.accept_reject_accuracy.request import AccuracyRequest

KEPT = 5
"""Number of the most likely labels that are kept."""
DIGITS = 6
"""Decimals of a probability that are kept; further ones differ between machines."""
SET: Final = "uci"
BLOCKS: Final = 2
"""Number of blocks in which digits are judged; two lists show each block."""


def classify(
    work: Precompute,
    classifier: Classifier,
    images: Sequence[LabelledImage],
    classes: Sequence[str],
) -> dict[str, tuple[Answer, ...]]:
    """Return a network's answers by item, the most likely first.

    Parameters
    ----------
    work
        The network, the store with its finished answers, and the workers that compute the rest.
    classifier
        The network itself, for its frame and its number of outputs.
    images
        Images; each is read when it is needed.
    classes
        Labels of the outputs, in order.

    Raises
    ------
    UserError
        If an image can't be read, or the network has another number of outputs.
    """
    pictures, sizes, frame = [], [], classifier.frame
    with work.reporter.stage("reading images", len(images)) as advance:
        for image in images:
            photo = read_photo(image.path)
            sizes.append(photo.size)
            load = partial(_codes, image.path, frame)
            pictures.append(Picture(image.item, input_sha256(frame.codes(photo)), load))
            advance(1)
    line = cut_line(classifier.name, frame, sizes)
    if line:
        work.reporter.say(line)
    # The first image is answered alone, so that a wrong list of classes is reported at once.
    for logits in work.logits(pictures[:1]).values():
        if len(logits) != len(classes):
            raise UserError(
                f"--classes: names {len(classes)} labels, but {classifier.name} has "
                f"{len(logits)} outputs"
            )
    logits_by_item = work.logits(pictures)
    return {picture.name: _ranked(logits_by_item[picture.name], classes) for picture in pictures}


def _codes(path: Path, frame: InputFrame) -> NDArray[np.uint8]:
    return frame.codes(read_photo(path))


def _ranked(logits: NDArray[np.float32], classes: Sequence[str]) -> tuple[Answer, ...]:
    shares = torch.from_numpy(logits).double().softmax(dim=0)
    top = shares.topk(min(KEPT, len(classes)))
    return tuple(
        Answer(classes[place], round(share, DIGITS))
        for share, place in zip(top.values.tolist(), top.indices.tolist(), strict=True)
    )


def with_digits(
    request: AccuracyRequest, protocol: AcceptRejectAccuracy, reporter: Reporter
) -> AccuracyRequest:
    """Return the request with UCI's digits as its images and a network that often errs as S.

    The network learns from a few digits that nobody judges; it is trained only once.
    """
    digits, seed = load_digits(SET), protocol.seed
    weights = digit_network(digits, seed, request.device, reporter, ERRING, FEW)
    others = never_learnt(digits, numbers_of(digits_to_learn_from(digits, seed, FEW)))
    size, solutions = protocol.images.size_px, protocol.solutions
    block = max(1, floor(solutions.most_trials * (solutions.shares.S + solutions.shares.E)))
    # Everything in the folder is judged, so another number of digits gets another folder.
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
    """Write the digits' names in each language to a file, and return its path."""
    names = DIGIT_WORDS
    lines = [f"{label},{names[label, '']},{names[label, 'de']}" for label in map(str, range(10))]
    write_whole(path, "\n".join(("label,name,de", *lines, "")).encode("utf-8"))
    return path

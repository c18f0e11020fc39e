"""S's answers to photographs: a torchvision classifier's most likely labels."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.images.sets import Answer, LabelledImage
from xai_backend.explain.precompute import Picture, Precompute
from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import InputFrame, read_photo
from xai_backend.models.seen import cut_line
from xai_backend.store.keys import input_sha256

KEPT = 5
"""So many of the most likely labels are kept."""
DIGITS = 6
"""Decimals of a probability that are kept: beyond them machines differ."""


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
        The network, the store of what it has answered, and who computes the rest.
    classifier
        The network itself: its frame, and how many outputs it has.
    images
        Each is read when it is needed.
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
    # The first is answered by itself, so that a wrong list of classes is told at once.
    for logits in work.logits(pictures[:1]).values():
        if len(logits) != len(classes):
            raise UserError(
                f"--classes: names {len(classes)} labels, but {classifier.name} has "
                f"{len(logits)} outputs"
            )
    found = work.logits(pictures)
    return {picture.name: _ranked(found[picture.name], classes) for picture in pictures}


def _codes(path: Path, frame: InputFrame) -> NDArray[np.uint8]:
    return frame.codes(read_photo(path))


def _ranked(logits: NDArray[np.float32], classes: Sequence[str]) -> tuple[Answer, ...]:
    shares = torch.from_numpy(logits).double().softmax(dim=0)
    top = shares.topk(min(KEPT, len(classes)))
    return tuple(
        Answer(classes[place], round(share, DIGITS))
        for share, place in zip(top.values.tolist(), top.indices.tolist(), strict=True)
    )

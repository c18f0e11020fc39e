"""S's answers to photographs: a torchvision classifier's most likely labels."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.images.names import ANY_LANGUAGE, read_names
from stimuli.images.predictions import Answer
from stimuli.images.sets import LabelledImage, rows_of
from xai_backend.explain.precompute import Picture, Precompute
from xai_backend.models.frame import InputFrame, read_photo
from xai_backend.models.torchvision_models import Classifier
from xai_backend.store.keys import input_sha256

KEPT = 5
"""So many of the most likely labels are kept."""
DIGITS = 6
"""Decimals of a probability that are kept: beyond them machines differ."""


def classes_of(classifier: Classifier, file: Path | None) -> tuple[str, ...]:
    """Return the label's id of each of a network's outputs, in order.

    Parameters
    ----------
    classifier
        The network; its published categories are taken where there is no file.
    file
        ImageNet's class index in JSON, or a CSV with a column ``label``, a row an output.

    Raises
    ------
    UserError
        If nothing says what the outputs are.
    """
    if file is None:
        if not classifier.categories:
            raise UserError(
                f"--model {classifier.name}: nothing says what its outputs are; name a file with "
                "--classes (a CSV with a column label, a row an output)"
            )
        return classifier.categories
    if file.suffix.lower() == ".json":
        return tuple(label for label, language in read_names(file) if language == ANY_LANGUAGE)
    return tuple(row["label"] for row in rows_of(file, ("label",)))


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
    pictures = []
    with work.reporter.stage("reading images", len(images)) as advance:
        for image in images:
            load = partial(_codes, image.path, classifier.frame)
            pictures.append(Picture(image.item, input_sha256(load()), load))
            advance(1)
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


def names_of_classes(file: Path | None) -> Mapping[tuple[str, str], str]:
    """Return what a file of classes calls its labels; nothing where it doesn't."""
    if file is None or (file.suffix.lower() != ".json" and "name" not in _header(file)):
        return {}
    return read_names(file)


def _header(file: Path) -> list[str]:
    rows = rows_of(file, ("label",))
    return list(rows[0]) if rows else []

"""S's answers to photographs: a torchvision classifier's most likely labels."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch

from stimuli.errors import UserError
from stimuli.studies.accept_reject_accuracy.labelled import LabelledImage, rows_of
from stimuli.studies.accept_reject_accuracy.names import ANY_LANGUAGE, read_names
from stimuli.studies.accept_reject_accuracy.predictions import Answer
from xai_backend.determinism import deterministic
from xai_backend.models.frame import read_photo
from xai_backend.models.image_model import as_images, logits_of
from xai_backend.models.torchvision_models import Classifier
from xai_backend.progress import Reporter

KEPT = 5
"""So many of the most likely labels are kept."""
DIGITS = 6
"""Decimals of a probability that are kept: beyond them machines differ."""
GROUP = 32


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
    classifier: Classifier,
    images: Sequence[LabelledImage],
    classes: Sequence[str],
    reporter: Reporter,
) -> dict[str, tuple[Answer, ...]]:
    """Return a network's answers by item, the most likely first.

    Raises
    ------
    UserError
        If an image can't be read, or the network has another number of outputs.
    """
    answers: dict[str, tuple[Answer, ...]] = {}
    with reporter.stage("classifying", len(images)) as advance:
        for some in _groups(images):
            codes = np.stack([classifier.frame.codes(read_photo(image.path)) for image in some])
            with deterministic():
                logits = logits_of(classifier.model, as_images(torch.from_numpy(codes)), GROUP)
            if logits.shape[1] != len(classes):
                raise UserError(
                    f"--classes: names {len(classes)} labels, but {classifier.name} has "
                    f"{logits.shape[1]} outputs"
                )
            top = logits.double().softmax(dim=1).topk(min(KEPT, len(classes)), dim=1)
            for image, shares, places in zip(some, top.values, top.indices, strict=True):
                answers[image.item] = tuple(
                    Answer(classes[int(place)], round(float(share), DIGITS))
                    for share, place in zip(shares, places, strict=True)
                )
            advance(len(some))
    return answers


def names_of_classes(file: Path | None) -> Mapping[tuple[str, str], str]:
    """Return what a file of classes calls its labels; nothing where it doesn't."""
    if file is None or (file.suffix.lower() != ".json" and "name" not in _header(file)):
        return {}
    return read_names(file)


def _header(file: Path) -> list[str]:
    rows = rows_of(file, ("label",))
    return list(rows[0]) if rows else []


def _groups(images: Sequence[LabelledImage]) -> Iterator[Sequence[LabelledImage]]:
    for start in range(0, len(images), GROUP):
        yield images[start : start + GROUP]

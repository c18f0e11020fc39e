"""The networks whose answers uncover images: the classifier, and ProtoPNet on top of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.images.digits import Digits
from stimuli.io.canonical import keyed_order
from stimuli.places import cache_dir
from stimuli.studies.progressive_reveal.classes import folded
from stimuli.studies.progressive_reveal.digit_pictures import digit_picture, place_by
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal, Training
from xai_backend.explain.answering import Network, classifier_at_hand
from xai_backend.models.augmentation import Augmentation
from xai_backend.models.labelled import Labelled
from xai_backend.models.picture_cnn import ARCHITECTURE as PICTURE_CNN
from xai_backend.models.picture_cnn import INPUT_PX
from xai_backend.models.picture_training import PictureTraining, trained_pictures
from xai_backend.models.torchvision_models import Classifier
from xai_backend.packs.classes import classes_of, names_of_classes
from xai_backend.progress import Reporter
from xai_backend.protopnet import ProtoPNetSettings, small, trained_protopnet
from xai_backend.studies.progressive_reveal.images import Candidate, digit_name, in_frame

Codes = NDArray[np.uint8]

LEARNT_FROM = 3000
"""Digits that the small network learns from at most, drawn by seed."""
DIGITS_VARY = Augmentation(shift_share=0.15)
"""Digits lie anywhere in their pictures, and networks learn from each at many places: else
prototypes are parts of the ground that one digit alone leaves free at that place."""
STEPS_AN_EPOCH, LEAST_BATCH = 32, 4
"""A ProtoPNet's epochs are counted for thousands of photographs: with fewer a batch is smaller, so
that an epoch has so many steps."""
KEPT = 4096
"""Pictures to learn from that stay in memory, some 600 MB; others are read again."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A network that is explained.

    Attributes
    ----------
    network
        As workers load it.
    classifier
        As it is at hand here.
    outputs
        The class of each of its outputs: a class of the pack, or the network's own word.
    """

    network: Network
    classifier: Classifier
    outputs: tuple[str, ...]

    @property
    def side_px(self) -> int:
        """Side of the picture that it takes, pixels."""
        return self.classifier.frame.crop_px


def subject(
    name: str,
    weights: str | None,
    device: str,
    classes: Sequence[str],
    classes_file: Path | None = None,
) -> Subject:
    """Return a network and what its outputs are.

    Parameters
    ----------
    name, weights, device
        See `load_network`.
    classes
        The classes of the pack. Each is an output by the network's id of it, by its name,
        or by either written another way (case, accents, underscores).
    classes_file
        What the outputs are called, see `classes_of`.

    Raises
    ------
    UserError
        If the network can't be had, or one of the classes is none of its outputs.
    """
    classifier = classifier_at_hand(name, weights, device)
    labels = classes_of(classifier, classes_file)
    names = names_of_classes(classes_file)
    places = _places(labels, {label: names.get((label, ""), label) for label in labels})
    outputs = list(labels)
    for class_id in classes:
        place = _place(class_id, places, name)
        outputs[place] = class_id
    network = Network(name, weights, device, classifier.weights_sha256)
    return Subject(network, classifier, tuple(outputs))


def _places(labels: Sequence[str], names: Mapping[str, str]) -> dict[str, set[int]]:
    places: dict[str, set[int]] = {}
    for number, label in enumerate(labels):
        for word in {label, folded(label), folded(names[label])}:
            places.setdefault(word, set()).add(number)
    return places


def _place(class_id: str, places: Mapping[str, set[int]], name: str) -> int:
    found = places.get(class_id) or places.get(folded(class_id)) or set()
    if len(found) == 1:
        return min(found)
    trouble = "is several of its outputs" if found else "is none of its outputs"
    raise UserError(
        f"--model {name}: class {class_id} {trouble}; name the images' classes as the network "
        "does, or give --classes FILE (ImageNet's class index, or a CSV with a column label)"
    )


def digit_network(digits: Digits, seed: int, device: str, reporter: Reporter) -> str:
    """Return the file of the small network for digits as pictures, trained or found."""
    return str(
        trained_pictures(
            digits_to_learn_from(digits, seed),
            PictureTraining(augmentation=DIGITS_VARY),
            seed,
            cache_dir() / "checkpoints",
            reporter,
            device,
        )
    )


def digits_to_learn_from(digits: Digits, seed: int) -> Labelled:
    """Return training digits as pictures in the small network's frame."""
    indices = keyed_order(digits.train_indices.tolist(), seed, "learn")[:LEARNT_FROM]
    names = tuple(digit_name(digits, k) for k in indices)
    pictures = [
        digit_picture(digits.images[k], INPUT_PX, place_by(name))
        for k, name in zip(indices, names, strict=True)
    ]
    return Labelled(np.stack(pictures), digits.labels[indices], tuple(map(str, range(10))), names)


class PhotographCodes:
    """RGB codes of photographs in a network's frame, read when they are asked for.

    Parameters
    ----------
    photographs
        In order.
    shown_px
        Side at which people would see them.
    side_px
        Side of the network's frame.
    """

    def __init__(self, photographs: Sequence[Candidate], shown_px: int, side_px: int) -> None:
        self._photographs = photographs
        self._shown_px, self._side_px = shown_px, side_px
        self._kept: dict[int, Codes] = {}

    def __len__(self) -> int:
        return len(self._photographs)

    def __getitem__(self, rows: NDArray[np.int64]) -> Codes:
        """Return the codes (k, side, side, 3) of some photographs."""
        return np.stack([self._codes(int(row)) for row in rows])

    def _codes(self, row: int) -> Codes:
        if row not in self._kept:
            picture = self._photographs[row].read(self._shown_px).picture
            codes = in_frame(picture, self._side_px)
            if len(self._kept) >= KEPT:
                return codes
            self._kept[row] = codes
        return self._kept[row]


def photographs_to_learn_from(
    left: Sequence[Candidate], classes: Sequence[str], shown_px: int, side_px: int
) -> Labelled:
    """Return the photographs that nobody is shown, for ProtoPNet.

    Raises
    ------
    UserError
        If a class has none.
    """
    lacking = sorted(set(classes) - {one.class_id for one in left})
    if lacking:
        raise UserError(
            f"protopnet: all images of {lacking[0]} are shown and none is left to train on; add "
            "images, give a trained one with --protopnet FILE, or take protopnet out of "
            "reveal.methods"
        )
    places = {class_id: number for number, class_id in enumerate(classes)}
    return Labelled(
        PhotographCodes(left, shown_px, side_px),
        np.array([places[one.class_id] for one in left], dtype=np.int64),
        tuple(classes),
        tuple(one.item for one in left),
    )


def protopnet(
    plain: Subject, pictures: Labelled, protocol: ProgressiveReveal, reporter: Reporter
) -> str:
    """Return the file of a ProtoPNet with the classifier as its backbone, trained or found."""
    counts = np.bincount(pictures.labels, minlength=len(pictures.classes))
    reporter.say(f"protopnet learns from {counts.min()} to {counts.max()} images a class")
    settings = protopnet_settings(protocol.training, plain.network.name, len(pictures))
    folder = cache_dir() / "checkpoints"
    return str(
        trained_protopnet(plain.classifier, pictures, settings, protocol.seed, folder, reporter)
    )


def protopnet_settings(training: Training, network: str, pictures: int) -> ProtoPNetSettings:
    """Return a protocol's settings; what it leaves open is what suits network and pictures."""
    usual = ProtoPNetSettings()
    if network == PICTURE_CNN:
        usual = replace(small(), augmentation=DIGITS_VARY)
    else:
        few = max(LEAST_BATCH, pictures // STEPS_AN_EPOCH)
        usual = replace(usual, batch=min(usual.batch, few))
    return replace(usual, **training.model_dump())


def check_known(path: Path, known: Iterable[str], classes: Sequence[str]) -> None:
    """Refuse a trained ProtoPNet that doesn't know one of the classes."""
    lacking = sorted(set(classes) - set(known))
    if lacking:
        raise UserError(
            f"--protopnet {path}: has no prototypes of {lacking[0]}; train it on the pack's "
            "classes, or leave the option out to train one here"
        )

"""The networks whose answers uncover images: the classifier, and ProtoPNet on top of it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.places import cache_dir
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal, Training
from xai_backend.models.frame import InputFrame, in_frame
from xai_backend.models.labelled import Labelled
from xai_backend.models.picture_cnn import ARCHITECTURE as PICTURE_CNN
from xai_backend.packs.digit_network import DIGITS_VARY
from xai_backend.packs.subject import Subject
from xai_backend.progress import Reporter
from xai_backend.protopnet import ProtoPNetSettings, small, trained_protopnet
from xai_backend.studies.progressive_reveal.images import Candidate

Codes = NDArray[np.uint8]

STEPS_AN_EPOCH, LEAST_BATCH = 32, 4
"""A ProtoPNet's epochs are counted for thousands of photographs: with fewer a batch is smaller, so
that an epoch has so many steps."""
KEPT = 4096
"""Pictures to learn from that stay in memory, some 600 MB; others are read again."""


class PhotographCodes:
    """RGB codes of photographs in a network's frame, read when they are asked for.

    Parameters
    ----------
    photographs
        In order.
    shown_px
        Side at which people would see them.
    frame
        The network's.
    """

    def __init__(self, photographs: Sequence[Candidate], shown_px: int, frame: InputFrame) -> None:
        self._photographs = photographs
        self._shown_px, self._frame = shown_px, frame
        self._kept: dict[int, Codes] = {}

    def __len__(self) -> int:
        return len(self._photographs)

    def __getitem__(self, rows: NDArray[np.int64]) -> Codes:
        """Return the codes (k, side, side, 3) of some photographs."""
        return np.stack([self._codes(int(row)) for row in rows])

    def _codes(self, row: int) -> Codes:
        if row not in self._kept:
            picture = self._photographs[row].read(self._shown_px).picture
            codes = in_frame(picture, self._frame)
            if len(self._kept) >= KEPT:
                return codes
            self._kept[row] = codes
        return self._kept[row]


def photographs_to_learn_from(
    left: Sequence[Candidate], classes: Sequence[str], shown_px: int, frame: InputFrame
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
        PhotographCodes(left, shown_px, frame),
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

"""The networks that solve and explain the images: the classifier, and ProtoPNet on top of it.

Each is made when it is needed. Their answers uncover the images.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from stimuli.errors import UserError
from stimuli.images.digits import Digits
from stimuli.places import cache_dir
from stimuli.studies.progressive_reveal.protocol import PROTOTYPES, ProgressiveReveal, Training
from stimuli.workers import Workers
from xai_backend.explain.answering import Network
from xai_backend.explain.precompute import (
    FEW_BATCHES,
    FEW_BATCHES_OF_A_SMALL_NETWORK,
    Picture,
    Precompute,
    checked_workers,
)
from xai_backend.methods.protopnet import ProtoPNetMap
from xai_backend.models.classifier import say_if_mostly_wrong
from xai_backend.models.frame import InputFrame, in_frame
from xai_backend.models.image_model import as_images
from xai_backend.models.labelled import Labelled
from xai_backend.models.picture_cnn import ARCHITECTURE as PICTURE_CNN
from xai_backend.models.picture_cnn import DIGITS_VARY, digit_network, digits_to_learn_from
from xai_backend.options import NamedMethod
from xai_backend.packs.subject import Subject, subject
from xai_backend.progress import Reporter
from xai_backend.protopnet import ProtoPNetSettings, read_protopnet, small, trained_protopnet
from xai_backend.store import TensorStore, input_sha256
from xai_backend.studies.progressive_reveal.images import Candidate, Drawn
from xai_backend.studies.progressive_reveal.maps import (
    Images,
    Mapped,
    as_seen,
    explained,
    explained_outputs,
)
from xai_backend.studies.progressive_reveal.protocol import reveal_method

Codes = NDArray[np.uint8]

STEPS_AN_EPOCH, LEAST_BATCH = 32, 4
"""Steps in an epoch, and the smallest batch. A ProtoPNet's number of epochs is meant for thousands
of photographs; with fewer, batches are made smaller, so that an epoch has this many steps."""
KEPT = 4096
"""Number of pictures to learn from that stay in memory, about 600 MB; others are read again."""


class PhotographCodes:
    """RGB codes of photographs in a network's frame; they are read when they are needed.

    Parameters
    ----------
    photographs
        The photographs, in order.
    shown_px
        Side at which people would see them, pixels.
    frame
        The network's frame.
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
    candidates: Sequence[Candidate], classes: Sequence[str], shown_px: int, frame: InputFrame
) -> Labelled:
    """Return the photographs that nobody is shown, for training ProtoPNet.

    Raises
    ------
    UserError
        If a class has no such photograph.
    """
    lacking = sorted(set(classes) - {candidate.class_id for candidate in candidates})
    if lacking:
        raise UserError(
            f"protopnet: all images of {lacking[0]} are shown and none is left to train on; add "
            "images, give a trained one with --protopnet FILE, or take protopnet out of "
            "reveal.methods"
        )
    places = {class_id: number for number, class_id in enumerate(classes)}
    return Labelled(
        PhotographCodes(candidates, shown_px, frame),
        np.array([places[candidate.class_id] for candidate in candidates], dtype=np.int64),
        tuple(classes),
        tuple(candidate.item for candidate in candidates),
    )


def protopnet(
    plain: Subject, pictures: Labelled, protocol: ProgressiveReveal, reporter: Reporter
) -> str:
    """Return the file of a ProtoPNet on the classifier's backbone; it is trained only once."""
    counts = np.bincount(pictures.labels, minlength=len(pictures.classes))
    reporter.say(f"protopnet learns from {counts.min()} to {counts.max()} images a class")
    settings = protopnet_settings(protocol.training, plain.network.name, len(pictures))
    folder = cache_dir() / "checkpoints"
    return str(
        trained_protopnet(plain.classifier, pictures, settings, protocol.seed, folder, reporter)
    )


def protopnet_settings(training: Training, network: str, pictures: int) -> ProtoPNetSettings:
    """Return a protocol's settings; what it leaves open is chosen to suit network and pictures."""
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


@dataclass(frozen=True, slots=True)
class Origins:
    """What the networks are made from.

    Attributes
    ----------
    protocol
        It names the classifier and says how ProtoPNet learns.
    drawn
        The images; ProtoPNet learns from those that aren't shown.
    digits
        The digits, if digits are shown; both networks learn from other digits of the set.
    weights, classes
        The classifier's weights, and the labels of its outputs.
    protopnet
        File of a trained ProtoPNet.
    device, workers
        See `Precompute`.
    methods
        What names of methods stand for, from the command line.
    model
        The classifier's name from the command line; None for the protocol's.
    metrics
        Whether maps get metrics.
    """

    protocol: ProgressiveReveal
    drawn: Drawn
    digits: Digits | None = None
    weights: str | None = None
    classes: Path | None = None
    protopnet: Path | None = None
    device: str = "cpu"
    workers: Workers | None = None
    methods: Mapping[str, NamedMethod] = field(default_factory=dict)
    model: str | None = None
    metrics: bool = False


class Solvers:
    """The networks of a build, and their maps.

    Parameters
    ----------
    origins
        What the networks are made from; a network that no method needs isn't loaded or trained.
    store
        Where results are kept and found.
    reporter
        Shows progress.
    """

    def __init__(self, origins: Origins, store: TensorStore, reporter: Reporter) -> None:
        self._from, self._store, self._reporter = origins, store, reporter
        self._judged: set[Network] = set()

    def mapped(self, method: str, images: Images) -> Mapped:
        """Return a method's maps of all images.

        Raises
        ------
        UserError
            If a network isn't available or can't be trained, or the method refuses it.
        """
        of = self._protopnet if method == PROTOTYPES else self._plain
        how = reveal_method(method, self._from.protocol, self._from.methods)
        patch_px = getattr(how, "patch_px", 0)
        if patch_px > of.side_px:
            raise UserError(
                f"system.patch_px is {patch_px}, larger than what {of.network.name} takes "
                f"({of.side_px})"
            )
        mapped = explained(of, how, self._work(of), images, self._which, metrics=self._from.metrics)
        self._say_errors(
            of,
            {image.item: image.class_id for image in images},
            {item: answer.class_id for item, answer in mapped.answers.items()},
        )
        return mapped

    def named_rightly(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the images that the classifier classifies correctly; the list may be empty.

        Each image is read once, and again if its answer isn't in the store yet.
        """
        of, size_px = self._plain, self._from.protocol.images.size_px
        pictures = []
        with self._reporter.stage("reading images", len(candidates)) as advance:
            for candidate in candidates:
                load = partial(_codes, candidate, size_px, of)
                pictures.append(Picture(candidate.item, input_sha256(load()), load))
                advance(1)
        logits = self._work(of).logits(pictures)
        answers = {
            item: of.outputs[int(image_logits.argmax())] for item, image_logits in logits.items()
        }
        self._say_errors(
            of, {candidate.item: candidate.class_id for candidate in candidates}, answers
        )
        return [
            candidate for candidate in candidates if answers[candidate.item] == candidate.class_id
        ]

    def _say_errors(self, of: Subject, true: Mapping[str, str], answers: Mapping[str, str]) -> None:
        """Report once for each network if it is mostly wrong."""
        if of.network not in self._judged:
            self._judged.add(of.network)
            right = sum(answers[item] == true[item] for item in answers)
            say_if_mostly_wrong(self._reporter, of.network.name, right, len(answers))

    @property
    def _which(self) -> str:
        return self._from.protocol.system.explained_class

    def _work(self, of: Subject) -> Precompute:
        small = self._from.digits is not None
        return Precompute(
            of.network,
            of.classifier.preprocessing,
            self._store,
            checked_workers(self._from.workers, self._from.device),
            reporter=self._reporter,
            few_batches=FEW_BATCHES_OF_A_SMALL_NETWORK if small else FEW_BATCHES,
        )

    def prototypes(self, images: Images) -> dict[str, Codes]:
        """Return, by item, the part of the prototype that its protopnet map shows.

        Returns
        -------
        uint8 (h, w, 3) each
            Its longer side is half of the shown picture's.
        """
        of, how = self._protopnet, reveal_method(PROTOTYPES, self._from.protocol)
        assert isinstance(how, ProtoPNetMap)
        trained = read_protopnet(Path(str(of.network.weights)), self._from.device)
        codes = np.stack(
            [in_frame(photo.picture, of.classifier.frame) for photo in images.values()]
        )
        logits = self._work(of).logits(as_seen(of, images)) if self._which == "predicted" else {}
        outputs = explained_outputs(of, images, logits, self._which)
        targets = torch.tensor([outputs[image.item] for image in images])
        winners = how.winners(trained.model, as_images(torch.from_numpy(codes)), targets)
        chosen = [trained.prototypes[number] for number in winners]
        size_px = self._from.protocol.images.size_px // 2
        return {
            image.item: _scaled(prototype.part, size_px)
            for image, prototype in zip(images, chosen, strict=True)
        }

    @cached_property
    def _plain(self) -> Subject:
        """The classifier, loaded."""
        protocol, device = self._from.protocol, self._from.device
        name, weights = self._from.model or protocol.system.network, self._from.weights
        if self._from.digits is not None:
            weights = digit_network(self._from.digits, protocol.seed, device, self._reporter)
        return subject(name, weights, device, self._from.drawn.classes, self._from.classes)

    @cached_property
    def _protopnet(self) -> Subject:
        """The given ProtoPNet, or else one on the classifier's backbone, trained only once."""
        device, classes = self._from.device, self._from.drawn.classes
        file = self._from.protopnet
        if file is not None:
            known = read_protopnet(file, device).classes
            check_known(file, known, classes)
            return subject(PROTOTYPES, str(file), device, classes)
        plain, protocol = self._plain, self._from.protocol
        if self._from.digits is not None:
            pictures = digits_to_learn_from(self._from.digits, protocol.seed)
        else:
            pictures = photographs_to_learn_from(
                self._from.drawn.left, classes, protocol.images.size_px, plain.classifier.frame
            )
        path = protopnet(plain, pictures, protocol, self._reporter)
        return subject(PROTOTYPES, path, device, classes)


def _codes(candidate: Candidate, size_px: int, of: Subject) -> Codes:
    """Read an image and return it as a network sees it."""
    return in_frame(candidate.read(size_px).picture, of.classifier.frame)


def _scaled(part: Codes, size_px: int) -> Codes:
    """Return a part of a picture, resized so that its longer side is ``size_px``."""
    height, width = part.shape[:2]
    scale = size_px / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(Image.fromarray(part).resize(size, Image.Resampling.BICUBIC), dtype=np.uint8)

"""What solves and explains the images: the classifier and ProtoPNet, each made when needed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from stimuli.errors import UserError
from stimuli.images.digits import Digits
from stimuli.studies.progressive_reveal.protocol import PROTOTYPES, ProgressiveReveal
from stimuli.workers import Workers
from xai_backend.asked import NamedMethod
from xai_backend.explain.answering import Network
from xai_backend.explain.precompute import (
    FEW_BATCHES,
    FEW_BATCHES_OF_A_SMALL_NETWORK,
    Picture,
    Precompute,
    checked_workers,
)
from xai_backend.methods.protopnet import ProtoPNetMap
from xai_backend.models.frame import in_frame
from xai_backend.models.image_model import as_images
from xai_backend.models.mostly_wrong import say_if_mostly_wrong
from xai_backend.packs.digit_network import digit_network, digits_to_learn_from
from xai_backend.packs.subject import Subject, subject
from xai_backend.progress import Reporter
from xai_backend.protopnet import read_protopnet
from xai_backend.store import TensorStore
from xai_backend.store.keys import input_sha256
from xai_backend.studies.progressive_reveal.images import Candidate, Drawn
from xai_backend.studies.progressive_reveal.maps import (
    Images,
    Mapped,
    as_seen,
    explained,
    explained_outputs,
)
from xai_backend.studies.progressive_reveal.networks import (
    check_known,
    photographs_to_learn_from,
    protopnet,
)
from xai_backend.studies.progressive_reveal.protocol import reveal_method

Codes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Origins:
    """What the networks come from.

    Attributes
    ----------
    protocol
        Names the classifier, and how ProtoPNet learns.
    drawn
        The images: those that aren't shown are what ProtoPNet learns from.
    digits
        The digits, if it is they that are shown: both networks learn from others of them.
    weights, classes
        Of the classifier: its weights and what its outputs are called.
    protopnet
        A trained one.
    device, workers
        See `Precompute`.
    methods
        What makes the maps of methods that were named on the command line.
    model
        The classifier as it was named there; None for the protocol's.
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


class Solvers:
    """The networks of a build, and the maps that come of them.

    Parameters
    ----------
    origins
        What the networks come from; one that no method needs isn't made.
    store
        Where results are kept and found.
    reporter
        Told how far it is.
    """

    def __init__(self, origins: Origins, store: TensorStore, reporter: Reporter) -> None:
        self._from, self._store, self._reporter = origins, store, reporter
        self._judged: set[Network] = set()

    def mapped(self, method: str, images: Images) -> Mapped:
        """Return a method's maps of all images.

        Raises
        ------
        UserError
            If a network can't be had or can't be trained, or the method refuses it.
        """
        of = self._protopnet if method == PROTOTYPES else self._plain
        how = reveal_method(method, self._from.protocol, self._from.methods)
        patch_px = getattr(how, "patch_px", 0)
        if patch_px > of.side_px:
            raise UserError(
                f"system.patch_px is {patch_px}, larger than what {of.network.name} takes "
                f"({of.side_px})"
            )
        found = explained(of, how, self._work(of), images, self._which)
        self._say_errors(
            of,
            {one.item: one.class_id for one in images},
            {item: answer.class_id for item, answer in found.answers.items()},
        )
        return found

    def named_rightly(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the images whose class the classifier gives; UserError if there is none.

        Each of them is read, and read again where its answer isn't kept yet.
        """
        of, size_px = self._plain, self._from.protocol.images.size_px
        pictures = []
        with self._reporter.stage("reading images", len(candidates)) as advance:
            for one in candidates:
                load = partial(_codes, one, size_px, of)
                pictures.append(Picture(one.item, input_sha256(load()), load))
                advance(1)
        logits = self._work(of).logits(pictures)
        given = {item: of.outputs[int(own.argmax())] for item, own in logits.items()}
        self._say_errors(of, {one.item: one.class_id for one in candidates}, given)
        return [one for one in candidates if given[one.item] == one.class_id]

    def _say_errors(self, of: Subject, true: Mapping[str, str], given: Mapping[str, str]) -> None:
        """Say once of each network if it is mostly wrong."""
        if of.network not in self._judged:
            self._judged.add(of.network)
            right = sum(given[item] == true[item] for item in given)
            say_if_mostly_wrong(self._reporter, of.network.name, right, len(given))

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
        """Return by item the patch of the prototype that its protopnet map is of.

        Returns
        -------
        uint8 (h, w, 3) each
            Its longer side is half of the shown picture's.
        """
        of, how = self._protopnet, reveal_method(PROTOTYPES, self._from.protocol)
        assert isinstance(how, ProtoPNetMap)
        trained = read_protopnet(Path(str(of.network.weights)), self._from.device)
        codes = np.stack([in_frame(one.picture, of.classifier.frame) for one in images.values()])
        logits = self._work(of).logits(as_seen(of, images)) if self._which == "predicted" else {}
        outputs = explained_outputs(of, images, logits, self._which)
        targets = torch.tensor([outputs[one.item] for one in images])
        found = how.winners(trained.model, as_images(torch.from_numpy(codes)), targets)
        chosen = [trained.prototypes[number] for number in found]
        size_px = self._from.protocol.images.size_px // 2
        return {
            one.item: _scaled(prototype.part, size_px)
            for one, prototype in zip(images, chosen, strict=True)
        }

    @cached_property
    def _plain(self) -> Subject:
        """The classifier."""
        protocol, device = self._from.protocol, self._from.device
        name, weights = self._from.model or protocol.system.network, self._from.weights
        if self._from.digits is not None:
            weights = digit_network(self._from.digits, protocol.seed, device, self._reporter)
        return subject(name, weights, device, self._from.drawn.classes, self._from.classes)

    @cached_property
    def _protopnet(self) -> Subject:
        """ProtoPNet: the one that was given, else the classifier's, trained or found."""
        device, classes = self._from.device, self._from.drawn.classes
        given = self._from.protopnet
        if given is not None:
            known = read_protopnet(given, device).classes
            check_known(given, known, classes)
            return subject(PROTOTYPES, str(given), device, classes)
        plain, protocol = self._plain, self._from.protocol
        if self._from.digits is not None:
            pictures = digits_to_learn_from(self._from.digits, protocol.seed)
        else:
            pictures = photographs_to_learn_from(
                self._from.drawn.left, classes, protocol.images.size_px, plain.classifier.frame
            )
        path = protopnet(plain, pictures, protocol, self._reporter)
        return subject(PROTOTYPES, path, device, classes)


def _codes(one: Candidate, size_px: int, of: Subject) -> Codes:
    """Return an image as a network sees it, read anew."""
    return in_frame(one.read(size_px).picture, of.classifier.frame)


def _scaled(part: Codes, size_px: int) -> Codes:
    """Return a part of a picture, its longer side of ``size_px``."""
    height, width = part.shape[:2]
    scale = size_px / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(Image.fromarray(part).resize(size, Image.Resampling.BICUBIC), dtype=np.uint8)

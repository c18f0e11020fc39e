"""A network at work on a folder's photographs: what every job on them begins with."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from stimuli.errors import UserError
from stimuli.workers import Workers
from xai_backend.explain.album import Album
from xai_backend.explain.answering import Network, classifier_at_hand
from xai_backend.explain.precompute import Found, Precompute, checked_workers
from xai_backend.methods.method import Method
from xai_backend.methods.occlusion import has_short_cut
from xai_backend.models.classifier import Classifier, checked_device
from xai_backend.models.image_model import probability
from xai_backend.progress import Reporter
from xai_backend.store import opened_store


class Request(Protocol):
    """What a job says of its network and of the work; as in `job.ExplainRequest`."""

    @property
    def model(self) -> str:
        """Name of the network."""

    @property
    def weights(self) -> str | None:
        """Its weights."""

    @property
    def device(self) -> str:
        """Where it runs."""

    @property
    def batch(self) -> int | None:
        """Inputs that go through it at once."""

    @property
    def target(self) -> int | None:
        """Class to explain in every image; None for each image's most likely one."""

    @property
    def store(self) -> Path | None:
        """Where maps are kept."""

    @property
    def workers(self) -> Workers | None:
        """Who computes."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The class that is explained in a photograph, and its probability."""

    target: int
    probability: float


@dataclass(frozen=True, slots=True)
class Job:
    """A network, the photographs that it takes, and what it says of them.

    Attributes
    ----------
    classifier, album
        The network and the photographs.
    work
        Who computes maps.
    answers
        The class to explain, by photograph.
    """

    classifier: Classifier
    album: Album
    work: Precompute
    answers: dict[str, Answered]

    def maps(self, method: Method) -> dict[str, Found]:
        """Return a method's maps by photograph; those that have vanished are left out."""
        pictures = [picture for picture in self.album.pictures if picture.name in self.answers]
        targets = [self.answers[picture.name].target for picture in pictures]
        return self.work.maps(method, pictures, targets)


@contextmanager
def working(
    request: Request, paths: Sequence[Path], reporter: Reporter, *, compiled: bool = False
) -> Iterator[Job]:
    """Yield a network at work on photographs; its store is open as long.

    Parameters
    ----------
    request
        Which network, and how.
    paths
        The photographs' files; stems differ.
    reporter
        Told how far it is.
    compiled
        Whether the network goes through torch.compile.

    Raises
    ------
    UserError
        If the network or the device can't be had, or the class to explain doesn't exist.
    """
    checked_device(request.device)
    workers = checked_workers(request.workers, request.device)
    classifier = classifier_at_hand(request.model, request.weights, request.device)
    if compiled and request.device == "cpu" and has_short_cut(classifier.model):
        reporter.say(f"--compile gives up a short cut for {classifier.name} that is faster on CPUs")
    album = Album(paths, classifier.frame, reporter)
    network = Network(request.model, request.weights, request.device, classifier.weights_sha256)
    with opened_store(request.store) as store:
        work = Precompute(
            network,
            classifier.preprocessing,
            store,
            workers,
            request.batch,
            reporter,
            compiled=compiled,
        )
        yield Job(classifier, album, work, _answers(work, album, request.target, classifier))


def _answers(
    work: Precompute, album: Album, target: int | None, classifier: Classifier
) -> dict[str, Answered]:
    answers = {}
    for name, logits in work.logits(album.pictures).items():
        if target is not None and not 0 <= target < len(logits):
            raise UserError(
                f"--target {target}: {classifier.name} has classes 0 to {len(logits) - 1}"
            )
        chosen = int(logits.argmax()) if target is None else target
        answers[name] = Answered(chosen, probability(logits, chosen))
    return answers

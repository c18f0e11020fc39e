"""What may be asked of progressive_reveal's builder, and what goes together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stimuli.errors import UserError
from stimuli.studies.progressive_reveal.protocol import HUMAN, PROTOTYPES, ProgressiveReveal
from stimuli.workers import Workers, check_reachable
from xai_backend.explain.precompute import checked_workers
from xai_backend.methods.asked import NamedMethod
from xai_backend.studies.progressive_reveal.clickme import record_files
from xai_backend.studies.progressive_reveal.protocol import DIGIT_SOURCES


@dataclass(frozen=True, slots=True)
class RevealRequest:
    """What is asked for; None where it is left open.

    Attributes
    ----------
    protocol_file, seed
        Protocol file, and a seed instead of the protocol's.
    source
        ``uci`` or ``mnist`` for digits; labelled images: a folder with one sub-folder a
        class, or a CSV; or ClickMe's own TFRecords. Digits of UCI, which need nothing, if it
        is left open.
    images
        File that lists the main images, in place of a draw.
    model, weights, classes
        The classifier instead of the protocol's, its weights, and what its outputs are called.
    protopnet
        File of a trained ProtoPNet; without it one is trained on images that aren't shown.
    human_maps
        Folders of people's maps: grey PNG or ``.npy`` by the image's stem, or a map set.
    robot_bubblers
        How many robots bubble each image in people's place.
    for_bubbling
        Whether a task pack is wanted, on which people mark the images by bubbles.
    methods
        What methods of the protocol stand for, where they aren't the suite's.
    maps
        Folders of maps that a lab made elsewhere, by method.
    names
        What classes are called on screen.
    out, device
        The pack's folder; ``cpu`` or ``cuda``.
    workers
        Who explains; None for what suits the number of images.
    """

    protocol_file: Path | None = None
    seed: int | None = None
    source: str | None = None
    images: Path | None = None
    model: str | None = None
    weights: str | None = None
    classes: Path | None = None
    protopnet: Path | None = None
    human_maps: tuple[Path, ...] = ()
    robot_bubblers: int | None = None
    for_bubbling: bool = False
    methods: Mapping[str, NamedMethod] = field(default_factory=dict)
    maps: Mapping[str, Path] = field(default_factory=dict)
    names: Path | None = None
    out: Path | None = None
    device: str = "cpu"
    workers: Workers | None = None

    @property
    def of_digits(self) -> bool:
        """Whether the images are digits."""
        return self.source is None or self.source in DIGIT_SOURCES

    @property
    def records(self) -> tuple[Path, ...]:
        """ClickMe's TFRecords, where the images and people's maps come from these."""
        return () if self.of_digits else record_files(Path(str(self.source)).expanduser())


def check_request(request: RevealRequest, protocol: ProgressiveReveal) -> None:
    """Refuse what doesn't go together, and workers that can't be reached.

    Raises
    ------
    UserError
        In one line.
    """
    methods = protocol.reveal.methods
    if not request.of_digits and not Path(str(request.source)).expanduser().exists():
        raise UserError(
            f"--source {request.source}: take uci, mnist, or labelled images (a folder with one "
            "sub-folder a class, a CSV image,label, or ClickMe's TFRecords)"
        )
    if request.records:
        _check_clickme(request)
    if request.of_digits:
        own = {
            "--weights": request.weights,
            "--classes": request.classes,
        }
        for option, value in own.items():
            if value is not None:
                raise UserError(f"{option} goes with images of your own (--source), not digits")
    if request.robot_bubblers is not None and request.human_maps:
        raise UserError("--robot-bubblers bubble in people's place: not with --human-maps")
    if request.robot_bubblers is not None and request.robot_bubblers < 1:
        raise UserError(f"--robot-bubblers is {request.robot_bubblers}, must be 1 or more")
    mapped = bool(request.human_maps) or request.robot_bubblers is not None
    if request.for_bubbling:
        if mapped:
            raise UserError("--for-bubbling comes before maps: not with --human-maps or robots")
        return
    if HUMAN not in methods and mapped:
        raise UserError(
            "--human-maps and --robot-bubblers: reveal.methods doesn't name human, so nobody "
            "would be shown their maps"
        )
    if HUMAN in methods and not (mapped or request.of_digits or request.records):
        raise UserError(
            "human maps: give --human-maps DIR (grey PNG or .npy by the image's stem, or a map "
            "set); or --robot-bubblers 5 for simulated ones; or take human out of reveal.methods"
        )
    if request.protopnet and PROTOTYPES not in methods:
        raise UserError("--protopnet: reveal.methods doesn't name protopnet")
    workers = checked_workers(request.workers, request.device)
    if workers is not None:
        check_reachable(workers)


def _check_clickme(request: RevealRequest) -> None:
    """Refuse what doesn't go with ClickMe's records, which hold photographs and maps."""
    options = {
        "--human-maps": bool(request.human_maps),
        "--robot-bubblers": request.robot_bubblers is not None,
        "--for-bubbling": request.for_bubbling,
    }
    for option in (name for name, given in options.items() if given):
        raise UserError(f"{option}: ClickMe's records have the maps of its players; leave it out")
    if request.classes is None:
        raise UserError(
            "--source: ClickMe's TFRecords give the number of ImageNet's class; name the classes "
            "with --classes FILE (ImageNet's class index)"
        )

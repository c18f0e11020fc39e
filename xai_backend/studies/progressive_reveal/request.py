"""What may be asked of progressive_reveal's builder, and what goes together."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from stimuli.errors import UserError
from stimuli.options import Repeated
from stimuli.workers import check_reachable
from xai_backend import options

if TYPE_CHECKING:
    from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal

DIGIT_SOURCES: Final = ("uci", "mnist")
USUAL_BUBBLERS: Final = 5


@dataclass(frozen=True, slots=True)
class RevealRequest:
    """What is asked for; None where it is left open. The fields are the command's options."""

    protocol_file: options.ProtocolFile = None
    source: Annotated[
        str | None,
        typer.Option(
            metavar="uci|mnist|DIR|CSV|TFRECORDS",
            help="Digits; labelled images: a folder with one sub-folder for each class, or a "
            "CSV image,label; or ClickMe's own files (a TFRecord, or a folder of them), which "
            "include people's maps.",
        ),
    ] = None
    images: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The main images, one name on each line, such as a published list. Default: "
            "drawn at random.",
        ),
    ] = None
    seed: options.Seed = None
    out: options.Out = None
    human_maps: Annotated[
        tuple[Path, ...],
        typer.Option(
            metavar="DIR",
            help="People's maps: grey PNG or .npy by the image's stem, or a map set. May be "
            "repeated.",
        ),
        Repeated(Path),
    ] = ()
    robot_bubblers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Let N robots mark each image instead of people."),
    ] = None
    for_bubbling: Annotated[
        bool,
        typer.Option(
            "--for-bubbling", help="Build the task pack on which people mark images by bubbles."
        ),
    ] = False
    methods: options.Methods = field(default_factory=dict)
    maps: options.Maps = field(default_factory=dict)
    model: options.Model = None
    weights: options.Weights = None
    classes: options.Classes = None
    protopnet: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A trained ProtoPNet. Default: train one.")
    ] = None
    names: options.Names = None
    metrics: options.Metrics = False
    device: options.Device = "cpu"
    workers: options.WorkersAsked = None

    @property
    def of_digits(self) -> bool:
        """Whether the images are digits."""
        return self.source is None or self.source in DIGIT_SOURCES

    @property
    def players(self) -> int:
        """How many robots mark each image if there are no people's maps."""
        return self.robot_bubblers or USUAL_BUBBLERS

    @property
    def records(self) -> tuple[Path, ...]:
        """ClickMe's TFRecords, if the images and people's maps come from them."""
        from xai_backend.studies.progressive_reveal.clickme import record_files

        return () if self.of_digits else record_files(Path(str(self.source)).expanduser())


def check_request(request: RevealRequest, protocol: "ProgressiveReveal") -> None:
    """Refuse options that don't go together, and workers that can't be reached.

    Raises
    ------
    UserError
        In one line.
    """
    from stimuli.studies.progressive_reveal.protocol import HUMAN, PROTOTYPES
    from xai_backend.explain.precompute import checked_workers

    methods = protocol.reveal.methods
    if not request.of_digits and not Path(str(request.source)).expanduser().exists():
        raise UserError(
            f"--source {request.source}: there is no such file or folder; take uci, mnist, or "
            "labelled images (a folder with one sub-folder a class, a table image,label, or "
            "ClickMe's TFRecords)"
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
    """Refuse options that don't go with ClickMe's records, which contain photographs and maps."""
    beside = {
        "--human-maps": bool(request.human_maps),
        "--robot-bubblers": request.robot_bubblers is not None,
        "--for-bubbling": request.for_bubbling,
    }
    for option in (name for name, given in beside.items() if given):
        raise UserError(f"{option}: ClickMe's records have the maps of its players; leave it out")
    if request.classes is None:
        raise UserError(
            "--source: ClickMe's TFRecords give the number of ImageNet's class; name the classes "
            "with --classes FILE (ImageNet's class index)"
        )

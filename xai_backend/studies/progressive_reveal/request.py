"""What may be asked of progressive_reveal's builder, and what goes together."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from stimuli.errors import UserError
from stimuli.options import Needs, NotWith, Repeated
from xai_backend import options

if TYPE_CHECKING:
    from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal

DIGIT_SOURCES: Final = ("uci", "mnist")
USUAL_BUBBLERS: Final = 5


def is_of_digits(source: str | None) -> bool:
    """Return whether a source is digits."""
    return source is None or source in DIGIT_SOURCES


def records_of(source: str | None) -> tuple[Path, ...]:
    """Return a source's TFRecords of ClickMe; empty without any."""
    from xai_backend.studies.progressive_reveal.clickme import record_files

    return () if is_of_digits(source) else record_files(Path(str(source)).expanduser())


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
        NotWith(
            "--weights --classes",
            "it is for images of your own (--source DIR)",
            when=is_of_digits,
            of="digits",
        ),
        NotWith(
            "--human-maps --robot-bubblers --for-bubbling",
            "the records have the maps of their players",
            when=records_of,
            of="of ClickMe's TFRecords",
        ),
        Needs(
            "--classes",
            "the records have only the number of ImageNet's class (its class index names them)",
            when=records_of,
            of="of ClickMe's TFRecords",
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
        NotWith("--robot-bubblers", "they bubble in people's place"),
    ] = ()
    robot_bubblers: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Let N robots mark each image instead of people."),
    ] = None
    for_bubbling: Annotated[
        bool,
        typer.Option(
            "--for-bubbling", help="Build the task pack on which people mark images by bubbles."
        ),
        NotWith("--human-maps --robot-bubblers", "the task pack comes before maps"),
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
        return is_of_digits(self.source)

    @property
    def players(self) -> int:
        """How many robots mark each image if there are no people's maps."""
        return self.robot_bubblers or USUAL_BUBBLERS

    @property
    def records(self) -> tuple[Path, ...]:
        """ClickMe's TFRecords, if the images and people's maps come from them."""
        return records_of(self.source)


def check_request(request: RevealRequest, protocol: "ProgressiveReveal") -> None:
    """Refuse options that don't go with the protocol, and workers that can't be reached.

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
    if request.for_bubbling:
        return
    mapped = bool(request.human_maps) or request.robot_bubblers is not None
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
    checked_workers(request.workers, request.device)

"""What `explain` is asked for, with --compare or without; fields are the command's options."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from stimuli.options import Needs, NotWith, Repeated
from xai_backend import options
from xai_backend.options import NamedMethod

SAMPLE: Final = 16
"""Photographs, or texts, that are compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotosRequest:
    """A network and photographs that it answers to.

    Attributes
    ----------
    model, weights, device
        See `load_network`.
    images
        Folder of photographs.
    out
        Folder for the results.
    batch
        Inputs that go through the network at once; None for the method's own number.
    target
        Class to explain in every image; None for each image's most likely one.
    workers
        Who computes; None for what suits the job.
    store
        Folder where maps are kept by what determines them; None for the lab's cache.
    labels
        What is on the photographs, a CSV ``image,label``: a network that is mostly wrong is
        told, and wrong answers are marked on the sheet.
    """

    model: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="A torchvision classifier, timm:NAME, hf:DIR, FILE.pt2, your own "
            "module:function, picture_cnn, plate_cnn or protopnet.",
        ),
    ]
    images: Annotated[
        Path,
        typer.Option(
            metavar="DIR",
            help="A folder of photographs; with --compare also a table with a column text.",
        ),
        NotWith(
            "--set --boxes --labels --target --weights --batch --workers --scheduler --store",
            "a file is a table of texts, and photographs are in a folder",
            when=Path.is_file,
            of="FILE",
        ),
    ]
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for maps and overlays.")]
    weights: options.Weights = None
    batch: Annotated[int | None, typer.Option(metavar="N", min=1, help="Batch size.")] = None
    device: options.Device = "cpu"
    target: Annotated[
        int | None, typer.Option(metavar="K", help="Class to explain. Default: the most likely.")
    ] = None
    workers: options.WorkersAsked = None
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder in which finished maps are saved. Default: the lab's cache."
        ),
    ] = None
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What is on the photographs: a CSV image,label. Wrong answers are marked.",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class MethodOptions:
    """How a method works, and whether it is tried only.

    Attributes
    ----------
    settings
        Of the method, NAME=VALUE.
    human_maps
        Folder of people's maps, for the method ``human``.
    checked
        Whether network and method are tried on one photograph, and nothing is written.
    compiled
        Whether the network goes through torch.compile; for the method ``occlusion``.
    """

    settings: Annotated[
        tuple[str, ...],
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A setting of the method, such as patch_px=16; with --compare "
            "NAME.SETTING=VALUE. May be repeated.",
        ),
        Repeated(str),
    ] = ()
    human_maps: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of people's maps, for --method human."),
    ] = None
    checked: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Try the network and the method on one photograph, and write nothing.",
        ),
    ] = False
    compiled: Annotated[
        bool,
        typer.Option(
            "--compile",
            help="Occlusion: use torch.compile, for networks without an exact short cut.",
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """Whether several methods are compared, and on what.

    Attributes
    ----------
    compared
        Whether they are.
    sample
        So many of the photographs are taken, drawn by their names; None for the usual number.
    boxes
        CSV of objects' boxes; None without.
    """

    compared: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Compare several methods: scores, agreement, and a page with pictures.",
        ),
        NotWith("--human-maps --compile --check", "they are for one method"),
    ] = False
    sample: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Number of images or texts to draw. Default: 16."),
        Needs("--compare"),
    ] = None
    boxes: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Boxes of objects, for the pointing game: a CSV image,x0,y0,x1,y1, in the file's "
            "pixels.",
        ),
        Needs("--compare"),
    ] = None


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """What is to be explained, by which method: its name, or ``human``."""

    photos: PhotosRequest
    method: str
    how: MethodOptions = MethodOptions()


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """What is to be compared: methods by name, two at least, on a sample of the photographs."""

    photos: PhotosRequest
    methods: Mapping[str, NamedMethod]
    sample: int
    boxes: Path | None = None

"""Options that several commands of this room share."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from stimuli.errors import UserError
from stimuli.options import MadeOf, Repeated
from stimuli.workers import Workers
from xai_backend.asked import NamedMethod, asked_maps, asked_methods

ProtocolFile = Annotated[
    Path | None,
    typer.Option("--protocol", metavar="F", help="Protocol file. Default: the study's."),
]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed instead of the protocol's.")]
Out = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="The pack's folder. Default: one in the lab's packs."),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        "--network",
        metavar="NAME",
        help="A classifier, for photographs: torchvision's NAME, timm:NAME, hf:DIR, FILE.pt2 or "
        "module:function (docs/models.md).",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Weights: a state dict, safetensors or checkpoint file, or a name of torchvision's "
        "such as IMAGENET1K_V2. Default: torchvision's first.",
    ),
]
Classes = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Labels of the classifier's outputs: a CSV, ImageNet's class index, or its "
        "LOC_synset_mapping.txt.",
    ),
]
Names = Annotated[
    Path | None,
    typer.Option(
        "--names",
        "--class-names",
        metavar="FILE",
        help="Names of the labels: a CSV label,name, with one more column for each other "
        "language; or ImageNet's LOC_synset_mapping.txt.",
    ),
]
Truth = Annotated[
    Path | None,
    typer.Option(
        "--truth",
        metavar="FILE|DIR",
        help="Labels of ILSVRC's validation images: the ground truth of the development kit, "
        "LOC_val_solution.csv, a text or CSV of images and labels, or the folder of XML files. "
        "Default: what is beside the images.",
    ),
]
Methods = Annotated[Mapping[str, NamedMethod], MadeOf(asked_methods)]
Maps = Annotated[
    Mapping[str, Path],
    typer.Option(
        "--maps",
        metavar="NAME=DIR",
        help="Maps made elsewhere for the method NAME: grey PNG, .npy or .safetensors by the "
        "image's name, or a map set. May be repeated.",
    ),
    Repeated(str, asked_maps),
]
Device = Annotated[str, typer.Option(metavar="D", help="cpu or cuda.")]
Processes = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Number of processes. Default: chosen for this PC."),
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Run on a Dask cluster: its scheduler, tcp://HOST:PORT."),
]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


def refuse(what: str, given: Mapping[str, object]) -> None:
    """Refuse options that don't go with something; UserError names the first that was given."""
    for option, value in given.items():
        if value:
            raise UserError(f"{option} doesn't go with {what}")


def workers_of(workers: Processes = None, scheduler: Scheduler = None) -> Workers | None:
    """Return who shares the work by ``--workers`` and ``--scheduler``; None if neither is given."""
    if workers is None and scheduler is None:
        return None
    return Workers(workers or 0, scheduler, here=workers == 1 and scheduler is None)


WorkersAsked = Annotated[Workers | None, MadeOf(workers_of)]

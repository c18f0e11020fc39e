"""Options that several commands of this room share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from stimuli.workers import Workers

ProtocolFile = Annotated[
    Path | None, typer.Option(metavar="F", help="Protocol file; else the study's defaults.")
]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed, instead of the protocol's.")]
Out = Annotated[
    Path | None, typer.Option(metavar="DIR", help="The pack's folder; else in the lab's packs.")
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        "--network",
        metavar="NAME",
        help="Photographs: a classifier of torchvision's that answers, or is explained.",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="State dict, safetensors or checkpoint, or IMAGENET1K_V2; else the first.",
    ),
]
Classes = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Labels of the classifier's outputs, CSV or class index."),
]
Names = Annotated[
    Path | None,
    typer.Option(
        "--names",
        "--class-names",
        metavar="FILE",
        help="What labels are called, a CSV label,name with a column a language.",
    ),
]
Device = Annotated[str, typer.Option(metavar="D", help="cpu or cuda.")]
Processes = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Processes that share the work; else what suits."),
]
Scheduler = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler's, tcp://HOST:PORT.")
]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


def workers_of(processes: int | None, scheduler: str | None) -> "Workers | None":
    """Return who shares the work by ``--workers`` and ``--scheduler``; None if neither is given."""
    from stimuli.workers import Workers

    if processes is None and scheduler is None:
        return None
    return Workers(processes or 0, scheduler, here=processes == 1 and scheduler is None)

"""Options that several commands of this room share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from stimuli.workers import Workers

ProtocolOption = Annotated[
    Path | None, typer.Option(metavar="F", help="Protocol file; else the study's defaults.")
]
SeedOption = Annotated[int | None, typer.Option(min=0, help="Seed, instead of the protocol's.")]
OutOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="The pack's folder; else in the lab's packs.")
]
WeightsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="State dict, safetensors or checkpoint, or IMAGENET1K_V2; else the first.",
    ),
]
ClassesOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Labels of the classifier's outputs, CSV or class index."),
]
DeviceOption = Annotated[str, typer.Option(metavar="D", help="cpu or cuda.")]
WorkersOption = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Processes that share the work; else what suits."),
]
SchedulerOption = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler's, tcp://HOST:PORT.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


def workers_of(processes: int | None, scheduler: str | None) -> "Workers | None":
    """Return who shares the work by ``--workers`` and ``--scheduler``; None if neither is given."""
    from stimuli.workers import Workers

    if processes is None and scheduler is None:
        return None
    return Workers(processes or 0, scheduler, here=processes == 1 and scheduler is None)

"""What `export` is asked for; its fields are the command's options."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from participants import command_line
from stimuli.options import Repeated


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What is to be exported, and where to.

    Attributes
    ----------
    out
        A folder that doesn't exist yet, or is empty.
    data
        The data folder; None for the lab's.
    study, purpose
        This study alone (None for all), sessions of this purpose alone.
    packs
        Packs whose files go out, too.
    about
        What the lab says of the data; None for the lab folder's own file.
    with_text
        Whether people's own typed words go out.
    lab
        The lab folder; None for the usual one.
    """

    out: Annotated[
        Path, typer.Option(metavar="DIR", help="New folder for the dataset.", show_default=False)
    ]
    data: command_line.Data = None
    study: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only this study. Default: all studies in the data."),
    ] = None
    purpose: Annotated[
        str, typer.Option(help="Sessions of this purpose: main, pilot, test or robot.")
    ] = "main"
    packs: Annotated[
        tuple[Path, ...],
        typer.Option(
            "--pack",
            metavar="DIR",
            help="Also export the files that this solution pack showed. May be repeated.",
        ),
        Repeated(Path),
    ] = ()
    about: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File with title, authors, license … Default: dataset.toml in the lab folder.",
        ),
    ] = None
    with_text: Annotated[
        bool, typer.Option("--with-text", help="Also export what people typed in their own words.")
    ] = False
    lab: command_line.Lab = None

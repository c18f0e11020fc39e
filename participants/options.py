"""Options of the command line that several verbs have."""

from pathlib import Path
from typing import Annotated

import typer

Lab = Annotated[
    Path | None,
    typer.Option(
        "--lab",
        metavar="DIR",
        help="Lab folder. Default: PLAINSIGHT_LAB, or your user data folder.",
    ),
]
Data = Annotated[Path | None, typer.Option(metavar="DIR", help="Data folder instead of the lab's.")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]

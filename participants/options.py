"""Options of the command line that several verbs have."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from participants.folder import DataFolder

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


@dataclass(frozen=True, slots=True)
class DataOptions:
    """Which data a verb reads: a data folder, or the lab's own."""

    data: Data = None
    lab: Lab = None

    def folder(self) -> "DataFolder":
        """Return the data folder; UserError if there is no lab where the lab's own is asked for."""
        from participants.folder import DataFolder, LabFolder

        return (
            LabFolder.open(self.lab).data if self.data is None else DataFolder(self.data.absolute())
        )

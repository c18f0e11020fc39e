"""What ``analyse`` is asked: the options of all studies."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer


def option(help_text: str, metavar: str | None = "FILE") -> Any:
    """Return an option of ``analyse`` without a default in its help."""
    return typer.Option(help=help_text, metavar=metavar, show_default=False)


@dataclass(frozen=True, slots=True)
class AnalyseOptions:
    """What the commands of all studies take."""

    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR", help="Folder of the report. An earlier report in it is replaced."
        ),
    ]
    data: Annotated[Path | None, option("Data folder: of the lab, or of simulate.", "DIR")] = None
    trials: Annotated[Path | None, option("Your own trial table, instead of --data.")] = None
    protocol: Annotated[Path | None, option("Protocol file, with --trials.")] = None
    purpose: Annotated[
        str | None,
        option("main, pilot, test or robot. Default: main, or the only one in the data.", None),
    ] = None
    exclude: Annotated[
        Path | None, option("File of participants to leave out, one code on each line.")
    ] = None
    pack: Annotated[
        Path | None,
        option(
            "Solution pack that was shown, for figures of its stimuli. The data folder has no "
            "pictures.",
            "DIR",
        ),
    ] = None
    preregistration: Annotated[
        Path | None,
        option(
            "Folder that lab.py preregister wrote: the report says what was preregistered, and "
            "lists deviations.",
            "DIR",
        ),
    ] = None
    interval: Annotated[
        Literal["two_way", "bootstrap"],
        typer.Option(
            help="Intervals of means: from the variance over participants and items, or from "
            "resampling both (percentile; wider than necessary)."
        ),
    ] = "two_way"
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the headline, the warnings and the paths as JSON.")
    ] = False

"""The verb ``export``: a data folder in the form of a public standard."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from participants import options

if TYPE_CHECKING:
    from participants.export.run import Asked, Exported

OUT: Final = Annotated[
    Path, typer.Option(metavar="DIR", help="New folder for the dataset.", show_default=False)
]
STUDY: Final = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Only this study. Default: all studies in the data."),
]
PURPOSE: Final = Annotated[
    str, typer.Option(help="Sessions of this purpose: main, pilot, test or robot.")
]
PACK: Final = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="DIR", help="Also export the files that this solution pack showed. May be repeated."
    ),
]
ABOUT: Final = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="File with title, authors, license … Default: dataset.toml in the lab folder.",
    ),
]
WITH_TEXT: Final = Annotated[
    bool, typer.Option("--with-text", help="Also export what people typed in their own words.")
]

export = typer.Typer(
    help="Hand data on in the form of a public standard.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help"]},
)


@export.command()
def bids(
    out: OUT,
    data: options.Data = None,
    study: STUDY = None,
    purpose: PURPOSE = "main",
    pack: PACK = None,
    about: ABOUT = None,
    with_text: WITH_TEXT = False,
    lab: options.Lab = None,
    as_json: options.Json = False,
) -> None:
    """Export a data folder as a BIDS dataset (Brain Imaging Data Structure, behavioural data).

    Notes, dates and names of sessions never go out; typed words only with --with-text. The lab's
    registry notes whose data were in it.

    Example: python3 lab.py export bids --out shared/bids
    """
    from participants.export.run import Asked, export_bids

    asked = Asked(out, data, study, purpose, tuple(pack or ()), about, with_text, lab)
    _run(export_bids, asked, as_json=as_json)


@export.command("psych-ds")
def psych_ds(
    out: OUT,
    data: options.Data = None,
    study: STUDY = None,
    purpose: PURPOSE = "main",
    pack: PACK = None,
    about: ABOUT = None,
    with_text: WITH_TEXT = False,
    lab: options.Lab = None,
    as_json: options.Json = False,
) -> None:
    """Export a data folder as a Psych-DS dataset: one CSV a table, all columns described.

    Notes, dates and names of sessions never go out; typed words only with --with-text. The lab's
    registry notes whose data were in it. The rules of the standard are checked at the end.

    Example: python3 lab.py export psych-ds --out shared/psych-ds
    """
    from participants.export.run import Asked, export_psych_ds

    asked = Asked(out, data, study, purpose, tuple(pack or ()), about, with_text, lab)
    _run(export_psych_ds, asked, as_json=as_json)


def _run(make: "Callable[[Asked], Exported]", asked: "Asked", *, as_json: bool) -> None:
    done = make(asked)
    for line in done.remarks:
        print(line, file=sys.stderr)
    if as_json:
        print(json.dumps(_document(done)))
        return
    print(f"{done.sessions} sessions of {done.participants} participants in {done.out}")


def _document(done: "Exported") -> dict[str, Any]:
    return {
        "out": str(done.out),
        "participants": done.participants,
        "sessions": done.sessions,
        "left_out": dict(done.left_out),
        "noted": done.noted,
        "remarks": list(done.remarks),
    }

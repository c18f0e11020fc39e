"""The verb ``export``: a data folder in the form of a public standard."""

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer

from participants import options
from participants.export.asked import Asked
from stimuli.options import grouped

if TYPE_CHECKING:
    from participants.export.run import Exported

export = typer.Typer(
    help="Hand data on in the form of a public standard.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help"]},
)


@export.command()
@grouped
def bids(*, asked: Asked, as_json: options.Json = False) -> None:
    """Export a data folder as a BIDS dataset (Brain Imaging Data Structure, behavioural data).

    Notes, dates and names of sessions never go out; typed words only with --with-text. The lab's
    registry notes whose data were in it.

    Example: python3 lab.py export bids --out shared/bids
    """
    from participants.export.run import export_bids

    _run(export_bids, asked, as_json=as_json)


@export.command("psych-ds")
@grouped
def psych_ds(*, asked: Asked, as_json: options.Json = False) -> None:
    """Export a data folder as a Psych-DS dataset: one CSV a table, all columns described.

    Notes, dates and names of sessions never go out; typed words only with --with-text. The lab's
    registry notes whose data were in it. The rules of the standard are checked at the end.

    Example: python3 lab.py export psych-ds --out shared/psych-ds
    """
    from participants.export.run import export_psych_ds

    _run(export_psych_ds, asked, as_json=as_json)


def _run(make: "Callable[[Asked], Exported]", asked: Asked, *, as_json: bool) -> None:
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

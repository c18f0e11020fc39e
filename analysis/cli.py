"""The verbs of analysis."""

import json
from pathlib import Path
from typing import Annotated

import typer

from analysis.power.command import power
from stimuli.console import new_app, run_app
from stimuli.errors import UserError

app = new_app("From the trial table to the answer.")
app.command()(power)


@app.command()
def analyse(
    study: Annotated[str, typer.Argument(help="Which study, e.g. accept_reject.")],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where the report goes; an earlier one is replaced.")
    ],
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A dataset folder (tables/, packs/).", show_default=False),
    ] = None,
    trials: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A trial table from anywhere.", show_default=False),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Its item table, with --trials.", show_default=False),
    ] = None,
    protocol: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Its protocol, with --trials.", show_default=False),
    ] = None,
    purpose: Annotated[
        str | None,
        typer.Option(
            help="main, pilot, test or robot; by default main, or the one that there is.",
            show_default=False,
        ),
    ] = None,
    exclude: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Participants to leave out of everything, one a line.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the headline and the paths as JSON.")
    ] = False,
) -> None:
    """Analyse a study and write its report.

    Writes report.html (which needs nothing beside it), results.json (every number),
    tables/*.csv and figures/*.

    Example: python3 lab.py analyse accept_reject --data ~/lab/data --out ~/lab/report
    """
    from rich.console import Console

    from analysis.run import run_analysis

    if (data is None) == (trials is None):
        raise UserError("give either --data DIR or --trials FILE")
    if data is not None and (items is not None or protocol is not None):
        raise UserError("--items and --protocol go with --trials; a dataset folder has its own")
    console = Console(stderr=True, quiet=as_json)
    with console.status("reading tables") as status:
        done = run_analysis(
            study,
            out,
            data=data,
            trials=trials,
            items=items,
            protocol=protocol,
            purpose=purpose,
            exclude=exclude,
            step=lambda what: status.update(what),
        )
    if as_json:
        answer = {
            "report": str(done.page),
            "results": str(done.page.with_name("results.json")),
            "headline": list(done.headline),
        }
        print(json.dumps(answer, ensure_ascii=False))
        return
    for sentence in done.headline:
        print(sentence)
    print(f"Report: {done.page}")


def main(arguments: list[str]) -> int:
    """Run a verb of analysis and return the exit status."""
    return run_app(app, arguments)

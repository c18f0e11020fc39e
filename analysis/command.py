"""The verb ``analyse``: a command a study, with the options that all share and its own tables."""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from analysis.asked import AnalyseOptions, option
from analysis.study import Study
from stimuli.options import grouped

if TYPE_CHECKING:
    from analysis.run import Done

SUSPECT_STATUS: Final = 3
"""Exit status of a finished analysis without sessions or tables that can't be trusted."""
HELP = """Analyse a study's data: report, figures and every number.

Each study has a command of its own: python3 lab.py analyse STUDY --help
"""


def analyse_command(name: str, study: Study) -> Callable[..., None]:
    """Return a study's command under ``analyse``.

    Every study's command has the shared options, and one for each table that the study declares
    with an option beside an outside trial table.
    """

    def analyse(asked: AnalyseOptions, tables: Any) -> None:
        from rich.console import Console

        from analysis.run import run_analysis

        beside = {stem: path for stem, path in asdict(tables).items() if path is not None}
        with Console(stderr=True, quiet=asked.as_json).status("reading tables") as status:
            done = run_analysis(name, asked, beside, status.update)
        _say(done, asked.as_json)

    analyse.__doc__ = f"""Analyse {name} and write its report.

    It writes report.html (one file that any browser opens), results.json (every number),
    tables/*.csv and figures/*. Sessions and tables with changed or missing rows aren't analysed;
    the exit status is then 3.

    Example: python3 lab.py analyse {name} --data ~/lab/data --out ~/lab/report
    """
    return grouped(analyse, tables=_tables_of(study))


def _tables_of(study: Study) -> type:
    """Return a dataclass with the path of each table that may come beside an outside one."""
    options = {stem: table.option for stem, table in study.beside.items() if table.option}
    return make_dataclass(
        "Tables",
        [(stem, Annotated[Path | None, option(text)], None) for stem, text in options.items()],
        frozen=True,
    )


def _say(done: "Done", as_json: bool) -> None:
    if as_json:
        answer = {
            "report": str(done.page),
            "results": str(done.page.with_name("results.json")),
            "headline": list(done.headline),
            "warnings": list(done.warnings),
            "suspect": list(done.suspect),
        }
        print(json.dumps(answer, ensure_ascii=False))
    else:
        print(*done.headline, f"Report: {done.page}", sep="\n", flush=True)
        for warning in done.warnings:
            print(f"warning: {warning}", file=sys.stderr)
    for why in done.suspect:
        print(f"can't be trusted, not analysed: {why}", file=sys.stderr)
    if done.suspect:
        raise typer.Exit(SUSPECT_STATUS)

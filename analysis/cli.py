"""The commands of analysis: ``analyse``, ``power``, ``preregister`` and ``fit``.

Each study has its own command under ``analyse``. It takes the options that all studies share, and
an option for each further table that the study declares.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.options import BESIDE_TRIALS, AnalyseOptions, FitRequest, option
from analysis.studies import STUDIES
from analysis.study import Study
from stimuli.console import add_study_verb, new_app, run_app
from stimuli.options import grouped

if TYPE_CHECKING:
    from analysis.run import FinishedAnalysis

HELP = """Analyse a study's data: report, figures and every number.

Each study has a command of its own: python3 lab.py analyse STUDY --help
"""


def analyse_command(name: str, study: Study) -> Callable[..., None]:
    """Return a study's command under ``analyse``.

    Every study's command has the shared options, and one option for each table that the study
    accepts beside an outside trial table.
    """

    def analyse(options: AnalyseOptions, tables: Any) -> None:
        from analysis.run import run_analysis
        from stimuli.rich_terminal import Console

        beside = {stem: path for stem, path in asdict(tables).items() if path is not None}
        with Console(stderr=True, quiet=options.as_json).status("reading tables") as status:
            result = run_analysis(name, options, beside, status.update)
        _say(result, options.as_json)

    analyse.__doc__ = f"""Analyse {name} and write its report.

    It writes report.html (one file that any browser opens), results.json (every number),
    tables/*.csv and figures/*. Sessions and tables that can't be trusted, or are missing, aren't
    analysed; the exit status is then 3.

    Example: python3 lab.py analyse {name} --data ~/lab/data --out ~/lab/report
    """
    return grouped(analyse, tables=_tables_of(study))


def _tables_of(study: Study) -> type:
    """Return a dataclass with the path of each table that may come beside an outside one."""
    options = {stem: table.option for stem, table in study.beside.items() if table.option}
    return make_dataclass(
        "Tables",
        [
            (stem, Annotated[Path | None, option(text), BESIDE_TRIALS], None)
            for stem, text in options.items()
        ],
        frozen=True,
    )


def _say(result: "FinishedAnalysis", as_json: bool) -> None:
    from participants.dataset.custody import tell

    if as_json:
        answer = {
            "report": str(result.page),
            "results": str(result.page.with_name("results.json")),
            "headline": list(result.headline),
            "warnings": list(result.warnings),
            "suspect": list(result.suspect),
            "notes": list(result.notes),
        }
        print(json.dumps(answer, ensure_ascii=False))
    else:
        print(*result.headline, f"Report: {result.page}", sep="\n", flush=True)
        for warning in result.warnings:
            print(f"warning: {warning}", file=sys.stderr)
        for note in result.notes:
            print(f"Note: {note}", file=sys.stderr)
    if status := tell(result.suspect):
        raise typer.Exit(status)


def preregister(
    protocol: Annotated[
        Path,
        typer.Argument(
            help="Sealed pack, protocol file, or the name of a study or of a protocol that ships."
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="New folder for the preregistration.")],
    participants: Annotated[
        int, typer.Option(metavar="N", min=1, help="Number of people to analyse.")
    ],
    power: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder that lab.py power wrote: it justifies the number of people."
        ),
    ] = None,
    rationale: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help="Reason for the number of people, in your words.",
            show_default=False,
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Write down what a study will test and how, before data collection.

    It writes preregistration.html and .md, in the order of public registries' forms, and
    preregistration.json. Upload one of them, keep the folder, and name it later to analyse by
    --preregistration.

    Example: python3 lab.py preregister packs/mine --participants 40 --power power --out registered
    """
    from analysis.preregister.run import preregister as freeze

    done = freeze(protocol, out, participants, power, rationale)
    if as_json:
        print(json.dumps({"page": str(done.page), "protocol_hash": done.protocol_hash}))
    else:
        print(f"Protocol {done.protocol_hash}", f"Preregistration: {done.page}", sep="\n")


app = new_app("From the trial table to the answer.")
app.command()(preregister)


@app.command()
@grouped
def fit(
    request: FitRequest,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Fit a linear or generalised linear mixed model.

    Text columns are factors (treatment coding, the first level in sorted order is the
    base). Random effects: (1 | g), nested (1 | g/h), correlated (1 + x | g),
    uncorrelated (1 + x || g). In formulas: + - * : / ^, C(x), C(x, Sum),
    C(x, Treatment("base")), poly(x, 2), scale(x), I(...), also with comparisons as in
    I(x > 2), np.log(x), offset(...), and cbind(successes, failures) left of ~.

    Example: python3 lab.py fit "rt ~ cond + (1 + cond | participant) + (1 | item)" --trials t.csv

    Example: python3 lab.py fit "accepted ~ explained + (1 | participant)" --trials t.csv
    --family binomial --contrasts explained --against "accepted ~ 1 + (1 | participant)"
    """
    from analysis.fit.command import as_json as json_of
    from analysis.fit.command import run_fit
    from analysis.fit.words import show
    from stimuli.rich_terminal import Console

    with Console(stderr=True, quiet=as_json).status("fitting"):
        done = run_fit(request)
    if as_json:
        print(json.dumps(json_of(done), ensure_ascii=False))
        return
    show(Console(), done, request.contrasts)


def main(arguments: list[str]) -> int:
    """Run a verb of analysis and return the exit status."""
    return run_app(app, arguments, lambda: _add_study_verb(next(iter(arguments), "")))


def _add_study_verb(verb: str) -> None:
    """Add the verb that was typed, if it has a command for each study, which are then imported."""
    if verb == "analyse":
        commands = {name: analyse_command(name, study) for name, study in STUDIES.items()}
        add_study_verb(app, "analyse", HELP, commands)
    if verb == "power":
        help_text = "Find by simulation how many participants and items a study needs."
        powers = {name: study.power for name, study in STUDIES.items() if study.power is not None}
        add_study_verb(app, "power", help_text, powers)

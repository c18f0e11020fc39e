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
    curves: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What each image uncovers step by step, with --trials (progressive_reveal).",
            show_default=False,
        ),
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
    if data is not None and (items or curves or protocol):
        raise UserError(
            "--items, --curves and --protocol go with --trials; a dataset folder has its own"
        )
    console = Console(stderr=True, quiet=as_json)
    with console.status("reading tables") as status:
        done = run_analysis(
            study,
            out,
            data=data,
            trials=trials,
            items=items,
            curves=curves,
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


@app.command()
def fit(
    formula: Annotated[str, typer.Argument(help="In lme4's notation; quote it in the shell.")],
    trials: Annotated[
        Path,
        typer.Option(metavar="FILE", help="A CSV or TSV; only the formula's columns are needed."),
    ],
    family: Annotated[
        str, typer.Option(help="gaussian, binomial (logit) or poisson (log).")
    ] = "gaussian",
    ml: Annotated[
        bool, typer.Option("--ml", help="Maximum likelihood instead of REML (gaussian).")
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="FORMULA",
            help="Likelihood-ratio test against a smaller or larger model.",
            show_default=False,
        ),
    ] = None,
    margins: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TERM",
            help="Averaged means, probabilities or counts by a column, several (a:b), or at "
            "values (Days=0,5,9). May be repeated.",
            show_default=False,
        ),
    ] = None,
    contrasts: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TERM",
            help="As --margins, with all pairwise differences (Holm).",
            show_default=False,
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Let gpboost fit it too, and compare the maxima.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Fit a linear or generalised linear mixed model.

    Text columns are factors (treatment coding, the first level in sorted order is the
    base). Random effects: (1 | g), nested (1 | g/h), correlated (1 + x | g),
    uncorrelated (1 + x || g). In formulas: + - * : / ^, C(x), poly(x, 2), scale(x),
    I(...), np.log(x), offset(...), and cbind(successes, failures) left of ~.

    Example: python3 lab.py fit "rt ~ cond + (1 + cond | participant) + (1 | item)" --trials t.csv

    Example: python3 lab.py fit "accepted ~ explained + (1 | participant)" --trials t.csv
    --family binomial --contrasts explained --against "accepted ~ 1 + (1 | participant)"
    """
    from rich.console import Console

    from analysis.fit.command import run_fit
    from analysis.fit.words import as_json as json_of
    from analysis.fit.words import show

    terms = [*(margins or []), *(contrasts or [])]
    with Console(stderr=True, quiet=as_json).status("fitting"):
        done = run_fit(formula, trials, family, not ml, terms, against, check)
    if as_json:
        answer = json_of(done.result, done.margins, done.comparison, done.second)
        print(json.dumps(answer, ensure_ascii=False))
        return
    show(Console(), done.result, done.margins, contrasts or (), done.comparison, done.second)


def main(arguments: list[str]) -> int:
    """Run a verb of analysis and return the exit status."""
    return run_app(app, arguments)

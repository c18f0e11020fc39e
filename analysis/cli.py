"""The verbs of analysis."""

import json
from pathlib import Path
from typing import Annotated

import typer

from analysis.command import HELP, analyse_command
from analysis.preregister.command import preregister
from analysis.studies import STUDIES
from stimuli.console import add_study_verb, new_app, run_app

app = new_app("From the trial table to the answer.")
app.command()(preregister)


@app.command()
def fit(
    formula: Annotated[str, typer.Argument(help="The model in lme4's notation, in quotes.")],
    trials: Annotated[
        Path,
        typer.Option(metavar="FILE", help="A CSV or TSV table with the formula's columns."),
    ],
    family: Annotated[
        str, typer.Option(help="gaussian, binomial (logit), probit or poisson (log).")
    ] = "gaussian",
    ml: Annotated[
        bool, typer.Option("--ml", help="Maximum likelihood instead of REML (gaussian).")
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="FORMULA",
            help="A smaller or larger model, for a likelihood-ratio test.",
            show_default=False,
        ),
    ] = None,
    margins: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TERM",
            help="Estimated marginal means (probabilities, counts) by a column, by several "
            "(a:b), or at values (Days=0,5,9). May be repeated.",
            show_default=False,
        ),
    ] = None,
    contrasts: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TERM",
            help="As --margins, with all pairwise differences (Holm's correction).",
            show_default=False,
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Fit the model with gpboost too, and compare the likelihoods."
        ),
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
    return run_app(app, arguments, _add_study_verbs)


def _add_study_verbs() -> None:
    add_study_verb(
        app,
        "analyse",
        HELP,
        {name: analyse_command(name, study) for name, study in STUDIES.items()},
    )
    add_study_verb(
        app,
        "power",
        "Find by simulation how many participants and items a study needs.",
        {name: study.power for name, study in STUDIES.items() if study.power is not None},
    )

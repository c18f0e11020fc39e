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
    inference: Annotated[
        str,
        typer.Option(
            help="t: Satterthwaite's degrees of freedom, for small samples. z: the normal "
            "distribution, as if variances were known."
        ),
    ] = "t",
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Weights of the rows; a binomial row's number of trials.",
            show_default=False,
        ),
    ] = None,
    offset: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="A term with coefficient 1.", show_default=False),
    ] = None,
    row_effect: Annotated[
        bool,
        typer.Option(
            "--row-effect",
            help="A random effect of each row, for counts that vary more than Poisson counts.",
        ),
    ] = False,
    quadrature: Annotated[
        int,
        typer.Option(
            metavar="NODES",
            min=1,
            help="Adaptive quadrature instead of the Laplace approximation, for one (1 | g).",
        ),
    ] = 1,
    penalty: Annotated[
        bool,
        typer.Option(
            "--penalty",
            help="Weakly informative penalty on standard deviations, for sparse groups.",
        ),
    ] = False,
    bootstrap: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="Replicates of a parametric bootstrap of the fixed effects."
        ),
    ] = 0,
    workers: Annotated[
        int, typer.Option(min=0, help="Processes of the bootstrap. 0: one for each CPU.")
    ] = 0,
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
    from rich.console import Console

    from analysis.fit.as_json import as_json as json_of
    from analysis.fit.command import Asked, run_fit
    from analysis.fit.words import show
    from analysis.mixed.estimation import Method
    from stimuli.workers import Workers

    asked = Asked(
        formula,
        trials,
        family,
        Method(not ml, inference, quadrature, penalty),
        weights,
        offset,
        row_effect,
        (*(margins or ()), *(contrasts or ())),
        against,
        bootstrap,
        Workers(workers),
    )
    with Console(stderr=True, quiet=as_json).status("fitting"):
        done = run_fit(asked)
    if as_json:
        print(json.dumps(json_of(done), ensure_ascii=False))
        return
    show(Console(), done, contrasts or ())


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

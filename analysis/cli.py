"""The verbs of analysis."""

import json
from typing import Annotated

import typer

from analysis.command import HELP, analyse_command
from analysis.fit.asked import FitRequest
from analysis.preregister.command import preregister
from analysis.studies import STUDIES
from stimuli.console import add_study_verb, new_app, run_app
from stimuli.options import grouped

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
    from rich.console import Console

    from analysis.fit.as_json import as_json as json_of
    from analysis.fit.command import run_fit
    from analysis.fit.words import show

    with Console(stderr=True, quiet=as_json).status("fitting"):
        done = run_fit(request)
    if as_json:
        print(json.dumps(json_of(done), ensure_ascii=False))
        return
    show(Console(), done, request.contrasts)


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

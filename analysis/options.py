"""The options of ``analyse`` and ``fit``, as the fields of dataclasses.

`AnalyseOptions` holds the options that all studies share.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from stimuli.options import Needs, NotWith, Repeated

BESIDE_TRIALS: Final = Needs("--trials", "a dataset folder has its own")


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
    data: Annotated[
        Path | None, option("Data folder: of the lab, or of simulate.", "DIR"), NotWith("--trials")
    ] = None
    trials: Annotated[Path | None, option("Your own trial table, instead of --data.")] = None
    protocol: Annotated[Path | None, option("Protocol file."), BESIDE_TRIALS] = None
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
    screens: Annotated[
        Path | None,
        option(
            "Folder that lab.py screens wrote. Default: that of the pack in the lab folder.", "DIR"
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


@dataclass(frozen=True, slots=True)
class FitRequest:
    """A model, the table that it is fitted to, and what is asked of it."""

    formula: Annotated[str, typer.Argument(help="The model in lme4's notation, in quotes.")]
    trials: Annotated[
        Path,
        typer.Option(metavar="FILE", help="A CSV or TSV table with the formula's columns."),
    ]
    family: Annotated[
        str,
        typer.Option(
            help="gaussian; binomial (logit) or probit for shares; poisson or nbinom2 (log) for "
            "counts; gamma (log) for values above 0; ordinal (cumulative logit) for levels."
        ),
    ] = "gaussian"
    levels: Annotated[
        str | None,
        typer.Option(
            metavar="LOWEST,...,HIGHEST",
            help="Order of an ordinal response's levels, where they are text.",
            show_default=False,
        ),
    ] = None
    ml: Annotated[
        bool, typer.Option("--ml", help="Maximum likelihood instead of REML (gaussian).")
    ] = False
    against: Annotated[
        str | None,
        typer.Option(
            metavar="FORMULA",
            help="A smaller or larger model, for a likelihood-ratio test.",
            show_default=False,
        ),
    ] = None
    margins: Annotated[
        tuple[str, ...],
        typer.Option(
            metavar="TERM",
            help="Estimated marginal means (probabilities, counts) by a column, by several "
            "(a:b), or at values (Days=0,5,9). May be repeated.",
            show_default=False,
        ),
        Repeated(str),
    ] = ()
    contrasts: Annotated[
        tuple[str, ...],
        typer.Option(
            metavar="TERM",
            help="As --margins, with all pairwise differences (Holm's correction).",
            show_default=False,
        ),
        Repeated(str),
    ] = ()
    inference: Annotated[
        str,
        typer.Option(
            help="t: Satterthwaite's degrees of freedom, for small samples. z: the normal "
            "distribution, as if variances were known."
        ),
    ] = "t"
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Weights of the rows; a binomial row's number of trials.",
            show_default=False,
        ),
    ] = None
    offset: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="A term with coefficient 1.", show_default=False),
    ] = None
    row_effect: Annotated[
        bool,
        typer.Option(
            "--row-effect",
            help="A random effect of each row, for counts that vary more than Poisson counts.",
        ),
    ] = False
    quadrature: Annotated[
        int,
        typer.Option(
            metavar="NODES",
            min=1,
            help="Adaptive quadrature instead of the Laplace approximation, for one (1 | g).",
        ),
    ] = 1
    penalty: Annotated[
        bool,
        typer.Option(
            "--penalty",
            help="Weakly informative penalty on standard deviations, for sparse groups.",
        ),
    ] = False
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="A new folder for predictions, random effects, residuals, figures, and an R "
            "script that fits the model again.",
            show_default=False,
        ),
    ] = None
    bootstrap: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="Replicates of a parametric bootstrap of the fixed effects."
        ),
    ] = 0
    workers: Annotated[
        int, typer.Option(min=0, help="Processes of the bootstrap. 0: one for each CPU.")
    ] = 0

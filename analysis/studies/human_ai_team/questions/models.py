"""The mixed model of right answers, on all images and on each kind."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from analysis.questions.question import Lacking, Promise, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportModel, ReportTable
from analysis.report.missing import unsound_model
from analysis.report.model import LogisticFit
from analysis.report.parts import Bullets, Row
from analysis.report.wording import count
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.model import CODING, FORMULA, model_row
from analysis.studies.human_ai_team.trials import ALL, ATTACKED, NATURAL


@dataclass(frozen=True, slots=True)
class Models:
    """The mixed models."""

    fits: Annotated[
        dict[str, LogisticFit],
        about("By images: all, and if both were shown natural, adversarial."),
    ]


def compute(data: TeamData) -> Models:
    """Return the fit for each part of the images."""
    return Models({part: model_row(fit) for part, fit in data.fits.items()})


def _fit_of(part: str) -> Callable[[Models], LogisticFit | None]:
    return lambda answer: answer.fits.get(part)


def _rows_of(part: str, kind: str) -> Callable[[Models], Sequence[Row] | None]:
    """Return the coefficients of a part's model, for a file; None if there is none."""

    def rows(answer: Models) -> Sequence[Row] | None:
        fit = answer.fits.get(part)
        return getattr(fit, kind) if fit is not None and fit.fitted else None

    return rows


def _others(answer: Models) -> Bullets | None:
    """Return what became of the models of natural and of adversarial images."""
    sentences = [_went(part, fit) for part, fit in answer.fits.items() if part != ALL]
    return Bullets(tuple(sentences)) if sentences else None


def _went(part: str, fit: LogisticFit) -> str:
    if not fit.converged:
        return f"Only {part} images: {fit.reason}"
    notes = "".join(f" {note}" for note in fit.notes)
    return (
        f"Only {part} images: {fit.formula}; {count(fit.n, 'answer')}.{notes} "
        f"tables/model_{part}_fixed.csv has the coefficients."
    )


PARTS = (
    ReportModel("model", _fit_of(ALL), "All main trials."),
    _others,
    *(
        ReportTable(f"model_{part}_{kind}", _rows_of(part, kind))
        for part in (NATURAL, ATTACKED)
        for kind in ("fixed", "random")
    ),
)


def _headline(_: Models, whole: Whole) -> list[str]:
    """Say that images have no effects of their own, if that is so."""
    return [note for note in whole.frame.notes if "effects of images can't be estimated" in note]


def _methods(answer: Models, _: Whole) -> list[str]:
    fit = answer.fits[ALL]
    if not fit.fitted:
        return ["No mixed model could be fitted."]
    used = (
        " and averaged over participants and images by quadrature"
        if fit.converged
        else "; the fit isn’t sound, so its estimates are not given"
    )
    return [
        f"Right answers were modelled by a logistic mixed model ({fit.formula}; Laplace "
        f"approximation){used}."
    ]


def _lacking(data: TeamData, answer: Models | None) -> list[Lacking]:
    assert answer is not None
    rows, right = [], data.answers.frame["right"]
    if right.nunique() < 2:
        which = "right" if right.iloc[0] else "wrong"
        reason = f"the AI is {which} on every image"
        rows.append(Lacking("both over- and under-reliance", reason))
    for part, fit in answer.fits.items():
        rows += unsound_model(fit, f"the model of {part} images")
    return rows


MODELS = Question(
    id="models",
    title="The mixed model",
    answer=Models,
    compute=compute,
    parts=PARTS,
    headline=_headline,
    methods=_methods,
    lacking=_lacking,
    registered=lambda _: Promise(f"Mixed logistic regression of right answers. {CODING}", FORMULA),
)
"""The mixed model of right answers."""

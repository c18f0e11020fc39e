"""What the mixed model says of acceptance, and where it differs from the rates."""

from dataclasses import dataclass
from typing import Annotated, Final

from analysis.questions.estimates import EstimateRow, Estimates
from analysis.questions.question import Lacking, Promise, Question, TypedAnswers, Whole, Within
from analysis.report.about import about
from analysis.report.deciding import MODEL, chosen, decides, disagreement
from analysis.report.declared import ReportModel, ReportTable
from analysis.report.model import LogisticFit
from analysis.report.parts import Bullets, Column, Paragraph
from analysis.report.wording import bare_percent, interval, number, points, sentence_if
from analysis.studies.accept_reject.controls import CHANGE, MIXED, POOLED, Harm
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.model import CODING, FORMULA, PROBABILITY
from analysis.studies.accept_reject.quantities import GAIN
from analysis.studies.accept_reject.questions.controls import CONTROLS
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS
from analysis.studies.accept_reject.questions.usefulness import USEFULNESS
from analysis.studies.accept_reject.usefulness import Usefulness
from analysis.studies.accept_reject.words import limits_words

_SOLVERS: Final = {"S": "Usefulness for S", "E": "Usefulness for E", "S-E": "Usefulness, S less E"}


@dataclass(frozen=True, slots=True)
class MixedModel(Estimates):
    """The mixed model of the main analysis, and where it and the rates differ."""

    fit: Annotated[LogisticFit, about("The fit, or why there is none.")]
    disagreements: Annotated[
        tuple[str, ...], about("Where model and rates differ, a sentence each; empty if nowhere.")
    ] = ()


def combine(data: LeadData, answers: TypedAnswers) -> MixedModel:
    """Return the fit, what it says, and where it differs from the rates."""
    controls = answers.of(CONTROLS)
    gains = find_disagreements(answers.of(USEFULNESS))
    harm = harm_disagreements(controls)
    sentences = [*gains, *harm]
    if sentences:
        sentences.append(decides(data.protocol.analysis.primary_test))
    return MixedModel(data.model.probabilities, data.model.fit, tuple(sentences))


def find_disagreements(answer: Usefulness) -> list[str]:
    """Return where model and rates differ in sign or in what their intervals decide."""
    sentences = []
    for row in answer.rows(GAIN, by=MODEL):
        what = f"{_SOLVERS[row.of['solver']]} (percentage points)"
        raw = answer.gain(row.of["solver"])
        sentences += disagreement(what, "the rates", raw, row, points)
    return sentences


def harm_disagreements(controls: Harm) -> list[str]:
    """Return where the mixed probit and pooled counts differ on a change of d′."""
    if controls.method != MIXED:
        return []
    rows = (controls.row(CHANGE, by=POOLED), controls.change)
    return disagreement("Change of d′ with explanations", "pooled counts", *rows, number)


def _averaged(here: Within[MixedModel]) -> list[dict[str, str]]:
    """Return averaged probabilities and their differences, printed."""
    names, rows = ("of", "estimate", "limits"), []
    for row in here.answer.rows(PROBABILITY):
        of = f"{row.of['solver']}, {row.of['explanation']} explanation"
        limits = interval(row.ci_low, row.ci_high, bare_percent)
        rows.append((of, PROBABILITY.write(row.estimate), limits))
    for row in _gains(here):
        of = f"usefulness, {row.of['solver'].replace('S-E', 'S less E')}"
        rows.append((of, f"{points(row.estimate)} points", limits_words(row)))
    return [dict(zip(names, row, strict=True)) for row in rows]


def _gains(here: Within[MixedModel]) -> tuple[EstimateRow, ...]:
    """Return usefulness by the mixed model."""
    return here.whole.of(USEFULNESS).rows(GAIN, by=MODEL)


MARGINAL = ReportTable(
    "",
    _averaged,
    "Probability that a lead accepts, averaged over the leads and plates that were there, and over "
    "both runs.",
    (Column("", "of"), Column("Estimate", "estimate", str), Column("95 % interval", "limits", str)),
    "From the mixed model, with each lead’s and each plate’s effect at its conditional mode; "
    "limits by the delta method over the coefficients. An average over a normal distribution of "
    "effects would be smaller where a few leads never vary.",
    strong=lambda _: (4,),
)


def _agreement(here: Within[MixedModel]) -> Bullets | Paragraph | None:
    if here.answer.disagreements:
        return Bullets(here.answer.disagreements)
    if not _gains(here):
        return None
    mixed = here.whole.of(CONTROLS).method == MIXED
    return Paragraph(
        f"Model and rates agree: no estimate of usefulness{' or of d′' if mixed else ''} differs "
        "in sign or by more than a quarter of the interval of the rates, and no interval in "
        "whether it holds zero."
    )


def _methods(answer: MixedModel, whole: Whole) -> list[str]:
    primary = whole.of(USEFULNESS)
    sentences = [
        f"{chosen(primary.asked, primary.used)}; "
        "its family is usefulness of S’s and of E’s explanations, with Holm’s correction.",
        *sentence_if(
            len(whole.of(PARTICIPANTS).methods) > 1,
            "Pairs of explanation methods are a family of their own.",
        ),
        "Warnings of harm and verdicts on single leads aren’t corrected.",
    ]
    fit = answer.fit
    if fit.fitted:
        kind = "mixed logistic regression" if fit.random else "logistic regression"
        sentences.append(
            f"Acceptance of S’s and E’s solutions was modelled by {kind}, {fit.formula}, "
            f"fitted with {fit.engine}. {fit.rule}"
        )
    return sentences


def _lacking(_: LeadData, answer: MixedModel | None) -> list[Lacking]:
    assert answer is not None
    fit = answer.fit
    if not fit.fitted:
        return [Lacking("the mixed model", fit.reason)]
    if fit.converged:
        return []
    result = "inference from the mixed model, and averaged probabilities"
    return [Lacking(result, fit.reason)]


MIXED_MODEL = Question(
    id="model",
    title="Mixed model",
    answer=MixedModel,
    quantities=(PROBABILITY,),
    combine=combine,
    parts=(ReportModel("model", "answer.fit"), MARGINAL, _agreement),
    view=Within,
    methods=_methods,
    needs={"order": "run and order in the model, and the first-run contrast"},
    lacking=_lacking,
    registered=lambda _: Promise(
        f"Mixed logistic regression of acceptance of S's and E's solutions. {CODING}",
        FORMULA,
    ),
)
"""What the mixed model says."""

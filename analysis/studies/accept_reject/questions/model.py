"""What the mixed model says of acceptance, and where it differs from the rates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from analysis.questions.question import Answered, Lacking, Promise, Question, Whole, Within
from analysis.report.about import about
from analysis.report.declared import ReportModel, ReportTable
from analysis.report.estimates import chosen, decides, disagreement
from analysis.report.parts import Bullets, Column, Paragraph
from analysis.report.wording import bare_percent, interval, number, percent, points
from analysis.studies.accept_reject.controls import MIXED, Sensitivity, SensitivityChange
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.model import CODING, FORMULA, MainModel, MarginalGain
from analysis.studies.accept_reject.questions.controls import CONTROLS
from analysis.studies.accept_reject.questions.usefulness import USEFULNESS
from analysis.studies.accept_reject.rates import Gain
from analysis.studies.accept_reject.words import RUN_WORDS, limits_words

_SOLVERS: Final = {"S": "Usefulness for S", "E": "Usefulness for E", "S-E": "Usefulness, S less E"}


@dataclass(frozen=True, slots=True)
class MixedModel(MainModel):
    """The mixed model of the main analysis, and where it and the rates differ."""

    disagreements: Annotated[
        tuple[str, ...], about("Where model and rates differ, a sentence each; empty if nowhere.")
    ] = ()


def combine(data: LeadData, answers: Answered) -> MixedModel:
    """Return the fit, what it says, and where it differs from the rates."""
    model, controls = data.model, answers.of(CONTROLS)
    gains = find_disagreements(answers.of(USEFULNESS).gains, model.marginal_usefulness)
    harm = harm_disagreements(controls.sensitivity, controls.pooled)
    said = [*gains, *harm]
    if said:
        said.append(decides(data.protocol.analysis.primary_test))
    return MixedModel(model.fit, model.marginal, model.marginal_usefulness, tuple(said))


def find_disagreements(gains: Sequence[Gain], by_model: Sequence[MarginalGain]) -> list[str]:
    """Return where model and rates differ in sign or in what their intervals decide."""
    modelled = {row.solver: row for row in by_model}
    said = []
    for row in gains:
        other = modelled.get(row.solver)
        if other is not None and not row.net:
            what = f"{_SOLVERS[row.solver]} (percentage points)"
            said += disagreement(what, "the rates", row, other, points)
    return said


def harm_disagreements(by_model: Sensitivity, pooled: SensitivityChange) -> list[str]:
    """Return where the mixed probit and pooled counts differ on a change of d′."""
    if by_model.method != MIXED:
        return []
    rows = [
        {"estimate": row.difference, "ci_low": row.ci_low, "ci_high": row.ci_high}
        for row in (pooled, by_model)
    ]
    return disagreement("Change of d′ with explanations", "pooled counts", *rows, number)


def _averaged(here: Within[MixedModel]) -> list[dict[str, str]]:
    """Return averaged probabilities and their differences, printed."""
    found = here.answer
    if not found.marginal:
        return []
    rows = [
        {
            "of": f"{row.solver}, {RUN_WORDS[row.explained]} explanation",
            "estimate": percent(row.estimate, 1),
            "limits": interval(row.ci_low, row.ci_high, bare_percent),
        }
        for row in found.marginal
    ]
    return rows + [
        {
            "of": f"usefulness, {row.solver.replace('S-E', 'S less E')}",
            "estimate": f"{points(row.estimate)} points",
            "limits": limits_words(row),
        }
        for row in found.marginal_usefulness
    ]


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
    found = here.answer
    if found.disagreements:
        return Bullets(found.disagreements)
    if not found.marginal_usefulness:
        return None
    mixed = here.found.of(CONTROLS).sensitivity.method == MIXED
    return Paragraph(
        f"Model and rates agree: no estimate of usefulness{' or of d′' if mixed else ''} differs "
        "in sign or by more than a quarter of the interval of the rates, and no interval in "
        "whether it holds zero."
    )


def _methods(found: MixedModel, whole: Whole) -> list[str]:
    primary = whole.of(USEFULNESS).primary
    said = [
        f"{chosen(primary.asked, primary.used)}; "
        "its family is usefulness of S’s and of E’s explanations, with Holm’s correction. Pairs of "
        "explanation methods are a family of their own. Warnings of harm and verdicts on single "
        "leads aren’t corrected."
    ]
    fit = found.fit
    if fit.fitted:
        kind = "mixed logistic regression" if fit.random else "logistic regression"
        said.append(
            f"Acceptance of S’s and E’s solutions was modelled by {kind}, {fit.formula}, "
            f"fitted with {fit.engine}. {fit.rule}"
        )
    return said


def _lacking(_: LeadData, found: MixedModel | None) -> list[Lacking]:
    assert found is not None
    fit = found.fit
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
    combine=combine,
    parts=(ReportModel("model", "answer.fit"), MARGINAL, _agreement),
    view=Within,
    methods=_methods,
    needs={"order": "run and order in the model, and the first-run contrast"},
    lacking=_lacking,
    registered=lambda _: Promise(
        "primary",
        f"Mixed logistic regression of acceptance of S's and E's solutions. {CODING}",
        FORMULA,
    ),
)
"""What the mixed model says."""

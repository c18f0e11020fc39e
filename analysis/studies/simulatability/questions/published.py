"""What the paper reports, beside ours, and what no data can reproduce."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from analysis.questions.estimates import Estimates
from analysis.questions.published import TITLE, Named, Ours, Paper
from analysis.questions.question import Lacking, Question, TypedAnswers
from analysis.report.frame import PaperBeside
from analysis.report.wording import grouped, number, p_value, signed
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.published import TOGETHER
from analysis.studies.simulatability.quantities import HALF_WIDTH, PRE_RIGHT, PUBLISHED_CHANGE
from analysis.studies.simulatability.questions.change import CHANGE
from analysis.studies.simulatability.questions.explanations import (
    EXPLAINED,
    MODEL_RIGHT,
    PROTOTYPE,
    TASK,
)
from analysis.studies.simulatability.questions.ratings import RATINGS
from analysis.studies.simulatability.ratings import ABSOLUTE, RATING, RATING_STEP
from analysis.studies.simulatability.words import ALL, condition_name, method_name

Entry = Mapping[str, Any]
PAPER: Final = Paper.read(Path(__file__).parents[1])
TASK_MODEL: Final = "task model"
NAMED: Final[Named] = {
    "condition": lambda condition: condition_name(*condition),
    "method": method_name,
    "items": grouped,
    "p": p_value,
}
UNPUBLISHED: Final = Lacking(
    "the published results, computed again",
    "the answers of the published study were never published",
)


def combine(data: SimulatabilityData, answers: TypedAnswers) -> PaperBeside:
    """Return the paper's values with ours."""
    change = answers.of(CHANGE)
    ratings, models = (answers.get(question) or Estimates(()) for question in (RATINGS, EXPLAINED))

    def changed(entry: Entry) -> Ours:
        of = _of(entry) | {"method": entry["method"], "resampled": TOGETHER}
        row = change.row(PUBLISHED_CHANGE, **of)
        half = change.row(HALF_WIDTH, **of).estimate
        words = f"{signed(row.estimate, 2)} ± {number(half)} ({grouped(row.n)}, {p_value(row.p)})"
        return Ours() if row.n is None else Ours(words, row.estimate)

    def before(entry: Entry) -> Ours:
        row = change.row(PRE_RIGHT, **_of(entry), method=ALL)
        words = f"{number(row.estimate)} % ({grouped(row.n)})"
        return Ours() if row.n is None else Ours(words, row.estimate)

    def rated(entry: Entry) -> Ours:
        row = ratings.row(RATING, domain=entry["domain"], method=entry["method"])
        words = f"{grouped(row.n)} ({number(row.estimate)})"
        return Ours() if row.n is None else Ours(words, row.n)

    def by_model(entry: Entry) -> Ours:
        row = ratings.row(RATING, domain=entry["domain"], model=entry["model"])
        half = ratings.row(HALF_WIDTH, **row.of).estimate
        words = f"{number(row.estimate)} ± {number(half)} ({grouped(row.n)})"
        return Ours() if row.n is None else Ours(words, row.estimate)

    def predicting(entry: Entry) -> Ours:
        row = ratings.row(RATING_STEP, domain=entry["domain"], step=ABSOLUTE)
        return Ours() if row.n is None else Ours(grouped(row.n), row.n)

    def right(entry: Entry) -> Ours:
        model = TASK if entry["model"] == TASK_MODEL else PROTOTYPE
        ours = models.row(MODEL_RIGHT, domain=entry["domain"], model=model).estimate
        return Ours() if ours is None else Ours(f"{number(ours)} %", ours)

    ours = {
        "change": changed, "before": before, "rated": rated, "by_model": by_model,
        "predicting": predicting, "models": right,
    }  # fmt: skip
    return PAPER.beside(ours, NAMED)


def _of(entry: Entry) -> dict[str, str]:
    return dict(zip(("domain", "test"), entry["condition"], strict=True))


PUBLISHED = Question(
    id="published",
    title=TITLE,
    answer=PaperBeside,
    combine=combine,
    lacking=lambda data, answer: [UNPUBLISHED],
)
"""What the paper reports, beside ours."""

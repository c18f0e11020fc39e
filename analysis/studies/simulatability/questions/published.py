"""What the paper reports, beside ours, and what no data can reproduce."""

from collections.abc import Iterator
from typing import Final

from analysis.questions.estimates import Estimates
from analysis.questions.question import Answered, Lacking, Question
from analysis.report.frame import Beside, PaperBeside
from analysis.report.wording import NOTHING, grouped, number, p_value, signed
from analysis.studies.simulatability import published as paper
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
from analysis.studies.simulatability.ratings import ABSOLUTE, RATING, RATING_STEP, RIGHT, WRONG
from analysis.studies.simulatability.words import ALL, condition_name, method_name
from stimuli.studies.simulatability.protocol import PUBLISHED_METHODS

UNPUBLISHED: Final = Lacking(
    "the published results, computed again",
    "the answers of the published study were never published",
)


def combine(data: SimulatabilityData, answers: Answered) -> PaperBeside:
    """Return the paper's values with ours."""
    change = answers.of(CHANGE)
    ratings, models = (answers.get(one) or Estimates(()) for one in (RATINGS, EXPLAINED))
    rows = (
        *_changes(change),
        *_before(change),
        *_rated(ratings),
        *_by_model(ratings),
        *_predicting(ratings),
        *_models(models),
    )
    return PaperBeside(paper.REFERENCE, paper.REMARK, rows)


def _changes(change: Estimates) -> Iterator[Beside]:
    for (domain, test), methods in paper.CHANGE.items():
        of = {"domain": domain, "test": test}
        for method, theirs in methods.items():
            row = change.row(PUBLISHED_CHANGE, **of, method=method, resampled=TOGETHER)
            half = change.row(HALF_WIDTH, **row.of).estimate
            words = _change_words(row.estimate, half, row.n, row.p)
            yield Beside(
                f"Change, {method_name(method)}, {condition_name(domain, test)} (n, p)",
                _change_words(theirs.change, theirs.half_width, theirs.n, theirs.p),
                paper.TABLES[domain, test],
                NOTHING if row.n is None else words,
                theirs.change,
                row.estimate,
            )


def _change_words(change: float | None, half: float | None, n: int | None, p: float | None) -> str:
    return f"{signed(change, 2)} ± {number(half)} ({grouped(n)}, {p_value(p)})"


def _before(change: Estimates) -> Iterator[Beside]:
    for (domain, test), (n, value) in paper.PRE.items():
        row = change.row(PRE_RIGHT, domain=domain, test=test, method=ALL)
        yield Beside(
            f"Accuracy before explanations, {condition_name(domain, test)} (n)",
            f"{number(value)} % ({grouped(n)})",
            paper.TABLES[domain, test],
            NOTHING if row.n is None else f"{number(row.estimate)} % ({grouped(row.n)})",
            value,
            row.estimate,
        )


def _rated(ratings: Estimates) -> Iterator[Beside]:
    for domain, counts in paper.RATED.items():
        for method, n in zip(PUBLISHED_METHODS, counts, strict=True):
            row = ratings.row(RATING, domain=domain, method=method)
            yield Beside(
                f"Ratings, {method_name(method)}, {domain} (mean)",
                f"{n} (not available)",
                "Table 3",
                NOTHING if row.n is None else f"{grouped(row.n)} ({number(row.estimate)})",
                n,
                row.n,
            )


def _by_model(ratings: Estimates) -> Iterator[Beside]:
    for (domain, right), theirs in paper.BY_MODEL.items():
        model = RIGHT if right else WRONG
        row = ratings.row(RATING, domain=domain, model=model)
        half = ratings.row(HALF_WIDTH, **row.of).estimate
        words = f"{number(row.estimate)} ± {number(half)} ({grouped(row.n)})"
        yield Beside(
            f"Mean rating, {domain}, model {model} (n)",
            f"{number(theirs.mean)} ± {number(theirs.half_width)} ({theirs.n})",
            "Table 5",
            NOTHING if row.n is None else words,
            theirs.mean,
            row.estimate,
        )


def _predicting(ratings: Estimates) -> Iterator[Beside]:
    for domain, n in paper.PREDICTING.items():
        row = ratings.row(RATING_STEP, domain=domain, step=ABSOLUTE)
        yield Beside(
            f"Predictions with a rating, counterfactual test after explanations, {domain}",
            str(n),
            "section 5.3",
            NOTHING if row.n is None else grouped(row.n),
            n,
            row.n,
        )


def _models(explained: Estimates) -> Iterator[Beside]:
    for (domain, kind), value in paper.MODELS.items():
        model = TASK if kind == paper.TASK else PROTOTYPE
        ours = explained.row(MODEL_RIGHT, domain=domain, model=model).estimate
        yield Beside(
            f"Accuracy of the {kind}, {domain}",
            f"{number(value)} %",
            "Table 4",
            NOTHING if ours is None else f"{number(ours)} %",
            value,
            ours,
        )


PUBLISHED = Question(
    id="published",
    title="Published values beside ours",
    answer=PaperBeside,
    combine=combine,
    lacking=lambda data, answer: [UNPUBLISHED],
)
"""What the paper reports, beside ours."""

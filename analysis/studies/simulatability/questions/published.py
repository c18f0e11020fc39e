"""What the paper reports, beside what was found, and what no data can reproduce."""

from collections.abc import Iterator
from typing import Final

from analysis.questions.question import Answered, Lacking, Question
from analysis.report.frame import Beside, PaperBeside
from analysis.report.wording import NOTHING, grouped, number, p_value, signed
from analysis.studies.simulatability import published as paper
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.questions.change import CHANGE, Change
from analysis.studies.simulatability.questions.explanations import EXPLAINED, Explained
from analysis.studies.simulatability.questions.ratings import RATINGS, Ratings
from analysis.studies.simulatability.ratings import ABSOLUTE
from analysis.studies.simulatability.words import condition_name, method_name
from stimuli.studies.simulatability.protocol import PUBLISHED_METHODS

NO_RATINGS: Final = Ratings((), (), (), ())
UNPUBLISHED: Final = Lacking(
    "the published results, computed again",
    "the answers of the published study were never published",
)


def combine(data: SimulatabilityData, answers: Answered) -> PaperBeside:
    """Return the paper's values with ours."""
    change, ratings = answers.of(CHANGE), answers.get(RATINGS) or NO_RATINGS
    rows = (
        *_changes(change),
        *_before(change),
        *_rated(ratings),
        *_by_model(ratings),
        *_predicting(ratings),
        *_models(answers.get(EXPLAINED)),
    )
    return PaperBeside(paper.REFERENCE, paper.REMARK, rows)


def _changes(change: Change) -> Iterator[Beside]:
    ours = {(row.domain, row.test, row.method): row for row in change.by_method}
    for of, methods in paper.CHANGE.items():
        for method, own in methods.items():
            row = ours.get((*of, method))
            yield Beside(
                f"Change, {method_name(method)}, {condition_name(*of)} (n, p)",
                _change_words(own.change, own.half_width, own.n, own.p),
                paper.TABLES[of],
                NOTHING
                if row is None
                else _change_words(row.published_change, row.half_width, row.n, row.p),
                own.change,
                None if row is None else row.published_change,
            )


def _change_words(change: float | None, half: float | None, n: int, p: float | None) -> str:
    return f"{signed(change, 2)} ± {number(half)} ({grouped(n)}, {p_value(p)})"


def _before(change: Change) -> Iterator[Beside]:
    ours = {(row.domain, row.test): row for row in change.before}
    for of, (n, value) in paper.PRE.items():
        row = ours.get(of)
        yield Beside(
            f"Accuracy before explanations, {condition_name(*of)} (n)",
            f"{number(value)} % ({grouped(n)})",
            paper.TABLES[of],
            NOTHING if row is None else f"{number(row.pre)} % ({grouped(row.n)})",
            value,
            None if row is None else row.pre,
        )


def _rated(ratings: Ratings) -> Iterator[Beside]:
    ours = {(row.domain, row.method): row for row in ratings.methods}
    for domain, counts in paper.RATED.items():
        for method, n in zip(PUBLISHED_METHODS, counts, strict=True):
            row = ours.get((domain, method))
            yield Beside(
                f"Ratings, {method_name(method)}, {domain} (mean)",
                f"{n} (not available)",
                "Table 3",
                NOTHING if row is None else f"{grouped(row.n)} ({number(row.mean)})",
                n,
                None if row is None else row.n,
            )


def _by_model(ratings: Ratings) -> Iterator[Beside]:
    ours = {(row.domain, row.model_right): row for row in ratings.by_model}
    for (domain, right), own in paper.BY_MODEL.items():
        row = ours.get((domain, right))
        yield Beside(
            f"Mean rating, {domain}, model {'right' if right else 'wrong'} (n)",
            f"{number(own.mean)} ± {number(own.half_width)} ({own.n})",
            "Table 5",
            NOTHING
            if row is None
            else f"{number(row.mean)} ± {number(row.half_width)} ({grouped(row.n)})",
            own.mean,
            None if row is None else row.mean,
        )


def _predicting(ratings: Ratings) -> Iterator[Beside]:
    ours = {row.domain: row for row in ratings.predicting if row.scale == ABSOLUTE}
    for domain, n in paper.PREDICTING.items():
        row = ours.get(domain)
        yield Beside(
            f"Predictions with a rating, counterfactual test after explanations, {domain}",
            str(n),
            "section 5.3",
            NOTHING if row is None else grouped(row.n),
            n,
            None if row is None else row.n,
        )


def _models(explained: Explained | None) -> Iterator[Beside]:
    ours = {row.domain: row for row in explained.models} if explained else {}
    for (domain, kind), value in paper.MODELS.items():
        row = ours.get(domain)
        own = None if row is None else row.task if kind == paper.TASK else row.prototype
        yield Beside(
            f"Accuracy of the {kind}, {domain}",
            f"{number(value)} %",
            "Table 4",
            NOTHING if own is None else f"{number(own)} %",
            value,
            own,
        )


PUBLISHED = Question(
    id="published",
    title="Published values beside ours",
    answer=PaperBeside,
    combine=combine,
    lacking=lambda data, found: [UNPUBLISHED],
)
"""What the paper reports, beside ours."""

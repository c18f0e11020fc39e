"""What a report can't give, and remarks; the reasons that every study shares."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from analysis.data.json_values import SCALARS, field_names
from analysis.data.tables import Dataset
from analysis.report.about import about
from analysis.report.declared import ReportTable, some
from analysis.report.model import FittedModel
from analysis.report.parts import Column

FEW_PARTICIPANTS = 5


@dataclass(frozen=True, slots=True)
class Lacking:
    """A result that can't be given, and why; without a reason it isn't listed."""

    result: Annotated[str, about("The result.")] = ""
    reason: Annotated[str, about("Why.")] = ""


MISSING = ReportTable(
    "missing",
    some("missing"),
    "Not given.",
    (Column("Result", "result"), Column("Why", "reason")),
)


def about_others(participants: int, noun: str) -> list[Lacking]:
    """Return that so few participants say little about others; nothing if they aren't few."""
    if participants >= FEW_PARTICIPANTS:
        return []
    reason = f"{participants} {noun}s say little about how {noun}s differ"
    if participants == 1:
        reason = f"one {noun} says nothing about how {noun}s differ"
    return [Lacking(f"conclusions about other {noun}s", reason)]


def absent_columns(
    dataset: Dataset, needing: Mapping[str, str], but: Iterable[str] = ()
) -> list[Lacking]:
    """Return the results for which a column is missing.

    Parameters
    ----------
    dataset
        The tables.
    needing
        Results by the column that they need.
    but
        Columns that aren't needed here.
    """
    return [
        Lacking(result, f"the table has no column {column}")
        for column, result in needing.items()
        if column in dataset.absent and column not in set(but)
    ]


def unsound_model(fit: FittedModel, result: str) -> list[Lacking]:
    """Return what is lacking if a model wasn't fitted, or its fit isn't sound.

    Parameters
    ----------
    fit
        The outcome.
    result
        The model in words.
    """
    return [] if fit.fitted and fit.converged else [Lacking(result, fit.reason)]


def failed_models(answer: Any, title: str, named: Sequence[Lacking]) -> Iterator[Lacking]:
    """Yield the models in an answer without a sound fit, apart from those that are named already.

    Parameters
    ----------
    answer
        Of a question; None if there is none.
    title
        The question's title.
    named
        What the question itself says is lacking.
    """
    reasons = Counter(row.reason for row in named)
    for fit in _models_in(answer):
        for row in unsound_model(fit, f"{title}: the model {fit.asked}"):
            if not reasons[row.reason]:
                yield row
            reasons -= Counter([row.reason])


def _models_in(value: Any) -> Iterator[FittedModel]:
    if isinstance(value, FittedModel):
        yield value
        return
    if isinstance(value, Mapping):
        value = tuple(value.values())
    elif (names := field_names(type(value))) is not None:
        value = tuple(getattr(value, name) for name in names)
    for part in value if isinstance(value, tuple) else ():
        if type(part) not in SCALARS:
            yield from _models_in(part)


def no_protocol(dataset: Dataset, result: str) -> list[Lacking]:
    """Return what is lacking if no protocol came with the data."""
    reason = "no protocol came with the data; the analysis follows the published one"
    return [] if dataset.protocol_known else [Lacking(result, reason)]


def holds_for(participants: int, items: int, person: str, item: str) -> list[str]:
    """Return for which single person or item results hold, if there was only one.

    Parameters
    ----------
    participants, items
        How many.
    person, item
        Their nouns.
    """
    return [
        f"There is only one {noun}: the results hold only for this {noun}."
        for n, noun in ((participants, person), (items, item))
        if n == 1
    ]

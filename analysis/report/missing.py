"""What a report can't give, and remarks; the reasons that every study shares."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from analysis.data.tables import Dataset
from analysis.report.about import about
from analysis.report.declared import ReportTable, some
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


def lacking(result: str, reason: str) -> dict[str, str]:
    """Return a result that can't be given, as it stands in results.json."""
    return {"result": result, "reason": reason}


def absent_columns(
    dataset: Dataset, needing: Mapping[str, str], but: Iterable[str] = ()
) -> list[dict[str, str]]:
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
        lacking(result, f"the table has no column {column}")
        for column, result in needing.items()
        if column in dataset.absent and column not in set(but)
    ]


def unsound_model(
    model: Mapping[str, Any],
    result: str,
    inference: str = "",
    unsound: str = "the fit isn’t sound; see its notes",
) -> list[dict[str, str]]:
    """Return what is lacking where a model wasn't fitted, or its fit isn't sound.

    Parameters
    ----------
    model
        The outcome, as it stands in results.json.
    result
        The model in words.
    inference
        What an unsound fit can't give, if not the model.
    unsound
        The reason then.
    """
    if not model["fitted"]:
        return [lacking(result, model["reason"])]
    return [] if model["converged"] else [lacking(inference or result, unsound)]


def no_protocol(dataset: Dataset, result: str) -> list[dict[str, str]]:
    """Return what is lacking where no protocol came with the data."""
    reason = "no protocol came with the data; the analysis follows the published one"
    return [] if dataset.protocol_known else [lacking(result, reason)]

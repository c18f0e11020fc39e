"""What the study's questions say in numbers: acceptance of labels, and accuracy."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final

from analysis.questions.estimates import EstimateRow, Estimates, Quantity
from analysis.report.about import about
from analysis.report.wording import (
    grouped,
    interval,
    no_finer,
    number,
    rounded,
)
from analysis.studies.accept_reject.words import TENTHS

SOLVER_WORDS: Final = {"S": "system (S)", "E": "data set (E)"}
_THIRD: Final[Callable[[Any], str]] = rounded(number, 3)

# Without a label they are of all judged images, with one of the images of a class.
ACCEPTED = Quantity(
    "accepted", "Accepted", "Mean over images of the share of leads who accept a solver's label.",
    TENTHS,
)  # fmt: skip
IMAGES = Quantity("images", "Images", "Images whose label by a solver was judged.", grouped, "n")
ACC_L = Quantity("acc_l", "acc_L", "acc_L(S) = p_S / p_E.", _THIRD)
PLAIN = Quantity(
    "plain_accuracy", "Plain accuracy", "Share of S's judged labels that are the data set's.",
    _THIRD,
)  # fmt: skip
PLAIN_OF_ALL = Quantity(
    "plain_accuracy_of_all", "Plain accuracy", "The same of all images of the item table.", _THIRD
)


@dataclass(frozen=True, slots=True)
class Accuracy(Estimates):
    """Acceptance of labels, and accuracy."""

    exact: Annotated[
        dict[str, str | None],
        about("p_S, p_E, acc_L and plain accuracy as fractions; null where one isn't known."),
    ]
    equal_to_plain: Annotated[
        bool | None, about("Whether acc_L is exactly plain accuracy; null if one isn't known.")
    ]
    label_words: Annotated[dict[str, str], about("What labels are called in English.")]


def ratio_words(row: EstimateRow) -> tuple[str, str]:
    """Return acc_L and its interval in words, no finer than the interval supports."""
    write = no_finer(_THIRD, row.ci_low, row.ci_high, row.estimate)
    return write(row.estimate), interval(row.ci_low, row.ci_high, write)

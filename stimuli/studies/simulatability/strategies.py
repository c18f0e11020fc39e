"""Robots that know no explanation: by design, each is right on exactly half of a test."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from stimuli.errors import UserError
from stimuli.io.tables import Row

Strategy = Callable[[Row], object]
"""Returns what it predicts of an item, from the item's row of ``key.csv``."""
BY_ITEM: Final[Mapping[str, tuple[Strategy, tuple[str, ...]]]] = {
    "the true label": (lambda row: row["true_label"], ("forward", "counterfactual")),
    "the model's output on the original": (
        lambda row: row["original_output"],
        ("counterfactual",),
    ),
}
"""Strategies in words, and the tests in which people could use them."""


@dataclass(frozen=True, slots=True)
class Score:
    """How often a strategy is right.

    Attributes
    ----------
    domain, use, short
        The test, and whether it is its short half.
    strategy
        What is predicted, in words.
    right, items
        Counts.
    """

    domain: str
    use: str
    short: bool
    strategy: str
    right: int
    items: int


def scores(items: Iterable[Row], key: Iterable[Row], classes: Iterable[Row]) -> Iterator[Score]:
    """Yield scores from the rows of ``items.csv``, ``key.csv`` and ``classes.csv``."""
    known = {row["presentation"]: row for row in key}
    tests: dict[tuple[str, str], list[Row]] = {}
    for row in items:
        if row["use"] != "learning":
            own = tests.setdefault((str(row["domain"]), str(row["use"])), [])
            own.append(known[row["presentation"]])
    answers = list(classes)
    for (domain, use), rows in sorted(tests.items()):
        own_classes = [str(row["class"]) for row in answers if row["domain"] == domain]
        for short in (False, True):
            shown = [row for row in rows if row["short"] or not short]
            for name, says in _strategies(use, own_classes):
                right = sum(says(row) == row["output"] for row in shown)
                yield Score(domain, use, short, name, right, len(shown))


def check_scores(found: Iterable[Score]) -> None:
    """Refuse items of which a strategy gets more or fewer right than half.

    Raises
    ------
    UserError
        Names the test, the strategy and its score.
    """
    for score in found:
        if 2 * score.right != score.items:
            half = ", short" if score.short else ""
            raise UserError(
                f"{score.domain}, {score.use}{half}: a person who always predicts "
                f"{score.strategy} is right on {score.right} of {score.items} items; balance the "
                "items so that it is half"
            )


def _strategies(use: str, classes: Iterable[str]) -> Iterator[tuple[str, Strategy]]:
    for name, (says, uses) in BY_ITEM.items():
        if use in uses:
            yield name, says
    for name in classes:
        yield f"the class {name}", lambda row, name=name: name

"""On which items methods help: right predictions before and after, by item and by kind of item."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.questions.estimates import EstimateRow, Estimates, Quantity, estimate_row
from analysis.questions.pivot import shortened
from analysis.questions.question import Promise, Question
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, changes
from analysis.report.parts import Column
from analysis.report.style import BLUE, SOFT, figure_style, in_lines, panel_grid
from analysis.report.wording import NOTHING, grouped, signed
from analysis.statistics.bootstrap import Resampling
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.means import CHANGE, cells_of
from analysis.studies.simulatability.trials import MODEL_RIGHT
from analysis.studies.simulatability.words import (
    DOTTED,
    POST,
    PRE,
    domain,
    method,
    method_name,
    tenth,
    test,
)

MOST_SHOWN: Final = 3
"""Number of items at each end of the page's table."""
JITTER: Final = 0.012
UNKNOWN: Final = "unknown"
_FLIPS: Final = {True: "flips the output", False: "keeps the output", None: "none"}
OUTCOME_WORDS: Final = {
    "true_positive": "right, positive",
    "false_positive": "wrong, positive",
    "true_negative": "right, negative",
    "false_negative": "wrong, negative",
    "right": "right",
    "wrong": "wrong",
}


KIND_ITEMS = Quantity("kind_items", "Items", "Items of a kind.")
KIND_PRE = Quantity("kind_pre_percent", "Before", "Right before explanations.", tenth, "%")
KIND_POST = Quantity("kind_post_percent", "After", "Right after explanations.", tenth, "%")
KIND_CHANGE = Quantity(
    "kind_change_points", "Change", "Right after explanations less right before.", signed, "points"
)


@dataclass(frozen=True, slots=True)
class ItemAccuracy:
    """How often an item was predicted right with a method."""

    domain: Annotated[str, about("Domain.")]
    test: Annotated[str, about("Test.")]
    outcome: Annotated[
        str | None, about("True class and model's output of the unchanged input; null: unknown.")
    ]
    flips: Annotated[
        bool | None, about("Whether the change changes the output; null: no change, or unknown.")
    ]
    item: Annotated[str, about("Domain, test and item.")]
    method: Annotated[str, about("The method.")]
    n: Annotated[int, about("People who predicted it in both phases.")]
    before: Annotated[int, about("Right before explanations.")]
    after: Annotated[int, about("Right after explanations.")]


@dataclass(frozen=True, slots=True)
class ItemAnswers(Estimates):
    """Right predictions before and after explanations, by item and by kind of item."""

    by_item: Annotated[tuple[ItemAccuracy, ...], about("By item and method.")]


_KIND: Final = ["domain", "test", "outcome", "flips"]


def compute(data: SimulatabilityData) -> ItemAnswers:
    """Return how often each item was predicted right before and after, by method."""
    pairs = _with_kinds(data.predictions.pairs, data.tests)
    methods = data.predictions.methods
    return ItemAnswers(tuple(_by_kind(pairs, methods, data.plan)), tuple(_by_item(pairs, methods)))


def _with_kinds(pairs: pd.DataFrame, tests: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs with ``outcome`` and ``flips`` of their items; None if unknown."""
    names = tests["domain"].astype(str) + ":" + tests["use"].astype(str)
    names = names + ":" + tests["item"].astype(str)
    columns = {}
    for name in ("outcome", "flips"):
        known = tests[name] if name in tests else pd.Series(None, index=tests.index, dtype=object)
        cells = pd.Series(known.astype(object).to_numpy(), index=names)
        cells = cells[cells.notna()]
        of_item = cells[~cells.index.duplicated()].to_dict()
        columns[name] = [of_item.get(item) for item in pairs["item"]]
    return pairs.assign(
        **{name: pd.Series(column, dtype=object) for name, column in columns.items()}
    )


def _by_item(pairs: pd.DataFrame, methods: Sequence[str]) -> Iterator[ItemAccuracy]:
    place = {name: n for n, name in enumerate(methods)}
    groups = pairs.groupby([*_KIND, "item", "method"], dropna=False, as_index=False)
    rows = groups.agg(n=("pre", "size"), before=("pre", "sum"), after=("post", "sum"))
    rows = rows.assign(place=rows["method"].map(place))
    ordered = rows.sort_values(["domain", "test", "item", "place"]).to_dict("records")
    for row in ordered:
        yield ItemAccuracy(
            domain=str(row["domain"]),
            test=str(row["test"]),
            outcome=_known(row["outcome"]),
            flips=_yes(row["flips"]),
            item=str(row["item"]),
            method=str(row["method"]),
            n=int(row["n"]),
            before=int(row["before"]),
            after=int(row["after"]),
        )


def _by_kind(
    pairs: pd.DataFrame, methods: Sequence[str], plan: Resampling
) -> Iterator[EstimateRow]:
    """Yield each kind of item with each method; nothing if no kind is known."""
    for (domain_, test_, outcome, flips), of_kind in pairs.groupby(_KIND, dropna=False):
        if _known(outcome) is None and _yes(flips) is None:
            continue
        kind = {"domain": str(domain_), "test": str(test_)}
        kind |= {"outcome": _known(outcome) or UNKNOWN, "change": _FLIPS[_yes(flips)]}
        there = [name for name in methods if (of_kind["method"] == name).any()]
        yield from cells_of(of_kind, CHANGE, kind, there, plan).rows(KIND_CHANGE)
        for name in there:
            of, predicted = kind | {"method": name}, of_kind[of_kind["method"] == name]
            yield estimate_row(KIND_ITEMS, of, predicted["item"].nunique())
            for quantity, phase in ((KIND_PRE, PRE), (KIND_POST, POST)):
                share = float(predicted[phase].mean())
                yield estimate_row(quantity, of, 100 * share, len(predicted))


def _known(value: object) -> str | None:
    return None if value is None or value != value else str(value)


def _yes(value: object) -> bool | None:
    known = _known(value)
    return None if known is None else known.casefold() in ("true", "1", "yes")


def _gain(row: ItemAccuracy) -> float:
    return (row.after - row.before) / row.n


def _extremes(answer: ItemAnswers) -> list[ItemAccuracy]:
    """Return the items that gained and lost most, of those that enough people predicted."""
    most = max((row.n for row in answer.by_item), default=0)
    known = sorted(
        (row for row in answer.by_item if 2 * row.n >= most and _gain(row)),
        key=lambda row: -_gain(row),
    )
    return [*known[:MOST_SHOWN], *known[max(MOST_SHOWN, len(known) - MOST_SHOWN) :]]


def _share(name: str) -> Column:
    return Column(
        name.capitalize(),
        lambda row: f"{grouped(getattr(row, name))} of {grouped(row.n)}",
        str,
        "right",
    )


def _model_is(row: ItemAccuracy) -> str:
    return OUTCOME_WORDS.get(row.outcome or "", UNKNOWN)


ITEMS = ReportTable(
    "items",
    "by_item",
    "Items that gained and lost most right predictions.",
    (
        Column("Domain", domain),
        Column("Item", lambda row: row.item.split(":", 1)[1]),
        Column("Method", method),
        Column("Model", _model_is),
        Column("Change of the input", lambda row: _FLIPS[row.flips]),
        _share("before"),
        _share("after"),
    ),
    "The extremes of many items are partly chance: few people predict an item with a method. "
    "tables/items.csv has all items.",
    shown=_extremes,
    row_headers=3,
)


def _kinds(answer: ItemAnswers) -> list[dict[str, Any]]:
    """Return Change by method of each kind of item, kinds as rows."""
    sums: dict[tuple[Any, ...], dict[str, list[int]]] = {}
    for row in answer.by_item:
        if row.outcome is not None:
            kind = (row.domain, row.test, row.outcome.startswith(MODEL_RIGHT), row.flips)
            by_method = sums.setdefault(kind, {}).setdefault(row.method, [0, 0])
            by_method[0] += row.after - row.before
            by_method[1] += row.n
    return [
        dict(zip(("domain", "test", "right", "flips"), kind, strict=True))
        | {name: signed(100 * gain / n) for name, (gain, n) in by_method.items()}
        for kind, by_method in sorted(sums.items(), key=str)
    ]


def _kind_columns(answer: ItemAnswers) -> Sequence[Column]:
    methods = dict.fromkeys(row.method for row in answer.by_item)
    return (
        Column("Domain", domain, once=True),
        Column("Test", test, once=True),
        Column("Model", lambda row: "right" if row["right"] else "wrong"),
        Column("Change of the input", lambda row: _FLIPS[row["flips"]]),
        *(
            Column(method_name(name), lambda row, name=name: row.get(name, NOTHING), str, "points")
            for name in methods
        ),
    )


KINDS = ReportTable(
    "",
    _kinds,
    "Change by kind of item.",
    _kind_columns,
    "Change: accuracy after minus before. tables/estimates.csv has each outcome, with accuracies "
    "and intervals.",
    cut=shortened,
    strong=changes("domain", "test"),
    row_headers=4,
)


def draw(answer: ItemAnswers) -> Figure:
    """Return every item's right predictions before and after, a panel a method."""
    methods = list(dict.fromkeys(row.method for row in answer.by_item))
    rng = np.random.default_rng(0)
    with figure_style():
        figure, panels = panel_grid(
            len(methods), 3, head_in=0.7, panel_in=2.2, sharex=True, sharey=True
        )
        for axes, name in zip(panels, methods, strict=True):
            rows = [row for row in answer.by_item if row.method == name]
            points = np.array([[row.before / row.n, row.after / row.n] for row in rows])
            points = 100 * (points + rng.normal(0, JITTER, points.shape))
            axes.set_title(in_lines(method_name(name), 24))
            axes.plot([0, 100], [0, 100], color=SOFT, linewidth=0.8, linestyle=DOTTED, zorder=0)
            axes.plot(*points.T, "o", color=BLUE, markersize=3, alpha=0.5, markeredgewidth=0)
            axes.set_aspect("equal")
        figure.supxlabel("right before explanations, %", fontsize=8.5)
        figure.supylabel("right after, %", fontsize=8.5)
    return figure


FIGURE = ReportFigure(
    "items",
    "Right predictions of each item, before and after explanations. Items above the line gained. "
    "Points are moved a little so that none hides another.",
    "A panel for each method: a point for each item, its accuracy after over that before",
    draw,
)
ITEM_ANSWERS = Question(
    id="items",
    title="On which items explanations help",
    answer=ItemAnswers,
    quantities=(KIND_ITEMS, KIND_PRE, KIND_POST, KIND_CHANGE),
    compute=compute,
    parts=(FIGURE, ITEMS, KINDS),
    registered=lambda _: Promise(
        "Right predictions by item, by outcome and by whether the change flips it."
    ),
)
"""On which items explanations help."""

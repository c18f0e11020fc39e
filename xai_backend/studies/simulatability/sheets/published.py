"""Facts about the published study that its sheets lack, and checks of imported items.

The facts are classes, splits, sizes and accuracies. What the checks find in items is counted and
reported.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from stimuli.errors import UserError
from stimuli.maps.origin import IMPORTED, Origin
from stimuli.names import ANY_LANGUAGE
from stimuli.studies.simulatability.material import DomainMaterial, Item, Use, Words
from stimuli.studies.simulatability.stimulus import (
    Anchor,
    AnyExplanation,
    Boundary,
    Composite,
    Lime,
    Prototype,
)
from xai_backend.studies.simulatability.sheets.cells import Lines, Row, read_row, read_sentence
from xai_backend.studies.simulatability.trained import AnyInput

ORIGIN: Final = Origin(IMPORTED, "sheets of Hase & Bansal 2020")
SIZES: Final[Mapping[Use, int]] = {"learning": 16, "forward": 32, "counterfactual": 32}
"""Number of a domain's items for each use."""
SPLITS: Final[Mapping[Use, str]] = {
    "learning": "validation",
    "forward": "test",
    "counterfactual": "test",
}


@dataclass(frozen=True, slots=True)
class PublishedDomain:
    """A domain of the published study.

    Attributes
    ----------
    name
        Its name, and its folder's.
    classes
        As in the sheets, the negative one first.
    class_names
        Names that people read, by class and language.
    accuracy
        Share of the test split that the task model, and its prototype network, classify correctly
        (the paper's Table 4).
    read_input
        Reads an input.
    """

    name: Literal["text", "tabular"]
    classes: tuple[str, str]
    class_names: Words
    accuracy: tuple[float, float]
    read_input: Callable[[Lines], AnyInput]


TEXT: Final = PublishedDomain(
    name="text",
    classes=("neg", "pos"),
    class_names={
        ("neg", ANY_LANGUAGE): "negative",
        ("pos", ANY_LANGUAGE): "positive",
        ("neg", "de"): "negativ",
        ("pos", "de"): "positiv",
    },
    accuracy=(0.8093, 0.8064),
    read_input=read_sentence,
)
TABULAR: Final = PublishedDomain(
    name="tabular",
    classes=("below $50K", "above $50K"),
    class_names={
        ("below $50K", ANY_LANGUAGE): "below $50K",
        ("above $50K", ANY_LANGUAGE): "above $50K",
        ("below $50K", "de"): "unter 50.000 $",
        ("above $50K", "de"): "über 50.000 $",
    },
    accuracy=(0.8349, 0.8190),
    read_input=read_row,
)


_EVEN = 0.5
"""Above this total, LIME's linear model predicts the positive class."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A LIME explanation whose total implies another class than the model's.

    Attributes
    ----------
    domain, use, source_id
        The item.
    total
        The sheet's total.
    output
        The model's output.
    """

    domain: str
    use: str
    source_id: str
    total: float
    output: str


def check_balance(published: PublishedDomain, items: Sequence[Item]) -> None:
    """Check that the numbers of items of each kind are those of the published study.

    Label and output are balanced in each part; half of each cell's counterfactuals change the
    model's output.

    Raises
    ------
    UserError
        If they aren't.
    """
    negative, positive = published.classes
    for use, size in SIZES.items():
        own = [item for item in items if item.use == use]
        cells = Counter((item.true_label, item.output, item.edited_output) for item in own)
        edited = published.classes if use == "counterfactual" else (None,)
        wanted = [
            (label, output, then)
            for label in (negative, positive)
            for output in (negative, positive)
            for then in edited
        ]
        each = size // len(wanted)
        if cells != dict.fromkeys(wanted, each):
            found = ", ".join(f"{cells[cell]} {_cell_sentence(cell)}" for cell in wanted)
            raise UserError(
                f"{published.name}, {use}: isn't balanced; {each} items of each kind are needed, "
                f"found {found}"
            )


def check_item(
    row: Row, explanation: AnyExplanation, output: str, published: PublishedDomain
) -> None:
    """Check that an explanation is of the model's output; one of another row often isn't.

    LIME's total isn't checked: `contradictions` lists the totals that imply another class.

    Raises
    ------
    UserError
        If a rule or a prototype has another class, or a path leads to the same class.
    """
    other = next(name for name in published.classes if name != output)
    for said, wanted in _classes(explanation, output, other):
        if said != wanted:
            raise UserError(
                f"{row.place}, explanation: says {said!r} instead of {wanted!r}; the model's "
                f"output is {output!r}"
            )


def contradictions(domain: DomainMaterial) -> tuple[Contradiction, ...]:
    """Return the LIME explanations whose total implies another class than the model's, in order."""
    return tuple(
        Contradiction(domain.name, item.use, item.source_id, lime.total, item.output)
        for item in domain.items
        for lime in item.explanations.values()
        if isinstance(lime, Lime) and domain.classes[lime.total > _EVEN] != item.output
    )


def likeness(items: Collection[Item]) -> dict[str, int]:
    """Return by method how many composites' parts equal the method's own explanation."""
    found: Counter[str] = Counter()
    for item in items:
        whole = item.explanations.get("composite")
        if isinstance(whole, Composite):
            found["composite"] += 1
            found.update(_alike(whole, item))
    return dict(found)


def _cell_sentence(cell: tuple[str, str, str | None]) -> str:
    label, output, then = cell
    return f"labelled {label}, output {output}" + (f", then {then}" if then else "")


def _classes(explanation: AnyExplanation, output: str, other: str) -> Iterator[tuple[str, str]]:
    """Yield the classes that an explanation names, each with the expected class."""
    match explanation:
        case Anchor():
            yield explanation.outcome, output
        case Prototype():
            yield explanation.label, output
        case Boundary():
            yield explanation.target, other
        case Composite():
            for part in (explanation.anchor, explanation.boundary, explanation.prototype):
                yield from _classes(part, output, other)


def _alike(whole: Composite, item: Item) -> Iterator[str]:
    for method in ("lime", "anchor", "prototype"):
        if getattr(whole, method) == item.explanations[method]:
            yield method
    path = item.explanations["decision_boundary"]
    if isinstance(path, Boundary) and whole.boundary.steps[-1].edits == path.steps[-1].edits:
        yield "decision_boundary"

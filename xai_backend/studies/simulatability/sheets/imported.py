"""The published study's sheets, imported: their domains, items and orders, and what was found.

The sheets lack classes, splits, sizes and accuracies: these are stated here. What the checks find
in items is counted and reported.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, Literal

from stimuli.errors import UserError
from stimuli.io.canonical import files_sha256
from stimuli.maps.origin import IMPORTED, Origin
from stimuli.names import ANY_LANGUAGE
from stimuli.studies.simulatability.material import (
    DomainMaterial,
    Item,
    Material,
    Section,
    Use,
    Words,
)
from stimuli.studies.simulatability.stimulus import (
    Anchor,
    AnyExplanation,
    Boundary,
    Composite,
    Lime,
    Prototype,
)
from xai_backend.studies.simulatability.sheets.methods import (
    METHODS,
    Lines,
    Row,
    read_edits,
    read_explanation,
    read_row,
    read_rows,
    read_sentence,
)
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
        of_use = [item for item in items if item.use == use]
        cells = Counter((item.true_label, item.output, item.edited_output) for item in of_use)
        edited = published.classes if use == "counterfactual" else (None,)
        wanted = [
            (label, output, then)
            for label in (negative, positive)
            for output in (negative, positive)
            for then in edited
        ]
        per_kind = size // len(wanted)
        if cells != dict.fromkeys(wanted, per_kind):
            counts = ", ".join(f"{cells[cell]} {_cell_sentence(cell)}" for cell in wanted)
            raise UserError(
                f"{published.name}, {use}: isn't balanced; {per_kind} items of each kind are "
                f"needed, found {counts}"
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
    for stated, wanted in _classes(explanation, output, other):
        if stated != wanted:
            raise UserError(
                f"{row.place}, explanation: says {stated!r} instead of {wanted!r}; the model's "
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
    counts: Counter[str] = Counter()
    for item in items:
        whole = item.explanations.get("composite")
        if isinstance(whole, Composite):
            counts["composite"] += 1
            counts.update(_alike(whole, item))
    return dict(counts)


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


_EXPLAINED: Final[Mapping[Use, Section]] = {
    "learning": "learning_again",
    "counterfactual": "counterfactual_post",
}

_MASTERS: Final[Mapping[Use, tuple[str, tuple[str, ...]]]] = {
    "learning": ("Tests/Forward/learning-blackbox.xlsx", ("id", "context", "label", "model")),
    "forward": (
        "Master-Data-Files/master-forward.xlsx",
        ("id", "context", "label", "model"),
    ),
    "counterfactual": (
        "Master-Data-Files/master-counterfactual.xlsx",
        ("id", "context", "label", "model", "perturbation", "perturbation_model"),
    ),
}


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of sheet of each method: its master, file and columns."""

    use: Use
    file: str
    columns: tuple[str, ...]
    explained: bool = False


_KINDS: Final[Mapping[Section, _Kind]] = {
    "learning_again": _Kind(
        "learning", "Forward/learning", ("id", "context", "label", "model"), explained=True
    ),
    "forward_pre": _Kind("forward", "Forward/forward-pre", ("id", "context")),
    "forward_post": _Kind("forward", "Forward/forward-post", ("id", "context")),
    "counterfactual_pre": _Kind(
        "counterfactual",
        "Counterfactual/counterfactual-pre",
        ("id", "context", "label", "model", "perturbation"),
    ),
    "counterfactual_post": _Kind(
        "counterfactual",
        "Counterfactual/counterfactual-post",
        ("id", "context", "label", "model", "perturbation"),
        explained=True,
    ),
}


@dataclass(frozen=True, slots=True)
class Files:
    """All rows of a domain.

    Attributes
    ----------
    masters
        The items, by use.
    sheets
        What people are shown, by method and section.
    """

    masters: Mapping[Use, tuple[Row, ...]]
    sheets: Mapping[tuple[str, Section], tuple[Row, ...]]


def read_files(folder: Path) -> Files:
    """Return a domain's rows, after checking that all sheets agree with the masters.

    Parameters
    ----------
    folder
        The domain's folder, with ``Master-Data-Files`` and ``Tests`` in it.

    Raises
    ------
    UserError
        If a file is missing or damaged, or a sheet doesn't show what the master says.
    """
    masters = {use: read_rows(folder / file, columns) for use, (file, columns) in _MASTERS.items()}
    sheets = {}
    for method, how in METHODS.items():
        for section, kind in _KINDS.items():
            path = folder / "Tests" / f"{kind.file}-{how.file_part}.xlsx"
            columns = (*kind.columns, *(how.columns if kind.explained else ()))
            rows = read_rows(path, columns)
            _check_shown(path, rows, kind, masters[kind.use])
            sheets[method, section] = rows
    return Files(masters, sheets)


def _check_shown(
    path: Path, rows: tuple[Row, ...], kind: _Kind, master_rows: tuple[Row, ...]
) -> None:
    """Check that a sheet shows all items of its master, unchanged."""
    masters, master = {row.source_id: row for row in master_rows}, Path(_MASTERS[kind.use][0]).name
    for row in rows:
        if row.source_id not in masters:
            raise UserError(f"{row.place}: id {row.source_id} isn't in {master}")
        for column in kind.columns:
            if row.cells[column] != masters[row.source_id].cells[column]:
                raise UserError(f"{row.place}: {column} differs from {master} for this id")
    lacking = sorted(masters.keys() - {row.source_id for row in rows})
    if lacking:
        raise UserError(f"{path}: id {', '.join(lacking)} of {master} is missing")


def read_domain(folder: Path, published: PublishedDomain) -> DomainMaterial:
    """Return a domain's items with all explanations, and its orders.

    Parameters
    ----------
    folder
        The folder that holds both domains' folders.
    published
        The domain.

    Raises
    ------
    UserError
        If a file is missing or damaged, something in it can't be read, the sheets contradict each
        other, or the items aren't balanced as the published ones are.
    """
    files = read_files(folder / published.name)
    items = [
        _item(use, row, published, _explained(files, use, row))
        for use, rows in files.masters.items()
        for row in rows
    ]
    check_balance(published, items)
    return DomainMaterial(
        name=published.name,
        classes=published.classes,
        items=tuple(items),
        class_names=published.class_names,
        orders=_orders(files),
        accuracy=published.accuracy,
    )


def _explained(files: Files, use: Use, item: Row) -> dict[str, Row]:
    """Return the rows that hold an item's explanations, by method."""
    if use not in _EXPLAINED:
        return {}
    sheets = {method: files.sheets[method, _EXPLAINED[use]] for method in METHODS}
    return {
        method: next(row for row in rows if row.source_id == item.source_id)
        for method, rows in sheets.items()
    }


def _item(use: Use, row: Row, published: PublishedDomain, explained: Mapping[str, Row]) -> Item:
    _check_classes(row, published)
    original = row.read(["context"], published.read_input)
    edits = None
    if "perturbation" in row.cells:
        edits = row.read(["perturbation"], partial(read_edits, original=original))
    explanations: dict[str, AnyExplanation] = {}
    for method, its in explained.items():
        explanations[method] = read_explanation(method, its, original)
        check_item(its, explanations[method], row.cells["model"], published)
    return Item(
        use=use,
        split=SPLITS[use],
        source_id=row.source_id,
        original=original,
        true_label=row.cells["label"],
        output=row.cells["model"],
        explanations=explanations,
        edits=edits,
        edited_output=row.cells.get("perturbation_model"),
    )


def _check_classes(row: Row, published: PublishedDomain) -> None:
    for column in ("label", "model", "perturbation_model"):
        value = row.cells.get(column)
        if value is not None and value not in published.classes:
            known = ", ".join(published.classes)
            raise UserError(f"{row.place}: {column} {value!r} isn't one of {known}")


def _orders(files: Files) -> dict[tuple[str, Section], tuple[str, ...]]:
    """Return the sheets' orders; the learning order is the same for all methods.

    Raises
    ------
    UserError
        If a method has another learning order.
    """
    learning = _ids(files.masters["learning"])
    for method in METHODS:
        rows = files.sheets[method, "learning_again"]
        if _ids(rows) != learning:
            first = next(
                row
                for row, source_id in zip(rows, learning, strict=True)
                if row.source_id != source_id
            )
            raise UserError(f"{first.place}: learning-blackbox.xlsx has a different order")
    orders = {key: _ids(rows) for key, rows in files.sheets.items()}
    return orders | {(method, "learning"): learning for method in METHODS}


def _ids(rows: tuple[Row, ...]) -> tuple[str, ...]:
    return tuple(row.source_id for row in rows)


@dataclass(frozen=True, slots=True)
class Imported:
    """What `read_sheets` returns.

    Attributes
    ----------
    material
        Both domains' items with all explanations.
    contradictions
        LIME explanations whose total implies another class than the model's; they are imported
        unchanged.
    likeness
        By method, the number of composites whose part equals the method's own explanation;
        ``composite`` has the number of composites.
    """

    material: Material
    contradictions: tuple[Contradiction, ...]
    likeness: Mapping[str, int]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks for the builder, one line each."""
        explanations = [
            item.explanations for domain in self.material.domains for item in domain.items
        ]
        explained = sum(map(len, explanations))
        linear = sum("lime" in by_method for by_method in explanations)
        listed = ", ".join(
            f"{contradiction.domain} {contradiction.use} {contradiction.source_id}"
            for contradiction in self.contradictions
        )
        return (
            f"Imported {len(explanations)} items and {explained} explanations; "
            "all counts are right.",
            f"LIME's total contradicts the model in {len(self.contradictions)} of {linear} "
            f"explanations; the import doesn't change them: {listed or 'none'}.",
            f"Composite's prototype is the same as the Prototype method's in "
            f"{self.likeness['prototype']} of {self.likeness['composite']} explanations.",
        )


def read_sheets(folder: Path) -> Imported:
    """Import the published study's sheets (Hase & Bansal 2020).

    Parameters
    ----------
    folder
        The folder that holds ``text`` and ``tabular``, each with ``Master-Data-Files`` and
        ``Tests``.

    Returns
    -------
    Imported
        Both domains, with the methods of `METHODS`; the sheets' orders are kept.

    Raises
    ------
    UserError
        If a folder or file is missing or damaged, something in it can't be read, the sheets
        contradict each other, or the items aren't balanced as the published ones are.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder of sheets")
    domains = tuple(read_domain(folder, published) for published in (TEXT, TABULAR))
    alike: Counter[str] = Counter()
    for domain in domains:
        alike.update(likeness(domain.items))
    return Imported(
        material=Material(domains=domains, origins=_origins(folder)),
        contradictions=tuple(
            contradiction for domain in domains for contradiction in contradictions(domain)
        ),
        likeness={name: alike[name] for name in ("composite", *METHODS) if name in alike},
    )


def _origins(folder: Path) -> dict[str, Origin]:
    """Return the origin of each method's explanations: the published study, by its files."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return dict.fromkeys(METHODS, replace(ORIGIN, sha256=files_sha256(files, folder)))

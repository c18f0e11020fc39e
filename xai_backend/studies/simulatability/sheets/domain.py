"""A domain of the published study: from rows of sheets to items and orders."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

from stimuli.errors import UserError
from stimuli.studies.simulatability.explanations import AnyExplanation
from stimuli.studies.simulatability.material import DomainMaterial, Item, Section, Use
from xai_backend.studies.simulatability.sheets.checks import check_balance, check_item
from xai_backend.studies.simulatability.sheets.files import Files, read_files
from xai_backend.studies.simulatability.sheets.methods import METHODS, read_explanation
from xai_backend.studies.simulatability.sheets.published import SPLITS, PublishedDomain
from xai_backend.studies.simulatability.sheets.written_inputs import read_edits
from xai_backend.studies.simulatability.sheets.xlsx import Row

_EXPLAINED: Final[Mapping[Use, Section]] = {
    "learning": "learning_again",
    "counterfactual": "counterfactual_post",
}


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
        said = row.cells.get(column)
        if said is not None and said not in published.classes:
            known = ", ".join(published.classes)
            raise UserError(f"{row.place}: {column} {said!r} isn't one of {known}")


def _orders(files: Files) -> dict[tuple[str, Section], tuple[str, ...]]:
    """Return the sheets' orders, of which learning's is the same for all methods.

    Raises
    ------
    UserError
        If a method has another order of learning.
    """
    learning = _ids(files.masters["learning"])
    for method in METHODS:
        rows = files.sheets[method, "learning_again"]
        if _ids(rows) != learning:
            first = next(
                row for row, one in zip(rows, learning, strict=True) if row.source_id != one
            )
            raise UserError(f"{first.place}: learning-blackbox.xlsx has a different order")
    orders = {key: _ids(rows) for key, rows in files.sheets.items()}
    return orders | {(method, "learning"): learning for method in METHODS}


def _ids(rows: tuple[Row, ...]) -> tuple[str, ...]:
    return tuple(row.source_id for row in rows)

"""Where the published study's sheets lie in their folder, and their rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stimuli.errors import UserError
from stimuli.studies.simulatability.material import Section, Use
from xai_backend.studies.simulatability.sheets.methods import METHODS
from xai_backend.studies.simulatability.sheets.xlsx import Row, read_rows

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
    """A kind of sheet that each method has: its master, file, columns."""

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
        What the items are, by use.
    sheets
        What people of a method are shown, by method and section.
    """

    masters: Mapping[Use, tuple[Row, ...]]
    sheets: Mapping[tuple[str, Section], tuple[Row, ...]]


def read_files(folder: Path) -> Files:
    """Return a domain's rows; all sheets show the masters' items, and the same of them.

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
    """Check that a sheet shows all items of its master, each as it is there."""
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

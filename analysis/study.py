"""What a study declares to this room."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pandas as pd

    from analysis.questions.inquiry import Inquiry


METRICS_HELP: Final = "Table of the metrics of explanations, with --trials."


@dataclass(frozen=True, slots=True)
class TableBeside:
    """A table that may lie beside a study's trial table.

    Attributes
    ----------
    needed
        Columns that it must have, without an empty cell.
    option
        Help of the option ``--NAME`` by which ``analyse`` takes the table with an outside
        trial table; empty if only dataset folders have one.
    """

    needed: tuple[str, ...]
    option: str = ""


@dataclass(frozen=True, slots=True)
class OwnRows:
    """Which rows of a table belong to a study that shares its tables with another one.

    Attributes
    ----------
    column
        The column that tells which study a row belongs to. Without it all rows are this study's.
    belong
        Returns whether each row belongs to the study, boolean, from the values of the column.
    """

    column: str
    belong: "Callable[[pd.Series], pd.Series]"


@dataclass(frozen=True, slots=True)
class Study:
    """How a study's tables are read, analysed and shown.

    Every command of this room imports all declarations. A declaration imports what computes and
    draws inside its functions.

    Attributes
    ----------
    inquiry
        Returns the study's questions. It imports them when it is called.
    beside
        Tables that may lie beside the trial table, by file stem.
    may_be_empty
        Columns that an outside trial table must have, in which cells may be empty.
    words
        What an outside trial table may say in place of a column's levels, by column: a word in
        small letters, and the level that it stands for. Levels themselves are read in any case.
    own_rows
        The study's rows of a table, by file stem, if another study has rows in it, too.
    power
        The study's command under ``power``; None if there is none.
    """

    inquiry: "Callable[[], Inquiry[Any]]"
    beside: Mapping[str, TableBeside] = field(default_factory=dict)
    may_be_empty: frozenset[str] = frozenset()
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    own_rows: Mapping[str, OwnRows] = field(default_factory=dict)
    power: Callable[..., None] | None = None

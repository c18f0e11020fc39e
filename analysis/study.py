"""What a study declares to this room."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from analysis.data.tables import Dataset
    from analysis.preregister.declared import Registered
    from analysis.questions.inquiry import Inquiry
    from analysis.report.plan import ReportPlan
    from stimuli.pack import Pack

Results = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TableBeside:
    """A table that may lie beside a study's trial table.

    Attributes
    ----------
    needed
        Columns that it must have, without an empty cell.
    option
        Help of the option ``--NAME`` by which ``analyse`` takes the table with an outside
        trial table; empty where only dataset folders have one.
    """

    needed: tuple[str, ...]
    option: str = ""


@dataclass(frozen=True, slots=True)
class OwnRows:
    """Which rows of a table belong to a study that shares its tables with another one.

    Attributes
    ----------
    column
        The column that tells whose a row is. All rows of a table without it are the study's.
    belong
        Returns whether each row belongs to the study, boolean, from the values of the column.
    """

    column: str
    belong: "Callable[[pd.Series], pd.Series]"


@dataclass(frozen=True, slots=True)
class Study:
    """How a study's tables are read, analysed and shown.

    Every command of this room imports all declarations. A declaration names what computes and
    draws with `stimuli.catalogue.Late`, or imports it inside its functions.

    Attributes
    ----------
    analyse
        Returns the results of a dataset. Further arguments: the purpose of the sessions (None
        for main, or the only one in the data), the participants to leave out, and a function
        that is told what is being done.
    report
        Returns what the study's report holds.
    beside
        Tables that may lie beside the trial table, by file stem.
    may_be_empty
        Columns that an outside trial table must have, in which cells may be empty.
    words
        What an outside trial table may say in place of a column's levels, by column: a word in
        small letters, and the level that it stands for. Levels themselves are read in any case.
    own_rows
        The study's rows of a table, by file stem, where another study has rows in it too.
    power
        The study's command under ``power``; None where there is none.
    registered
        Returns what a protocol of the study preregisters; None where nothing can be.
    pictures
        Returns the pictures that figures of what was shown are drawn from, from the pack and
        the results; None where there are no such figures.
    results_schema
        Returns the JSON Schema of results.json; None where the study has none.
    inquiry
        Returns the study's questions, if it is declared by them; see `Study.of_questions`.
    """

    analyse: "Callable[[Dataset, str | None, Sequence[str], Callable[[str], None]], Results]"
    report: "Callable[[], ReportPlan | Inquiry[Any]]"
    beside: Mapping[str, TableBeside]
    may_be_empty: frozenset[str] = frozenset()
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    own_rows: Mapping[str, OwnRows] = field(default_factory=dict)
    power: Callable[..., None] | None = None
    registered: "Callable[[Any], Registered] | None" = None
    pictures: "Callable[[Pack, Results], Any] | None" = None
    results_schema: Callable[[], Mapping[str, Any] | None] = lambda: None
    inquiry: "Callable[[], Inquiry[Any]] | None" = None

    @classmethod
    def of_questions(cls, inquiry: "Callable[[], Inquiry[Any]]", **more: Any) -> "Study":
        """Return a study that is declared by its questions.

        Parameters
        ----------
        inquiry
            Returns its questions. It imports them when it is called.
        **more
            Further attributes, such as `beside`.
        """
        return cls(
            analyse=lambda *asked: inquiry().analyse(*asked),
            report=inquiry,
            registered=lambda protocol: inquiry().promises(protocol),
            pictures=lambda pack, results: inquiry().pictures(pack, results),
            results_schema=lambda: inquiry().json_schema(),
            inquiry=inquiry,
            **more,
        )

"""Journals and pack copies become tables; nothing else is read, and it can be done again."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from participants.dataset.journals import read_journals, within
from participants.dataset.pack_copy import open_pack_copy
from participants.dataset.study_tables import study_tables
from participants.dataset.write import write_table
from participants.folder import DataFolder
from participants.tombstones import withdrawn_codes
from stimuli.errors import UserError
from stimuli.io.tables import Row
from stimuli.pack import Pack


@dataclass(frozen=True, slots=True)
class Tables:
    """Tables of a study, and the sessions that need a word.

    Attributes
    ----------
    trials
        Rows of ``trials.csv``, by session and trial.
    beside
        Rows of the study's further tables by name: those of the packs that the trials show
        (``items`` …), and ``people`` with a row a session, where the study has such.
    left_out
        Sessions that can't be read (a changed journal, a missing copy of the pack), each
        with the reason. They stay where they are and are in again once that is mended.
    withdrawn
        Sessions left out since their people took their data back, at the end of any session or
        later; experts' too.
    unfinished
        Sessions that did not come to their end; their finished trials are in.
    torn
        Sessions whose last line was cut short.
    """

    trials: tuple[Row, ...]
    beside: Mapping[str, tuple[Row, ...]]
    left_out: Mapping[str, str]
    withdrawn: tuple[str, ...]
    unfinished: tuple[str, ...]
    torn: tuple[str, ...]


def derive(data: DataFolder, study: str) -> Tables:
    """Return the tables of a data folder's sessions of one study.

    One session that can't be read keeps no other out: it is named with the reason.

    Raises
    ------
    UserError
        If there is no such study.
    """
    of_study = study_tables(study)
    journals, unreadable = read_journals(data)
    gone = withdrawn_codes(data, journals.values())
    journals = {name: one for name, one in journals.items() if one.header["study"] == study}
    withdrawn = tuple(name for name, one in journals.items() if one.header["participant"] in gone)
    role = of_study.role
    journals = {name: one for name, one in journals.items() if one.header["role"] == role}
    kept = {name: journal for name, journal in journals.items() if name not in withdrawn}
    shown_in = {str(journal.header["pack_id"]) for journal in kept.values()}
    packs, missing = _packs(data, shown_in, of_study.shown)
    orphaned = {
        name: missing[journal.header["pack_id"]]
        for name, journal in kept.items()
        if journal.header["pack_id"] in missing
    }
    kept = {name: journal for name, journal in kept.items() if name not in orphaned}
    trials = [
        row
        for journal in kept.values()
        for row in of_study.rows(journal, packs[journal.header["pack_id"]])
    ]
    beside = {
        name: _distinct(table.rows(pack) for pack in packs.values())
        for name, table in of_study.of_packs.items()
    }
    if of_study.people is not None:
        beside["people"] = tuple(map(of_study.people.row, kept.values()))
    return Tables(
        trials=tuple(trials),
        beside=beside,
        left_out=dict(sorted({**unreadable, **orphaned}.items())),
        withdrawn=withdrawn,
        unfinished=tuple(name for name, journal in kept.items() if not journal.complete),
        torn=tuple(name for name, journal in journals.items() if journal.torn),
    )


def write_tables(data: DataFolder, study: str) -> Tables:
    """Write a data folder's tables again, with their sidecars, and return them.

    Raises
    ------
    UserError
        If the folder can't be written.
    """
    tables = derive(data, study)
    write_table(data, study, "trials", tables.trials, tables.left_out)
    for name, rows in tables.beside.items():
        write_table(data, study, name, rows)
    study_tables(study).also(data)
    return tables


def _packs(
    data: DataFolder, pack_ids: Iterable[str], shown: Callable[[Pack], Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what the packs' copies say, and why others can't be read."""
    packs: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for pack_id in sorted(pack_ids):
        try:
            packs[pack_id] = shown(open_pack_copy(data, pack_id))
        except UserError as error:
            missing[pack_id] = within(data, error)
    return packs, missing


def _distinct(tables: Iterable[Iterable[Row]]) -> tuple[Row, ...]:
    """Return the rows of several packs, each once."""
    return tuple({tuple(row.items()): row for row in chain.from_iterable(tables)}.values())

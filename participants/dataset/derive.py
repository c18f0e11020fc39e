"""Journals and pack copies become tables; nothing else is read, and it can be done again."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any, Final

from participants.dataset.pack_copy import open_pack_copy
from participants.dataset.write import (
    has_curves,
    has_people,
    write_curves,
    write_items,
    write_people,
    write_trials,
)
from participants.folder import DataFolder
from participants.journal import Journal, read_journal
from participants.session import withdrawal_in
from participants.studies.accept_reject import STUDY
from participants.studies.accept_reject.annotation_tables import write_expert_tables
from participants.studies.accept_reject.rows import lead_rows, solutions_of
from participants.studies.progressive_reveal.rows import images_of, person_row, round_rows
from stimuli.errors import UserError
from stimuli.io.tables import Row
from stimuli.pack import Pack


@dataclass(frozen=True, slots=True)
class Tables:
    """Tables of a study, and the sessions that need a word.

    Attributes
    ----------
    trials
        Rows of ``TRIALS[study]``, by session and trial.
    items, curves
        Rows of the item tables of all packs that the trials show, and of their curves by step,
        where the study has such.
    people
        One row a person's session, where the study has such a table.
    left_out
        Sessions that can't be read (a changed journal, a missing copy of the pack), each
        with the reason. They stay where they are and are in again once that is mended.
    withdrawn
        Sessions left out since the data may not be used; experts' too.
    unfinished
        Sessions that did not come to their end; their finished trials are in.
    torn
        Sessions whose last line was cut short.
    """

    trials: tuple[Row, ...]
    items: tuple[Row, ...]
    left_out: Mapping[str, str]
    withdrawn: tuple[str, ...]
    unfinished: tuple[str, ...]
    torn: tuple[str, ...]
    curves: tuple[Row, ...] = ()
    people: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class StudyRows:
    """How a study's journals and packs become rows.

    Attributes
    ----------
    role
        Whose sessions give trials.
    shown
        Returns what a pack says of what it shows; has ``item_table``, and ``curves`` where the
        study has such.
    trials
        Returns a session's rows, from its journal and that.
    person
        Returns the row of a session's person; None where the study has no such table.
    """

    role: str
    shown: Callable[[Pack], Any]
    trials: Callable[[Journal, Any], list[Row]]
    person: Callable[[Journal], Row] | None = None


STUDIES: Final[Mapping[str, StudyRows]] = MappingProxyType(
    {
        "accept_reject": StudyRows("lead", solutions_of, lead_rows),
        "progressive_reveal": StudyRows("participant", images_of, round_rows, person_row),
    }
)


def derive(data: DataFolder, study: str = STUDY) -> Tables:
    """Return the tables of a data folder's sessions of one study.

    One session that can't be read keeps no other out: it is named with the reason.

    Raises
    ------
    UserError
        If there is no such study.
    """
    if study not in STUDIES:
        raise UserError(f"no study {study!r}; there is: {', '.join(STUDIES)}")
    of_study = STUDIES[study]
    journals, unreadable = _journals(data)
    journals = {name: one for name, one in journals.items() if one.header["study"] == study}
    withdrawn = tuple(name for name, journal in journals.items() if withdrawal_in(journal))
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
        for row in of_study.trials(journal, packs[journal.header["pack_id"]])
    ]
    return Tables(
        trials=tuple(trials),
        items=_distinct(pack.item_table for pack in packs.values()),
        left_out=dict(sorted({**unreadable, **orphaned}.items())),
        withdrawn=withdrawn,
        unfinished=tuple(name for name, journal in kept.items() if not journal.complete),
        torn=tuple(name for name, journal in journals.items() if journal.torn),
        people=tuple(map(of_study.person, kept.values())) if of_study.person else (),
        curves=_distinct(pack.curves for pack in packs.values()) if has_curves(study) else (),
    )


def write_tables(data: DataFolder, study: str = STUDY) -> Tables:
    """Write a data folder's tables anew, with their sidecars, and return them.

    Raises
    ------
    UserError
        If the folder can't be written.
    """
    tables = derive(data, study)
    write_trials(data, study, tables.trials, tables.left_out)
    write_items(data, study, tables.items)
    if has_curves(study):
        write_curves(data, study, tables.curves)
    if has_people(study):
        write_people(data, study, tables.people)
    if study == STUDY:
        write_expert_tables(data)
    return tables


def _journals(data: DataFolder) -> tuple[dict[str, Journal], dict[str, str]]:
    """Return the journals that ever began, and why others can't be read."""
    journals: dict[str, Journal] = {}
    unreadable: dict[str, str] = {}
    for paths in data.sessions():
        try:
            journal = read_journal(paths.journal)
        except UserError as error:
            unreadable[paths.session] = _within(data, error)
            continue
        if journal.events:
            journals[paths.session] = journal
    return journals, unreadable


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
            missing[pack_id] = _within(data, error)
    return packs, missing


def _within(data: DataFolder, error: UserError) -> str:
    """Say what is wrong without saying where on this machine the data folder is."""
    return str(error).replace(f"{data.root}{os.sep}", "")


def _distinct(tables: Iterable[Iterable[Row]]) -> tuple[Row, ...]:
    """Return the rows of several packs, each once."""
    return tuple({tuple(row.items()): row for row in chain.from_iterable(tables)}.values())

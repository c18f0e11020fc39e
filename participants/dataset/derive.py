"""Journals and pack copies become tables; nothing else is read, and it can be done again."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from participants.anchor import Anchor
from participants.dataset.custody import Roll
from participants.dataset.journals import Readings, open_pack_copy, read_journals, within
from participants.dataset.study_tables import study_tables
from participants.dataset.table_files import FIRST_TABLE, read_sidecar, tables_of, write_table
from participants.folder import DataFolder
from participants.journal import Journal
from participants.session import has_declined, is_released
from stimuli.errors import UserError
from stimuli.io.tables import Row
from stimuli.pack import Pack
from stimuli.protocol import Protocol

LEFT_OUT: Final = "left_out"
WAITING: Final = "unfinished: its person hasn't agreed to the use of the data after the debrief"
"""Why an unfinished session is left out, as stated in the sidecar of ``trials.csv``."""
DECLINED: Final = "declined to take part"


@dataclass(frozen=True, slots=True)
class Tables:
    """Tables of a study, and sessions that are left out or need attention.

    Attributes
    ----------
    trials
        Rows of ``trials.csv``, by session and trial.
    beside
        Rows of the study's further tables by name: those of the packs that the trials show
        (``items`` …), and ``people`` with a row a session, where the study has such.
    left_out
        Sessions that can't be trusted (a changed or missing journal, a missing copy of the pack),
        each with the reason. They stay where they are, and are in again once that is fixed.
    waiting
        Unfinished sessions that the protocol leaves out until their people have agreed to the
        use of the data (``unfinished = "left_out"``).
    withdrawn
        Sessions left out since their people took their data back, at the end of any session or
        later; experts' too.
    unfinished
        Sessions that didn't end and whose finished trials are in.
    torn
        Sessions whose last line was cut short.
    declined
        Sessions whose people declined to take part.
    anchors
        The length and last link of all journals but those of people who withdrew, by session.
    """

    trials: tuple[Row, ...]
    beside: Mapping[str, tuple[Row, ...]]
    left_out: Mapping[str, str]
    waiting: tuple[str, ...]
    withdrawn: tuple[str, ...]
    unfinished: tuple[str, ...]
    torn: tuple[str, ...]
    declined: tuple[str, ...]
    anchors: Mapping[str, Anchor]

    @property
    def unused(self) -> dict[str, str]:
        """Why sessions are not in the tables, as stated in the sidecar of ``trials.csv``."""
        waiting = dict.fromkeys(self.waiting, WAITING)
        declined = dict.fromkeys(self.declined, DECLINED)
        return dict(sorted({**self.left_out, **waiting, **declined}.items()))


def derive(
    data: DataFolder,
    study: str,
    *,
    with_unfinished: bool = False,
    roll: Roll | None = None,
    readings: Readings | None = None,
) -> Tables:
    """Return the tables of a data folder's sessions of one study.

    A session that can't be read is named with the reason; the others are still used.

    Parameters
    ----------
    data, study
        The folder, and the study as journals name it.
    with_unfinished
        Whether unfinished sessions are in, whatever their protocol says.
    roll
        What is known of the folder; by default only what it says itself.
    readings
        What `read_journals` returned of the folder; it is called if None.

    Raises
    ------
    UserError
        If there is no such study.
    """
    of_study = study_tables(study)
    roll = roll or Roll.without_registry(data)
    journals, unreadable = readings or read_journals(data, roll)
    withdrawn_people = roll.gone(journals.values())
    journals = {
        name: journal for name, journal in journals.items() if journal.header["study"] == study
    }
    withdrawn = tuple(
        name
        for name, journal in journals.items()
        if journal.header["participant"] in withdrawn_people
    )
    role = of_study.role
    journals = {
        name: journal for name, journal in journals.items() if journal.header["role"] == role
    }
    kept = {name: journal for name, journal in journals.items() if name not in withdrawn}
    shown_in = {str(journal.header["pack_id"]) for journal in kept.values()}
    packs, missing = _packs(data, shown_in, of_study.read_pack)
    orphaned = {
        name: f"{name}: {missing[journal.header['pack_id']]}"
        for name, journal in kept.items()
        if journal.header["pack_id"] in missing
    }
    kept = {name: journal for name, journal in kept.items() if name not in orphaned}
    declined = tuple(name for name, journal in kept.items() if has_declined(journal.events))
    kept = {name: journal for name, journal in kept.items() if name not in declined}
    rules = {pack_id: protocol for pack_id, (protocol, _) in packs.items()}
    waiting = () if with_unfinished else _waiting(kept, rules)
    kept = {name: journal for name, journal in kept.items() if name not in waiting}
    used = {journal.header["pack_id"] for journal in kept.values()}
    contents = {pack_id: of_pack for pack_id, (_, of_pack) in packs.items() if pack_id in used}
    trials = [
        row
        for journal in kept.values()
        for row in of_study.trial_rows(journal, contents[journal.header["pack_id"]])
    ]
    beside = {
        name: distinct(pack.beside[name] for pack in contents.values())
        for name in of_study.of_packs
    }
    if of_study.person:
        beside["people"] = tuple(
            row for journal in kept.values() for row in of_study.people_rows(journal)
        )
    return Tables(
        trials=tuple(trials),
        beside=beside,
        left_out=dict(sorted({**unreadable, **orphaned}.items())),
        waiting=waiting,
        withdrawn=withdrawn,
        unfinished=tuple(name for name, journal in kept.items() if not journal.complete),
        torn=tuple(name for name, journal in journals.items() if journal.torn),
        declined=declined,
        anchors={
            name: journal.anchor for name, journal in journals.items() if name not in withdrawn
        },
    )


def write_tables(
    data: DataFolder,
    study: str,
    *,
    with_unfinished: bool = False,
    roll: Roll | None = None,
    readings: Readings | None = None,
) -> Tables:
    """Write a data folder's tables again, with their sidecars, and return them.

    Parameters are those of `derive`.

    Raises
    ------
    UserError
        If the folder can't be written.
    """
    tables = derive(data, study, with_unfinished=with_unfinished, roll=roll, readings=readings)
    before = read_sidecar(tables_of(data, study) / FIRST_TABLE).sessions
    # What was known of a journal that can't be trusted now stays known.
    kept = {name: before[name] for name in tables.left_out if name in before}
    write_table(data, study, "trials", tables.trials, tables.unused, {**kept, **tables.anchors})
    for name, rows in tables.beside.items():
        write_table(data, study, name, rows)
    study_tables(study).also(data)
    return tables


def _waiting(journals: Mapping[str, Journal], rules: Mapping[str, Protocol]) -> tuple[str, ...]:
    """Return the sessions that their protocols leave out until their people have agreed."""
    return tuple(
        name
        for name, journal in journals.items()
        if rules[journal.header["pack_id"]].unfinished == LEFT_OUT and not is_released(journal)
    )


def _packs(
    data: DataFolder, pack_ids: Iterable[str], read_pack: Callable[[Pack], Any]
) -> tuple[dict[str, tuple[Protocol, Any]], dict[str, str]]:
    """Return protocols and contents of the packs' copies, and why other copies can't be read."""
    packs: dict[str, tuple[Protocol, Any]] = {}
    missing: dict[str, str] = {}
    for pack_id in sorted(pack_ids):
        try:
            pack = open_pack_copy(data, pack_id)
            packs[pack_id] = pack.protocol, read_pack(pack)
        except UserError as error:
            missing[pack_id] = within(data, error)
    return packs, missing


def distinct(tables: Iterable[Iterable[Row]]) -> tuple[Row, ...]:
    """Return the rows of several packs, each once."""
    return tuple({tuple(row.items()): row for row in chain.from_iterable(tables)}.values())

"""Journals and pack copies become tables; nothing else is read, and it can be done again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from participants.dataset.columns import ITEM_TABLES
from participants.dataset.pack_copy import open_pack_copy
from participants.dataset.write import write_items, write_trials
from participants.folder import DataFolder
from participants.journal import Event, Journal, read_journal
from participants.studies.accept_reject import RENEWED, STUDY
from stimuli.pack import Pack
from stimuli.protocol.accept_reject import AcceptReject
from stimuli.studies.accept_reject.tables import ITEMS, KEY
from stimuli.tables import Row


@dataclass(frozen=True, slots=True)
class Tables:
    """Tables of a study, and the sessions that need a word.

    Attributes
    ----------
    trials
        Rows of ``TRIALS[study]``, by session and trial.
    items
        Rows of the item tables of all packs that the trials show.
    withdrawn
        Sessions left out since the data may not be used.
    unfinished
        Sessions that did not come to their end; their finished trials are in.
    torn
        Sessions whose last line was cut short.
    """

    trials: tuple[Row, ...]
    items: tuple[Row, ...]
    withdrawn: tuple[str, ...]
    unfinished: tuple[str, ...]
    torn: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a pack says of its presentations."""

    items: Mapping[str, Row]
    key: Mapping[str, Row]
    protocol: AcceptReject


def derive(data: DataFolder, study: str = STUDY) -> Tables:
    """Return the tables of a data folder's sessions of one study.

    Raises
    ------
    UserError
        If a journal was changed, or a pack's copy is missing or was changed.
    """
    journals = {paths.session: read_journal(paths.journal) for paths in data.sessions()}
    journals = {
        session: journal
        for session, journal in journals.items()
        if journal.events and _is_of(journal, study)
    }
    withdrawn = tuple(name for name, journal in journals.items() if _is_withdrawn(journal))
    kept = {name: journal for name, journal in journals.items() if name not in withdrawn}
    pack_ids = sorted({str(journal.header["pack_id"]) for journal in kept.values()})
    packs = {pack_id: open_pack_copy(data, pack_id) for pack_id in pack_ids}
    shown = {pack_id: _shown(pack) for pack_id, pack in packs.items()}
    trials = [
        row
        for journal in kept.values()
        for row in _trial_rows(journal, shown[journal.header["pack_id"]])
    ]
    return Tables(
        trials=tuple(trials),
        items=tuple(_item_rows(packs.values(), study)),
        withdrawn=withdrawn,
        unfinished=tuple(name for name, journal in kept.items() if not journal.complete),
        torn=tuple(name for name, journal in journals.items() if journal.torn),
    )


def write_tables(data: DataFolder, study: str = STUDY) -> Tables:
    """Write a data folder's tables anew, with their sidecars, and return them.

    Raises
    ------
    UserError
        As `derive`, or if the folder can't be written.
    """
    tables = derive(data, study)
    write_trials(data, study, tables.trials)
    write_items(data, study, tables.items)
    return tables


def _is_of(journal: Journal, study: str) -> bool:
    return (journal.header["study"], journal.header["role"]) == (study, "lead")


def _is_withdrawn(journal: Journal) -> bool:
    answers = [event["agreed"] for event in journal.of("consent") if event["text"] == RENEWED]
    return bool(answers) and not answers[-1]


def _shown(pack: Pack) -> _Shown:
    protocol = pack.protocol
    assert isinstance(protocol, AcceptReject)
    return _Shown(
        items={str(row["presentation"]): row for row in pack.table(ITEMS)},
        key={str(row["presentation"]): row for row in pack.table(KEY)},
        protocol=protocol,
    )


def _item_rows(packs: Iterable[Pack], study: str) -> list[Row]:
    distinct = {tuple(row.items()): row for pack in packs for row in pack.table(ITEM_TABLES[study])}
    return list(distinct.values())


def _trial_rows(journal: Journal, shown: _Shown) -> list[Row]:
    """Return a session's main trials; of a trial and its repeat the repeat counts."""
    last: dict[str, tuple[Event, Event]] = {}
    part = journal.header
    for event in journal.of("session", "trial_end"):
        if event.event == "session":
            part = event
        elif event["phase"] == "main":
            last[event["presentation"]] = (part, event)
    rows = [_trial_row(part, end, shown) for part, end in last.values()]
    return sorted(rows, key=lambda row: row["trial"])


def _trial_row(part: Event, end: Event, shown: _Shown) -> Row:
    item, key = shown.items[end["presentation"]], shown.key[end["presentation"]]
    rules = shown.protocol.trial
    from_session = {
        name: part[name]
        for name in (
            "participant", "session", "purpose", "rig", "pack_id", "protocol_hash", "order", "list",
        )
    }  # fmt: skip
    from_trial = {
        name: end[name]
        for name in (
            "trial", "run", "position", "presentation", "decision", "rt_s", "rt_corrected_s",
            "in_time", "accepted", "frames_planned", "frames_dropped",
        )
    }  # fmt: skip
    from_key = {
        name: key[name]
        for name in (
            "item", "solver", "solver_id", "method", "explained", "true_label", "control_kind",
        )
    }  # fmt: skip
    return {
        **from_session,
        **from_trial,
        **from_key,
        **{name: item[name] for name in ("axis", "rung", "shown_label")},
        "condition": "with" if key["explained"] else "without",
        "onset_s": end["onset_t_monotonic_s"] - part.t_monotonic_s,
        "cutoff_mode": rules.cutoff_mode,
        "cutoff_s": rules.cutoff_s,
        "robot": part["robot"] or None,
    }

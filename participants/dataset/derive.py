"""Journals and pack copies become tables; nothing else is read, and it can be done again."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from participants.dataset.annotations import write_expert_tables
from participants.dataset.pack_copy import open_pack_copy
from participants.dataset.write import write_items, write_trials
from participants.folder import DataFolder
from participants.journal import Event, Journal, read_journal
from participants.session import counting_trials, withdrawal_in
from participants.studies.accept_reject import QUESTIONS, SOURCE_OF, STUDY
from stimuli.errors import UserError
from stimuli.pack import Pack
from stimuli.protocol.accept_reject import AcceptReject
from stimuli.protocol.accept_reject_accuracy import AcceptRejectAccuracy, Rules
from stimuli.studies.accept_reject.tables import ITEM_TABLE, ITEMS, KEY
from stimuli.studies.accept_reject_accuracy.tables import ITEMS as IMAGES
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
    left_out
        Sessions that can't be read (a changed journal, a missing copy of the pack), each
        with the reason. They stay where they are and are in again once that is mended.
    withdrawn
        Sessions left out since the data may not be used.
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


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a pack says of its presentations."""

    items: Mapping[str, Row]
    key: Mapping[str, Row]
    item_table: tuple[Row, ...]
    protocol: Rules


def derive(data: DataFolder, study: str = STUDY) -> Tables:
    """Return the tables of a data folder's sessions of one study.

    One session that can't be read keeps no other out: it is named with the reason.
    """
    journals, unreadable = _journals(data)
    journals = {name: journal for name, journal in journals.items() if _is_of(journal, study)}
    withdrawn = tuple(name for name, journal in journals.items() if withdrawal_in(journal))
    kept = {name: journal for name, journal in journals.items() if name not in withdrawn}
    packs, missing = _packs(data, {str(journal.header["pack_id"]) for journal in kept.values()})
    orphaned = {
        name: missing[journal.header["pack_id"]]
        for name, journal in kept.items()
        if journal.header["pack_id"] in missing
    }
    kept = {name: journal for name, journal in kept.items() if name not in orphaned}
    trials = [
        row
        for journal in kept.values()
        for row in _trial_rows(journal, packs[journal.header["pack_id"]])
    ]
    return Tables(
        trials=tuple(trials),
        items=tuple(_item_rows(packs.values())),
        left_out=dict(sorted({**unreadable, **orphaned}.items())),
        withdrawn=withdrawn,
        unfinished=tuple(name for name, journal in kept.items() if not journal.complete),
        torn=tuple(name for name, journal in journals.items() if journal.torn),
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


def _packs(data: DataFolder, pack_ids: Iterable[str]) -> tuple[dict[str, _Shown], dict[str, str]]:
    """Return what the packs' copies say, and why others can't be read."""
    packs: dict[str, _Shown] = {}
    missing: dict[str, str] = {}
    for pack_id in sorted(pack_ids):
        try:
            packs[pack_id] = _shown(open_pack_copy(data, pack_id))
        except UserError as error:
            missing[pack_id] = _within(data, error)
    return packs, missing


def _within(data: DataFolder, error: UserError) -> str:
    """Say what is wrong without saying where on this machine the data folder is."""
    return str(error).replace(f"{data.root}{os.sep}", "")


def _is_of(journal: Journal, study: str) -> bool:
    return (journal.header["study"], journal.header["role"]) == (study, "lead")


def _shown(pack: Pack) -> _Shown:
    protocol = pack.protocol
    assert isinstance(protocol, AcceptReject | AcceptRejectAccuracy)
    shown = IMAGES if isinstance(protocol, AcceptRejectAccuracy) else ITEMS
    return _Shown(
        items={str(row["presentation"]): row for row in pack.table(shown)},
        key={str(row["presentation"]): row for row in pack.table(KEY)},
        item_table=tuple(pack.table(ITEM_TABLE)),
        protocol=protocol,
    )


def _item_rows(packs: Iterable[_Shown]) -> list[Row]:
    distinct = {tuple(row.items()): row for pack in packs for row in pack.item_table}
    return list(distinct.values())


def _trial_rows(journal: Journal, shown: _Shown) -> list[Row]:
    """Return a session's main trials, and what was shown again of them."""
    ends: list[tuple[Event, Event]] = []
    part = journal.header
    for event in journal.of("session", "trial_end"):
        if event.event == "session":
            part = event
        elif event["phase"] == "main":
            ends.append((part, event))
    counting = counting_trials(end for _, end in ends)
    answers = {event["step"]: event["value"] for event in journal.of("answer")}
    rows = [
        _trial_row(part, end, shown, counting) | _answers_at_the_end(end["presentation"], answers)
        for part, end in ends
    ]
    return sorted(rows, key=lambda row: row["trial"])


def _answers_at_the_end(presentation: str, answers: Mapping[str, JsonValue]) -> Row:
    """Return what the lead said of this solution, and of all of them."""
    asked = {"guessed_source": f"{SOURCE_OF[0]}-{presentation}"} | {
        name: name for name, _ in QUESTIONS
    }
    return {
        column: None if answers.get(step) is None else str(answers[step])
        for column, step in asked.items()
    }


def _trial_row(part: Event, end: Event, shown: _Shown, counting: frozenset[int]) -> Row:
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
            "in_time", "accepted", "frames_planned", "frames_dropped", "repeat_of",
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
        **{name: item.get(name) for name in ("axis", "rung", "shown_label")},
        "condition": "with" if key["explained"] else "without",
        "onset_s": end["onset_t_monotonic_s"] - part.t_monotonic_s,
        "cutoff_mode": rules.cutoff_mode,
        "cutoff_s": rules.cutoff_s,
        "robot": part["robot"] or None,
        "counts": end["trial"] in counting,
    }

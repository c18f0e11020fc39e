"""Who comes when: the sessions of a data folder that go on."""

from dataclasses import dataclass

from participants.dataset.pack_copy import open_pack_copy
from participants.folder import DataFolder
from participants.journal import read_journal
from participants.journal.writer import is_being_written
from participants.session import withdrawal_in
from participants.session.sittings import NextSitting, next_sitting
from stimuli.errors import UserError


@dataclass(frozen=True, slots=True)
class Due:
    """Somebody who is expected again.

    Attributes
    ----------
    code, study, purpose, rig
        Who, for what, what for, and on which PC.
    session
        The session that goes on.
    sitting
        With what, and from when on.
    """

    code: str
    study: str
    purpose: str
    rig: str
    session: str
    sitting: NextSitting


def who_is_due(data: DataFolder) -> tuple[tuple[Due, ...], dict[str, str]]:
    """Return who comes again, the earliest first, and why other sessions can't be read.

    Sessions that run at this moment, withdrawn ones and robots' aren't among them.

    Parameters
    ----------
    data
        The data folder.
    """
    found: list[Due] = []
    unreadable: dict[str, str] = {}
    for paths in data.sessions():
        if is_being_written(paths.journal):
            continue
        try:
            journal = read_journal(paths.journal)
            head = journal.header
            if head["purpose"] == "robot" or withdrawal_in(journal) is not None:
                continue
            protocol = open_pack_copy(data, head["pack_id"]).protocol
        except UserError as error:
            unreadable[paths.session] = str(error)
            continue
        sitting = next_sitting(journal, protocol.least_gap_h)
        if sitting is not None:
            who = (head[name] for name in ("participant", "study", "purpose", "rig"))
            found.append(Due(*who, paths.session, sitting))
    found.sort(key=lambda due: (due.sitting.earliest_utc, due.code))
    return tuple(found), unreadable

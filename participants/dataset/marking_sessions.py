"""Sessions in which stimuli were painted or marked, read back from their journals."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from participants.dataset.journals import read_journals, within
from participants.dataset.pack_copy import open_pack_copy
from participants.folder import DataFolder
from participants.journal import Journal
from participants.tombstones import withdrawn_codes
from stimuli.errors import UserError
from stimuli.maps.map_set import MapRecord
from stimuli.maps.origin import PEOPLE, RESPONSE_MODEL, robot_id
from stimuli.pack import Pack

Map = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class MarkingSession:
    """One person's session in which stimuli were painted or marked; a study adds what was.

    Attributes
    ----------
    session, participant, purpose, pack_id, robot
        As in its journal.
    complete
        Whether it came to its end.
    """

    session: str
    participant: str
    purpose: str
    pack_id: str
    robot: str
    complete: bool

    @property
    def remark(self) -> str:
        """What was done, in a few words."""
        raise NotImplementedError

    def marks(self) -> Iterator[tuple[MapRecord, Map | None]]:
        """Yield a record of each stimulus, with its map; an abstention has none.

        Raises
        ------
        UserError
            If a map that follows from the strokes isn't the one that was on screen.
        """
        raise NotImplementedError

    def refusal(self) -> str:
        """Return why the maps shouldn't be used, e.g. since controls failed; empty if they may."""
        return ""

    def record(self, item: str, method: str, **more: Any) -> MapRecord:
        """Return the record of a stimulus that the person, or a robot in place of one, marked."""
        who = robot_id(self.participant) if self.robot else self.participant
        return MapRecord(
            map=f"{self.participant}-{item}",
            item=item,
            source="expert",
            solver_id=who,
            method=method,
            confidence=None,
            origin=RESPONSE_MODEL if self.robot else PEOPLE,
            origin_note=who,
            **more,
        )


Found = TypeVar("Found", bound=MarkingSession)


def marking_sessions(
    data: DataFolder, study: str, make: Callable[[Journal, Pack, dict[str, Any]], Found]
) -> tuple[list[Found], dict[str, str]]:
    """Return the marking sessions of a study, and why others can't be read, by their ids.

    Parameters
    ----------
    data
        Where they are; sessions of who took their data back are left out.
    study
        Whose sessions.
    make
        From a journal, the data folder's copy of its pack, and the attributes of
        `MarkingSession`, to the session; may raise UserError.
    """
    found: list[Found] = []
    journals, unreadable = read_journals(data)
    withdrawn = withdrawn_codes(data, journals.values())
    for session, journal in journals.items():
        header = journal.header
        if not _is_experts(journal, study) or header["participant"] in withdrawn:
            continue
        names = ("session", "participant", "purpose", "pack_id", "robot")
        about = {name: str(header[name]) for name in names}
        try:
            pack = open_pack_copy(data, about["pack_id"])
            found.append(make(journal, pack, {**about, "complete": journal.complete}))
        except UserError as error:
            unreadable[session] = within(data, error)
    return found, unreadable


def _is_experts(journal: Journal, study: str) -> bool:
    return (journal.header["study"], journal.header["role"]) == (study, "expert")

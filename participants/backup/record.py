"""What a lab folder knows of its backups: where they are, when they were made, what is left to do.

The record is ``backups.json`` in the lab folder. Nobody else knows of a place whose disk isn't
plugged in.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Self

from participants.clock import utc_text
from participants.files import write_file
from participants.folder import LabFolder
from participants.lab_settings import random_suffix
from stimuli.errors import UserError
from stimuli.io.inside import refuse_odd
from stimuli.versions import Schema

RECORD_SCHEMA: Final = Schema("backups")
ID_SIGNS: Final = 16
CLOCKS_DIFFER: Final = timedelta(minutes=5)
"""How far correctly set clocks may differ; a later date counts as one in the future."""


@dataclass(frozen=True, slots=True)
class Place:
    """What is known of one place.

    Attributes
    ----------
    made_utc
        When the last backup was made there; None before the first.
    failed_utc, reason
        When the last attempt failed, and why; None and empty if it didn't.
    to_remove
        People who withdrew and are still in its backups, with the date of the withdrawal.
    with_packs
        Those of them whose paintings are to be deleted with the sealed packs that hold them.
    """

    made_utc: str | None = None
    failed_utc: str | None = None
    reason: str = ""
    to_remove: Mapping[str, str] = field(default_factory=dict)
    with_packs: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """What a lab folder knows of its backups.

    Attributes
    ----------
    lab
        The lab folder's id: no other lab folder's backups may go to its places.
    places
        What is known of each place, by its path.
    """

    lab: str
    places: Mapping[str, Place] = field(default_factory=dict)

    @classmethod
    def of(cls, lab: LabFolder) -> Self:
        """Return a lab folder's record; it includes the places in the lab's settings.

        Raises
        ------
        UserError
            If the record can't be read.
        """
        path, named = lab.backups, dict.fromkeys(map(str, lab.backup_places), Place())
        refuse_odd(path)
        try:
            stated = RECORD_SCHEMA.upgrade(json.loads(path.read_bytes()), str(path))
            known = {name: Place(**place) for name, place in stated["places"].items()}
            return cls(stated["lab"], named | known)
        except FileNotFoundError:
            return cls(random_suffix(ID_SIGNS), named)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise UserError(f"{path}: can't be read ({error}); delete it") from None

    def place(self, root: Path) -> Place:
        """Return what is known of a place."""
        return self.places.get(str(root), Place())

    def noting(self, root: Path, place: Place) -> Self:
        """Return the record with a place changed."""
        return replace(self, places={**self.places, str(root): place})

    def write(self, lab: LabFolder) -> None:
        """Write it to the lab folder; UserError if that isn't possible."""
        places = {name: asdict(place) for name, place in self.places.items()}
        document = {"schema": RECORD_SCHEMA.tag, "lab": self.lab, "places": places}
        write_file(lab.backups, (json.dumps(document, indent=1) + "\n").encode("utf-8"))

    def age(self, now: datetime) -> timedelta | None:
        """Return how old the newest backup is; None without one."""
        made = [place.made_utc for place in self.places.values() if place.made_utc]
        return now - datetime.fromisoformat(max(made)) if made else None


def note_failure(lab: LabFolder, root: Path, reason: str, now: datetime) -> None:
    """Note that a backup failed, and why; if the record can't be written, raise nothing."""
    with suppress(UserError):
        record = Record.of(lab)
        failed = replace(record.place(root), failed_utc=utc_text(now), reason=reason)
        record.noting(root, failed).write(lab)

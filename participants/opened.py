"""The lab's registry, opened for a command."""

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from participants.folder import LabFolder
    from participants.registry import Registry


@contextmanager
def opened_lab(lab: Path | None) -> "Iterator[tuple[LabFolder, Registry]]":
    """Give a lab folder and its registry, which learns first what it missed of sessions.

    The data folder learns who took their data back, on this PC or on another one.

    Parameters
    ----------
    lab
        The lab folder; the usual one if None.

    Raises
    ------
    UserError
        If there is no such lab, or its registry can't be reached.
    """
    from participants.folder import LabFolder
    from participants.registry import Registry, outbox
    from participants.registry.records import tombstones
    from participants.tombstones import add_tombstones

    folder = LabFolder.open(lab)
    with closing(Registry.open(folder.registry_url)) as registry:
        for session, reason in outbox.catch_up(folder.data, registry).items():
            line = f"The registry missed something of session {session}: {reason}"
            print(line, file=sys.stderr)
        add_tombstones(folder.data, registry.transact(tombstones))
        yield folder, registry

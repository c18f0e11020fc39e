"""Sessions of which the registry may not know everything, and how it learns the rest.

A session is noted in the data folder when its journal begins and struck out when the registry
was told of its end. Whatever came in between, a registry out of reach, a power cut, the note
is left, and the journal, which is the truth, is read at the next start.
"""

from collections.abc import Mapping, Sequence

from participants.files import make_private, write_file
from participants.folder import DataFolder
from participants.registry.registry import Registry
from stimuli.errors import UserError


def note(data: DataFolder, session: str) -> None:
    """Note that the registry may not be up to date with a session."""
    make_private(data.outbox)
    write_file(data.outbox / session, b"")


def is_noted(data: DataFolder, session: str) -> bool:
    """Return whether a session is noted."""
    return (data.outbox / session).exists()


def strike_out(data: DataFolder, session: str) -> None:
    """Delete the note of a session that the registry is up to date with."""
    (data.outbox / session).unlink(missing_ok=True)


def catch_up(data: DataFolder, registry: Registry, but: str | None = None) -> Mapping[str, str]:
    """Bring the registry up to date with the journals of the noted sessions.

    Parameters
    ----------
    data
        The data folder.
    registry
        The lab's registry.
    but
        A code whose sessions are skipped, since one of them is about to continue.

    Returns
    -------
    mapping
        Sessions whose journals couldn't be read though no process writes them, each with the
        reason. They stay noted and are tried again, except for those whose journal is gone.
    """
    noted = _noted(data)
    return _learned(data, registry, noted, but) if noted else {}


def _learned(
    data: DataFolder, registry: Registry, noted: Sequence[str], but: str | None
) -> Mapping[str, str]:
    # Journals take long to import, and there is seldom a note.
    from participants.journal import read_journal
    from participants.journal.writer import is_being_written
    from participants.session import withdrawal_in

    left: dict[str, str] = {}
    for name in noted:
        paths = data.session(name)
        if is_being_written(paths.journal):
            continue
        if not paths.journal.exists():
            left[name] = f"{paths.journal} is gone, and what the registry missed with it"
            strike_out(data, name)
            continue
        try:
            journal = read_journal(paths.journal)
            if journal.header["participant"] == but:
                continue
            registry.learn(journal, withdrawal_in(journal), registry.folder_id(data.root))
            strike_out(data, name)
        except UserError as error:
            left[name] = f"{error}; it is tried again at the next start"
    return left


def _noted(data: DataFolder) -> list[str]:
    """Return the noted sessions, without a note that was being written when a PC stopped."""
    there = sorted(path.name for path in data.outbox.glob("*"))
    return [name for name in there if not name.startswith(".")]

"""What an interrupted simulation left in its folder, and what of it is kept."""

import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

from filelock import Timeout

from participants.files import make_private
from participants.folder import DataFolder
from participants.journal import Journal, read_journal
from participants.locks import private_lock
from stimuli.errors import UserError
from stimuli.io.canonical import hash_of
from stimuli.places import cache_dir


@contextmanager
def alone(data: DataFolder) -> Iterator[None]:
    """Keep other simulations out of a data folder meanwhile.

    Raises
    ------
    UserError
        If one writes there now.
    """
    place = cache_dir() / "simulate"
    make_private(place)
    # Not in the folder itself: one that a simulation may not write to stays as it is.
    lock = private_lock(place / f"{hash_of(str(data.root.resolve()))[:16]}.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise UserError(
            f"{data.root}: another simulation writes here now; wait for its end, or name another "
            "folder with --out"
        ) from None
    try:
        yield
    finally:
        lock.release()


def refuse_strangers(data: DataFolder, own: Collection[str]) -> None:
    """Raise UserError if a data folder holds sessions that a simulation wouldn't write.

    Parameters
    ----------
    data
        The data folder.
    own
        Ids of the sessions that the simulation writes.
    """
    strangers = [paths.session for paths in data.sessions() if paths.session not in own]
    if strangers:
        raise UserError(
            f"{data.root}: already contains sessions that this simulation doesn't write, e.g. "
            f"{strangers[0]}; name a new folder with --out"
        )


def is_finished(
    data: DataFolder,
    header: Mapping[str, Any],
    ended: Callable[[Journal], bool] = attrgetter("complete"),
) -> bool:
    """Return whether a simulated session is there in whole; what is there in part goes.

    A simulation isn't synced to disk line by line, since it can be made again: so a journal
    that ends early or is damaged is made again from its beginning.

    Parameters
    ----------
    data
        The data folder.
    header
        The session's own ``session`` event; its id is a simulation's.
    ended
        Whether a journal holds all that the simulation writes; by default if it is complete.

    Raises
    ------
    UserError
        If the session that is there was simulated with other arguments.
    """
    paths = data.session(header["session"])
    if not paths.folder.exists():
        return False
    try:
        journal = read_journal(paths.journal)
        there = dict(journal.header.fields) if ended(journal) and not journal.torn else None
    except UserError:
        there = None
    if there is None:
        shutil.rmtree(paths.folder)
        return False
    odd = [name for name, value in header.items() if there[name] != value]
    if odd:
        raise UserError(
            f"{paths.folder}: was simulated with another {odd[0]} ({there[odd[0]]!r}, now "
            f"{header[odd[0]]!r}); name a new folder with --out"
        )
    return True

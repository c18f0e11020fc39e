"""Programs of the virtual rig that look on and tell what they see, a line for each thing."""

import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from stimuli.errors import UserError

GONE_WITHIN_S = 5.0

Seen = TypeVar("Seen")


@contextmanager
def observing(
    command: Sequence[str], read: Callable[[str], Seen], complaint: str
) -> Iterator[tuple[str, list[Seen]]]:
    """Give a program's first line, and the list to which all that it sees is added.

    Parameters
    ----------
    command
        The program and its arguments. It prints a line when it looks on, then one for each
        thing seen.
    read
        From such a line to the thing.
    complaint
        What is the matter if no first line comes; what the program says follows it.

    Raises
    ------
    UserError
        If no first line comes.
    """
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    lines, found = process.stdout, list[Seen]()
    first = lines.readline().strip()
    if not first:
        raise UserError(f"virtual rig: {complaint}: {process.stderr.read().strip()}")
    reader = threading.Thread(target=lambda: found.extend(map(read, lines)), daemon=True)
    reader.start()
    try:
        yield first, found
    finally:
        process.terminate()
        process.wait(timeout=GONE_WITHIN_S)
        reader.join(timeout=GONE_WITHIN_S)

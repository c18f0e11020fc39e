"""An explanation's lines, read from the first to the last."""

import re
from collections import deque


class Lines:
    """Lines that are still to be read; empty ones, and blanks around them, don't count."""

    def __init__(self, text: str) -> None:
        self._left = deque(line.strip() for line in text.splitlines() if line.strip())

    def __bool__(self) -> bool:
        return bool(self._left)

    def next(self, pattern: str) -> re.Match[str]:
        """Read the next line.

        Raises
        ------
        ValueError
            If there is none, or the pattern doesn't match all of it.
        """
        found = re.fullmatch(pattern, self._left[0]) if self._left else None
        if found is None:
            said = repr(self._left[0]) if self._left else "the end"
            raise ValueError(f"{said} stands where a line like {pattern!r} belongs")
        self._left.popleft()
        return found

    def all_of(self, pattern: str) -> list[re.Match[str]]:
        """Read all lines up to the first that the pattern doesn't match."""
        found = []
        while self._left and re.fullmatch(pattern, self._left[0]):
            found.append(self.next(pattern))
        return found

    def end(self) -> None:
        """Check that all lines are read.

        Raises
        ------
        ValueError
            If one is left.
        """
        if self._left:
            raise ValueError(f"{self._left[0]!r} stands where the explanation should end")

"""What a journal holds, once it is read."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from participants.anchor import Anchor
from participants.journal.storage import FIRST_LINK
from stimuli.errors import UserError


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a journal.

    Attributes
    ----------
    event
        Kind of event.
    seq
        Number of the line in the journal, from 1.
    t_monotonic_s
        Monotonic seconds; compares only up to the next ``session`` event.
    t_utc
        The same moment, ISO 8601 in UTC.
    fields
        The event's own fields; ``event["rt_s"]`` is short for ``event.fields["rt_s"]``.
    """

    event: str
    seq: int
    t_monotonic_s: float
    t_utc: str
    fields: Mapping[str, Any]

    def __getitem__(self, field: str) -> Any:
        return self.fields[field]


@dataclass(frozen=True, slots=True)
class Journal:
    """A journal's events, and the bytes of a line that was cut short.

    Attributes
    ----------
    events
        In the order in which they were written.
    torn
        The bytes after the last whole line; empty if there are none.
    links
        Chain of each whole line.
    whole_bytes
        Length of the whole lines.
    """

    events: tuple[Event, ...]
    torn: bytes
    links: tuple[str, ...]
    whole_bytes: int

    @property
    def header(self) -> Event:
        """The first ``session`` event; UserError if the session never began."""
        if not self.events:
            raise UserError("the journal has no whole line: its session never began")
        return self.events[0]

    @property
    def chain(self) -> str:
        """Chain of the last whole line."""
        return self.links[-1] if self.links else FIRST_LINK

    @property
    def anchor(self) -> Anchor:
        """How many whole lines there are, and the chain of the last."""
        return Anchor(len(self.links), self.chain)

    @property
    def complete(self) -> bool:
        """Whether the session was finished."""
        last = self.of("session_end")[-1:]
        return bool(last) and last[0]["complete"]

    def first(self, lines: int) -> Self:
        """Return the journal as it was when it had so many lines, at least one."""
        kept = max(lines, 1)
        return replace(self, events=self.events[:kept], links=self.links[:kept], torn=b"")

    def of(self, *kinds: str) -> tuple[Event, ...]:
        """Return the events of some kinds, in order."""
        return tuple(event for event in self.events if event.event in kinds)

"""What a replay has to come to: the events of a part of a journal, one after the other."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any, Final

from participants.journal import Event
from participants.journal.reader import vocabulary
from stimuli.errors import UserError

BESIDE: Final = frozenset({"session", "checks", "checklist", "focus", "note", "trigger", "clock"})
"""Events that come from the rig or the experimenter; a replay doesn't make them."""
SHOWN: Final = frozenset(
    {"what", "frame", "key", "decision", "agreed", "value", "answers", "passed"}
)
"""Fields that must be the same again: what was shown and when, and what was answered."""
HASHED: Final = "sha256"
"""End of the names of fields with a hash of what was shown; they must be the same again, too."""


class PartOver(Exception):  # noqa: N818 - it is an end, not an error
    """Raised when a replay has come to the last event of a part of a journal."""


def parts_of(events: Sequence[Event]) -> list[tuple[Event, ...]]:
    """Split a journal's events at each start; times compare only within a part."""
    parts: list[list[Event]] = []
    for event in events:
        if event.event == "session":
            parts.append([])
        parts[-1].append(event)
    return [tuple(part) for part in parts]


class Script:
    """The events that a replay comes to, in order.

    Parameters
    ----------
    part
        Events of a journal between two starts.

    Attributes
    ----------
    differences
        Where the replay showed something else than the journal says, one line each.
    flips
        Number of flips that were compared.
    """

    def __init__(self, part: Sequence[Event]) -> None:
        kinds = vocabulary(part[0].fields)
        self._timed = frozenset(name for name, kind in kinds.items() if not kind.durable) - BESIDE
        self._focus = [event for event in part if event.event == "focus"]
        self._events = [event for event in part if event.event not in BESIDE]
        self._met = [False] * len(self._events)
        self._at = self._marked = 0
        self.differences: list[str] = []
        self.flips = 0

    @property
    def next(self) -> Event | None:
        """The event that comes next; None at the end of the part."""
        return self._events[self._at] if self._at < len(self._events) else None

    def due(self) -> Event:
        """Return the event that comes next; `PartOver` at the end of the part."""
        if self.next is None:
            raise PartOver
        return self.next

    def stay(self) -> tuple[Event, ...]:
        """Return the flips and responses that come before the next other event."""
        return tuple(takewhile(lambda event: event.event in self._timed, self._events[self._at :]))

    def end(self) -> Mapping[str, Any]:
        """Return the fields of the event that ends the running trial or task; empty without one."""
        ahead = self._events[self._at :]
        if ahead and not self.stay():
            return ahead[0].fields
        return next((event.fields for event in ahead if "flagged" in event.fields), {})

    def is_broken_off(self) -> bool:
        """Return whether the chord that ends the session ended the stimulus that is shown."""
        after = self._events[self._at + len(self.stay()) :]
        if not after or "flagged" in after[0].fields:
            return bool(self.end().get("left"))
        return after[0].event != "pause"

    def marked_flip(self) -> Event:
        """Return the next flip of the running trial; `PartOver` if the journal ends before it."""
        flips = [event for event in self.stay() if self._is_flip(event)]
        if self._marked >= len(flips):
            raise PartOver
        self._marked += 1
        return flips[self._marked - 1]

    def losses(self, now_s: float) -> int:
        """Return how often the window had lost the focus by a time."""
        return sum(not event["here"] and event.t_monotonic_s <= now_s for event in self._focus)

    def is_in_front(self, now_s: float) -> bool:
        """Return whether the window had the focus at a time."""
        states = [event["here"] for event in self._focus if event.t_monotonic_s <= now_s]
        return bool(states[-1]) if states else True

    def meet(self, event: str, fields: Mapping[str, Any]) -> Event | None:
        """Compare an event of the replay with the journal's, and return the journal's.

        Returns None for events that a replay doesn't compare.

        Raises
        ------
        UserError
            If another event comes next in the journal.
        PartOver
            If none does.
        """
        if event in BESIDE:
            return None
        recorded = self._take(event, fields)
        self.flips += event == "flip"
        for name in fields:
            same = recorded.fields.get(name) == fields[name]
            if not same and (name in SHOWN or name.endswith(HASHED)):
                trial = f"trial {recorded['trial']}, " if "trial" in recorded.fields else ""
                self.differences.append(
                    f"line {recorded.seq}: {trial}{event} {name}: recorded "
                    f"{recorded.fields.get(name)}, shown {fields[name]}"
                )
        return recorded

    def _take(self, event: str, fields: Mapping[str, Any]) -> Event:
        """Take the next event, or of flips and responses in a row the one that is meant."""
        recorded = self.due()
        if event in self._timed:
            named = fields.get("what", fields.get("key"))
            for at, candidate in enumerate(self.stay(), start=self._at):
                same = (
                    candidate.event == event
                    and candidate.fields.get("what", candidate.fields.get("key")) == named
                )
                if same and not self._met[at]:
                    return self._tick(at)
        if recorded.event != event:
            raise UserError(
                f"the journal, line {recorded.seq}: has {recorded.event} where the session shows "
                f"{event} now; use the pack, the texts and the version that it was run with"
            )
        return self._tick(self._at)

    def _tick(self, at: int) -> Event:
        self._met[at] = True
        while self._at < len(self._met) and self._met[self._at]:
            self._at += 1
        self._marked -= self._is_flip(self._events[at]) and self._marked > 0
        return self._events[at]

    def _is_flip(self, event: Event) -> bool:
        return event.event in self._timed and event.event != "response"

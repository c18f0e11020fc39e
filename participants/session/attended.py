"""Whether anybody is there: a recorder that remembers how trials ended."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from participants.journal import Event, Recorder

UNATTENDED: Final = "unattended"
"""Name of the page on which a session waits, and of its step."""
BY_HAND: Final = frozenset({"page", "answer"})
"""Events that come only where somebody pressed a key."""

Judge = Callable[[Mapping[str, Any]], bool]
"""Says something of a trial, by the fields of its ``trial_end`` event."""


class Attended:
    """A `participants.journal.Recorder` that remembers how trials ended.

    Parameters
    ----------
    recorder
        Keeps what happens.
    answered
        Whether a trial was answered.
    before
        What the journal holds already.

    Attributes
    ----------
    recorded
        Kind and fields of all events, in order.
    ends
        The fields of all ``trial_end`` events, in order.
    agreed
        Whether the person has agreed to take part.
    passed
        Ids of the pages that were read and of the consents that were given.
    closed
        Whether a page was shown that stays until the experimenter comes.
    unanswered
        How many trials in a row nobody answered, since somebody last pressed a key.
    """

    def __init__(self, recorder: Recorder, answered: Judge, before: Sequence[Event] = ()) -> None:
        self._recorder, self._answered = recorder, answered
        self.recorded = [(event.event, event.fields) for event in before]
        self.ends = [event.fields for event in before if event.event == "trial_end"]
        self.agreed = self.closed = False
        self.passed: set[str] = set()
        for event in before:
            self._pass(event.event, event.fields)
        self.unanswered = 0

    def append(
        self,
        event: str,
        *,
        t_monotonic_s: float | None = None,
        durable: bool = False,
        **fields: Any,
    ) -> None:
        """Take down an event."""
        self._recorder.append(event, t_monotonic_s=t_monotonic_s, durable=durable, **fields)
        self.recorded.append((event, fields))
        self._pass(event, fields)
        if event == "trial_end":
            self._note(fields)
        elif event in BY_HAND:
            self.unanswered = 0

    def of(self, kind: str) -> list[Mapping[str, Any]]:
        """Return the fields of all events of a kind, in order."""
        return [fields for event, fields in self.recorded if event == kind]

    def _pass(self, event: str, fields: Mapping[str, Any]) -> None:
        if event == "page":
            self.passed.add(fields["step"])
        elif event == "consent" and fields["agreed"]:
            self.agreed = True
            self.passed.add(fields["text"])

    def _note(self, end: Mapping[str, Any]) -> None:
        self.ends.append(end)
        self.unanswered = 0 if self._answered(end) else self.unanswered + 1

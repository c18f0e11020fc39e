"""What a session's events go into: the journal, which is the truth, and the registry."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from experiments.session.booking import Booking, was_left
from participants.clock import utc_text
from participants.folder import DataFolder
from participants.journal import JournalError, JournalWriter
from participants.registry import ConsentAnswer, Registry, TakenOverError, outbox
from participants.registry.records import record_choice, record_demographics
from participants.registry.sessions import DECLINED, take_part
from participants.screening.events import SCREENED
from participants.screening.stages import learn_result
from participants.session import RENEWED
from participants.session.kept_answers import RECORDED_CHOICES, told_of_oneself
from participants.session.qualification import QUALIFICATION
from stimuli.errors import UserError

HEARTBEAT_AT: Final = frozenset({"page", "answer", "check", "trial_end", "pause", "continue"})
IDLE: Final = "idle"
# An unreachable database blocks for seconds. A session's lease lasts longer than this.
RETRY_AFTER_S: Final = 300.0
IDLE_AFTER_S: Final = 60.0
AWAY: Final = "registry_away"
FULL: Final = "registry_full"
TAKEN_OVER: Final = "taken_over"
"""Keys of the texts that tell the experimenter what went wrong with the registry."""

Ask = Callable[[JournalError, int], bool]


def _word_for(error: UserError) -> str:
    if isinstance(error, TakenOverError):
        return TAKEN_OVER
    # On a full disk a registry in a file is refused as well, often before the journal is.
    return FULL if "is full" in str(error) else AWAY


def _give_up(_error: JournalError, _tries: int) -> bool:
    return False


class RegisteredJournal:
    """A recorder that writes events to the journal and reports progress to the registry.

    If the registry can't be reached, the session continues: the journal is authoritative, and the
    registry is updated from it at the next start (`participants.registry.outbox`). If the journal
    can't be written, events stay in memory until it can, or until the session is ended.

    Parameters
    ----------
    journal, registry, data, booking
        The journal to write; the registry to inform; the data folder, which keeps a note if the
        registry couldn't be informed; and the session.
    trials_done
        Number of trials finished before.
    """

    def __init__(
        self,
        journal: JournalWriter,
        registry: Registry,
        data: DataFolder,
        booking: Booking,
        trials_done: int,
    ) -> None:
        self._journal = journal
        self._registry = registry
        self._booking = booking
        self._trials_done = trials_done
        self._data = data
        self._ask: Ask = _give_up
        self._news = ""
        self._told_s = time.monotonic()
        self._silent_until_s = 0.0
        self._all_told = not outbox.is_noted(data, booking.paths.session)
        outbox.note(data, booking.paths.session)

    def ask_when_refused(self, ask: Ask) -> None:
        """Set the function to ask if the journal can't be written: True retries, False ends."""
        self._ask = ask

    def append(
        self,
        event: str,
        *,
        t_monotonic_s: float | None = None,
        durable: bool = False,
        **fields: Any,
    ) -> None:
        """Record an event; see `participants.journal.Recorder`."""
        try:
            self._journal.append(event, t_monotonic_s=t_monotonic_s, durable=durable, **fields)
        except JournalError as error:
            self._save_at_last(error)
        self._try_to_tell(event, fields)
        if event == "session_end" and self._all_told:
            outbox.strike_out(self._data, self._booking.paths.session)

    def keep_apart(self, answers: Mapping[str, str]) -> bool:
        """Store answers about the person only in the registry; False if it can't be reached."""
        try:
            record_demographics(self._registry, self._booking.code, told_of_oneself(answers))
        except UserError:
            return False
        return True

    def idle(self) -> None:
        """Extend the session's lease after a minute without a message; never during timing."""
        if time.monotonic() - self._told_s >= IDLE_AFTER_S:
            self._try_to_tell(IDLE, {})

    def news(self) -> str:
        """Return the key of the text about a registry failure; empty if none is new."""
        word, self._news = self._news, ""
        return word

    def _save_at_last(self, error: JournalError) -> None:
        """Retry for as long as somebody asks to; the event stays in memory meanwhile."""
        tries = 0
        while self._ask(error, tries):
            tries += 1
            try:
                self._journal.flush()
                return
            except JournalError as again:
                error = again
        raise error

    def _try_to_tell(self, event: str, fields: dict[str, Any]) -> None:
        """Tell the registry, unless it was unreachable a moment ago: waiting delays the session."""
        if event == "trial_end":
            self._trials_done += 1
        try:
            if time.monotonic() >= self._silent_until_s:
                self._tell(event, fields)
                return
        except UserError as error:
            if not self._silent_until_s:
                self._news = _word_for(error)
            self._silent_until_s = time.monotonic() + RETRY_AFTER_S
        self._all_told = False

    def _tell(self, event: str, fields: dict[str, Any]) -> None:
        booking, registry = self._booking, self._registry
        if event in HEARTBEAT_AT or event == IDLE:
            registry.heartbeat(booking.paths.session, self._trials_done)
            self._told_s = time.monotonic()
        if event == "answer" and fields["question"] in RECORDED_CHOICES:
            name, value = fields["question"], fields["value"]
            record_choice(registry, booking.code, name, value, booking.paths.session)
        elif event == "consent":
            registry.record_consent(booking.code, ConsentAnswer(**fields), booking.paths.session)
            self._tell_consent(fields["text"], agreed=fields["agreed"])
        elif event == SCREENED:
            whose = booking.code, booking.paths.session
            stamp = utc_text(registry.now())
            registry.transact(lambda rows: learn_result(rows, *whose, fields, stamp))
        elif event == QUALIFICATION:
            if not fields["qualified"]:
                registry.disqualify_session(booking.paths.session)
        elif event == "session_end":
            registry.finish_session(booking.paths.session, complete=fields["complete"])
            if not fields["complete"] and was_left(booking.paths):
                registry.leave_session(booking.paths.session)

    def _tell_consent(self, text: str, *, agreed: bool) -> None:
        """Tell the registry the consequences of the answer to a consent."""
        session, registry = self._booking.paths.session, self._registry
        if text == RENEWED:
            if not agreed:
                registry.record_withdrawal(self._booking.code)
        elif agreed:
            registry.transact(lambda connection: take_part(connection, session))
        else:
            registry.leave_session(session, DECLINED)

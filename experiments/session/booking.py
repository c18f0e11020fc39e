"""Who takes part: the person or robot, the list and order, a new session or one to go on with."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

from experiments.session.enrolled import identify
from experiments.session.request import RunRequest
from participants.folder import DataFolder, LabFolder, SessionPaths, new_session_id
from participants.journal import JournalError, JournalWriter, read_journal
from participants.journal.clock import utc_text
from participants.journal.writer import is_being_written
from participants.registry import NewSession, Registry, Unfinished, outbox
from participants.registry.choices import record_choice, record_demographics
from participants.screening.events import SCREENED
from participants.screening.learning import learn_result
from participants.session import RENEWED, SessionPlan, has_left
from participants.session.about_oneself import told_of_oneself
from participants.session.choices import CHOICES
from participants.session.qualification import QUALIFICATION
from participants.study import session_kind_of
from stimuli.errors import UserError
from stimuli.pack import Pack

HEARTBEAT_AT = frozenset({"page", "answer", "check", "trial_end", "pause", "continue"})
# An unreachable database blocks for half a minute. A session's lease is longer than this.
RETRY_AFTER_S: Final = 300.0


@dataclass(frozen=True, slots=True)
class Booking:
    """A session that is entered as running.

    Attributes
    ----------
    code, role, purpose, rig
        Who, as what, what for, where.
    plan
        All that the session shows.
    paths
        Its files.
    resumed
        Whether its journal exists already.
    """

    code: str
    role: str
    purpose: str
    rig: str
    plan: SessionPlan
    paths: SessionPaths
    resumed: bool


@contextmanager
def booked(
    request: RunRequest, lab: LabFolder, registry: Registry, pack: Pack
) -> Iterator[Booking]:
    """Give a session that the registry counts as running; at the end it is entered as ended.

    An unfinished session of the same person, pack and purpose goes on; else a new one begins.

    Raises
    ------
    UserError
        If the person may not take part now, or not in this language, or the plan can't be
        made: one line.
    """
    person = identify(request.person, registry, pack)
    code = str(person.participant)
    role, study = session_kind_of(pack).role, pack.manifest.study
    purpose, rig = person.session_purpose, lab.settings.rig
    unfinished = registry.unfinished(code, study=study, pack_id=pack.pack_id, purpose=purpose)
    session = unfinished.session if unfinished is not None else new_session_id(code)
    language = person.language or lab.settings.language
    new = NewSession(session, code, role, study, pack.pack_id, purpose, rig)
    paths = request.data_folder(lab).session(session)
    if unfinished is None:
        registry.start_session(new)
    else:
        _require_journal(unfinished, code, paths)
        _require_idle(code, paths)
        _require_staying(registry, study, code, paths)
        language = _own_language(person.language, code, paths) or language
        registry.resume_session(session, rig)
    try:
        # Assigned last, so that a person who is refused takes no place of the design.
        plan = _plan(registry, pack, new, language)
        yield Booking(code, role, purpose, rig, plan, paths, paths.journal.exists())
    except BaseException as error:
        with suppress(UserError):
            _leave(registry, paths, error, new=unfinished is None)
        raise


def _leave(registry: Registry, paths: SessionPaths, error: BaseException, *, new: bool) -> None:
    """Enter a session that was broken off as stopped, or as never begun if it never was."""
    if new and not paths.journal.exists():
        registry.abandon_session(paths.session)
    elif not isinstance(error, JournalError):
        # After a JournalError another process may be writing the journal; it ends the session.
        registry.finish_session(paths.session, complete=False)


def _require_journal(unfinished: Unfinished, code: str, paths: SessionPaths) -> None:
    """Refuse to begin a session again under its old id: its finished trials are elsewhere."""
    if unfinished.trials_done and not paths.journal.exists():
        raise UserError(
            f"code {code}: {unfinished.trials_done} trials of the unfinished session "
            f"{unfinished.session} are not in {paths.folder.parent.parent}; name the data folder "
            "that it was begun in with --data"
        )


def _require_idle(code: str, paths: SessionPaths) -> None:
    """Refuse before a window opens what the journal's lock would refuse after it."""
    if is_being_written(paths.journal):
        raise UserError(
            f"code {code}: this session is running already, in another window of this PC"
        )


def _require_staying(registry: Registry, study: str, code: str, paths: SessionPaths) -> None:
    """Refuse whom the journal knows to have left, though the registry wasn't told."""
    if was_left(paths):
        registry.leave_session(paths.session)
        raise UserError(
            f"code {code}: has left study {study} for good; let somebody else take part"
        )


def _own_language(asked: str | None, code: str, paths: SessionPaths) -> str | None:
    """Return the language of a session that goes on; UserError if another one is asked for."""
    own = language_begun_in(paths)
    if own is not None and asked not in (None, own):
        raise UserError(
            f"code {code}: the session began in language {own} and goes on in it; leave "
            "--language out, or enrol a new code for a session in another language"
        )
    return own


def was_left(paths: SessionPaths) -> bool:
    """Return whether a session's person has left the study for good."""
    return paths.journal.exists() and has_left(read_journal(paths.journal).events)


def language_begun_in(paths: SessionPaths) -> str | None:
    """Return the language that a session began in; None before its journal began."""
    journal = read_journal(paths.journal) if paths.journal.exists() else None
    return str(journal.header["language"]) if journal and journal.events else None


def _plan(registry: Registry, pack: Pack, new: NewSession, language: str) -> SessionPlan:
    kind, given = session_kind_of(pack), None
    if kind.orders is not None:
        protocol = pack.protocol
        given = registry.assign(
            new.code,
            kind.offers(pack),
            kind.orders(protocol),
            study=new.study,
            pack_id=pack.pack_id,
            rig=new.rig,
            seed=protocol.assignment.seed,
            drop_after_s=protocol.assignment.drop_after_s,
            purpose=new.purpose,
            sides=kind.sides,
        )
    return kind.plan(pack, given, language, new.code)


class RegisteredJournal:
    """A recorder that keeps events in the journal and lets the registry know how far it is.

    Where the registry can't be reached the session goes on: the journal is the truth, and the
    registry learns from it at the next start (`participants.registry.outbox`).

    Parameters
    ----------
    journal, registry, data, booking
        The journal that is written; the registry that is informed, and the data folder where
        it is noted when it couldn't be; the session.
    trials_done
        Trials that were finished before.
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
        self._silent_until_s = 0.0
        self._all_told = not outbox.is_noted(data, booking.paths.session)
        outbox.note(data, booking.paths.session)

    def append(
        self,
        event: str,
        *,
        t_monotonic_s: float | None = None,
        durable: bool = False,
        **fields: Any,
    ) -> None:
        """Keep an event; see `participants.journal.Recorder`."""
        self._journal.append(event, t_monotonic_s=t_monotonic_s, durable=durable, **fields)
        self._try_to_tell(event, fields)
        if event == "session_end" and self._all_told:
            outbox.strike_out(self._data, self._booking.paths.session)

    def keep_apart(self, answers: Mapping[str, str]) -> bool:
        """Keep what the person told of themselves in the registry alone; False if it is away."""
        try:
            record_demographics(self._registry, self._booking.code, told_of_oneself(answers))
        except UserError:
            return False
        return True

    def _try_to_tell(self, event: str, fields: dict[str, Any]) -> None:
        """Tell the registry, unless it was out of reach a moment ago: waiting holds people up."""
        if event == "trial_end":
            self._trials_done += 1
        try:
            if time.monotonic() >= self._silent_until_s:
                self._tell(event, fields)
                return
        except UserError:
            self._silent_until_s = time.monotonic() + RETRY_AFTER_S
        self._all_told = False

    def _tell(self, event: str, fields: dict[str, Any]) -> None:
        booking, registry = self._booking, self._registry
        if event in HEARTBEAT_AT:
            registry.heartbeat(booking.paths.session, self._trials_done)
        elif event == "consent":
            registry.record_consent(booking.code, session=booking.paths.session, **fields)
            if fields["text"] == RENEWED and not fields["agreed"]:
                registry.record_withdrawal(booking.code)
        elif event == "answer" and fields["question"] in CHOICES:
            name, value = fields["question"], fields["value"]
            record_choice(registry, booking.code, name, value, booking.paths.session)
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

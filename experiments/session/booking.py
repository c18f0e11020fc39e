"""Who takes part: the person or robot, the list and order, a new session or one to go on with."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from experiments.session.enrolled import identify
from experiments.session.request import RunRequest
from participants.folder import LabFolder, SessionPaths, new_session_id
from participants.journal import JournalError, read_journal
from participants.journal.writer import is_being_written
from participants.registry import NewSession, Place, PlaceRules, Registry, Unfinished
from participants.registry.people import REHEARSAL
from participants.rehearsing import rehearsal_plan
from participants.session import SessionPlan, has_declined, has_left
from participants.study import session_kind_of
from stimuli.errors import UserError
from stimuli.pack import Pack


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
    taken_from
        The rig that it was taken over from; empty where it is this PC's own.
    """

    code: str
    role: str
    purpose: str
    rig: str
    plan: SessionPlan
    paths: SessionPaths
    resumed: bool
    taken_from: str = ""


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
    language = person.language or pack.protocol.language_near(lab.settings.language)
    new = NewSession(session, code, role, study, pack.pack_id, purpose, rig)
    paths = request.data_folder(lab).session(session)
    taken_from = ""
    if unfinished is None:
        registry.start_session(new)
    else:
        here, reason = registry.here(rig), request.rig.take_over.strip()
        unfinished.require_here(code, here, registry.now(), reason)
        require_journal(unfinished, code, paths)
        require_idle(code, paths)
        _require_staying(registry, study, code, paths)
        language = own_language(person.language, code, paths) or language
        registry.resume_session(session, rig, reason)
        taken_from = unfinished.rig if unfinished.is_elsewhere(here) else ""
    try:
        # Assigned last, so that a person who is refused takes no place of the design.
        plan = _plan(registry, pack, new, language, robot=person.robot is not None)
        resumed = paths.journal.exists()
        yield Booking(code, role, purpose, rig, plan, paths, resumed, taken_from)
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


def require_journal(unfinished: Unfinished, code: str, paths: SessionPaths) -> None:
    """Refuse to show trials again that are finished: they are in another folder, or a newer copy.

    The journal hears of every trial before the registry does.
    """
    here = len(read_journal(paths.journal).of("trial_end")) if paths.journal.exists() else 0
    if here < unfinished.trials_done:
        raise UserError(
            f"code {code}: {unfinished.trials_done - here} of {unfinished.trials_done} trials of "
            f"the unfinished session {unfinished.session} are not in {paths.folder}; copy that "
            f"folder from the PC of rig {unfinished.rig}, the newest there is, or name the data "
            "folder that it was begun in with --data"
        )


def require_idle(code: str, paths: SessionPaths) -> None:
    """Raise JournalError if another process writes the session's journal."""
    if is_being_written(paths.journal):
        raise JournalError(
            f"code {code}: this session is running already, in another window of this PC"
        )


def _require_staying(registry: Registry, study: str, code: str, paths: SessionPaths) -> None:
    """Refuse whom the journal knows to have left, though the registry wasn't told."""
    if was_left(paths):
        registry.leave_session(paths.session)
        raise UserError(
            f"code {code}: has left study {study} for good; let somebody else take part"
        )


def own_language(asked: str | None, code: str, paths: SessionPaths) -> str | None:
    """Return the language of a session that goes on; UserError if another one is asked for."""
    own = language_begun_in(paths)
    if own is not None and asked not in (None, own):
        raise UserError(
            f"code {code}: the session began in language {own} and continues in it; leave "
            "--language out, or enrol a new code for a session in another language"
        )
    return own


def was_left(paths: SessionPaths) -> bool:
    """Return whether a session's person has left the study for good."""
    return paths.journal.exists() and has_left(read_journal(paths.journal).events)


def was_declined(paths: SessionPaths) -> bool:
    """Return whether a session's person has declined to take part."""
    return paths.journal.exists() and has_declined(read_journal(paths.journal).events)


def language_begun_in(paths: SessionPaths) -> str | None:
    """Return the language that a session began in; None before its journal began."""
    journal = read_journal(paths.journal) if paths.journal.exists() else None
    return str(journal.header["language"]) if journal and journal.events else None


def _plan(
    registry: Registry, pack: Pack, new: NewSession, language: str, *, robot: bool
) -> SessionPlan:
    if new.purpose == REHEARSAL:
        return rehearsal_plan(pack, language, new.code, also_rare=robot)
    kind, given = session_kind_of(pack), None
    if kind.orders is not None:
        rules = pack.protocol.assignment
        given = registry.assign(
            Place(new.code, new.study, pack.pack_id, new.rig, new.purpose),
            PlaceRules(
                kind.offers(pack),
                kind.orders(pack.protocol),
                rules.seed,
                rules.drop_after_s,
                kind.sides,
            ),
        )
    return kind.plan(pack, given, language, new.code)

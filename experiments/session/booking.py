"""Who takes part in a session, with which list and order, and whether the session is a new one.

A person or a robot takes part in the role and for the purpose for which the registry has enrolled
its code. `admitted` finds out whether a session could begin before the experimenter is asked
anything.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace

from experiments.screens.library import Library
from experiments.session.options import PersonOptions
from experiments.session.request import RunRequest
from participants.folder import LabFolder, SessionPaths, new_session_id
from participants.journal import JournalError, read_journal
from participants.journal.reader import first_event
from participants.journal.writer import is_being_written
from participants.lab_settings import consent_values
from participants.lists import Assignment, fitting
from participants.new_person import REHEARSAL
from participants.planning import rehearsal_plan
from participants.registry import NewSession, Person, Place, PlaceRules, Registry, Unfinished
from participants.session import SessionPlan, has_declined, has_left
from participants.study import session_kind_of
from stimuli.errors import UserError
from stimuli.pack import Pack
from stimuli.study import fonts_in


def identify(options: PersonOptions, registry: Registry, pack: Pack) -> PersonOptions:
    """Return the person with code and purpose; enrol a robot that has no code.

    Raises
    ------
    UserError
        If neither a code nor a robot is given, either is unknown, or the code is enrolled for
        another role or purpose.
    """
    kind = session_kind_of(pack)
    if options.robot is not None and options.robot not in kind.robot_names:
        names = ", ".join(kind.robot_names)
        raise UserError(f"robot {options.robot!r}: unknown; take one of {names}")
    if options.participant is not None:
        return as_enrolled(options, registry.person(options.participant), pack)
    if options.robot is None:
        raise UserError("say who takes part: --participant CODE, or --robot NAME")
    axis, rung = kind.load_robots().place(pack)
    code = registry.enrol(kind.roles[0], axis=axis, rung=rung, purpose="robot")
    return replace(options, participant=code, purpose=options.session_purpose)


def as_enrolled(options: PersonOptions, person: Person, pack: Pack) -> PersonOptions:
    """Return the options with the person's code, and the purpose of the enrolment.

    Raises
    ------
    UserError
        If the pack's sessions need another role, or the person is enrolled for another purpose
        than the requested one; the message is one line.
    """
    code, roles = person.code, session_kind_of(pack).roles
    if person.role not in roles:
        raise UserError(
            f"code {code}: is enrolled as {person.role}, but this session is one of the "
            f"{'s or '.join(roles)}s"
        )
    purpose = options.session_purpose
    if (person.purpose == "robot") != (purpose == "robot"):
        if person.purpose == "robot":
            raise UserError(f"code {code}: is a robot's; add --robot NAME, or give a person's code")
        raise UserError(
            f"code {code}: is a person's; leave out --participant, and the robot gets its own code"
        )
    if options.purpose not in (None, person.purpose):
        raise UserError(
            f"code {code}: is enrolled for purpose {person.purpose}, not {purpose}; leave "
            f"--purpose out, or enrol a new code (participants enrol --purpose {purpose})"
        )
    return replace(options, participant=code, purpose=person.purpose)


def going_on(request: RunRequest, lab: LabFolder, registry: Registry, pack: Pack) -> PersonOptions:
    """Return the person; a robot without a code gets that of its newest unfinished session.

    So the same command continues a robot's session, too. It is one of the same robot, pack, rig and
    language, in the same data folder, that no process is running.
    """
    asked, data = request.person, request.data_folder(lab)
    if asked.robot is None or asked.participant is not None or asked.session_purpose == REHEARSAL:
        return asked
    wanted = {
        "robot": asked.robot,
        "pack_id": pack.pack_id,
        "purpose": asked.session_purpose,
        "rig": lab.settings.rig,
        "language": asked.language or pack.protocol.language_near(lab.settings.language),
    }
    for paths in sorted(data.sessions(), key=lambda p: p.session, reverse=True):
        begun = first_event(paths.journal)
        if any(begun.get(name) != value for name, value in wanted.items()):
            continue
        code = str(begun["participant"])
        with suppress(UserError):
            unfinished = registry.unfinished(
                code, study=pack.manifest.study, pack_id=pack.pack_id, purpose=asked.session_purpose
            )
            if (
                unfinished
                and unfinished.session == paths.session
                and not is_being_written(paths.journal)
            ):
                return replace(asked, participant=code)
    return asked


@dataclass(frozen=True, slots=True)
class Booking:
    """A session that the registry counts as running.

    Attributes
    ----------
    code, role, purpose, rig
        The person's code, role and purpose, and the rig.
    plan
        The session's plan.
    paths
        The session's files.
    resumed
        Whether its journal exists already.
    taken_from
        The rig that it was taken over from; empty for this PC's own session.
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
    """Book a session as running in the registry during the block; at the end, mark it as ended.

    An unfinished session of the same person, pack and purpose continues; else a new one begins.

    Raises
    ------
    UserError
        If the person may not take part now, or not in this language, or the plan can't be
        made; the message is one line.
    """
    person = identify(going_on(request, lab, registry, pack), registry, pack)
    code = str(person.participant)
    role, study = session_kind_of(pack).role, pack.manifest.study
    purpose, rig = person.session_purpose, lab.settings.rig
    unfinished = registry.unfinished(code, study=study, pack_id=pack.pack_id, purpose=purpose)
    session = unfinished.session if unfinished is not None else new_session_id(code)
    language = person.language or pack.protocol.language_near(lab.settings.language)
    data = request.data_folder(lab)
    place = registry.folder_id(data.root)
    new = NewSession(session, code, role, study, pack.pack_id, purpose, rig, place)
    paths = data.session(session)
    taken_from = ""
    if unfinished is None:
        registry.start_session(new)
    else:
        here, reason = registry.here(rig, place), request.rig.take_over.strip()
        unfinished.require_here(code, here, registry.now(), reason)
        require_journal(unfinished, code, paths)
        require_idle(code, paths)
        _require_staying(registry, study, code, paths)
        language = own_language(person.language, code, paths) or language
        registry.resume_session(session, rig, reason, place)
        taken_from = unfinished.rig if unfinished.is_elsewhere(here) else ""
    try:
        # Assigned last, so that a refused person doesn't take a place in the design.
        plan = _plan(registry, pack, new, language, robot=person.robot is not None)
        resumed = paths.journal.exists()
        yield Booking(code, role, purpose, rig, plan, paths, resumed, taken_from)
    except BaseException as error:
        with suppress(UserError):
            _leave(registry, paths, error, new=unfinished is None)
        raise


def _leave(registry: Registry, paths: SessionPaths, error: BaseException, *, new: bool) -> None:
    """Mark an interrupted session as stopped, or as never begun if it has no journal."""
    if new and not paths.journal.exists():
        registry.abandon_session(paths.session)
    elif not isinstance(error, JournalError):
        # After a JournalError another process may be writing the journal; that process ends it.
        registry.finish_session(paths.session, complete=False)


def require_journal(unfinished: Unfinished, code: str, paths: SessionPaths) -> None:
    """Refuse to repeat finished trials, which are in another folder or in a newer copy.

    Every trial is written to the journal before the registry.
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
    """Refuse a person who has left according to the journal; tell the registry, too."""
    if was_left(paths):
        registry.leave_session(paths.session)
        raise UserError(
            f"code {code}: has left study {study} for good; let somebody else take part"
        )


def own_language(option: str | None, code: str, paths: SessionPaths) -> str | None:
    """Return the language of an unfinished session; UserError if another one is requested."""
    language = language_begun_in(paths)
    if language is not None and option not in (None, language):
        raise UserError(
            f"code {code}: the session began in language {language} and continues in it; leave "
            "--language out, or enrol a new code for a session in another language"
        )
    return language


def was_left(paths: SessionPaths) -> bool:
    """Return whether the session's person has left the study for good."""
    return paths.journal.exists() and has_left(read_journal(paths.journal).events)


def was_declined(paths: SessionPaths) -> bool:
    """Return whether the session's person has declined to take part."""
    return paths.journal.exists() and has_declined(read_journal(paths.journal).events)


def language_begun_in(paths: SessionPaths) -> str | None:
    """Return the language in which a session began; None if it has no journal yet."""
    journal = read_journal(paths.journal) if paths.journal.exists() else None
    return str(journal.header["language"]) if journal and journal.events else None


def _plan(
    registry: Registry, pack: Pack, new: NewSession, language: str, *, robot: bool
) -> SessionPlan:
    if new.purpose == REHEARSAL:
        return rehearsal_plan(pack, language, new.code, also_rare=robot)
    kind, assignment = session_kind_of(pack), None
    if kind.orders is not None:
        rules = pack.protocol.assignment
        assignment = registry.assign(
            Place(new.code, new.study, pack.pack_id, new.rig, new.purpose),
            PlaceRules(
                kind.offers(pack),
                kind.orders(pack.protocol),
                rules.seed,
                rules.drop_after_s,
                kind.sides,
            ),
        )
    return kind.plan(pack, assignment, language, new.code)


def admitted(request: RunRequest, lab: LabFolder, pack: Pack) -> RunRequest:
    """Return a request with the purpose that its code is enrolled for; nothing is recorded.

    Raises
    ------
    UserError
        If no session of the pack can begin or continue here with the code: it is unknown,
        withdrawn, enrolled for another role or purpose, in a session elsewhere or finished with
        the study, or the pack has no list for the person. The message is one line.
    """
    with closing(Registry.of(lab)) as registry:
        person = registry.person(str(request.person.participant))
        asked = as_enrolled(request.person, person, pack)
        named = replace(request, person=asked)
        _require_place(person, named, registry, lab, pack)
    return named


def _require_place(
    person: Person, request: RunRequest, registry: Registry, lab: LabFolder, pack: Pack
) -> None:
    """Refuse a person whose session can neither continue nor begin here."""
    kind, study, rig = session_kind_of(pack), pack.manifest.study, lab.settings.rig
    purpose = request.person.session_purpose
    unfinished = registry.unfinished(
        person.code, study=study, pack_id=pack.pack_id, purpose=purpose
    )
    if unfinished is not None:
        here = registry.here(rig)
        unfinished.require_here(person.code, here, registry.now(), request.rig.take_over)
        return
    registry.require_free(NewSession("", person.code, kind.role, study, pack.pack_id, purpose, rig))
    if kind.orders is not None:
        fitting(kind.offers(pack), person.axis, person.rung)


def checked_language(request: RunRequest, lab: LabFolder, pack: Pack) -> str:
    """Read the texts of an admitted person's session, and return its language.

    Raises
    ------
    UserError
        If the session began in another language, the pack doesn't offer the language, a text is
        missing or can't be shown, or the journal of the session isn't here or is being written.
    """
    asked = request.person
    language = asked.language or pack.protocol.language_near(lab.settings.language)
    if asked.participant is None or asked.robot is not None:
        return language
    with closing(Registry.of(lab)) as registry:
        person = registry.person(asked.participant)
        unfinished = registry.unfinished(
            person.code,
            study=pack.manifest.study,
            pack_id=pack.pack_id,
            purpose=asked.session_purpose,
        )
    if unfinished is not None:
        paths = request.data_folder(lab).session(unfinished.session)
        require_journal(unfinished, person.code, paths)
        require_idle(person.code, paths)
        language = own_language(asked.language, person.code, paths) or language
    for plan in _plans(person, pack, language):
        library = Library(plan.text_folder, language, lab.texts, fonts_in(pack))
        library.words()
        library.check(plan, lab_values(lab, plan))
    return language


def lab_values(lab: LabFolder, plan: SessionPlan) -> dict[str, str]:
    """Return values for the lab in texts: its settings, or general words and lines instead."""
    language = plan.language
    named, blanks = lab.settings.named(language), lab.settings.blanks(language)
    return consent_values(plan.text_folder, language, named, blanks, lab.texts)


def _plans(person: Person, pack: Pack, language: str) -> Iterator[SessionPlan]:
    """Yield the possible plans for a person, one for each order; no place is assigned."""
    kind = session_kind_of(pack)
    if kind.orders is None:
        yield kind.plan(pack, None, language, person.code)
        return
    offer = fitting(kind.offers(pack), person.axis, person.rung)[0]
    side = kind.sides[0] if kind.sides else None
    for order in kind.orders(pack.protocol):
        yield kind.plan(pack, Assignment(offer.list, order, side), language, person.code)

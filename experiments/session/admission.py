"""Whether somebody's session could begin, found out before the experimenter is asked anything."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

from experiments.screens.library import Library
from experiments.session.booking import own_language, require_idle, require_journal
from experiments.session.enrolled import as_enrolled
from experiments.session.request import RunRequest
from participants.consent_blanks import consent_values
from participants.folder import LabFolder
from participants.lists import fitting
from participants.registry import Assignment, NewSession, Person, Registry
from participants.session import SessionPlan
from participants.study import session_kind_of
from stimuli.pack import Pack


def admitted(request: RunRequest, lab: LabFolder, pack: Pack) -> RunRequest:
    """Return a request with the purpose that its code is enrolled for; nothing is recorded.

    Raises
    ------
    UserError
        If no session of the pack can begin or go on here with the code, one line: it is unknown,
        withdrawn, enrolled for another role or purpose, in a session elsewhere or through with
        the study, or the pack has no list for the person.
    """
    with closing(Registry.open(lab.registry_url)) as registry:
        person = registry.person(str(request.person.participant))
        asked = as_enrolled(request.person, person, pack)
        named = replace(request, person=asked)
        _require_place(person, named, registry, lab, pack)
    return named


def _require_place(
    person: Person, request: RunRequest, registry: Registry, lab: LabFolder, pack: Pack
) -> None:
    """Refuse a person whose session can neither go on here nor begin."""
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
    """Return the language of a session whose person was admitted, having read its texts.

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
    with closing(Registry.open(lab.registry_url)) as registry:
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
        library = Library(plan.text_folder, language, lab.texts)
        library.words()
        library.check(plan, lab_values(lab, plan))
    return language


def lab_values(lab: LabFolder, plan: SessionPlan) -> dict[str, str]:
    """Return what texts call the lab: its own settings, else general words and lines."""
    language = plan.language
    named, blanks = lab.settings.named(language), lab.settings.blanks(language)
    return consent_values(plan.text_folder, language, named, blanks, lab.texts)


def _plans(person: Person, pack: Pack, language: str) -> Iterator[SessionPlan]:
    """Yield the plans that a person may be given, one for each order; no place is given."""
    kind = session_kind_of(pack)
    if kind.orders is None:
        yield kind.plan(pack, None, language, person.code)
        return
    offer = fitting(kind.offers(pack), person.axis, person.rung)[0]
    side = kind.sides[0] if kind.sides else None
    for order in kind.orders(pack.protocol):
        yield kind.plan(pack, Assignment(offer.list, order, side), language, person.code)

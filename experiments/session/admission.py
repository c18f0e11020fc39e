"""Whether somebody's session could begin, found out before the experimenter is asked anything."""

from contextlib import closing
from dataclasses import replace

from experiments.session.enrolled import as_enrolled
from experiments.session.request import RunRequest
from participants.folder import LabFolder
from participants.lists import fitting
from participants.registry import NewSession, Person, Registry
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

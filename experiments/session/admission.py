"""Whether somebody's session could begin, found out before the experimenter is asked anything."""

from contextlib import closing

from experiments.session.request import RunRequest
from participants.folder import LabFolder
from participants.lists import fitting
from participants.registry import NewSession, Registry
from participants.study import session_kind_of
from stimuli.pack import Pack


def require_admission(request: RunRequest, lab: LabFolder, pack: Pack) -> None:
    """Refuse a code with which no session of a pack can begin or go on here; enters nothing.

    Raises
    ------
    UserError
        If the code is unknown, withdrawn, of another role, in a session elsewhere or through
        with the study, or if the pack has no list for the person: one line.
    """
    kind, study = session_kind_of(pack), pack.manifest.study
    purpose, rig = request.person.session_purpose, lab.settings.rig
    with closing(Registry.open(lab.registry_url)) as registry:
        person = registry.person(str(request.person.participant))
        unfinished = registry.unfinished(
            person.code, study=study, pack_id=pack.pack_id, purpose=purpose
        )
        if unfinished is not None:
            unfinished.require_rig(person.code, rig)
            return
        new = NewSession("", person.code, kind.role, study, pack.pack_id, purpose, rig)
        registry.require_free(new)
    if kind.orders is not None:
        fitting(kind.offers(pack), person.axis, person.rung)

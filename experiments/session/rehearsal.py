"""A rehearsal: a session that shows every kind of screen once, and never meets people's data."""

import json
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from rich.markup import escape

from experiments.engine.display import require_display, require_free_display
from experiments.rig.checklist import SKIPPED
from experiments.session.preflight import Preflight
from experiments.session.request import RunRequest
from experiments.session.run import SessionResult, SessionRun
from participants.files import make_private
from participants.folder import LabFolder
from participants.lab_settings import SQLITE
from participants.new_person import REHEARSAL, NewPerson
from participants.registry import Registry
from participants.registry.people import enter
from participants.study import session_kind_of
from stimuli.pack import Pack
from stimuli.pack.folder import MANIFEST, read_manifest
from stimuli.rich_terminal import Console

FOLDER: Final = "rehearsals"
"""Folder in the lab folder with the rehearsals' separate registry and journals."""
REASON: Final = "a rehearsal measures nothing"
TOLD: Final = (
    "A rehearsal: every kind of screen once. Ctrl+Shift+Enter leaves pages that wait for you."
)


def rehearse_verb(request: RunRequest, pack: Pack | None = None, *, as_json: bool) -> None:
    """Run a rehearsal and print a summary; see `rehearse`."""
    lab, console = LabFolder.open(request.lab), Console(stderr=True)
    ran = rehearse(request, lab, console, pack)
    if as_json:
        print(json.dumps(asdict(ran)))
        return
    how = "over" if ran.complete else "ended before its last screen"
    place = escape(str(rehearsal_folder(lab).data.root))
    console.print(f"The rehearsal is {how}. Its journal is in {place}.", soft_wrap=True)


def rehearse(
    request: RunRequest, lab: LabFolder, console: Console, pack: Pack | None = None
) -> SessionResult:
    """Run a rehearsal, without the checks of this PC.

    Parameters
    ----------
    request
        The request, without a code: a rehearsal gets a new code.
    lab
        The lab folder with texts, rigs and packs; its registry and data aren't touched.
    console
        The console for a message about what is shown.
    pack
        The pack to rehearse; None for the pack that the request names.

    Raises
    ------
    UserError
        If the session can't be shown; the message is one line.
    """
    if pack is None:
        pack = _of_any_kind(request).find_pack(lab)
    if not request.has_own_display:
        require_free_display()
        require_display()
    place = rehearsal_folder(lab)
    person = replace(request.person, participant=_enrolled(place, pack), rehearsal=True)
    console.print(TOLD, soft_wrap=True, highlight=False)
    rehearsal = replace(request, person=person)
    return SessionRun(rehearsal, place, pack, Preflight((), REASON, SKIPPED)).run()


def _of_any_kind(request: RunRequest) -> RunRequest:
    """Return a request that accepts any kind of pack: experts' tasks can be rehearsed too."""
    folder = Path(request.target).expanduser()
    if not (folder / MANIFEST).is_file():
        return request
    return replace(request, kind=read_manifest(folder).kind)


def rehearsal_folder(lab: LabFolder) -> LabFolder:
    """Return the lab folder with the rehearsals' registry and data."""
    settings = {"data": FOLDER, "registry": f"{SQLITE}{FOLDER}/registry.sqlite"}
    place = LabFolder(lab.root, lab.settings.model_copy(update=settings))
    make_private(place.data.root)
    return place


def _enrolled(place: LabFolder, pack: Pack) -> str:
    """Return a new code from the rehearsals' registry."""
    new = NewPerson(session_kind_of(pack).roles[0], purpose=REHEARSAL)
    with closing(Registry.of(place, new=True)) as registry:
        return registry.transact(lambda connection: enter(connection, new, registry.now()))

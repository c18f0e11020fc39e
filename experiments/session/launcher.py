"""The launcher in the terminal: who takes part, in which language; never which arm."""

import sys
from dataclasses import replace

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.prompt import Confirm, Prompt

from experiments.session.admission import admitted
from experiments.session.booking import language_begun_in
from experiments.session.request import RunRequest
from participants.folder import LabFolder
from participants.registry import Person, Registry
from stimuli.errors import UserError
from stimuli.pack import Pack


def launch(request: RunRequest, lab: LabFolder, pack: Pack) -> RunRequest:
    """Ask the experimenter what is missing, and return the request completed.

    Raises
    ------
    UserError
        If nobody can be asked, or the experimenter decides not to start.
    """
    if not sys.stdin.isatty():
        raise UserError("say who takes part: --participant CODE, or --robot NAME")
    console = Console()
    registry = Registry.open(lab.registry_url)
    console.print(
        Panel.fit(
            f"Study  [bold]{pack.manifest.study}[/], protocol {escape(pack.protocol.name)}\n"
            f"Pack   {pack.pack_id}\n"
            f"Rig    {escape(lab.settings.rig)}\n"
            f"Data   {escape(str(request.data_folder(lab).root))}",
            title="A session",
        )
    )
    person = _ask_person(console, registry)
    named = replace(request, person=replace(request.person, participant=person.code))
    asked = admitted(named, lab, pack).person
    unfinished = registry.unfinished(
        person.code,
        study=pack.manifest.study,
        pack_id=pack.pack_id,
        purpose=asked.session_purpose,
    )
    own = unfinished and language_begun_in(request.data_folder(lab).session(unfinished.session))
    if asked.language is None and own is None:
        asked = replace(asked, language=_ask_language(lab, pack))
    if unfinished is not None:
        console.print(
            f"An unfinished session goes on: {unfinished.trials_done} trials are done already."
        )
    if not Confirm.ask(f"Start as {asked.session_purpose} with {person.code}?", default=True):
        raise UserError("not started; nothing was recorded")
    return replace(request, person=asked)


def _ask_person(console: Console, registry: Registry) -> Person:
    while True:
        code = Prompt.ask("Code of the person").strip().upper()
        try:
            return registry.person(code)
        except UserError as mistake:
            console.print(f"[yellow]{escape(str(mistake))}[/]")


def _ask_language(lab: LabFolder, pack: Pack) -> str:
    offered = list(pack.protocol.languages)
    if len(offered) == 1:
        return offered[0]
    usual = pack.protocol.language_near(lab.settings.language)
    return Prompt.ask("Language", choices=offered, default=usual)

"""What the command `run` does before and after a session, and what it prints.

If nobody is named, `launch` asks in the terminal who takes part and in which language, but never in
which arm.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.panel import Panel
from rich.prompt import Confirm, Prompt

from experiments.engine.display import require_display, require_free_display
from experiments.rig.checklist import SKIPPED, Ask, ask_at_terminal, ask_nameless, discard_typed
from experiments.rig.checks import records
from experiments.rig.checks.crashes import CRASHES
from experiments.rig.checks.finding import Finding
from experiments.rig.checks.frames import PRIORITY
from experiments.rig.doctor import without_window
from experiments.session.booking import admitted, checked_language, language_begun_in
from experiments.session.preflight import (
    Preflight,
    can_ask,
    cleared,
    coming_back,
    go_through_checklist,
    reason_to_go_on,
)
from experiments.session.request import RunRequest
from experiments.study import screens_of
from participants.backing_up import back_up_after_session
from participants.folder import LabFolder
from participants.journal import Journal, read_journal
from participants.notes import refuse_names
from participants.registry import Person, Registry
from participants.session import withdrawal_in
from stimuli.errors import UserError
from stimuli.pack import Pack
from stimuli.rich_terminal import Console
from stimuli.study import fonts_in

if TYPE_CHECKING:
    from experiments.session.run import SessionResult


def launch(request: RunRequest, lab: LabFolder, pack: Pack) -> RunRequest:
    """Ask the experimenter for missing options, and return the completed request.

    Raises
    ------
    UserError
        If nobody can be asked, or the experimenter decides not to start.
    """
    if not sys.stdin.isatty():
        raise UserError("say who takes part: --participant CODE, or --robot NAME")
    console = Console()
    registry = Registry.of(lab)
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
    begun_language = unfinished and language_begun_in(
        request.data_folder(lab).session(unfinished.session)
    )
    if asked.language is None and begun_language is None:
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


def run_verb(request: RunRequest, *, as_json: bool) -> None:
    """Run a session and print a summary."""
    lab, console = LabFolder.open(request.lab), Console(stderr=True)
    conducted = conduct(request, lab, console)
    if as_json:
        print(conducted.as_json())
        return
    ran = conducted.ran
    say_whether_complete(console, ran)
    if ran.flagged:
        what = "trial is" if ran.flagged == 1 else "trials are"
        why = "a frame was dropped, or a clock, a pause or another window came between"
        line = f"{ran.flagged} {what} flagged: {why}."
        console.print(f"[yellow]{line}[/]", soft_wrap=True)
    data = escape(str(request.data_folder(lab).root))
    console.print(f"The tables of {data} hold {ran.trials} trials.", soft_wrap=True)
    if ran.waiting:
        what = "unfinished session is" if ran.waiting == 1 else "unfinished sessions are"
        why = "People decide after the debrief whether their data may be used"
        console.print(f"{ran.waiting} {what} not in them. {why}.", soft_wrap=True)


@dataclass(frozen=True, slots=True)
class Conducted:
    """A session, and what the experimenter must know after it, in lines."""

    ran: "SessionResult"
    lines: tuple[str, ...]

    def as_json(self, **more: object) -> str:
        """Return both as a JSON object, with further values."""
        return json.dumps({**asdict(self.ran), "lines": self.lines, **more})


def conduct(
    request: RunRequest, lab: LabFolder, console: Console, pack: Pack | None = None
) -> Conducted:
    """Check the rig, ask for missing options, run the session and report what went wrong.

    Parameters
    ----------
    request
        The request of the command line.
    lab, console
        The lab folder with people and data, and the console for messages.
    pack
        The pack to show; None for the pack that the request names.

    Raises
    ------
    UserError
        If the session can't begin or continue; the message is one line.
    """
    from experiments.session.run import SessionRun

    pack = request.find_pack(lab) if pack is None else pack
    refuse_names(request.rig.override or "", where="--override")
    refuse_names(request.rig.take_over, where="--take-over")
    if not request.has_own_display:
        # Checked first, so that nobody answers a checklist for a session that can't begin.
        require_free_display()
    request, preflight = prepared(request, lab, pack, console)
    ran = SessionRun(request, lab, pack, preflight, AtTerminal(console, request, preflight)).run()
    lines = (*_went_wrong(ran, request, lab), *back_up_after_session(lab))
    for line in lines:
        console.print(f"[yellow]{escape(line)}[/]", soft_wrap=True, highlight=False)
    return Conducted(ran, lines)


def _went_wrong(ran: "SessionResult", request: RunRequest, lab: LabFolder) -> Iterator[str]:
    """Yield what the experimenter must know after a session."""
    yield from (f"can't be trusted: {reason}" for reason in ran.left_out.values())
    for session, reason in ran.untold.items():
        yield f"The registry missed something of session {session}: {reason}"
    yield from withdrawn_lines(read_journal(request.data_folder(lab).session(ran.session).journal))


@dataclass(frozen=True, slots=True)
class AtTerminal:
    """The `experiments.session.run.Experimenter` at the terminal.

    Attributes
    ----------
    console
        The console for messages.
    request, preflight
        The request, and the result of the checks before the session.
    """

    console: Console
    request: RunRequest
    preflight: Preflight

    def expect_window(self) -> None:
        """Print warnings before the window covers the terminal."""
        warn(self.console, self.preflight, self.request)

    def learn_findings(self, findings: Sequence[Finding]) -> None:
        """Print warnings about the open window."""
        warn_of_window(self.console, findings, self.request)

    def write_note(self) -> str:
        """Ask for a note."""
        return ask_note(self.request)


def ask_note(request: RunRequest, ask: Ask = ask_at_terminal) -> str:
    """Ask for the experimenter's note at the session's end; return it, or an empty string."""
    if not can_ask(request):
        return ""
    discard_typed()
    try:
        question = "Incident note, kept with the session's data; no names (Enter: none)"
        return ask_nameless(question, ask)
    except (EOFError, KeyboardInterrupt):
        return ""


def withdrawn_lines(journal: Journal) -> tuple[str, ...]:
    """Return a line on how to remove the data of somebody who withdrew at a session's end."""
    if withdrawal_in(journal) is None:
        return ()
    code = journal.header["participant"]
    return (
        f"{code} withdrew: no table and no map set has them. To remove all of them: "
        f"python3 lab.py participants withdraw {code}",
    )


def say_whether_complete(console: Console, ran: "SessionResult") -> None:
    """Print whether a session is complete."""
    how = "not finished; the same command goes on with it"
    if ran.complete:
        how = "complete"
    elif ran.ended_early:
        how = "ended early, since the person doesn't qualify; the place is free"
    elif ran.left:
        how = "ended; the person left the study for good"
    elif ran.declined:
        how = "ended; the person declined to take part"
    console.print(f"Session {ran.session}: {how}.", soft_wrap=True)


def prepared(
    request: RunRequest, lab: LabFolder, pack: Pack, console: Console
) -> tuple[RunRequest, Preflight]:
    """Check the rig, ask who takes part and go through the checklist.

    Returns
    -------
    tuple
        The completed request, and why the session may begin.

    Raises
    ------
    UserError
        If the session may not begin, or the experimenter decides not to start.
    """
    if request.person.participant is None and request.person.robot is None:
        request = launch(request, lab, pack)
    request, findings = examined(request, lab, pack)
    reason = reason_to_go_on(findings, request, lab, console)
    critical = screens_of(pack).colours == "critical"
    answers = go_through_checklist(request, lab, console) if critical else SKIPPED
    return request, cleared(findings, reason, answers, request)


def examined(
    request: RunRequest, lab: LabFolder, pack: Pack
) -> tuple[RunRequest, tuple[Finding, ...]]:
    """Make the checks before a session, without asking anybody.

    Returns
    -------
    tuple
        The request with the purpose of its code, and the findings of the checks.

    Raises
    ------
    UserError
        If the session can't begin or continue; the message is one line.
    """
    # First, so that nobody answers questions about this PC for a code or a language that is
    # refused. The checks also depend on what the person is enrolled for.
    if request.person.participant is not None:
        request = admitted(request, lab, pack)
    language = checked_language(request, lab, pack)
    if not request.has_own_display:
        require_display()
    purpose = request.person.session_purpose
    colours = screens_of(pack).colours
    findings = (
        *without_window(lab, purpose, colours=colours, language=language, fonts=fonts_in(pack)),
        records.people(pack, purpose),
        records.stimulus_signs(pack),
        records.stimulus_language(pack, language),
        *coming_back(request, lab, pack),
    )
    return request, findings


def warn_of_window(console: Console, findings: Sequence[Finding], request: RunRequest) -> None:
    """Print warnings about the open window, one line each.

    Robots' displays aren't real screens: for them only late frames are reported.
    """
    robot = request.person.session_purpose == "robot"
    for finding in findings:
        if finding.status == "pass" or (robot and finding.check != PRIORITY.name):
            continue
        late = ", frames may come late" if finding.check == PRIORITY.name else ""
        line = f"{finding.check}: {finding.found}{late}; {finding.remedy}"
        console.print(f"[yellow]{escape(line)}[/]", soft_wrap=True, highlight=False)


def warn(console: Console, preflight: Preflight, request: RunRequest) -> None:
    """Print warnings, prominently if they concern data of the study.

    For a robot's session, only crashed sessions before it are reported.
    """
    purpose = request.person.session_purpose
    lines = [
        f"{finding.check}: {finding.found}; {finding.remedy}"
        for finding in preflight.findings
        if finding.status != "pass" and (purpose != "robot" or finding.check == CRASHES.name)
    ]
    if not lines:
        return
    text = escape("\n".join(lines))
    if purpose == "main":
        console.print(Panel(text, title="Before data of purpose main", border_style="yellow"))
    else:
        console.print(f"[yellow]{text}[/]", soft_wrap=True, highlight=False)

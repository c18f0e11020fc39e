"""What the `run` verb does before and after a session, and what it says."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel

from experiments.launcher import launch
from experiments.request import RunRequest
from experiments.rig.checks import Finding, failures
from experiments.rig.doctor import without_window
from participants.folder import LabFolder
from stimuli.errors import UserError

if TYPE_CHECKING:
    from experiments.session import Ran


def run_verb(request: RunRequest, *, as_json: bool) -> None:
    """Check the rig, ask for what is missing, run the session and say how it went."""
    lab = LabFolder.open(request.lab)
    pack = request.find_pack(lab)
    console = Console(stderr=True)
    findings = without_window(lab)
    stop_if_unfit(findings, request.override)
    if request.participant is None and request.robot is None:
        request = launch(request, lab, pack)
    from experiments.session import run

    checks = {finding.check: finding.status for finding in findings}
    purpose = request.session_purpose
    ran = run(request, lab, pack, checks, lambda: warn(console, findings, purpose))
    say_what_was_missed(console, ran)
    if as_json:
        print(json.dumps(asdict(ran)))
        return
    how = "complete" if ran.complete else "not finished; the same command goes on with it"
    console.print(f"Session {ran.session}: {how}.", soft_wrap=True)
    data = escape(str(request.data_folder(lab).root))
    console.print(f"{ran.trials} trials in {data}", soft_wrap=True)


def say_what_was_missed(console: Console, ran: "Ran") -> None:
    """Say which sessions are not in the tables, and which the registry doesn't know all of."""
    for session, reason in ran.left_out.items():
        line = f"Session {session} is left out of the tables, its journal stays: {reason}"
        console.print(f"[yellow]{escape(line)}[/]", soft_wrap=True)
    for session, reason in ran.untold.items():
        line = f"The registry missed something of session {session}: {reason}"
        console.print(f"[yellow]{escape(line)}[/]", soft_wrap=True)


def stop_if_unfit(findings: list[Finding], override: str | None) -> None:
    """Raise UserError if a check failed and nobody said why to go on in spite of it."""
    failed = failures(findings)
    if failed and not override:
        first = failed[0]
        raise UserError(
            f"{first.check}: {first.found}; {first.remedy}, or go on with --override REASON "
            "(it is recorded)"
        )


def warn(console: Console, findings: list[Finding], purpose: str) -> None:
    """Say what isn't as it should be; loudly where it touches data of the study."""
    if purpose == "robot":
        return
    lines = [
        f"{finding.check}: {finding.found}; {finding.remedy}"
        for finding in findings
        if finding.status != "pass"
    ]
    if not lines:
        return
    text = escape("\n".join(lines))
    if purpose == "main":
        console.print(Panel(text, title="Before data of purpose main", border_style="yellow"))
    else:
        console.print(f"[yellow]{text}[/]")

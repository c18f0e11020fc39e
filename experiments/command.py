"""What the `run` verb does before and after a session, and what it says."""

import json
from dataclasses import asdict

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel

from experiments.launcher import launch
from experiments.request import RunRequest
from experiments.rig.checks import Finding, failures
from experiments.rig.doctor import without_window
from participants.folder import LabFolder
from stimuli.errors import UserError


def run_verb(request: RunRequest, *, as_json: bool) -> None:
    """Check the rig, ask for what is missing, run the session and say how it went."""
    lab = LabFolder.open(request.lab)
    pack = request.find_pack(lab)
    console = Console(stderr=True)
    findings = without_window(lab)
    _stop_if_unfit(findings, request.override)
    if request.participant is None and request.robot is None:
        request = launch(request, lab, pack)
    from experiments.session import run

    checks = {finding.check: finding.status for finding in findings}
    purpose = request.session_purpose
    ran = run(request, lab, pack, checks, lambda: _warn(console, findings, purpose))
    for session, reason in ran.left_out.items():
        line = f"Session {session} is left out of the tables, its journal stays: {reason}"
        console.print(f"[yellow]{escape(line)}[/]", soft_wrap=True)
    for session, reason in ran.untold.items():
        line = f"The registry missed something of session {session}: {reason}"
        console.print(f"[yellow]{escape(line)}[/]", soft_wrap=True)
    if as_json:
        print(json.dumps(asdict(ran)))
        return
    how = "complete" if ran.complete else "not finished; the same command goes on with it"
    console.print(f"Session {ran.session}: {how}.", soft_wrap=True)
    data = escape(str(request.data_folder(lab).root))
    console.print(f"{ran.trials} trials in {data}", soft_wrap=True)


def _stop_if_unfit(findings: list[Finding], override: str | None) -> None:
    failed = failures(findings)
    if failed and not override:
        first = failed[0]
        raise UserError(
            f"{first.check}: {first.found}; {first.remedy}, or go on with --override REASON "
            "(it is recorded)"
        )


def _warn(console: Console, findings: list[Finding], purpose: str) -> None:
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

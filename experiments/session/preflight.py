"""May this session begin? Checks of the rig, the checklist, and reasons to go on regardless."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.markup import escape

from experiments.rig.checklist.answers import (
    CONFIRMED,
    SKIPPED,
    UNANSWERED,
    Answers,
    confirmed,
    judged,
)
from experiments.rig.checklist.asking import (
    Ask,
    ask_at_terminal,
    ask_checklist,
    ask_nameless,
)
from experiments.rig.checklist.files import known_values, memory_path, read_answers, remember
from experiments.rig.checks.finding import Finding, failures
from experiments.rig.profile import profile_path, read_rig
from experiments.session.request import RunRequest
from participants.folder import LabFolder
from participants.journal import Recorder
from participants.texts import load_checklist
from stimuli.errors import UserError

OR_OVERRIDE: Final = ", or continue with --override REASON (it is recorded)"
"""How a refusal ends that a reason overrides, at a terminal."""


@dataclass(frozen=True, slots=True)
class Preflight:
    """What was found before a session, and why it may begin.

    Attributes
    ----------
    findings
        Of all checks, that of the checklist included.
    reason
        Why to go on in spite of those that failed; empty where there was none.
    answers
        To the checklist.
    """

    findings: tuple[Finding, ...] = ()
    reason: str = ""
    answers: Answers = SKIPPED

    @property
    def overridden(self) -> tuple[str, ...]:
        """Names of the checks in spite of which the session begins."""
        return tuple(finding.check for finding in failures(self.findings))

    def joined(self, more: Sequence[Finding]) -> "Preflight":
        """Return it with more findings; UserError if one fails and there is no reason."""
        stop_if_unfit(more, self.reason)
        return replace(self, findings=(*self.findings, *more))

    def record(self, recorder: Recorder) -> None:
        """Write it into the journal."""
        recorder.append(
            "checks",
            findings=[_recorded(finding) for finding in self.findings],
            overridden=list(self.overridden),
            reason=self.reason if self.overridden else "",
        )
        recorder.append("checklist", **self.answers.fields())


def _recorded(finding: Finding) -> dict[str, Any]:
    # Below the home folder paths bear the name of whoever is logged in.
    found = finding.found.replace(str(Path.home()), "~")
    return {"check": finding.check, "status": finding.status, "found": found}


def stop_if_unfit(findings: Sequence[Finding], override: str | None) -> None:
    """Raise UserError if a check failed and nobody said why to go on in spite of it."""
    failed = failures(findings)
    if failed and not override:
        first = failed[0]
        raise UserError(f"{first.check}: {first.found}; {first.remedy}{OR_OVERRIDE}")


def reason_to_go_on(
    findings: Sequence[Finding],
    request: RunRequest,
    lab: LabFolder,
    console: Console,
    ask: Ask = ask_at_terminal,
) -> str:
    """Return why to go on in spite of failed checks; empty if none failed.

    Raises
    ------
    UserError
        If a check failed and no reason is given, nor typed at the terminal.
    """
    failed = failures(findings)
    if not failed or request.rig.override or not can_ask(request):
        stop_if_unfit(findings, request.rig.override)
        return request.rig.override or ""
    for finding in failed:
        line = f"{finding.check}: {finding.found}; {finding.remedy}"
        console.print(f"[red]{escape(line)}[/]", soft_wrap=True, highlight=False)
    text = load_checklist(lab.settings.language, lab.texts)
    reason = ask_nameless(text.words["why_override"], ask)
    stop_if_unfit(findings, reason)
    return reason


def go_through_checklist(
    request: RunRequest, lab: LabFolder, console: Console, ask: Ask = ask_at_terminal
) -> Answers:
    """Return the checklist's answers: from the file named, else typed at the terminal.

    Robots are not asked, nor is anybody who only tries the set-up (purpose test).

    Raises
    ------
    UserError
        If a file of answers can't be used: where and why.
    """
    if request.person.robot is not None:
        return SKIPPED
    text = load_checklist(lab.settings.language, lab.texts)
    rig = read_rig(profile_path(lab.rigs, lab.settings.rig))
    memory = memory_path(lab.rigs, lab.settings.rig)
    known = known_values(memory, rig)
    if request.rig.checklist == CONFIRMED:
        return confirmed(text, known)
    if request.rig.checklist is not None:
        return read_answers(Path(request.rig.checklist).expanduser(), text)
    if not can_ask(request) or request.person.session_purpose == "test":
        return UNANSWERED
    answers = ask_checklist(console, text, known, measured=rig.geometry is not None, ask=ask)
    remember(memory, answers.values)
    return answers


def cleared(
    findings: Sequence[Finding], reason: str, answers: Answers, request: RunRequest
) -> Preflight:
    """Return why a session may begin; UserError if its checklist forbids it."""
    finding = judged(answers, request.person.session_purpose)
    preflight = Preflight(tuple(findings), reason or request.rig.override or "", answers)
    return preflight if finding is None else preflight.joined([finding])


def can_ask(request: RunRequest) -> bool:
    """Return whether an experimenter sits at the terminal."""
    return request.person.robot is None and sys.stdin.isatty()

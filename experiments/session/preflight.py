"""May this session begin? Checks of the rig, the checklist, and reasons to go on anyway.

May this person come back? Not too early for the next sitting, and not after declining.
"""

import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from rich.markup import escape

from experiments.rig import checklist
from experiments.rig.checks.catalogue import DECLINED, SITTING
from experiments.rig.checks.finding import Finding, failures
from experiments.rig.checks.records import CONSENT
from experiments.rig.profile import profile_path, read_rig
from experiments.session.request import RunRequest
from participants.folder import LabFolder
from participants.journal import Journal, Recorder, read_journal
from participants.notes import without_people
from participants.registry import Registry
from participants.session import has_declined
from participants.session.leaving import next_sitting
from participants.texts import load_checklist
from stimuli.errors import UserError
from stimuli.pack import Pack
from stimuli.rich_terminal import Console

OR_OVERRIDE: Final = ", or continue with --override REASON (it is recorded)"
"""Suffix, at a terminal, of a refusal that a reason can override."""
FIRM: Final = frozenset({CONSENT.name})
"""Checks whose failure no reason overrides: nobody can agree to what the form leaves blank."""


@dataclass(frozen=True, slots=True)
class Preflight:
    """Result of the checks before a session, and why it may begin.

    Attributes
    ----------
    findings
        Findings of all checks, including the checklist's.
    reason
        Why to continue in spite of failed checks; empty if none is given.
    answers
        Answers to the checklist.
    """

    findings: tuple[Finding, ...] = ()
    reason: str = ""
    answers: checklist.Answers = checklist.SKIPPED

    @property
    def overridden(self) -> tuple[str, ...]:
        """Names of the failed checks that the reason overrides."""
        return tuple(finding.check for finding in failures(self.findings))

    def joined(self, more: Sequence[Finding]) -> "Preflight":
        """Return a copy with more findings; UserError if one fails and there is no reason."""
        stop_if_unfit(more, self.reason)
        return replace(self, findings=(*self.findings, *more))

    def record(self, recorder: Recorder) -> None:
        """Write the result into the journal."""
        recorder.append(
            "checks",
            findings=[_recorded(finding) for finding in self.findings],
            overridden=list(self.overridden),
            reason=self.reason if self.overridden else "",
        )
        recorder.append("checklist", **self.answers.fields())


def _recorded(finding: Finding) -> dict[str, Any]:
    # Paths below the home folder contain the name of the user who is logged in.
    what = without_people(finding.found.replace(str(Path.home()), "~"))
    return {"check": finding.check, "status": finding.status, "found": what}


def stop_if_unfit(findings: Sequence[Finding], override: str | None) -> None:
    """Raise UserError if a check failed and no reason to continue is given, or none helps."""
    firm, failed = firm_failures(findings), failures(findings)
    if firm or (failed and not override):
        first = [*firm, *failed][0]
        end = "" if firm else OR_OVERRIDE
        raise UserError(f"{first.check}: {first.found}; {first.remedy}{end}")


def firm_failures(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that stop a session whatever the reason to continue."""
    return [finding for finding in failures(findings) if finding.check in FIRM]


def reason_to_go_on(
    findings: Sequence[Finding],
    request: RunRequest,
    lab: LabFolder,
    console: Console,
    ask: checklist.Ask = checklist.ask_at_terminal,
) -> str:
    """Return the reason to continue in spite of failed checks; empty if none failed.

    Raises
    ------
    UserError
        If a check failed and no reason is given or typed at the terminal, or none overrides it.
    """
    failed = failures(findings)
    if not failed or firm_failures(failed) or request.rig.override or not can_ask(request):
        stop_if_unfit(findings, request.rig.override)
        return request.rig.override or ""
    for finding in failed:
        line = f"{finding.check}: {finding.found}; {finding.remedy}"
        console.print(f"[red]{escape(line)}[/]", soft_wrap=True, highlight=False)
    text = load_checklist(lab.settings.language, lab.texts)
    reason = checklist.ask_nameless(text.words["why_override"], ask)
    stop_if_unfit(findings, reason)
    return reason


def go_through_checklist(
    request: RunRequest,
    lab: LabFolder,
    console: Console,
    ask: checklist.Ask = checklist.ask_at_terminal,
) -> checklist.Answers:
    """Return the checklist's answers, from the named file or typed at the terminal.

    Robots are not asked, nor is anybody who only tries the set-up (purpose test).

    Raises
    ------
    UserError
        If a file of answers can't be used; the message says where and why.
    """
    if request.person.robot is not None:
        return checklist.SKIPPED
    text = load_checklist(lab.settings.language, lab.texts)
    rig = read_rig(profile_path(lab.rigs, lab.settings.rig))
    memory = checklist.memory_path(lab.rigs, lab.settings.rig)
    known = checklist.known_values(memory, rig)
    if request.rig.checklist == checklist.CONFIRMED:
        return checklist.confirmed(text, known)
    if request.rig.checklist is not None:
        return checklist.read_answers(Path(request.rig.checklist).expanduser(), text)
    if not can_ask(request) or request.person.session_purpose == "test":
        return checklist.UNANSWERED
    answers = checklist.ask_checklist(
        console, text, known, measured=rig.geometry is not None, ask=ask
    )
    checklist.remember(memory, answers.values)
    return answers


def cleared(
    findings: Sequence[Finding], reason: str, answers: checklist.Answers, request: RunRequest
) -> Preflight:
    """Return the result of the checks; UserError if the checklist forbids the session."""
    finding = checklist.judged(answers, request.person.session_purpose)
    preflight = Preflight(tuple(findings), reason or request.rig.override or "", answers)
    return preflight if finding is None else preflight.joined([finding])


def can_ask(request: RunRequest) -> bool:
    """Return whether an experimenter sits at the terminal."""
    return request.person.robot is None and sys.stdin.isatty()


def coming_back(
    request: RunRequest, lab: LabFolder, pack: Pack, now: datetime | None = None
) -> tuple[Finding, Finding]:
    """Check that the person didn't decline, and that the minimum gap between sittings is over.

    Parameters
    ----------
    request
        The request, which names the person.
    lab, pack
        The lab folder with the records, and the pack to show.
    now
        The current time; the system's by default.
    """
    code = request.person.participant
    if code is None or request.person.robot is not None:
        return DECLINED.passed("robot"), SITTING.passed("robot")
    journal = _unfinished_journal(request, lab, pack)
    sitting = _sitting_gap(code, journal, pack.protocol.least_gap_h, now or datetime.now(UTC))
    return _declined(code, journal), sitting


def _unfinished_journal(request: RunRequest, lab: LabFolder, pack: Pack) -> Journal | None:
    """Return the journal of the person's unfinished session; None if there is none."""
    asked = request.person
    with closing(Registry.of(lab)) as registry:
        unfinished = registry.unfinished(
            str(asked.participant),
            study=pack.manifest.study,
            pack_id=pack.pack_id,
            purpose=asked.session_purpose,
        )
    if unfinished is None:
        return None
    path = request.data_folder(lab).session(unfinished.session).journal
    return read_journal(path) if path.exists() else None


def _declined(code: str, journal: Journal | None) -> Finding:
    if journal is None or not has_declined(journal.events):
        return DECLINED.passed("no")
    when = datetime.fromisoformat(journal.of("consent")[-1].t_utc).astimezone()
    return DECLINED.failed("declined", code=code, time=f"{when:%Y-%m-%d %H:%M}")


def _sitting_gap(code: str, journal: Journal | None, gap_h: float, now: datetime) -> Finding:
    if gap_h == 0:
        return SITTING.passed("no_gap")
    following = next_sitting(journal, gap_h) if journal is not None else None
    if following is None:
        return SITTING.passed("first")
    if not following.is_early(now):
        return SITTING.passed("over", gap=f"{gap_h:g}")
    ended, earliest = (
        f"{moment.astimezone():%Y-%m-%d %H:%M}"
        for moment in (following.stopped_utc, following.earliest_utc)
    )
    return SITTING.failed("early", code=code, ended=ended, gap=f"{gap_h:g}", earliest=earliest)

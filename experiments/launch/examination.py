"""What is next for a person with a pack, what the checks found, and whether a session may begin.

`next_words` puts what is next into words. `doctor_line` and `check_lines` show the PC's fitness in
a few lines: the doctor's last result, and what the checks found now. `readiness` says whether
a session may begin with what was entered in the window.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from experiments.engine.display import require_free_display
from experiments.launch.packs import CANDIDATE, FoundPack
from experiments.rig.checklist import (
    MUST_HOLD,
    REASONS,
    SKIPPED,
    Answers,
    judged,
    known_values,
    memory_path,
)
from experiments.rig.checks.finding import Finding, Status, failures
from experiments.rig.checks.measured import CALIBRATION
from experiments.rig.profile import profile_path, read_rig
from experiments.rig.verdict import STYLES, LastExamination
from experiments.screening.command import pack_to_screen
from experiments.session.booking import own_language
from experiments.session.command import examined
from experiments.session.options import PersonOptions, WindowOptions
from experiments.session.preflight import OR_OVERRIDE, firm_failures
from experiments.session.request import RunRequest
from experiments.study import screens_of
from participants.files import make_private, write_file
from participants.folder import LabFolder
from participants.notes import refuse_names
from participants.registry import Registry, Unfinished
from participants.session.leaving import has_agreed
from participants.texts import ChecklistText
from participants.texts.rig import CheckWords, RigWords
from participants.texts.translation import translated
from participants.watching.following import Followed
from participants.watching.progress import Progress, where
from stimuli.errors import UserError
from stimuli.pack import Pack

Verb = Literal["run", "annotate", "screen"]
VERBS: dict[str, Verb] = {"solutions": "run", "tasks": "annotate"}
WORDS: Final = "launch.toml"
"""The window's words."""
OLD_DAYS: Final = 30
"""Days after its last run when the doctor should run again."""
ALWAYS: Final = frozenset({CALIBRATION.name})
"""Checks that are shown even if they pass."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options that the window was started with and passes to every session.

    Attributes
    ----------
    robot, seed
        The robot that answers instead of a person, for training and tests; None for people.
    window
        Options of the session's window.
    """

    robot: str | None = None
    seed: int = 1
    window: WindowOptions = field(default_factory=WindowOptions)


@dataclass(frozen=True, slots=True)
class Next:
    """The next step for a person.

    Attributes
    ----------
    verb
        The command that does it.
    code, role, purpose
        The person's code, role and purpose.
    consented
        Whether the person has agreed to take part in the unfinished session.
    progress
        Progress of the unfinished session; None if a new one begins.
    language
        Language of the unfinished session; None if it can be chosen.
    """

    verb: Verb
    code: str
    role: str
    purpose: str
    consented: bool = False
    progress: Progress | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class RequestedSession:
    """The session that is asked for: what is shown, examined and started.

    Attributes
    ----------
    pack
        The pack to show.
    code
        The person's code, as typed or scanned.
    language
        Language of a new session; None for the lab's language.
    """

    pack: FoundPack
    code: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Examined:
    """Result of the examination before a session.

    Attributes
    ----------
    asked
        The session that was asked for.
    request
        The request that `run` would get.
    refusal
        Why no session can begin, in `run`'s words; empty if nothing prevents it.
    following
        The person's next step; None if it isn't known.
    findings
        Findings of the checks.
    checklist
        Whether the colour checklist must be answered.
    values
        The rig's distance and light, as far as they are known.
    measured
        Whether the distance is in the rig's profile.
    """

    asked: RequestedSession
    request: RunRequest
    refusal: str = ""
    following: Next | None = None
    findings: tuple[Finding, ...] = ()
    checklist: bool = False
    values: dict[str, float] = field(default_factory=dict)
    measured: bool = False


def examine(lab: LabFolder, session: RequestedSession, options: Options) -> Examined:
    """Find out a person's next step, and whether `run` would let the session begin.

    Nothing is recorded. It takes about a second.

    Parameters
    ----------
    lab
        The lab folder with the registry.
    session
        The session that is asked for.
    options
        What the window was started with.
    """
    found_pack, code, language = session.pack, session.code, session.language
    person = PersonOptions(
        participant=code, robot=options.robot, seed=options.seed, language=language
    )
    request = RunRequest(
        str(found_pack.folder), None, person, options.window, kind=found_pack.kind, lab=lab.root
    )
    following: Next | None = None
    try:
        if found_pack.refusal:
            raise UserError(found_pack.refusal)
        pack = request.find_pack(lab)
        following = next_for(lab, found_pack, pack, code)
        if following.verb == "screen":
            request = replace(request, target="", pack=found_pack.folder, kind="screening")
            pack = pack_to_screen(request, lab)
            following = _gone_on(lab, pack, following)
        person = replace(
            person,
            participant=following.code,
            purpose="robot" if options.robot else None,
            language=None if following.language else language,
        )
        if not request.has_own_display:
            require_free_display()
        request, findings = examined(replace(request, person=person), lab, pack)
        rig = read_rig(profile_path(lab.rigs, lab.settings.rig))
        critical = screens_of(pack).colours == "critical" and options.robot is None
    except UserError as refusal:
        return Examined(session, request, str(refusal), following)
    return Examined(
        session,
        request,
        "",
        following,
        findings,
        checklist=critical and following.purpose != "test",
        values=known_values(memory_path(lab.rigs, lab.settings.rig), rig),
        measured=rig.geometry is not None,
    )


def next_for(lab: LabFolder, found_pack: FoundPack, pack: Pack, code: str) -> Next:
    """Return a person's next step with a pack; UserError if the code is unknown.

    Somebody who may become a lead or an expert is screened first.
    """
    with closing(Registry.of(lab)) as registry:
        person = registry.person(code)
    verb = VERBS[found_pack.kind]
    if found_pack.screens and person.role == CANDIDATE:
        verb = "screen"
    known = Next(verb, person.code, person.role, person.purpose)
    return known if verb == "screen" else _gone_on(lab, pack, known)


def _gone_on(lab: LabFolder, pack: Pack, step: Next) -> Next:
    """Add the state of the person's unfinished session, if there is one."""
    unfinished = _unfinished(lab, pack, step)
    if unfinished is None:
        return step
    paths = lab.data.session(unfinished.session)
    if not paths.journal.exists():
        return step
    seen = Followed(lab.data, paths)
    progress = seen.progress()
    return replace(
        step,
        consented=has_agreed(seen.events),
        progress=progress,
        language=own_language(None, step.code, paths),
    )


def _unfinished(lab: LabFolder, pack: Pack, step: Next) -> Unfinished | None:
    with closing(Registry.of(lab)) as registry:
        study, purpose = pack.manifest.study, step.purpose
        return registry.unfinished(step.code, study=study, pack_id=pack.pack_id, purpose=purpose)


def next_words(following: Next, robot: str | None, words: RigWords, watching: RigWords) -> str:
    """Return a person's next step in words.

    Parameters
    ----------
    following
        The next step.
    robot
        The robot that answers instead of a person; None for people.
    words, watching
        Words of the start window, and of the view of a session.
    """
    parts = [_next(following, words, watching)]
    seen = following.progress
    if seen is not None and seen.sittings > 1:
        number = str(min(seen.sitting, seen.sittings))
        parts.insert(0, words.filled("next_sitting", sitting=number, sittings=str(seen.sittings)))
    if robot:
        parts.append(words.filled("next_robot", robot=robot))
    return "; ".join(parts)


def _next(following: Next, words: RigWords, watching: RigWords) -> str:
    seen = following.progress
    if following.verb == "screen":
        return words["next_screening" if seen is None else "next_screening_goes_on"]
    if seen is None:
        return words["next_new"]
    if not following.consented:
        return words["next_consent"]
    return words.filled("next_goes_on", place=where(seen, watching))


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text and its status."""

    status: Status
    text: str


def doctor_line(
    last: LastExamination | None, now: datetime, words: RigWords, checks: CheckWords
) -> Line:
    """Return the result of the doctor's last run, and how long ago it was."""
    if last is None:
        return Line("warn", words["doctor_never"])
    days = last.days_ago(now)
    age = words.filled("days_ago", count=str(days)) if days else words["today"]
    if not last.fit:
        unfit = "; ".join(finding.in_words(checks) for finding in failures(last.findings))
        return Line("fail", words.filled("doctor_unfit", age=age, checks=unfit))
    status: Status = "warn" if days > OLD_DAYS else "pass"
    if last.warnings:
        return Line(status, words.filled("doctor_warned", count=str(last.warnings), age=age))
    return Line(status, words.filled("doctor_fit", age=age))


def check_lines(findings: Sequence[Finding], words: RigWords, checks: CheckWords) -> Iterator[Line]:
    """Yield the results of the checks: failures, warnings, and how many passed."""
    listed = [
        finding for finding in findings if finding.status != "pass" or finding.check in ALWAYS
    ]
    for status in STYLES:
        for finding in listed:
            if finding.status == status:
                yield Line(status, finding.in_words(checks))
    passed = len(findings) - len([finding for finding in listed if finding.status != "pass"])
    name = "checks_all_passed" if passed == len(findings) else "checks_passed"
    if findings:
        yield Line("pass", words.filled(name, count=str(passed)))


@dataclass(frozen=True, slots=True)
class Entered:
    """What the experimenter entered.

    Attributes
    ----------
    ticked
        Points of the checklist that were ticked.
    values
        Distance (cm) and light (lux), if given.
    reason
        Why to continue in spite of failed checks and unmet points; empty for none.
    refused
        The message with which `run` refused the last session after its window had opened;
        empty if it didn't.
    """

    ticked: frozenset[str] = frozenset()
    values: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    refused: str = ""

    def answers(self, text: ChecklistText) -> Answers:
        """Return the checklist's answers."""
        holds = {point: point in self.ticked for point in MUST_HOLD}
        unmet = [point for point, must in MUST_HOLD.items() if must and not holds[point]]
        reasons = dict.fromkeys(unmet, self.reason) if self.reason else {}
        return Answers("file", text, holds, self.values, reasons)


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether a session may begin.

    Attributes
    ----------
    may_start
        Whether it may begin.
    words
        Why not; or `run`'s last refusal; else empty.
    needs_reason
        Whether a reason would let it begin.
    unticked
        Whether only unticked points of the checklist prevent it.
    """

    may_start: bool
    words: str = ""
    needs_reason: bool = False
    unticked: bool = False


def readiness(
    examination: Examined, entered: Entered, text: ChecklistText, checks: CheckWords
) -> Readiness:
    """Return whether a session may begin."""
    if examination.refusal:
        return Readiness(False, translated(examination.refusal, checks))
    if firm := firm_failures(examination.findings):
        return Readiness(False, firm[0].in_words(checks))
    reason = entered.reason.strip()
    # The checklist isn't needed if colours don't matter or the session doesn't count.
    answers = entered.answers(text) if examination.checklist else SKIPPED
    try:
        refuse_names(reason)
    except UserError as named:
        return Readiness(False, translated(str(named), checks), needs_reason=True)
    if (failed := failures(examination.findings)) and not reason:
        return Readiness(False, failed[0].in_words(checks), needs_reason=True)
    unmet = judged(answers, examination.request.person.session_purpose)
    if unmet is not None and failures([unmet]) and not reason:
        return Readiness(False, unmet.in_words(checks), needs_reason=True, unticked=True)
    return Readiness(
        True,
        translated(entered.refused.removesuffix(OR_OVERRIDE), checks),
        needs_reason=bool(reason or entered.refused),
    )


def override_of(examination: Examined, entered: Entered) -> str:
    """Return the reason to pass to `run`; empty if no check failed and `run` refused nothing."""
    failed = failures(examination.findings) or entered.refused
    return entered.reason.strip() if failed else ""


def answers_file(answers: Answers) -> str:
    """Return the answers as the file that ``--checklist`` reads."""
    lines = [f"{point} = {json.dumps(holds)}" for point, holds in answers.holds.items()]
    lines += [f"{name} = {value:g}" for name, value in answers.values.items()]
    lines += ["", f"[{REASONS}]"]
    lines += [
        f"{point} = {json.dumps(reason, ensure_ascii=False)}"
        for point, reason in answers.reasons.items()
    ]
    return "\n".join([*lines, ""])


def write_answers(path: Path, answers: Answers) -> None:
    """Write the answers for ``--checklist``."""
    make_private(path.parent)
    write_file(path, answers_file(answers).encode("utf-8"))

"""Whether a session may begin with what was entered in the window; in `run`'s own words."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from experiments.launch.examination import Examined
from experiments.rig.checklist.answers import MUST_HOLD, SKIPPED, Answers
from experiments.rig.checklist.files import REASONS
from experiments.rig.checks.finding import failures
from experiments.session.preflight import OR_OVERRIDE, cleared, stop_if_unfit
from participants.files import make_private, write_file
from participants.nameless import refuse_names
from participants.texts import ChecklistText
from stimuli.errors import UserError


@dataclass(frozen=True, slots=True)
class Entered:
    """What the experimenter entered.

    Attributes
    ----------
    ticked
        Points of the checklist that hold.
    values
        Distance (cm) and light (lux), where they were given.
    reason
        Why to go on in spite of failed checks and of points that don't hold; empty for none.
    refused
        What `run` said when it refused the session that was started last, after its window had
        opened; empty if it didn't.
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
        Whether it may.
    words
        Why not, in `run`'s own words; or what `run` said the last time; else empty.
    needs_reason
        Whether a reason would let it begin.
    unticked
        Whether only points of the checklist stand in its way.
    """

    may_start: bool
    words: str = ""
    needs_reason: bool = False
    unticked: bool = False


def readiness(found: Examined, entered: Entered, text: ChecklistText) -> Readiness:
    """Return whether a session may begin."""
    if found.refusal:
        return Readiness(False, found.refusal)
    reason = entered.reason.strip()
    # Nobody is asked where colours don't matter or nothing counts.
    answers = entered.answers(text) if found.checklist else SKIPPED
    try:
        refuse_names(reason)
    except UserError as named:
        return Readiness(False, str(named), needs_reason=True)
    try:
        stop_if_unfit(found.findings, reason)
    except UserError as unfit:
        # The line for a reason stands below; the option is for the terminal.
        return Readiness(False, str(unfit).removesuffix(OR_OVERRIDE), needs_reason=True)
    try:
        cleared(found.findings, reason, answers, found.request)
    except UserError as unmet:
        return Readiness(False, str(unmet), needs_reason=True, unticked=True)
    return Readiness(
        True,
        entered.refused.removesuffix(OR_OVERRIDE),
        needs_reason=bool(reason or entered.refused),
    )


def override_of(found: Examined, entered: Entered) -> str:
    """Return the reason that `run` is given; empty where no check failed."""
    failed = failures(found.findings) or entered.refused
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

"""The PC's fitness in a few lines: the doctor's last result, and what the checks found now."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from experiments.rig.checks.colour import CALIBRATION
from experiments.rig.checks.finding import Finding, Status
from experiments.rig.last_examination import LastExamination
from experiments.rig.verdict import STYLES
from participants.texts.rig import RigWords

OLD_DAYS: Final = 30
"""So many days after its last run the doctor should look again."""
ALWAYS: Final = frozenset({CALIBRATION.name})
"""Checks that are shown even if they pass."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line, and how it stands."""

    status: Status
    text: str


def doctor_line(last: LastExamination | None, now: datetime, words: RigWords) -> Line:
    """Return what the doctor found last, and how long ago."""
    if last is None:
        return Line("warn", words["doctor_never"])
    days = last.days_ago(now)
    age = words.filled("days_ago", count=str(days)) if days else words["today"]
    if not last.fit:
        return Line("fail", words.filled("doctor_unfit", age=age))
    status: Status = "warn" if days > OLD_DAYS else "pass"
    if last.warnings:
        return Line(status, words.filled("doctor_warned", count=str(last.warnings), age=age))
    return Line(status, words.filled("doctor_fit", age=age))


def check_lines(findings: Sequence[Finding], words: RigWords) -> Iterator[Line]:
    """Yield what the checks before a session found: failures, warnings, and how many passed."""
    shown = [one for one in findings if one.status != "pass" or one.check in ALWAYS]
    for status in STYLES:
        for finding in shown:
            if finding.status == status:
                what = f"{finding.check}: {finding.found}"
                yield Line(status, "; ".join(part for part in (what, finding.remedy) if part))
    passed = len(findings) - len([one for one in shown if one.status != "pass"])
    name = "checks_all_passed" if passed == len(findings) else "checks_passed"
    if findings:
        yield Line("pass", words.filled(name, count=str(passed)))

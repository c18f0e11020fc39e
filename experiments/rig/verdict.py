"""What the doctor found on this PC: printed, and kept until the doctor runs again.

Findings that stop sessions are printed first. Lines break only at spaces, so that names stay whole.
"""

import json
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from rich.text import Text

from experiments.rig.checks.finding import Finding, Status, failures
from participants.clock import utc_text
from participants.files import make_private, write_file
from participants.folder import LabFolder
from participants.notes import without_people
from stimuli.io.inside import refuse_odd
from stimuli.rich_terminal import Console

STYLES: Final[dict[Status, str]] = {"fail": "red", "warn": "yellow", "pass": "green"}
"""Colour of every status, in the order in which statuses are shown."""
INDENT: Final = " " * 6
TOLD: Final = ("check", "status", "found", "remedy")
"""What programs read of a finding."""
UNFIT: Final = 2


def report(findings: Sequence[Finding], *, as_json: bool) -> int:
    """Print findings; return 2 if one of them stops sessions, else 0."""
    unfit = bool(failures(findings))
    if as_json:
        checks = [{name: getattr(finding, name) for name in TOLD} for finding in findings]
        print(json.dumps({"fit": not unfit, "checks": checks}))
    else:
        print_findings(findings, Console())
    return UNFIT if unfit else 0


def print_findings(findings: Sequence[Finding], console: Console) -> None:
    """Print failures, then warnings, then passes, and the conclusion."""
    width = console.width if console.is_terminal else None
    for status, style in STYLES.items():
        for finding in findings:
            if finding.status == status:
                what = f"{finding.check}: {finding.found}"
                remedy = [f"To do: {finding.remedy}"] if finding.remedy else []
                lines = [line for part in (what, *remedy) for line in _wrapped(part, width)]
                text = Text.assemble((status, style), "  ", f"\n{INDENT}".join(lines))
                console.print(text, soft_wrap=True, highlight=False)
    console.print(_summary(findings), highlight=False)


def _wrapped(text: str, width: int | None) -> list[str]:
    """Break a text only at spaces, so that a path or a command can be copied whole."""
    if width is None:
        return [text]
    room = max(width - len(INDENT), 1)
    return textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False)


def _summary(findings: Sequence[Finding]) -> str:
    failed = ", ".join(finding.check for finding in failures(findings))
    warned = sum(finding.status == "warn" for finding in findings)
    if failed:
        return f"\nNot fit for sessions. Fix what failed: {failed}."
    if warned:
        return f"\nFit for sessions; {warned} to look at, marked warn."
    return "\nFit for sessions."


@dataclass(frozen=True, slots=True)
class LastExamination:
    """The result of a run of the doctor.

    Attributes
    ----------
    when_utc
        Time of the run.
    findings
        Findings of all checks.
    """

    when_utc: datetime
    findings: tuple[Finding, ...]

    @property
    def fit(self) -> bool:
        """Whether nothing failed."""
        return not failures(self.findings)

    @property
    def warnings(self) -> int:
        """Number of checks that warned."""
        return sum(finding.status == "warn" for finding in self.findings)

    def days_ago(self, now: datetime) -> int:
        """Return the number of whole days since the run."""
        return max(0, (now - self.when_utc).days)


def keep_examination(
    lab: LabFolder, findings: Sequence[Finding], now: datetime | None = None
) -> None:
    """Save the doctor's findings, without names of sessions, in place of the previous ones."""
    document = {
        "when_utc": utc_text(now or datetime.now(UTC)),
        "findings": [asdict(finding) for finding in findings],
    }
    text = without_people(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    path = _path(lab)
    make_private(path.parent)
    write_file(path, text.encode("utf-8"))


def last_examination(lab: LabFolder) -> LastExamination | None:
    """Return the doctor's last findings; None if it never ran, or its file can't be read."""
    refuse_odd(_path(lab))
    try:
        document = json.loads(_path(lab).read_text(encoding="utf-8"))
        findings = tuple(Finding(**finding) for finding in document["findings"])
        return LastExamination(datetime.fromisoformat(document["when_utc"]), findings)
    except (OSError, ValueError, KeyError, TypeError):
        # The doctor's next run rewrites it.
        return None


def _path(lab: LabFolder) -> Path:
    return lab.rigs / f"{lab.settings.rig}.doctor.json"

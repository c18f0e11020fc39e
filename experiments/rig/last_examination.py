"""What the doctor found last on this PC, and when."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from experiments.rig.checks.finding import Finding, failures
from participants.clock import utc_text
from participants.files import make_private, write_file
from participants.folder import LabFolder


@dataclass(frozen=True, slots=True)
class LastExamination:
    """A result of the doctor.

    Attributes
    ----------
    when_utc
        When it was found.
    findings
        Of all checks.
    """

    when_utc: datetime
    findings: tuple[Finding, ...]

    @property
    def fit(self) -> bool:
        """Whether nothing failed."""
        return not failures(self.findings)

    @property
    def warnings(self) -> int:
        """How many checks warned."""
        return sum(finding.status == "warn" for finding in self.findings)

    def days_ago(self, now: datetime) -> int:
        """Return how many whole days ago it was."""
        return max(0, (now - self.when_utc).days)


def keep_examination(
    lab: LabFolder, findings: Sequence[Finding], now: datetime | None = None
) -> None:
    """Keep what the doctor found, in place of what it found before."""
    document = {
        "when_utc": utc_text(now or datetime.now(UTC)),
        "findings": [asdict(finding) for finding in findings],
    }
    path = _path(lab)
    make_private(path.parent)
    write_file(path, (json.dumps(document, indent=1) + "\n").encode("utf-8"))


def last_examination(lab: LabFolder) -> LastExamination | None:
    """Return what the doctor found last; None if it never ran, or its file can't be read."""
    try:
        document = json.loads(_path(lab).read_text(encoding="utf-8"))
        found = tuple(Finding(**finding) for finding in document["findings"])
        return LastExamination(datetime.fromisoformat(document["when_utc"]), found)
    except (OSError, ValueError, KeyError, TypeError):
        # Another run of the doctor writes it again.
        return None


def _path(lab: LabFolder) -> Path:
    return lab.rigs / f"{lab.settings.rig}.doctor.json"

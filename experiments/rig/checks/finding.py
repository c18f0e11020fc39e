"""What a check is, and what it found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from stimuli.errors import UserError

Status = Literal["pass", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes
    ----------
    check
        Its name.
    status
        pass, warn or fail.
    found
        What there is.
    remedy
        What to do; empty for a pass.
    """

    check: str
    status: Status
    found: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """A check as the documentation tells it; makes its own findings.

    Attributes
    ----------
    name
        As in findings and journals.
    asks
        What is looked at.
    warns, fails
        When it warns and when it fails; empty if it never does.
    every_session
        Whether `run` makes it before a session too.
    """

    name: str
    asks: str
    warns: str = ""
    fails: str = ""
    every_session: bool = False

    def passed(self, found: str) -> Finding:
        """Return that all is well."""
        return Finding(self.name, "pass", found)

    def warned(self, found: str, remedy: str) -> Finding:
        """Return that something should be looked at."""
        return Finding(self.name, "warn", found, remedy)

    def failed(self, found: str, remedy: str) -> Finding:
        """Return that no session should be run."""
        return Finding(self.name, "fail", found, remedy)

    def attempted(self, look: Callable[[], Finding], remedy: str) -> Finding:
        """Return what a look finds; what it raises is a failure, with that remedy at need."""
        try:
            return look()
        except UserError as error:
            what, _, todo = str(error).partition("; ")
            return self.failed(what, todo or remedy)


def failures(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that stop a session."""
    return [finding for finding in findings if finding.status == "fail"]

"""What a check is, and what it found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from stimuli.errors import UserError

Status = Literal["pass", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of a check.

    Attributes
    ----------
    check
        The check's name.
    status
        pass, warn or fail.
    found
        What the check found.
    remedy
        What to do; empty for a pass.
    """

    check: str
    status: Status
    found: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """A check's documentation; also creates the check's findings.

    Attributes
    ----------
    name
        The name in findings and journals.
    asks
        What it checks.
    warns, fails
        When it warns and when it fails; empty if it never does.
    every_session
        Whether `run` makes this check before a session too.
    """

    name: str
    asks: str
    warns: str = ""
    fails: str = ""
    every_session: bool = False

    def passed(self, found: str) -> Finding:
        """Return a finding that passes."""
        return Finding(self.name, "pass", found)

    def warned(self, found: str, remedy: str) -> Finding:
        """Return a warning."""
        return Finding(self.name, "warn", found, remedy)

    def failed(self, found: str, remedy: str) -> Finding:
        """Return a failure, which stops sessions."""
        return Finding(self.name, "fail", found, remedy)

    def attempted(self, look: Callable[[], Finding], remedy: str) -> Finding:
        """Return a function's finding; a UserError becomes a failure, by default with `remedy`."""
        try:
            return look()
        except UserError as error:
            what, _, todo = str(error).partition("; ")
            return self.failed(what, todo or remedy)


def failures(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that stop a session."""
    return [finding for finding in findings if finding.status == "fail"]

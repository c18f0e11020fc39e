"""What the doctor prints: what stops sessions first, and no name broken at a line's end."""

import json
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from rich.console import Console
from rich.text import Text

from experiments.rig.checks.finding import Finding, Status, failures

STYLES: Final[dict[Status, str]] = {"fail": "red", "warn": "yellow", "pass": "green"}
"""Every status with its colour, in the order in which they are shown."""
INDENT: Final = " " * 6
UNFIT: Final = 2


def report(findings: Sequence[Finding], *, as_json: bool) -> int:
    """Print findings; return 2 if one of them stops sessions, else 0."""
    unfit = bool(failures(findings))
    if as_json:
        print(json.dumps({"fit": not unfit, "checks": [asdict(found) for found in findings]}))
    else:
        print_findings(findings, Console())
    return UNFIT if unfit else 0


def print_findings(findings: Sequence[Finding], console: Console) -> None:
    """Print what fails, then what warns, then what passes, and what that means."""
    width = console.width if console.is_terminal else None
    for status, style in STYLES.items():
        for finding in findings:
            if finding.status == status:
                told = f"{finding.check}: {finding.found}"
                remedy = [f"To do: {finding.remedy}"] if finding.remedy else []
                lines = [line for part in (told, *remedy) for line in _wrapped(part, width)]
                text = Text.assemble((status, style), "  ", f"\n{INDENT}".join(lines))
                console.print(text, soft_wrap=True, highlight=False)
    console.print(_summary(findings), highlight=False)


def _wrapped(text: str, width: int | None) -> list[str]:
    """Return lines that end at spaces, so that a path or a command can be copied whole."""
    if width is None:
        return [text]
    room = max(width - len(INDENT), 1)
    return textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False)


def _summary(findings: Sequence[Finding]) -> str:
    failed = ", ".join(finding.check for finding in failures(findings))
    warned = sum(finding.status == "warn" for finding in findings)
    if failed:
        return f"\nNot fit for sessions. To mend, marked fail: {failed}."
    if warned:
        return f"\nFit for sessions; {warned} to look at, marked warn."
    return "\nFit for sessions."

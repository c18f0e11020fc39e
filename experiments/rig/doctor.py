"""The doctor: is this PC fit to run sessions, and what to do where it isn't."""

import json
from dataclasses import asdict
from pathlib import Path

from experiments.engine.desktop import require_display
from experiments.engine.stage import open_stage
from experiments.engine.window import WindowSettings, has_window_manager
from experiments.rig import checks
from experiments.rig.checks import Finding, Status
from experiments.rig.profile import profile_path, read_rig
from experiments.virtual_display import own_virtual_display
from participants.folder import LabFolder

BACKGROUND = (30, 30, 30)
VIRTUAL_SIZE_PX = (1280, 720)
SIGNS: dict[Status, str] = {
    "pass": "[green]pass[/]",
    "warn": "[yellow]warn[/]",
    "fail": "[red]fail[/]",
}


def examine(
    lab: LabFolder, pack: Path | None, *, virtual: bool, flips: int = checks.JITTER_FLIPS
) -> list[Finding]:
    """Return what all checks find; those of the window come last."""
    return [*without_window(lab, pack), *_with_window(virtual=virtual, flips=flips)]


def without_window(lab: LabFolder, pack: Path | None = None) -> list[Finding]:
    """Return what the checks find that need no window: quick, done before every session."""
    path = profile_path(lab.rigs, lab.settings.rig)
    rig = read_rig(path)
    found = [
        checks.python_version(),
        checks.clock(),
        checks.lab_folder(lab),
        checks.disk(lab.root),
        checks.registry(lab),
        checks.fonts(lab),
        checks.calibration(rig, path),
        checks.geometry(rig, path),
    ]
    return [*found, checks.pack_seal(pack)] if pack is not None else found


def _with_window(*, virtual: bool, flips: int) -> list[Finding]:
    found: list[Finding] = []

    def look() -> Finding:
        if virtual:
            own_virtual_display(VIRTUAL_SIZE_PX)
        require_display()
        settings = WindowSettings(BACKGROUND, full_screen=not virtual and has_window_manager())
        with open_stage(settings) as stage:
            found.extend(
                [
                    checks.keyboard(stage),
                    checks.priority(stage),
                    checks.framebuffer(stage),
                    checks.refresh(stage),
                    checks.jitter(stage, flips),
                ]
            )
        return Finding("display", "pass", "a window opened" + (" (virtual)" if virtual else ""))

    display = checks.attempted("display", look, "start this at the lab PC's own screen")
    return [display, *found]


def report(findings: list[Finding], *, as_json: bool) -> int:
    """Print findings; return 2 if one of them stops sessions, else 0."""
    unfit = bool(checks.failures(findings))
    if as_json:
        print(json.dumps({"fit": not unfit, "checks": [asdict(found) for found in findings]}))
    else:
        _print_table(findings)
    return 2 if unfit else 0


def _print_table(findings: list[Finding]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table("check", "", box=None, pad_edge=False)
    table.add_column("found", overflow="fold")
    table.add_column("what to do", overflow="fold")
    for finding in findings:
        words = escape(finding.found), escape(finding.remedy)
        table.add_row(finding.check, SIGNS[finding.status], *words)
    console = Console()
    console.print(table)
    failed = len(checks.failures(findings))
    warned = sum(finding.status == "warn" for finding in findings)
    console.print(
        f"\nNot fit for sessions: {failed} to mend, marked fail."
        if failed
        else f"\nFit for sessions; {warned} to look at, marked warn."
        if warned
        else "\nFit for sessions."
    )

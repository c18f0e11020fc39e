"""The type checker ty, as tests and figures call it: its problems by platform."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("stimuli", "participants", "experiments", "xai_backend", "analysis")
PLATFORMS = {"Linux": "linux", "Windows": "win32", "macOS": "darwin"}
"""What ty calls each platform."""
PROBLEM = re.compile(
    r"(?P<file>[^:\s]+\.py):(?P<line>\d+):\d+: \w+\[(?P<rule>[\w-]+)\] (?P<text>.*)"
)


@dataclass(frozen=True, slots=True)
class Problem:
    """What the checker found: where, by which rule, and its words."""

    file: str
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}: {self.text}"


def checker() -> str | None:
    """Return the checker of this environment; None where it isn't installed."""
    own = Path(sys.executable).with_name("ty.exe" if os.name == "nt" else "ty")
    return str(own) if own.is_file() else shutil.which("ty")


def problems(platform: str, places: Sequence[str]) -> list[Problem]:
    """Return what the checker finds in files and folders, for a platform of `PLATFORMS`."""
    program = checker()
    if program is None:
        raise FileNotFoundError("ty is not installed: python3 lab.py setup")
    command = [program, "check", "--python-platform", PLATFORMS[platform], "--python", sys.prefix]
    command += ["--output-format", "concise", "--exit-zero", "--no-progress", *places]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    if ended.returncode:
        raise RuntimeError(f"ty: status {ended.returncode}: {ended.stderr.strip()}")
    return [
        Problem(found["file"].replace("\\", "/"), int(found["line"]), found["rule"], found["text"])
        for found in map(PROBLEM.match, ended.stdout.splitlines())
        if found is not None
    ]

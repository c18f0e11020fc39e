"""Make the golden artefacts anew: ``python -m tests.golden_lab`` writes ``tests/golden``.

They are what one small lab leaves: a robot in the example study, its report, a preregistration and
a backup. Do it before a release that brings a new version of a format; `tests.test_golden` reads
them.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
EXAMPLE: Final = ROOT / "tests" / "example" / "preferences"
GOLDEN: Final = ROOT / "tests" / "golden"
BY_HAND: Final = ("journals", "mapset", "replaced", "rigs")
"""What no command of the example study makes."""
LINES: Final = {"rig": '"rig-1"', "studies": '["../../example/preferences"]'}
COMMANDS: Final = (
    "doctor --new",
    "build preferences --out {golden}/pack",
    "simulate preferences --pack {golden}/pack --participants 1 --out {golden}/lab/data",
    "participants rebuild",
    "analyse preferences --data {golden}/lab/data --purpose robot --out {golden}/report",
    "preregister preferences --participants 2 --rationale Golden. --out {golden}/preregistration",
    "backup --to {golden}/backup",
)
KEPT: Final = (
    *("lab/lab.toml", "lab/backups.json", "lab/data/packs/*/*", "lab/data/tables/*"),
    *("lab/data/sessions/*/journal.jsonl", "report/results.json"),
    *("preregistration/preregistration.json", "backup/*.json", "backup/backups/*"),
)


def make(golden: Path) -> None:
    """Write the artefacts into a folder that lies beside one named ``example``."""
    own = {"PLAINSIGHT_PYTHON_ENV": "current", "PLAINSIGHT_LAB": str(golden / "lab")}
    for command in COMMANDS:
        words = [word.format(golden=golden) for word in command.split()]
        # `doctor` calls a PC without a display unfit for sessions.
        subprocess.run(
            [sys.executable, str(ROOT / "lab.py"), *words],
            env={**os.environ, **own},
            check=words[0] != "doctor",
        )
        if words[0] == "doctor":
            settings = golden / "lab" / "lab.toml"
            lines = settings.read_text(encoding="utf-8").splitlines(keepends=True)
            settings.write_text("".join(map(_changed, lines)), encoding="utf-8")


def _changed(line: str) -> str:
    name = line.partition(" = ")[0]
    return f"{name} = {LINES[name]}\n" if name in LINES else line


def keep(made: Path, golden: Path) -> None:
    """Copy what is kept of the artefacts; the registry becomes text."""
    for path in (path for pattern in KEPT for path in sorted(made.glob(pattern))):
        place = golden / path.relative_to(made)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    with closing(sqlite3.connect(made / "lab" / "registry.sqlite")) as registry:
        script = "\n".join(registry.iterdump()) + "\n"
    (golden / "lab" / "registry.sql").write_text(script, encoding="utf-8")


def main() -> None:
    """Write ``tests/golden`` anew, but for what is written by hand."""
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(EXAMPLE, Path(name, "example", "preferences"))
        make(Path(name, "golden"))
        for old in GOLDEN.iterdir():
            if old.name not in BY_HAND:
                shutil.rmtree(old)
        keep(Path(name, "golden"), GOLDEN)


if __name__ == "__main__":
    main()

"""How long a backup and a restore take, on the disk of the working directory."""

import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from bench.book import Effort, Measured, Part, table
from bench.parts.robot_sessions import ROOT, run_python, sketch_pack, workplace
from participants.backup.make import back_up
from participants.backup.restore import restore
from participants.folder import LabFolder
from participants.registry import Registry

SESSIONS, QUICK_SESSIONS = 100, 3
TRIALS, QUICK_TRIALS = 120, 10
WORDS: Final = {
    "first": "the first backup (`backup`)",
    "session": "after a session (nothing else changed)",
    "thorough": "`backup` again (everything is read back)",
    "restore": "`restore` into a new folder",
}


def measure(effort: Effort) -> Measured:
    """Back up a lab of simulated sessions, once more after a session, and restore it."""
    sessions = QUICK_SESSIONS if effort.quick else SESSIONS
    trials = QUICK_TRIALS if effort.quick else TRIALS
    with workplace() as folder:
        effort.say(f"{sessions} sessions are simulated")
        lab = _lab(folder, sessions, trials)
        files = [file for file in lab.root.rglob("*") if file.is_file()]
        size_mb = sum(file.stat().st_size for file in files) / 1e6
        times_s = _times_s(lab, folder, effort)
    about = {"sessions": sessions, "files": len(files), "size_mb": round(size_mb, 1)}
    rows = [[WORDS[name], f"{time_s:.2f}"] for name, time_s in times_s.items()]
    text = (
        f"A lab of {sessions} sessions ({len(files)} files, {size_mb:.0f} MB); lab and backup are "
        f"on one disk.\n\n{table(['', 'seconds'], rows)}"
    )
    return Measured(text, {**about, "times_s": times_s})


def _lab(folder: Path, sessions: int, trials: int) -> LabFolder:
    """Return a lab whose data are simulated, with a registry and a pack."""
    lab = LabFolder.make(folder / "lab")
    pack = sketch_pack(lab.root / "packs" / "first", trials // 2)
    shutil.rmtree(lab.data.root, ignore_errors=True)
    words = ["simulate", "accept_reject", "--pack", pack, "--participants", sessions]
    run_python(ROOT / "lab.py", *words, "--out", lab.data.root)
    Registry.open(lab.registry_url).close()
    return lab


def _times_s(lab: LabFolder, folder: Path, effort: Effort) -> dict[str, float]:
    place, last = folder / "backups", max(one.folder for one in lab.data.sessions())
    aside = folder / "last"
    shutil.move(last, aside)

    def made(*, thorough: bool) -> float:
        return _lasted_s(lambda: back_up(lab, place, datetime.now(UTC), thorough=thorough))

    effort.say("backups")
    first_s = made(thorough=True)
    shutil.move(aside, last)
    # The name of a backup has the second in which it was made.
    time.sleep(1.1)
    session_s = made(thorough=False)
    time.sleep(1.1)
    thorough_s = made(thorough=True)
    effort.say("restore")
    restore_s = _lasted_s(lambda: restore(place, folder / "restored"))
    return dict(zip(WORDS, (first_s, session_s, thorough_s, restore_s), strict=True))


def _lasted_s(work: Callable[[], object]) -> float:
    begun_s = time.perf_counter()
    work()
    return time.perf_counter() - begun_s


PARTS = (Part("backup", "Backup and restore", measure),)

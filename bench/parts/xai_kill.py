"""What a kill leaves of a job, and whether anything is computed twice."""

import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.book import Effort, Measured, Part, table
from bench.parts.killed_job import A_BATCH, LOG, computed, finished, run, write_network
from bench.parts.killing import kill_and_finish, lose_a_worker, lose_the_scheduler
from stimuli.workers import IN_FLIGHT_PER_WORKER, Workers

MAPS, QUICK_MAPS = 2000, 60
KILLS, QUICK_KILLS = 20, 2
SHORT, QUICK_SHORT = 400, 40
"""Maps of the jobs that several workers share."""


def measure(effort: Effort) -> Measured:
    """Kill a job again and again; share one among workers; take one away."""
    count = QUICK_MAPS if effort.quick else MAPS
    short = QUICK_SHORT if effort.quick else SHORT
    kills = QUICK_KILLS if effort.quick else KILLS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_network(folder)
        effort.say(f"{count} maps undisturbed")
        begun = time.monotonic()
        run(folder, folder / "whole", count, Workers(here=True))
        seconds = time.monotonic() - begun
        whole = finished(folder / "whole")
        _forget(folder)
        effort.say(f"{count} maps with {kills} kills")
        lives = kill_and_finish(folder, folder / "killed", count, kills, processes=1)
        killed = {
            "job": f"{count} maps, 1 process, {lives.kills} kills",
            "begun": lives.begun,
            "most": count + lives.in_flight,
            "twice": lives.twice,
            "same": finished(folder / "killed") == whole,
        }
        rows = [killed] + [
            shared(folder, short, whole, effort) for shared in (_shared, _lost, _without_scheduler)
        ]
    figures = {"maps": count, "kills": lives.kills, "undisturbed_s": seconds, "jobs": rows}
    return Measured(_text(figures), figures)


def _shared(folder: Path, count: int, whole: dict[str, bytes], effort: Effort) -> dict[str, Any]:
    effort.say(f"{count} maps by three processes, killed once")
    _forget(folder)
    lives = kill_and_finish(folder, folder / "shared", count, kills=1, processes=3)
    return {
        "job": f"{count} maps, 3 processes, {lives.kills} kill",
        "begun": lives.begun,
        "most": count + lives.in_flight,
        "twice": lives.twice,
        "same": _within(finished(folder / "shared"), whole, count),
    }


def _lost(folder: Path, count: int, whole: dict[str, bytes], effort: Effort) -> dict[str, Any]:
    effort.say(f"{count} maps over Dask, one of three workers killed")
    _forget(folder)
    left = lose_a_worker(folder, folder / "dask", count)
    # What a lost worker had done without anybody having fetched it is done again elsewhere.
    again = sum(times - 1 for times in computed(folder).values())
    return {
        "job": f"{count} maps, Dask, 1 of 3 workers killed",
        "begun": computed(folder).total(),
        "most": None,
        "twice": None,
        "again": again,
        "left": left,
        "same": _within(finished(folder / "dask"), whole, count),
    }


def _without_scheduler(
    folder: Path, count: int, whole: dict[str, bytes], effort: Effort
) -> dict[str, Any]:
    effort.say(f"{count} maps over Dask, the scheduler killed")
    _forget(folder)
    lives = lose_the_scheduler(folder, folder / "dask", count)
    return {
        "job": f"{count} maps, Dask, 2 workers, the scheduler killed",
        "begun": lives.begun,
        "most": count + 2 * IN_FLIGHT_PER_WORKER * A_BATCH,
        "twice": lives.twice,
        "line": lives.line,
        "same": _within(finished(folder / "dask"), whole, count),
    }


def _within(found: dict[str, bytes], whole: dict[str, bytes], count: int) -> bool:
    return len(found) == count and found.items() <= whole.items()


def _forget(folder: Path) -> None:
    (folder / LOG).unlink(missing_ok=True)
    for name in ("killed", "shared", "dask"):
        shutil.rmtree(folder / name, ignore_errors=True)


def _text(figures: dict[str, Any]) -> str:
    rows = [
        [
            row["job"],
            str(row["begun"]),
            "–" if row["most"] is None else str(row["most"]),
            "–" if row["twice"] is None else str(row["twice"]),
            "yes" if row["same"] else "**no**",
        ]
        for row in figures["jobs"]
    ]
    headings = [
        "job",
        "maps begun",
        "at most",
        "begun again though finished",
        "same bytes as undisturbed",
    ]
    return (
        f"A job of {figures['maps']} SmoothGrad maps of a small plate network (one process takes "
        f"{figures['undisturbed_s']:.0f} s without a kill) is killed with SIGKILL at random "
        "moments, which follow from a seed, and started again. The job logs each computation "
        f"before it begins. A kill may lose the batches in progress, of {A_BATCH} maps each: one "
        f"with a single process, up to {IN_FLIGHT_PER_WORKER} per process with several. Finished "
        "maps aren't computed again. Dask's scheduler and workers are separate processes. The "
        "killed worker doesn't come back, and the others repeat what it hadn't delivered. Without "
        "its scheduler a job ends with one line that says so; it is started again on a new "
        "cluster.\n\n" + table(headings, rows)
    )


PARTS = (Part("kill", "Killed jobs", measure),)

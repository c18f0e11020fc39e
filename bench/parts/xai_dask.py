"""What a Dask cluster gains: the same job on one worker and on four."""

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.book import Effort, Measured, Part, table
from bench.memory import peak_gb
from bench.parts.cluster import cluster
from bench.parts.killed_job import SIDE_PX, run, write_network
from stimuli.workers import Workers
from xai_backend.explain.answering import Answer, Batch

MAPS, QUICK_MAPS = 10_000, 200
WAIT_S = 0.04
"""What a map takes a worker: it waits, as it would for a graphics card."""
WORKERS = (1, 4)
WARM_UP = 64
"""Maps a worker that come first, and don't count."""
ASKED = 3.2


def measure(effort: Effort) -> Measured:
    """Precompute the same maps on clusters of one worker and of four."""
    count = QUICK_MAPS if effort.quick else MAPS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_network(folder)
        rows = [_measured(folder, workers, count, effort) for workers in WORKERS]
    for row in rows:
        row["times"] = rows[0]["seconds"] / row["seconds"]
    figures = {"maps": count, "wait_s": WAIT_S, "rows": rows}
    return Measured(_text(figures), figures)


def waited(seconds: float, batch: Batch) -> Answer:
    """Return empty maps after so many seconds a map."""
    time.sleep(seconds * len(batch.keys))
    maps = {key: np.zeros((SIDE_PX, SIDE_PX), np.float32) for key in batch.keys}
    return Answer(maps, {"seconds_each": seconds, "halved_to": None, "compiled": False})


def _measured(folder: Path, workers: int, count: int, effort: Effort) -> dict[str, Any]:
    effort.say(f"{count} maps on {workers} workers")
    with cluster(folder, workers) as there:
        todo = Workers(scheduler=there.address)
        wait = partial(waited, WAIT_S)
        run(folder, folder / f"warm{workers}", WARM_UP * workers, todo, wait)
        begun, busy = time.monotonic(), time.process_time()
        run(folder, folder / f"store{workers}", count, todo, wait)
        return {
            "workers": workers,
            "seconds": time.monotonic() - begun,
            "processor_s": time.process_time() - busy,
            "peak_gb": peak_gb(),
        }


def _text(figures: dict[str, Any]) -> str:
    rows = [
        [
            str(row["workers"]),
            f"{row['seconds']:.1f}",
            f"{row['times']:.2f}",
            f"{row['processor_s']:.1f}",
            f"{row['peak_gb']:.2f}",
        ]
        for row in figures["rows"]
    ]
    headings = [
        "workers", "seconds", "times as fast as one", "the job's own processor time (s)",
        "its peak memory (GB)",
    ]  # fmt: skip
    gain = figures["rows"][-1]["times"]
    return (
        f"{figures['maps']:,} maps of {SIDE_PX} px are precomputed over a Dask cluster on this "
        f"computer, into an empty store on its disk. A worker doesn't compute: it waits "
        f"{1000 * figures['wait_s']:g} ms for each map, as it would for a graphics card, so "
        "the figures don't depend on how many cores share the work. Workers have imported torch "
        "before. What remains is what the "
        "job and the cluster add: pictures are sent, maps come back, are kept and read again. The "
        "job's peak memory includes Python and torch.\n\n"
        + table(headings, rows)
        + f"\n\nAsked: four workers at least {ASKED} times as fast as one. "
        + ("**Met.**" if gain >= ASKED else "**Not met.**")
    )


PARTS = (Part("dask", "A Dask cluster", measure),)

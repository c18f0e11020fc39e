"""Journal, keys, start, kills and network of real sessions with robots."""

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.book import Effort, Measured, Part, table
from bench.parts.robot_sessions import (
    PATIENCE_S,
    ROOT,
    finished_trials,
    journal_of,
    run_python,
    sketch_pack,
    start_session,
    wait_for,
    workplace,
)
from participants.journal import JournalWriter, read_journal

HERE = Path(__file__).parent
KEY_PROBE = HERE / "key_probe.py"
WATCHED = HERE / "watched"
JOURNAL_HEADER = {
    "session": "bench", "participant": "AAAAA", "role": "lead", "study": "accept_reject",
    "purpose": "test", "pack_id": "0" * 32, "protocol_hash": "0" * 64, "list": "l0",
    "order": "without_first", "language": "en", "rig": "bench", "robot": "", "refresh_hz": 60.0,
    "pacing": "none", "keyboard_backend": "none", "clock": "none", "clock_resolution_s": 0.0,
    "display": {"profile_hash": "", "calibrated": False}, "versions": {}, "accept_key": "f",
    "reject_key": "j", "time_zone": "UTC",
}  # fmt: skip


def journal(effort: Effort) -> Measured:
    """Write trials as a session does; time what happens between them, outside timed windows."""
    trials = 100 if effort.quick else 2000
    with workplace() as folder:
        path = folder / "journal.jsonl"
        with JournalWriter.create(path, JOURNAL_HEADER) as writer:
            costs_s = np.array([_write_trial(writer, number) for number in range(1, trials + 1)])
        size = path.stat().st_size
        system = _file_system(folder)
    ends = costs_s[:, 1] * 1000
    figures = {
        "trials": trials,
        "trial_end_ms": _spread(ends),
        "other_events_ms": _spread(costs_s[:, 0] * 1000),
        "bytes_per_trial": round(size / trials),
        "file_system": system,
    }
    text = (
        f"{trials} trials were written to a journal on {system}. The end of a trial appends its "
        f"event and all that were held in memory, and waits until they are on the disk (fsync): "
        f"median {figures['trial_end_ms']['median']:.2f} ms, 95 % within "
        f"{figures['trial_end_ms']['p95']:.2f} ms, longest {figures['trial_end_ms']['max']:.1f} "
        f"ms. This happens between trials, never inside a timed window. The four events before it "
        f"stay in memory and cost {figures['other_events_ms']['median']:.3f} ms together. A "
        f"trial takes {figures['bytes_per_trial']} bytes."
    )
    return Measured(text, figures)


def keys(effort: Effort) -> Measured:
    """Press real keys at odd times and compare the stamps with when they were sent."""
    presses = 20 if effort.quick else 500
    told = json.loads(run_python(KEY_PROBE, str(presses)))
    figures = {
        device: _stamps(np.array(told["errors_s"][device]) * 1000, told["sent"][device])
        for device in ("keyboard", "pad")
    }
    key, pad = figures["keyboard"], figures["pad"]
    error, of_pad = key["error_ms"], pad["error_ms"]
    text = (
        f"{key['presses']} keys were pressed by XTest at random times of a trial, half of "
        f"them for 2 ms only, while plates were being shown: {key['lost']} lost. A press's "
        f"stamp lies {error['mean']:.2f} ms (mean; SD {error['sd']:.2f}, 95 % within "
        f"{error['p95']:.2f}, longest {error['max']:.2f}) after the key was sent. A frame lasts "
        f"16.7 ms, so the stamps don't depend on the frame that reads them. This figure "
        f"doesn't include the delay from the finger through the keyboard to the operating "
        f"system.\n\n"
        f"In turn with them {pad['presses']} buttons of a response pad were pressed, whose bytes "
        f"came through a pseudo-terminal: {pad['lost']} lost. Their stamps lie "
        f"{of_pad['mean']:.2f} ms (mean; SD {of_pad['sd']:.2f}, 95 % within {of_pad['p95']:.2f}, "
        f"longest {of_pad['max']:.2f}) after the byte was sent. A box's own delay and that of its "
        f"serial line come on top."
    )
    return Measured(text, figures)


def _stamps(errors_ms: NDArray[np.float64], sent: int) -> dict[str, Any]:
    """Return how many presses were sent and lost, and how late their stamps are."""
    error = {"mean": float(errors_ms.mean()), "sd": float(errors_ms.std(ddof=1))}
    lost = sent - len(errors_ms)
    return {"presses": sent, "lost": lost, "error_ms": error | _spread(errors_ms)}


def kills(effort: Effort) -> Measured:
    """Kill a session again and again, let it go on each time, and count its trials."""
    times, trials = (2, 8) if effort.quick else (10, 16)
    rng = np.random.Generator(np.random.PCG64(5))
    rows: list[list[str]] = []
    with workplace() as folder:
        pack, lab = sketch_pack(folder / "pack", trials), folder / "lab"
        kept: list[int] = []
        lost = repeated = torn = 0
        code: str | None = None
        for number in range(times):
            effort.say(f"kill {number + 1} of {times}")
            more, delay_s = int(rng.integers(0, 4)), float(rng.uniform(0, 1.2))
            process = start_session(lab, pack, code)
            wait_for(lab, process, len(kept) + more, number + 1)
            time.sleep(delay_s)
            on_disk = finished_trials(lab)
            process.kill()
            process.communicate()
            found = finished_trials(lab)
            lost += len(set(on_disk) - set(found))
            journal = read_journal(journal_of(lab))
            code, torn = journal.header["participant"], torn + bool(journal.torn)
            rows.append([str(number + 1), f"{delay_s:.2f}", str(len(on_disk)), str(len(found))])
            kept = found
        process = start_session(lab, pack, code)
        _, said = process.communicate(timeout=PATIENCE_S * 3)
        if process.returncode:
            raise RuntimeError(f"the session did not go on: {said.decode()[-500:]}")
        journal = read_journal(journal_of(lab))
        ended = finished_trials(lab)
        repeated = len(ended) - len(set(ended))
    figures = {
        "kills": times, "trials": len(set(ended)), "lost": lost + len(set(kept) - set(ended)),
        "repeated": repeated, "torn_lines": torn, "complete": journal.complete,
    }  # fmt: skip
    heads = ["kill", "seconds after an event", "finished before", "finished after"]
    text = (
        f"One session was killed (SIGKILL) {times} times at random moments and begun again with "
        f"the same command each time: {figures['lost']} finished trials lost, {repeated} run "
        f"twice, {torn} torn last lines; in the end the journal holds all "
        f"{figures['trials']} trials, its chain of hashes whole, and is "
        f"{'complete' if journal.complete else 'not complete'}.\n\n" + table(heads, rows)
    )
    return Measured(text, figures)


def network(effort: Effort) -> Measured:
    """Run a whole session, and write down every address that it or a child wants to reach."""
    trials = 8 if effort.quick else 16
    with workplace() as folder:
        pack, seen = sketch_pack(folder / "pack", trials), folder / "addresses.txt"
        watch = {"PYTHONPATH": os.pathsep.join((str(WATCHED), str(ROOT)))}
        watch["PLAINSIGHT_ADDRESSES"] = str(seen)
        process = start_session(folder / "lab", pack, None, watch)
        _, said = process.communicate(timeout=PATIENCE_S * 3)
        if process.returncode:
            raise RuntimeError(f"the session failed: {said.decode()[-500:]}")
        lines = seen.read_text(encoding="utf-8").splitlines()
        processes = sum(line == "watching" for line in lines)
        reached = [line for line in lines if line != "watching"]
        control = "import socket; socket.socket().connect_ex(('127.0.0.1', 9))"
        run_python("-c", control, more=watch)
        proof = len(seen.read_text(encoding="utf-8").splitlines()) - len(lines) - 1
    if not proof or not processes:
        raise RuntimeError("the watch for addresses saw nothing where it had to")
    figures = {"processes": processes, "addresses": reached, "trials_per_run": trials}
    text = (
        f"A whole session was run while every address that Python code wanted to reach was "
        f"written down, in all {processes} of its processes: {len(reached)} beside the "
        f"display's own socket{': ' + ', '.join(reached) if reached else ''}. (A connection "
        f"made on purpose is seen by the same watch.)"
    )
    return Measured(text, figures)


RECORDING: tuple[Part, ...] = (
    Part("journal", "Every trial on the disk", journal),
    Part("keys", "When a key went down", keys),
)
BREAKING: tuple[Part, ...] = (
    Part("kills", "Killed and begun again", kills),
    Part("network", "No network", network),
)


def _write_trial(writer: JournalWriter, number: int) -> tuple[float, float]:
    """Return how long a trial's four events in memory took, and its end on the disk."""
    begun_s = time.perf_counter()
    writer.append(
        "trial_start", trial=number, repeat_of=None, phase="main", run=1, position=number,
        presentation=f"p{number:06d}", axis="deutan", rung=3, plate_sha256="0" * 64,
    )  # fmt: skip
    writer.append("flip", trial=number, what="plate_on", frame=0)
    writer.append("response", trial=number, device="keyboard", key="f")
    writer.append("flip", trial=number, what="plate_off", frame=90)
    before_s = time.perf_counter()
    writer.append(
        "trial_end", durable=True, trial=number, repeat_of=None, phase="main",
        run=1, position=number, presentation=f"p{number:06d}", decision="accept", rt_s=1.5,
        rt_corrected_s=1.5, in_time=True, accepted=True, onset_t_monotonic_s=before_s,
        frames_planned=None, frames_shown=90, frames_dropped=0, longest_interval_s=0.017,
        flagged=False,
    )  # fmt: skip
    return before_s - begun_s, time.perf_counter() - before_s


def _spread(values: NDArray[np.float64] | Sequence[float]) -> dict[str, float]:
    return {
        "median": float(np.median(values)),
        "p95": float(np.percentile(values, 95)),
        "max": float(np.max(values)),
    }


def _file_system(folder: Path) -> str:
    """Return the file system's type, where that is easily known."""
    import psutil

    mounts = sorted(psutil.disk_partitions(all=True), key=lambda disk: -len(disk.mountpoint))
    place = str(folder.resolve())
    return next((disk.fstype for disk in mounts if place.startswith(disk.mountpoint)), "a disk")

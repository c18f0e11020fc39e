"""A probe on a virtual display under a photodiode, and a witness of standstills beside it."""

import json
import os
import subprocess
import sys
import tempfile
import threading
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from bench.parts.cores import seats
from bench.parts.robot_sessions import ROOT
from experiments.engine.pacing import DROPPED_BEYOND
from experiments.engine.virtual_display import virtual_display
from experiments.rig.timing.exclusions import (
    BEYOND_US,
    LONGEST_GAP_S,
    NAP_US,
    STILL_BEFORE_S,
    Standstill,
    witness,
)
from experiments.rig.timing.instruments import Edge, photodiode

LAST_EDGE_WITHIN_S = 0.017
SHARED_MEMORY = Path("/dev/shm")
NEAR_S = 0.008
LONG_S = 0.003
LOOK_US = 10
"""Sleep between two looks of the photodiode, which has a core here: its looks blur an edge less."""
LOST_S = 0.002
"""Standstills for so long in all, from when a flip was due to the next: that may be late so."""
STANDSTILLS = (
    "A sleeping program on each core, with the highest priority, wakes every "
    f"{NAP_US / 1000:g} ms and detects standstills: times over {BEYOND_US / 1000:g} ms in which a "
    "core ran no program, as happens on virtual machines. A standstill may make a frame late if a "
    f"core stood still for at least {LOST_S * 1000:g} ms in total between the time for which the "
    "frame before was due and the frame's flip. A change on such a frame, or one that waited for "
    "it, is listed among the dropped frames and not judged further. "
    "The program and the display server share one core, both at real-time priority; the observers "
    "use the other cores."
)


@dataclass(frozen=True, slots=True)
class Seen:
    """A round as recorded, and the edges that the photodiode saw of it.

    Attributes
    ----------
    told
        What the program recorded.
    edges
        One for each step and one for the offset; None where none was seen near the recorded
        time.
    dropped
        Refreshes by which steps stayed too long, by the photodiode alone.
    standstills
        Of this machine's cores meanwhile.
    period_s
        Length of a refresh.
    """

    told: dict[str, Any]
    edges: tuple[Edge | None, ...]
    dropped: int = 0
    standstills: tuple[Standstill, ...] = ()
    period_s: float = 1 / 60

    @property
    def stood_still(self) -> int:
        """Refreshes that the round missed through standstills."""
        excused = self.excused_s()
        return sum(missed for _, flip_s, missed in self.told["late"] if flip_s in excused)

    def judged(self) -> tuple[Edge | None, ...]:
        """Return the edges that can be trusted, None in place of the others.

        The edge of a change that a standstill put off is none of them: that is told among the
        frames dropped.
        """
        return tuple(
            edge if self.trusts(edge) and not self.put_off(time_s) else None
            for (time_s, _), edge in zip(changes(self.told), self.edges, strict=True)
        )

    def put_off(self, change_s: float) -> bool:
        """Return whether a standstill made a change late: its flip, or the one right before it.

        Where the flip before takes the refresh that the change was due on, the change waits for
        the next.
        """
        return any(
            0 <= change_s - flip_s < DROPPED_BEYOND * self.period_s for flip_s in self.excused_s()
        )

    def excused_s(self) -> frozenset[float]:
        """Return the times of flips that a standstill made late.

        It may have come before the flip before, and have made that one late by less than a
        refresh: then it left this one less than a refresh.
        """
        return frozenset(
            flip_s
            for due_s, flip_s, _ in self.told["late"]
            if stood_still_s(self.standstills, due_s, flip_s) >= LOST_S
        )

    def unseen(self) -> int:
        """Return how many recorded changes have no edge though no core stood still about then."""
        return sum(
            edge is None
            and stood_still_s(self.standstills, time_s - NEAR_S, time_s + NEAR_S) < LOST_S
            for (time_s, _), edge in zip(changes(self.told), self.edges, strict=True)
        )

    def trusts(self, edge: Edge | None) -> bool:
        """Return whether an edge was seen without a gap and no core stood still just then."""
        return edge is not None and edge.gap_s <= LONGEST_GAP_S and not self.stood_still_at(edge)

    def stood_still_at(self, edge: Edge) -> bool:
        """Return whether a core stood still about when an edge was seen."""
        start_s = edge.seen_s - edge.gap_s - STILL_BEFORE_S
        return stood_still_s(self.standstills, start_s, edge.seen_s) > 0


@dataclass(frozen=True, slots=True)
class Watched:
    """What came of a probe under a photodiode.

    Attributes
    ----------
    period_s
        Length of a refresh.
    told
        What the probe said of each round.
    edges
        All that were seen.
    standstills
        Of this machine's cores.
    cores
        How many cores were watched for standstills; 0 where that isn't allowed.
    """

    period_s: float
    told: tuple[dict[str, Any], ...]
    edges: tuple[Edge, ...]
    standstills: tuple[Standstill, ...]
    cores: int

    def round(self, told: dict[str, Any], step_s: float) -> Seen:
        """Return what was seen of a round whose steps last so long."""
        dropped = dropped_seen(told, self.edges, step_s, self.period_s)
        still = self.standstills_of(told)
        return Seen(told, _edges_of(told, self.edges), dropped, still, self.period_s)

    def standstills_of(self, told: dict[str, Any]) -> tuple[Standstill, ...]:
        """Return those about a round."""
        start_s, end_s = told["steps_s"][0] - NEAR_S, told["offset_s"] + NEAR_S
        return tuple(
            standstill
            for standstill in self.standstills
            if start_s < standstill.until_s and standstill.from_s < end_s
        )


def standstills_said(still: Sequence[Standstill], cores: int) -> str:
    """Return in a sentence which standstills there were on so many watched cores."""
    if not cores:
        return "No witness of standstills was allowed here: nothing is explained by them."
    longest_ms = 1000 * max((one.until_s - one.from_s for one in still), default=0)
    long = sum(one.until_s - one.from_s > LONG_S for one in still)
    return (
        f"Standstills witnessed on {cores} cores: {len(still)} of over {BEYOND_US / 1000:g} ms, "
        f"{long} of over {LONG_S * 1000:g} ms, the longest {longest_ms:.1f} ms."
    )


def standstills_met(seen: Watched) -> str:
    """Return in words which standstills a probe met with."""
    said = standstills_said(seen.standstills, seen.cores)
    if not seen.cores:
        return said
    return (
        f"{said} Of all frames {100 * share_lost(seen):.2g} % lost {LOST_S * 1000:g} ms or more to "
        "them."
    )


def share_lost(seen: Watched) -> float:
    """Return the share of all frames that lost as much to standstills as a late one must have."""
    lost = frames = 0
    for told in seen.told:
        own = seen.standstills_of(told)
        starts_s = np.arange(told["steps_s"][0], told["offset_s"], seen.period_s)
        frames += len(starts_s)
        lost += sum(
            stood_still_s(own, start_s, start_s + DROPPED_BEYOND * seen.period_s) >= LOST_S
            for start_s in starts_s
        )
    return lost / max(frames, 1)


def watched(command: Sequence[object], size_px: tuple[int, int]) -> Watched:
    """Run a probe on a virtual display under a photodiode.

    Parameters
    ----------
    command
        The probe's file and its arguments. It prints a line of JSON with ``hz`` when its window
        stands, then one for each round.
    size_px
        Of the display.
    """
    with (
        tempfile.TemporaryDirectory(prefix="plainsight-soak-", dir=in_memory()) as folder,
        virtual_display(size_px, framebuffer_dir=Path(folder)) as display,
    ):
        assert display.framebuffer is not None
        process = subprocess.Popen(
            [sys.executable, *map(str, command)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        complaints: list[str] = []
        listener = threading.Thread(target=lambda: complaints.extend(process.stderr or ()))
        listener.start()
        assert process.stdout is not None
        facts = process.stdout.readline()
        if not facts:
            raise RuntimeError("".join(complaints)[-800:])
        with (
            witness() as still,
            seats(process.pid, display.process_id),
            photodiode(display.framebuffer, LOOK_US) as diode,
        ):
            told = tuple(json.loads(line) for line in process.stdout)
            edges = diode.edges
        listener.join()
        if process.wait():
            raise RuntimeError("".join(complaints)[-800:])
    return Watched(1 / json.loads(facts)["hz"], told, edges, still.standstills, still.cores)


def in_memory() -> Path | None:
    """Return a folder that no disk lies under; None where there is none.

    While a mirrored screen's pixels are written to a disk the X server's next ones wait.
    """
    return SHARED_MEMORY if SHARED_MEMORY.is_dir() else None


def dropped_seen(
    told: dict[str, Any], edges: Sequence[Edge], step_s: float, period_s: float
) -> int:
    """Return by how many whole refreshes the steps of a round stayed too long, at the least.

    While the photodiode saw something else a step may have come later, or gone earlier. A round's
    edges are those from its onset to its offset; nothing else of its record is asked.
    """
    first = bisect_left(edges, told["steps_s"][0] - NEAR_S, key=lambda edge: edge.t_s)
    last = bisect_left(edges, told["offset_s"] + LAST_EDGE_WITHIN_S, key=lambda edge: edge.t_s)
    planned = round(step_s / period_s)
    stays_s = (
        after.seen_s - after.gap_s - before.seen_s for before, after in pairwise(edges[first:last])
    )
    return sum(max(round(stay_s / period_s) - planned, 0) for stay_s in stays_s)


def _edges_of(told: dict[str, Any], edges: Sequence[Edge]) -> tuple[Edge | None, ...]:
    """Return the edge next to each recorded change."""
    return tuple(_nearest(edges, time_s, light=light) for time_s, light in changes(told))


def changes(told: dict[str, Any]) -> list[tuple[float, bool]]:
    """Return when a round's patch was recorded to turn, and whether light: every second step is.

    After a light last step the offset turns it dark.
    """
    turns = [(time_s, step % 2 == 0) for step, time_s in enumerate(told["steps_s"])]
    return [*turns, (told["offset_s"], False)] if turns[-1][1] else turns


def _nearest(edges: Sequence[Edge], time_s: float, *, light: bool) -> Edge | None:
    near = [e for e in edges if e.light is light and abs(e.t_s - time_s) < NEAR_S + e.gap_s / 2]
    return min(near, key=lambda edge: abs(edge.t_s - time_s), default=None)


def stood_still_s(standstills: Iterable[Standstill], start_s: float, end_s: float) -> float:
    """Return for how much of a stretch of time at least one core stood still, seconds."""
    total_s, reached_s = 0.0, start_s
    for one in sorted(standstills, key=lambda one: one.from_s):
        from_s, until_s = max(one.from_s, reached_s), min(one.until_s, end_s)
        if until_s > from_s:
            total_s += until_s - from_s
            reached_s = until_s
    return total_s

"""Long runs: steps of a reveal and short trials, seen by the photodiode from outside."""

import json
import os
import subprocess
import sys
import tempfile
import threading
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from experiments.rig.timing.photodiode import Edge, photodiode
from experiments.rig.timing.stolen import Span, stolen_time
from experiments.virtual_display import virtual_display
from tests.bench.book import Effort, Measured, Part, table
from tests.bench.parts.robot_sessions import ROOT
from tests.bench.parts.soak_probe import DARK_S, FIXATION_S, SIZE_PX, Plan
from tests.bench.parts.timing_words import STARTING_S, lasting
from tests.bench.parts.words import bar, verdicts

PROBE = Path(__file__).with_name("soak_probe.py")
PLANS: dict[str, Plan] = {
    "slow reveal": Plan(10, 15, 4.0),
    "quick reveal": Plan(90, 15, 0.4),
    "short trials": Plan(2000, 1, 0.05),
}
QUICK_PLANS: dict[str, Plan] = {
    "slow reveal": Plan(1, 5, 1.0),
    "quick reveal": Plan(3, 15, 0.1),
    "short trials": Plan(20, 1, 0.05),
}
BEFORE_S, PREPARING_S = 0.03, 0.01
LARGEST_DRIFT_MS = 0.2
LARGEST_GROWTH_MB = 2.0
TRUSTED_GAP_S = 0.001
NEAR_S = 0.008
INTRO = (
    "Every step of a round is due a whole number of frames after the round's onset. The "
    "photodiode's patch turns with each step; the times here are the differences between the "
    "edges that it saw, less the scheduled ones: median, and the largest without its sign. A "
    "short trial has one step; its offset is the last change on its schedule. Edges between two "
    f"looks more than {TRUSTED_GAP_S * 1000:g} ms apart, or while this virtual machine's "
    "processor was given to others, are counted apart; unseen are changes with no edge within "
    f"{NEAR_S * 1000:g} ms of the recorded time. Dropped are refreshes by the record, and in "
    "brackets those by which a step stayed too long before the photodiode, whatever the record "
    "says. Memory is what the process holds more at the end than after half of the rounds, by a "
    "straight line: until then the graphics driver takes a buffer now and then."
)
WARM_UP_SHARE, WARM_UP_ROUNDS = 0.5, 3
"""Buffers of the graphics driver, a megabyte each, are all there only after some 15,000 frames."""


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
    stolen
        When this virtual machine's processor was given to others.
    """

    told: dict[str, Any]
    edges: tuple[Edge | None, ...]
    dropped: int = 0
    stolen: tuple[Span, ...] = ()

    @property
    def late_meanwhile(self) -> int:
        """Refreshes that the round missed while the processor was given to others."""
        return sum(
            missed
            for before_s, flip_s, missed in self.told["late"]
            if any(span.start_s < flip_s and span.end_s > before_s for span in self.stolen)
        )

    def trusts(self, edge: Edge | None) -> bool:
        """Return whether an edge was seen without a gap, the processor being ours."""
        return edge is not None and edge.gap_s <= TRUSTED_GAP_S and not self.stolen_at(edge)

    def stolen_at(self, edge: Edge) -> bool:
        """Return whether the processor was given to others about when an edge was seen."""
        return any(span.holds(edge.t_s) for span in self.stolen)


def lasts_s(plan: Plan) -> float:
    """Return about how long a plan takes."""
    each_s = BEFORE_S + FIXATION_S + plan.steps * (plan.step_s + PREPARING_S) + DARK_S
    return STARTING_S + plan.rounds * each_s


def part(name: str) -> Part:
    """Return the part of the page that measures one plan, by the plan's name."""
    title = f"Long runs: {name}"
    return Part(name.replace(" ", "_"), title, lambda effort: _measured(name, effort))


def _measured(name: str, effort: Effort) -> Measured:
    plan = (QUICK_PLANS if effort.quick else PLANS)[name]
    shown = f"{plan.rounds} of {plan.steps} × {plan.step_s:g} s"
    effort.say(f"{name}: {shown}, {lasting(lasts_s(plan))}")
    found = figures_of(seen_rounds(plan), plan)
    bars = bars_of({name: found})
    row = [
        f"{plan.rounds} × {plan.steps} × {plan.step_s:g} s",
        str(found["edges"]),
        str(found["apart"]),
        str(found["unseen"]),
        *_cells(found["last_step_ms"]),
        _ms(found["duration_ms"]),
        f"{found['dropped']} ({found['dropped_seen']})",
        f"{found['growth_mb']:+.2f}",
    ]
    heads = [
        "rounds × steps",
        "edges seen",
        "apart",
        "unseen",
        "last onset against its schedule, ms",
        "95 % within",
        "rounds judged",
        "offset against its schedule, ms",
        "frames dropped (seen)",
        "memory, MB",
    ]
    intro = f"{INTRO}\n\n" if name == next(iter(PLANS)) else ""
    text = f"{intro}{verdicts(bars)}\n\n{table(heads, [row])}"
    return Measured(text, {"bars": bars, name: found})


def seen_rounds(plan: Plan) -> list[Seen]:
    """Run a plan in a process of its own under a photodiode."""
    seen = watched([PROBE, plan.rounds, plan.steps, plan.step_s], SIZE_PX)
    if len(seen.told) != plan.rounds:
        raise RuntimeError(f"{len(seen.told)} of {plan.rounds} rounds were shown")
    return [seen.round(one, plan.step_s) for one in seen.told]


@dataclass(frozen=True, slots=True)
class Watched:
    """What came of a probe under a photodiode.

    Attributes
    ----------
    period_s
        Length of a refresh.
    told
        What the probe said of each round.
    edges, stolen
        All edges that were seen, and when the processor was given to others.
    """

    period_s: float
    told: tuple[dict[str, Any], ...]
    edges: tuple[Edge, ...]
    stolen: tuple[Span, ...]

    def round(self, told: dict[str, Any], step_s: float) -> Seen:
        """Return what was seen of a round whose steps last so long."""
        dropped = dropped_seen(told, self.edges, step_s, self.period_s)
        return Seen(told, _edges_of(told, self.edges), dropped, self.stolen)


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
        tempfile.TemporaryDirectory(prefix="plainsight-soak-") as folder,
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
        with photodiode(display.framebuffer) as diode, stolen_time() as stolen:
            told = tuple(json.loads(line) for line in process.stdout)
            edges = diode.edges
        listener.join()
        if process.wait():
            raise RuntimeError("".join(complaints)[-800:])
    return Watched(1 / json.loads(facts)["hz"], told, edges, stolen.spans)


def dropped_seen(
    told: dict[str, Any], edges: Sequence[Edge], step_s: float, period_s: float
) -> int:
    """Return by how many whole refreshes the steps of a round stayed too long, at the least.

    While the photodiode looked away a step may have come later, or gone earlier. A round's edges
    are those from its onset to its offset; nothing else of its record is asked.
    """
    first = bisect_left(edges, told["steps_s"][0] - NEAR_S, key=lambda edge: edge.t_s)
    last = bisect_left(edges, told["offset_s"] + DARK_S / 2, key=lambda edge: edge.t_s)
    planned = round(step_s / period_s)
    stays_s = (
        after.seen_s - after.gap_s - before.seen_s for before, after in pairwise(edges[first:last])
    )
    return sum(max(round(stay_s / period_s) - planned, 0) for stay_s in stays_s)


def _edges_of(told: dict[str, Any], edges: Sequence[Edge]) -> tuple[Edge | None, ...]:
    """Return the edge next to each recorded change; every second step turns the patch dark."""
    wanted = [(time_s, step % 2 == 0) for step, time_s in enumerate(told["steps_s"])]
    if wanted[-1][1]:
        wanted.append((told["offset_s"], False))
    return tuple(_nearest(edges, time_s, light=light) for time_s, light in wanted)


def _nearest(edges: Sequence[Edge], time_s: float, *, light: bool) -> Edge | None:
    near = [e for e in edges if e.light is light and abs(e.t_s - time_s) < NEAR_S + e.gap_s / 2]
    return min(near, key=lambda edge: abs(edge.t_s - time_s), default=None)


def figures_of(rounds: Sequence[Seen], plan: Plan) -> dict[str, Any]:
    """Return the figures of a plan's rounds, as plain JSON values."""
    last, whole = [], []
    surely_off = 0
    # One step has no later onset: its offset is the last change on its schedule.
    final = max(plan.steps - 1, 1)
    for one in rounds:
        surely_off += _surely_off(one, final, plan.step_s)
        times_s = [edge.t_s if one.trusts(edge) else None for edge in one.edges]
        onset_s = times_s[0]
        if onset_s is None:
            continue
        if len(times_s) > final and (final_s := times_s[final]) is not None:
            last.append(final_s - onset_s - final * plan.step_s)
        if len(times_s) > plan.steps and (off_s := times_s[plan.steps]) is not None:
            whole.append(off_s - onset_s - plan.steps * plan.step_s)
    edges = [edge for one in rounds for edge in one.edges]
    trusted = sum(one.trusts(edge) for one in rounds for edge in one.edges)
    unseen = edges.count(None)
    return {
        "rounds": plan.rounds,
        "edges": trusted,
        "apart": len(edges) - trusted - unseen,
        "unseen": unseen,
        "last_step_ms": _spread_ms(last),
        "last_step_surely_off": surely_off,
        "duration_ms": _spread_ms(whole),
        "dropped": sum(one.told["dropped"] for one in rounds),
        "dropped_seen": sum(one.dropped for one in rounds),
        "late_while_stolen": sum(one.late_meanwhile for one in rounds),
        "not_as_planned": sum(one.told["shown"] != one.told["planned"] for one in rounds),
        "growth_mb": growth_mb([one.told["rss_bytes"] for one in rounds]),
    }


def _surely_off(one: Seen, final: int, step_s: float) -> bool:
    """Return whether the last change is off its schedule whenever in their gaps edges were."""
    first, last = one.edges[0], one.edges[final] if len(one.edges) > final else None
    if first is None or last is None or one.stolen_at(first) or one.stolen_at(last):
        return False
    error_s = last.t_s - first.t_s - final * step_s
    reach_s = (first.gap_s + last.gap_s) / 2
    return abs(error_s) - reach_s > LARGEST_DRIFT_MS / 1000


def growth_mb(held_bytes: Sequence[int]) -> float:
    """Return how much memory grew after the first rounds, by a straight line; 0 of too few."""
    first = max(WARM_UP_ROUNDS, int(WARM_UP_SHARE * len(held_bytes)))
    kept = np.asarray(held_bytes[first:], dtype=float) / 1e6
    if len(kept) < 2:
        return 0.0
    slope = np.polynomial.polynomial.polyfit(np.arange(len(kept)), kept, 1)[1]
    return float(slope * (len(kept) - 1))


def _spread_ms(errors_s: Sequence[float]) -> dict[str, float] | None:
    if not errors_s:
        return None
    errors_ms = np.asarray(errors_s) * 1000
    return {
        "median": float(np.median(errors_ms)),
        "sd": float(errors_ms.std(ddof=1)) if len(errors_ms) > 1 else 0.0,
        "p95": float(np.quantile(np.abs(errors_ms), 0.95)),
        "max": float(np.abs(errors_ms).max()),
        "n": len(errors_ms),
    }


def _ms(spread: dict[str, float] | None) -> str:
    return "" if spread is None else f"{spread['median']:+.3f} (largest {spread['max']:.3f})"


def _cells(spread: dict[str, float] | None) -> list[str]:
    if spread is None:
        return ["", "", "0"]
    return [_ms(spread), f"{spread['p95']:.3f}", str(spread["n"])]


def bars_of(told: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the figures of all plans judged, bar by bar."""
    unseen = sum(found["unseen"] for found in told.values())
    growth = max(found["growth_mb"] for found in told.values())
    lines = [
        _on_schedule(told),
        _no_drops(told),
        (
            f"memory flat: at most {LARGEST_GROWTH_MB:g} MB more over the second half",
            f"{growth:+.2f} MB",
            growth <= LARGEST_GROWTH_MB,
        ),
        ("every change is seen when it was recorded", f"{unseen} unseen", unseen == 0),
    ]
    return [bar(number, *line) for number, line in enumerate(lines, 1)]


Line = tuple[str, str, bool]
"""What is asked, what was measured, whether it is met."""


def _on_schedule(told: dict[str, dict[str, Any]]) -> Line:
    drifts = [found["last_step_ms"] for found in told.values()]
    off = sum(found["last_step_surely_off"] for found in told.values())
    near = all(drift is not None and drift["max"] <= LARGEST_DRIFT_MS for drift in drifts)
    asked = f"every round's last onset within {LARGEST_DRIFT_MS} ms of its schedule"
    return asked, _drifts(told), near and not off


def _no_drops(told: dict[str, dict[str, Any]]) -> Line:
    recorded, seen, meanwhile = (
        sum(found[name] for found in told.values())
        for name in ("dropped", "dropped_seen", "late_while_stolen")
    )
    asked = (
        "no dropped frame, neither in the record nor before the photodiode, but where this "
        "virtual machine's processor was given to others"
    )
    said = f"{recorded} recorded, {meanwhile} of them there; {seen} seen"
    return asked, said, max(recorded, seen) <= meanwhile


def _drifts(told: dict[str, dict[str, Any]]) -> str:
    return ", ".join(
        f"{name} nothing seen"
        if (drift := found["last_step_ms"]) is None
        else f"{name} {drift['max']:.3f} ms at most, 95 % within {drift['p95']:.3f} ms "
        f"({drift['n']} of {found['rounds']} rounds)"
        for name, found in told.items()
    )

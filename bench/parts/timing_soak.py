"""Long runs: steps of a reveal and short trials, seen by the photodiode from outside."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.book import Effort, Measured, Part, table
from bench.parts.soak_probe import DARK_S, FIXATION_S, SIZE_PX, Plan
from bench.parts.timing_words import STARTING_S, lasting
from bench.parts.watching import (
    LOST_S,
    NEAR_S,
    STANDSTILLS,
    Seen,
    Watched,
    standstills_met,
    watched,
)
from bench.parts.words import bar, verdicts
from experiments.rig.timing.exclusions import LONGEST_GAP_S, STILL_BEFORE_S

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
FIRST_ONSETS = 50
"""Tell the phase of a run's refreshes; a single one would lend its jitter to all later ones."""
LARGEST_GROWTH_MB = 2.0
INTRO = (
    "Every step of a round is due a whole number of frames after the round's onset. The "
    "photodiode's patch turns with each step; the times here are the differences between the "
    "edges that it saw, minus the scheduled ones: the median, and the largest absolute "
    "value. A "
    "short trial has one step; its onset is due on the run’s refreshes, whose phase is the median "
    f"of the first {FIRST_ONSETS} onsets, and a straight line through all onsets tells how far "
    "they drift. "
    f"{STANDSTILLS} Edges between two looks more than {LONGEST_GAP_S * 1000:g} ms apart, or "
    f"within {STILL_BEFORE_S * 1000:g} ms after a standstill, are counted apart; so are changes "
    f"with no edge within {NEAR_S * 1000:g} ms of the recorded time, if a core stood still for "
    f"{LOST_S * 1000:g} ms of those, and unseen if not. Dropped are refreshes by the record, in "
    "brackets those by which a step stayed too long before the photodiode, whatever the "
    "record says. Memory is the growth of the process from half of the rounds to the end, by "
    "a straight line; before that the graphics driver occasionally allocates a buffer."
)
WARM_UP_SHARE, WARM_UP_ROUNDS = 0.5, 3
"""Buffers of the graphics driver, a megabyte each, are all there only after some 15,000 frames."""


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
    seen = watch(plan)
    rounds = [seen.round(one, plan.step_s) for one in seen.told]
    found = figures_of(rounds, plan, seen.period_s) | {"standstills": standstills_met(seen)}
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
        "offset against its schedule, ms, rounds without drops",
        "frames dropped (seen)",
        "memory, MB",
    ]
    intro = f"{INTRO}\n\n" if name == next(iter(PLANS)) else ""
    text = f"{intro}{verdicts(bars)}\n\n{table(heads, [row])}\n\n{found['standstills']}"
    return Measured(text, {"bars": bars, name: found})


def watch(plan: Plan) -> Watched:
    """Run a plan in a process of its own under a photodiode."""
    seen = watched([PROBE, plan.rounds, plan.steps, plan.step_s], SIZE_PX)
    if len(seen.told) != plan.rounds:
        raise RuntimeError(f"{len(seen.told)} of {plan.rounds} rounds were shown")
    return seen


def figures_of(rounds: Sequence[Seen], plan: Plan, period_s: float) -> dict[str, Any]:
    """Return the figures of a plan's rounds, as plain JSON values."""
    onsets, last, whole = [], [], []
    surely_off = 0
    final = plan.steps - 1
    for one in rounds:
        if plan.steps > 1:
            surely_off += _surely_off(one, final, plan.step_s)
        times_s = [None if edge is None else edge.t_s for edge in one.judged()]
        onset_s = times_s[0]
        if onset_s is None:
            continue
        onsets.append(onset_s)
        if len(times_s) > final and (final_s := times_s[final]) is not None:
            last.append(final_s - onset_s - final * plan.step_s)
        off_s = times_s[plan.steps] if len(times_s) > plan.steps else None
        if off_s is not None and not one.told["dropped"]:
            whole.append(off_s - onset_s - plan.steps * plan.step_s)
    if plan.steps == 1:
        last = off_grid_s(onsets, period_s)
    edges = [edge for one in rounds for edge in one.edges]
    trusted = sum(edge is not None for one in rounds for edge in one.judged())
    unseen = sum(map(Seen.unseen, rounds))
    return {
        "rounds": plan.rounds,
        "edges": trusted,
        "apart": len(edges) - trusted - unseen,
        "unseen": unseen,
        "last_step_ms": _spread_ms(last),
        "drift_ms": 1000 * drift(last) if plan.steps == 1 else None,
        "last_onset_ms": 1000 * last[-1] if plan.steps == 1 and last else None,
        "last_step_surely_off": surely_off,
        "duration_ms": _spread_ms(whole),
        "dropped": sum(one.told["dropped"] for one in rounds),
        "dropped_seen": sum(one.dropped for one in rounds),
        "dropped_at_standstills": sum(one.stood_still for one in rounds),
        "not_as_planned": sum(one.told["shown"] != one.told["planned"] for one in rounds),
        "growth_mb": growth_mb([one.told["rss_bytes"] for one in rounds]),
    }


def off_grid_s(onsets_s: Sequence[float], period_s: float) -> list[float]:
    """Return how far onsets lie from the nearest refresh of those on which the first ones lie."""
    if not onsets_s:
        return []
    since_s = np.asarray(onsets_s, dtype=float) - onsets_s[0]
    off_s = since_s - np.rint(since_s / period_s) * period_s
    return list(off_s - np.median(off_s[:FIRST_ONSETS]))


def drift(values: Sequence[float]) -> float:
    """Return by how much values change from the first to the last, by a straight line."""
    if len(values) < 2:
        return 0.0
    slope = np.polynomial.polynomial.polyfit(np.arange(len(values)), values, 1)[1]
    return float(slope * (len(values) - 1))


def _surely_off(one: Seen, final: int, step_s: float) -> bool:
    """Return whether the last step is off its schedule whenever in their gaps edges were."""
    first, last = one.edges[0], one.edges[final] if len(one.edges) > final else None
    if first is None or last is None or one.stood_still_at(first) or one.stood_still_at(last):
        return False
    if one.put_off(one.told["steps_s"][final]):
        return False
    error_s = last.t_s - first.t_s - final * step_s
    reach_s = (first.gap_s + last.gap_s) / 2
    return abs(error_s) - reach_s > LARGEST_DRIFT_MS / 1000


def growth_mb(held_bytes: Sequence[int]) -> float:
    """Return how much memory grew after the first rounds, by a straight line; 0 of too few."""
    first = max(WARM_UP_ROUNDS, int(WARM_UP_SHARE * len(held_bytes)))
    return drift(np.asarray(held_bytes[first:], dtype=float) / 1e6)


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
    off = sum(found["last_step_surely_off"] for found in told.values())
    asked = f"every round's last onset within {LARGEST_DRIFT_MS} ms of its schedule"
    if any(found["drift_ms"] is not None for found in told.values()):
        asked = f"no drift: the run's last onset within {LARGEST_DRIFT_MS} ms of its schedule, and "
        asked += "all onsets by a straight line too"
    return asked, _drifts(told), all(map(_is_near, told.values())) and not off


def _is_near(found: dict[str, Any]) -> bool:
    if found["drift_ms"] is not None:
        ends = (found["drift_ms"], found["last_onset_ms"])
        return all(end is not None and abs(end) <= LARGEST_DRIFT_MS for end in ends)
    spread = found["last_step_ms"]
    return spread is not None and spread["max"] <= LARGEST_DRIFT_MS


def _no_drops(told: dict[str, dict[str, Any]]) -> Line:
    recorded, seen, explained = (
        sum(found[name] for found in told.values())
        for name in ("dropped", "dropped_seen", "dropped_at_standstills")
    )
    asked = (
        "no dropped frame, neither in the record nor before the photodiode, but where a core "
        "stood still"
    )
    text = f"{recorded} recorded, {explained} of them at standstills; {seen} seen"
    return asked, text, max(recorded, seen) <= explained


def _drifts(told: dict[str, dict[str, Any]]) -> str:
    return ", ".join(f"{name} {_drift_told(found)}" for name, found in told.items())


def _drift_told(found: dict[str, Any]) -> str:
    spread = found["last_step_ms"]
    if spread is None:
        return "nothing seen"
    ends = ""
    if found["drift_ms"] is not None:
        ends = f"{found['last_onset_ms']:+.3f} ms, line {found['drift_ms']:+.3f} ms; single onsets "
    return (
        f"{ends}{spread['max']:.3f} ms at most, 95 % within {spread['p95']:.3f} ms "
        f"({spread['n']} of {found['rounds']} rounds)"
    )

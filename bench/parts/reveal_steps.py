"""Steps of real rounds under a photodiode, while a robot types all the while."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.book import Effort, Measured, Part, table
from bench.parts.reveal_steps_probe import KEYS_A_SECOND, SIZE_PX, STEPS, Plan
from bench.parts.timing_soak import growth_mb
from bench.parts.timing_words import STARTING_S, lasting
from bench.parts.watching import STANDSTILLS, Seen, Watched, standstills_met, watched
from bench.parts.words import bar, verdicts

PROBE: Final = Path(__file__).with_name("reveal_steps_probe.py")
FULL: Final = Plan(quick_rounds=30, quick_step_s=0.4, slow_rounds=4, slow_step_s=4.0)
QUICK: Final = Plan(quick_rounds=5, quick_step_s=0.2, slow_rounds=1, slow_step_s=0.6)
BETWEEN_S: Final = 2.0
"""About what preparing, fixation and the whole image take."""
LARGEST_ERROR_MS: Final = 0.2
LARGEST_GROWTH_MB: Final = 2.0
LETTERS_A_WORD: Final = 5


def lasts_s(plan: Plan) -> float:
    """Return about how long a plan takes."""
    lasting_s = STEPS * (
        plan.quick_rounds * plan.quick_step_s + plan.slow_rounds * plan.slow_step_s
    )
    return STARTING_S + lasting_s + BETWEEN_S * (plan.quick_rounds + plan.slow_rounds)


def measure(effort: Effort) -> Measured:
    """Show rounds of both lengths, in one session of the study's own presenter."""
    plan = QUICK if effort.quick else FULL
    effort.say(lasting(lasts_s(plan)))
    words = [plan.quick_rounds, plan.quick_step_s, plan.slow_rounds, plan.slow_step_s]
    seen = watched([PROBE, *words], SIZE_PX)
    rounds = len(seen.told)
    if rounds != plan.quick_rounds + plan.slow_rounds:
        raise RuntimeError(f"{rounds} rounds were shown")
    figures = figures_of(seen)
    bars = bars_of(figures)
    heads = [
        "rounds × steps", "keys", "answers", "onsets and offsets judged", "apart", "unseen",
        "error, ms: SD", "95 % within", "largest", "frames dropped (seen)",
    ]  # fmt: skip
    rows = [_row(found) for found in figures["by_step"].values()]
    still = standstills_met(seen)
    words_per_min = KEYS_A_SECOND * 60 / LETTERS_A_WORD
    text = (
        "What a round shows is watched from outside: a photodiode (a process that watches the "
        "pixels of a virtual display) stamps when the marker's patch changes. There is no screen "
        "and no vertical sync here: swaps are paced by the clock. Shown are rounds of the study's "
        "own session, answer field and class table and all, while a robot types by real keys and "
        f"clicks at {words_per_min:.0f} words a minute without a stop: letters, wrong answers, "
        "arrows, corrections. Each step is scheduled a whole number of frames after the image's "
        "onset. The error is the time between the photodiode's edges of both, minus the "
        "scheduled time. "
        "Dropped frames are those of the record and, in brackets, those by which a step was too "
        f"long for the photodiode. {STANDSTILLS} Memory is the growth of the process in the "
        "second half of the rounds, by a straight line: "
        f"{figures['growth_mb']:+.2f} MB over {rounds} rounds. "
        "All pictures of a round are on the graphics card before it starts: "
        f"{figures['texture_mb']:.1f} MB at three bytes a pixel, prepared in "
        f"{figures['prepared_s']['median']:.2f} s (longest {figures['prepared_s']['max']:.2f}).\n\n"
        f"{verdicts(bars)}\n\n{table(heads, rows)}\n\n{still}"
    )
    return Measured(text, {"bars": bars, **figures})


def figures_of(seen: Watched) -> dict[str, Any]:
    """Return the figures of rounds, as plain JSON values, by the length of their steps."""
    rounds = [seen.round(one, one["step_s"]) for one in seen.told]
    lengths_s = sorted({one["step_s"] for one in seen.told})
    prepared_s = [one["prepared_s"] for one in seen.told]
    return {
        "by_step": {
            f"{step_s:g}": _of_rounds(
                [one for one in rounds if one.told["step_s"] == step_s], seen.period_s
            )
            for step_s in lengths_s
        },
        "growth_mb": growth_mb([one["rss_bytes"] for one in seen.told]),
        "texture_mb": max(one["texture_bytes"] for one in seen.told) / 1e6,
        "standstills": standstills_met(seen),
        "prepared_s": {"median": float(np.median(prepared_s)), "max": max(prepared_s)},
    }


def _of_rounds(rounds: Sequence[Seen], period_s: float) -> dict[str, Any]:
    told = [one.told for one in rounds]
    errors_ms = 1000 * np.array([late_s for one in rounds for late_s in errors_s(one, period_s)])
    changes = sum(len(one.edges) for one in rounds)
    trusted = sum(edge is not None for one in rounds for edge in one.judged())
    unseen = sum(map(Seen.unseen, rounds))
    return {
        "step_s": told[0]["step_s"],
        "rounds": len(told),
        "steps": len(told[0]["steps_s"]),
        "keys": sum(one["keystrokes"] for one in told),
        "answers": sum(one["attempts"] for one in told),
        "judged": len(errors_ms),
        "apart": changes - trusted - unseen,
        "unseen": unseen,
        "error_ms": _spread(errors_ms),
        "dropped": sum(one["dropped"] for one in told),
        "dropped_seen": sum(one.dropped for one in rounds),
        "dropped_at_standstills": sum(one.stood_still for one in rounds),
    }


def _spread(errors_ms: NDArray[np.float64]) -> dict[str, float] | None:
    """Return how errors spread; None of none."""
    if not len(errors_ms):
        return None
    return {
        "sd": float(errors_ms.std(ddof=1)) if len(errors_ms) > 1 else 0.0,
        "p95": float(np.quantile(np.abs(errors_ms), 0.95)),
        "max": float(np.abs(errors_ms).max()),
    }


def errors_s(one: Seen, period_s: float) -> Iterator[float]:
    """Yield how much later than due each change of a round came after its onset.

    Only edges that are judged count, the onset's first of all.
    """
    onset, *later = one.judged()
    if onset is None:
        return
    frames = round(one.told["step_s"] / period_s)
    for number, edge in enumerate(later, start=1):
        if edge is not None:
            yield edge.t_s - onset.t_s - number * frames * period_s


def _row(found: dict[str, Any]) -> list[str]:
    error = found["error_ms"]
    return [
        f"{found['rounds']} × {found['steps']} × {found['step_s']:g} s",
        str(found["keys"]),
        str(found["answers"]),
        str(found["judged"]),
        str(found["apart"]),
        str(found["unseen"]),
        *("" if error is None else f"{error[name]:.3f}" for name in ("sd", "p95", "max")),
        f"{found['dropped']} ({found['dropped_seen']})",
    ]


def bars_of(figures: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the figures judged, bar by bar."""
    parts = figures["by_step"].values()
    spreads = [part["error_ms"] for part in parts]
    worst = max((spread["max"] for spread in spreads if spread is not None), default=math.inf)
    dropped = sum(part["dropped"] - part["dropped_at_standstills"] for part in parts)
    seen = sum(max(part["dropped_seen"] - part["dropped_at_standstills"], 0) for part in parts)
    explained = sum(part["dropped_at_standstills"] for part in parts)
    unseen = sum(part["unseen"] for part in parts)
    growth = figures["growth_mb"]
    return [
        bar(
            1,
            f"every step's onset within {LARGEST_ERROR_MS} ms of its schedule",
            f"{worst:.3f} ms at most, of {sum(part['judged'] for part in parts)}",
            None not in spreads and worst <= LARGEST_ERROR_MS,
        ),
        bar(
            2,
            "typing costs no frame, neither in the record nor before the photodiode",
            f"{dropped} recorded, {seen} seen, at {sum(part['keys'] for part in parts)} keys "
            f"(and {explained} at standstills of a core)",
            dropped <= 0 and seen <= 0,
        ),
        bar(
            3,
            f"memory flat: at most {LARGEST_GROWTH_MB:g} MB more",
            f"{growth:+.2f} MB",
            growth <= LARGEST_GROWTH_MB,
        ),
        bar(4, "every change is seen when it was recorded", f"{unseen} unseen", unseen == 0),
    ]


PARTS: Final = (Part("steps", "Steps on their frames while somebody types", measure),)

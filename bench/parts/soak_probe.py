"""Shows rounds of steps, or short trials, one after the other; prints what it recorded of each.

The pictures of every round are made before it and given back after it, as in a session.
"""

import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import psutil
from numpy.typing import NDArray

from experiments.engine.pacing import missed_refreshes
from experiments.engine.picture import Layer, Picture
from experiments.engine.present import Presentation, Shown, present
from experiments.engine.stage import Stage, open_stage
from experiments.engine.window import WindowSettings

SIZE_PX = (1280, 720)
BACKGROUND = (30, 30, 30)
PICTURE_PX = 256
NO_KEYS: frozenset[str] = frozenset()
FIXATION_S = 0.1
"""As in a session the onset follows other frames; after none it would come sooner than due."""
DARK_S = 0.034
SETTLE_S = 0.5

Late = tuple[float, float, int]
"""A late flip: when the one before it was due, its own time, and the refreshes missed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is shown: so many rounds of so many steps of so long; one step is a short trial."""

    rounds: int
    steps: int
    step_s: float


def main(plan: Plan) -> None:
    """Show a plan's rounds in a window of the display that DISPLAY names."""
    rng = np.random.Generator(np.random.PCG64(1))
    process = psutil.Process()
    with open_stage(WindowSettings(BACKGROUND, SIZE_PX), marker=True, mouse=True) as stage:
        print(json.dumps({"hz": 1 / stage.period_s, "pacing": stage.pacing.name}), flush=True)
        time.sleep(SETTLE_S)
        late = noting_late_flips(stage)
        for _ in range(plan.rounds):
            pictures = _revealed(stage, rng, plan.steps)
            shown = present(stage, _presentation(pictures, plan))
            assert isinstance(shown, Shown)
            for picture in pictures:
                picture.free()
            told = _told(shown, late) | {"rss_bytes": process.memory_info().rss}
            late.clear()
            print(json.dumps(told), flush=True)


def noting_late_flips(stage: Stage) -> list[Late]:
    """Return a list to which each flip that missed refreshes will be added, as records count.

    Of a late flip that takes a picture away, a record may count more.
    """
    late: list[Late] = []
    flip, last_s = stage.window.flip, time.perf_counter()
    count, last, origin_s = stage.pacing.count_from(last_s), 0, math.inf

    def noted(until: Callable[[], None]) -> float:
        nonlocal last_s, last, origin_s
        flip_s = flip(until)
        frame = count(flip_s)
        refreshes = np.array([(flip_s - last_s) / stage.period_s])
        if missed := int(missed_refreshes(np.array([frame - last]), refreshes).sum()):
            due_s = min(origin_s + last * stage.period_s, last_s)
            late.append((due_s, flip_s, missed))
        last_s, last = flip_s, frame
        # Flips come late, never early: the earliest so far, by its frame, tells when all are due.
        origin_s = min(origin_s, flip_s - frame * stage.period_s)
        return flip_s

    stage.window.flip = noted  # type: ignore[method-assign]
    return late


def _revealed(stage: Stage, rng: np.random.Generator, steps: int) -> list[Picture]:
    """Return pictures of which each shows more of the same noise, all on the card."""
    noise = rng.integers(0, 256, (PICTURE_PX, PICTURE_PX, 3), dtype=np.uint8)
    order = rng.permutation(PICTURE_PX * PICTURE_PX).reshape(PICTURE_PX, PICTURE_PX)
    shares = [(step + 1) / steps for step in range(steps)]
    return [stage.picture([_layer(noise, order < share * order.size)]) for share in shares]


def _layer(noise: NDArray[np.uint8], seen: NDArray[np.bool_]) -> Layer:
    left_px, top_px = (SIZE_PX[0] - PICTURE_PX) // 2, (SIZE_PX[1] - PICTURE_PX) // 2
    return Layer(np.where(seen[..., None], noise, 0).astype(np.uint8), left_px, top_px)


def _presentation(pictures: list[Picture], plan: Plan) -> Presentation:
    whole_s = plan.steps * plan.step_s
    return Presentation(
        fixation=None,
        stimulus=pictures[0],
        after=None,
        fixation_s=FIXATION_S,
        limit_s=whole_s + DARK_S,
        answer_keys=NO_KEYS,
        exposure_s=whole_s,
        later=tuple(pictures[1:]),
        step_s=plan.step_s,
    )


def _told(shown: Shown, late: list[Late]) -> dict[str, object]:
    frames = shown.frames
    during = [one for one in late if shown.onset_s < one[1] <= shown.offset_s]
    return {
        "steps_s": list(shown.steps_s),
        "offset_s": shown.offset_s,
        "planned": frames.planned,
        "shown": frames.shown,
        "dropped": frames.dropped,
        "late": during,
        "longest_interval_s": frames.longest_interval_s,
    }


if __name__ == "__main__":
    main(Plan(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))

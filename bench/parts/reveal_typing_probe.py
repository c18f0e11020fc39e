"""Types class names at 120 words a minute into a round's screen; prints what came of it as JSON."""

import json
import sys

import numpy as np

from experiments.engine.stage import open_stage
from experiments.engine.virtual_display import own_virtual_display
from experiments.engine.window import WindowSettings
from experiments.robot_input.inject import robot_injector
from tests.experiments.windows.typing_probe import GROUND, NAMES, Desk, written

IMAGE_PX = {"1280x720": 512, "1920x1080": 768}
EVERY_S = 0.1
"""Between letters: 120 words of five letters a minute."""
LETTERS = 58


def main(size: str, rounds: int) -> None:
    """Type so many rounds of names, letter by letter, the field emptied between them."""
    width, height = map(int, size.split("x"))
    rng = np.random.Generator(np.random.PCG64(1))
    told: dict[str, list[float]] = {"errors_s": [], "longest_s": []}
    counts = {"sent": 0, "typed": 0, "frames": 0, "dropped": 0}
    own_virtual_display((width, height))
    with (
        open_stage(WindowSettings(GROUND, (width, height)), mouse=True) as stage,
        robot_injector(stage.window.system_id) as injector,
    ):
        injector.learn("".join(NAMES))
        desk = Desk(stage, injector, IMAGE_PX[size])
        for _ in range(rounds):
            text = " ".join(rng.permutation(NAMES))[:LETTERS]
            found = desk.type(written(text, EVERY_S), EVERY_S * LETTERS + 0.2)
            told["errors_s"] += found["errors_s"]
            told["longest_s"].append(found["frames"][2])
            counts["sent"] += found["sent"]
            counts["typed"] += sum(map(bool, found["texts"]))
            counts["frames"] += found["frames"][0]
            counts["dropped"] += found["frames"][1]
        costs_ms = desk.costs()
        taking_ms = [1000 * cost_s for cost_s in desk.taking_s]
    json.dump({**told, **counts, "costs_ms": costs_ms, "taking_ms": taking_ms}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

"""Shows many frames without pause. Arguments: how many; the renderer's threads (0: as sessions)."""

import sys
import time
from functools import partial

import numpy as np

from experiments.engine import window as engine_window
from experiments.engine.picture import Layer, Picture
from experiments.engine.stage import Marker
from experiments.engine.virtual_display import own_virtual_display
from experiments.engine.window import WindowSettings, open_window

BACKGROUND = (128, 128, 128)
FRAMES_A_PICTURE = 60


def main(frames, threads):
    own_virtual_display()
    if threads:
        engine_window.draw_in_one_thread = lambda: None
    window = open_window(WindowSettings(BACKGROUND), time.perf_counter)
    marker, rng = Marker(partial(Picture, window)), np.random.Generator(np.random.PCG64(0))
    for _ in range(frames // FRAMES_A_PICTURE):
        noise = rng.integers(0, 256, (3, 300, 400, 3), dtype=np.uint8)
        shown = [Picture(window, [Layer(one, 100 + 50 * i, 100)]) for i, one in enumerate(noise)]
        for frame in range(FRAMES_A_PICTURE):
            shown[frame % 3].draw()
            marker.draw(frame % 2 == 0)
            window.flip()
        for picture in shown:
            picture.free()
    window.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

"""The picture of a comparison: every error of suite and plain script as a dot."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from analysis.report.style import FAINT, INK, SOFT, WIDTH_IN, figure_style
from bench.parts.timing_words import NAMES
from experiments.rig.timing.errors import MEASURES, Errors, Measure, trusted

THICKNESS = 0.32


def draw(programmes: Mapping[str, Sequence[Errors]], path: Path) -> None:
    """Draw errors, a panel a measure and a row a program; the first program in ink.

    Parameters
    ----------
    programmes
        Runs of each program, by the name to show.
    path
        The PNG.
    """
    with figure_style():
        figure, panels = plt.subplots(
            2, 2, figsize=(WIDTH_IN, 3.6), sharey=True, layout="constrained"
        )
        for panel, measure in zip(panels.flat, MEASURES, strict=True):
            _panel(panel, measure, programmes)
        for panel in panels[-1]:
            panel.set_xlabel("recorded minus true, ms")
        figure.savefig(path, dpi=130)
        plt.close(figure)


def _panel(panel: Axes, measure: Measure, programmes: Mapping[str, Sequence[Errors]]) -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    panel.set_title(f"{NAMES[measure]} error")
    panel.axvline(0, color=FAINT, linewidth=0.8, zorder=0)
    for row, runs in enumerate(programmes.values()):
        errors_ms = 1000 * np.array(
            [error for run in runs for error in trusted(getattr(run, measure))]
        )
        heights = row + rng.uniform(-THICKNESS, THICKNESS, len(errors_ms))
        ink = SOFT if row else INK
        panel.scatter(errors_ms, heights, s=3, color=ink, alpha=0.35, linewidths=0, rasterized=True)
    panel.set_yticks(range(len(programmes)), list(programmes))
    panel.set_ylim(len(programmes) - 0.5, -0.5)

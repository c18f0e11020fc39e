"""The picture of bars 1 to 3: reading by the strength of the anomaly, a line a contrast."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import colormaps
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from analysis.report.style import SOFT, WIDTH_IN, figure_style
from bench.parts.words import SOURCE_NAMES, steps

Found = Mapping[str, Any]
CHANCE = 0.1


def draw(found: Sequence[Found], bold: Mapping[str, float], path: Path) -> None:
    """Draw rates with noise ×3, a panel an axis and time, lines by contrast; MNIST's.

    Parameters
    ----------
    found
        Rows with ``source, axis, contrast, strength, at_s, rate, ceiling``.
    bold
        Each axis's default contrast, drawn thicker.
    path
        The PNG.
    """
    times = sorted({row["at_s"] for row in found})
    axes_names = list(bold)
    with figure_style():
        figure, panels = plt.subplots(
            len(axes_names),
            len(times),
            figsize=(WIDTH_IN, 4.6),
            sharex=True,
            sharey=True,
            squeeze=False,
            layout="constrained",
        )
        for line, axis in enumerate(axes_names):
            for column, at_s in enumerate(times):
                panel = panels[line, column]
                own = [row for row in found if (row["axis"], row["at_s"]) == (axis, at_s)]
                _panel(panel, own, bold[axis])
                panel.set_title(f"{axis} (default {steps(bold[axis])}), {at_s:g} s after onset")
        for panel in panels[-1]:
            panel.set_xlabel("strength of the anomaly (0 normal, 1 dichromat)")
        for panel in panels[:, 0]:
            panel.set_ylabel("plates read")
        handles, labels = panels[0, 0].get_legend_handles_labels()
        figure.legend(
            handles,
            labels,
            loc="outside right center",
            title=f"Δu′v′ × 10,000\n({SOURCE_NAMES[found[0]['source']]}, noise ×3)",
        )
        figure.savefig(path, dpi=130)
        plt.close(figure)


def _panel(panel: Axes, rows: Sequence[Found], bold: float) -> None:
    contrasts = sorted({row["contrast"] for row in rows}, reverse=True)
    shade = colormaps["cividis"]
    for number, contrast in enumerate(contrasts):
        own = sorted((row["strength"], row["rate"]) for row in rows if row["contrast"] == contrast)
        default = contrast == bold
        panel.plot(
            *zip(*own, strict=True),
            color="black" if default else shade(number / len(contrasts)),
            linewidth=2.4 if default else 1.2,
            marker="o" if default else None,
            markersize=3.5,
            label="default" if default else steps(contrast),
        )
    panel.axhline(CHANCE, color=SOFT, linewidth=0.8, linestyle=":")
    panel.axhline(rows[0]["ceiling"], color=SOFT, linewidth=0.8, linestyle="--")
    panel.set_ylim(0, 1)

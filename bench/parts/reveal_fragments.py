"""How broken what each method uncovers looks: parts that don't touch, by step."""

from typing import Any

import numpy as np

from bench.book import table
from stimuli.images.filters import resampled
from stimuli.names import method_name
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.curves import fragments
from stimuli.studies.progressive_reveal.protocol import HUMAN
from stimuli.studies.progressive_reveal.reveal import EVERY_RELEVANT, schedule
from stimuli.studies.progressive_reveal.tables import FRAGMENTS
from xai_backend.studies.progressive_reveal.build import Gathered

TOLD_STEPS = (1, 3, 6, 9, 12, 15)
"""Steps of which the page tells."""


def fragments_of(found: Gathered, pack: Pack, method: str) -> dict[str, list[float]]:
    """Return what ``fragments.csv`` says of a method's main images, averaged, by step."""
    main = {one.item for one in found.drawn.main}
    rows = [r for r in pack.table(FRAGMENTS) if r["method"] == method and r["item"] in main]
    steps = range(1, found.protocol.reveal.steps + 1)
    return {
        name: [float(np.mean([r[name] for r in rows if r["step"] == k])) for k in steps]
        for name in ("fragments", "small_fragments", "largest_px")
    }


def fragments_by_hash(found: Gathered) -> dict[str, list[float]]:
    """Return in how many parts a hash alone would uncover human maps, averaged, by step."""
    protocol = found.protocol
    counts: dict[str, list[list[int]]] = {"fragments": [], "small_fragments": []}
    for one in found.drawn.main:
        plan = schedule(
            resampled(found.by_method[HUMAN].maps[one.item], protocol.images.size_px),
            EVERY_RELEVANT,
            steps=protocol.reveal.steps,
            key=one.item,
            ties="hash",
        )
        parts = fragments(plan.step_of, protocol.reveal.steps)
        counts["fragments"].append([part.count for part in parts])
        counts["small_fragments"].append([part.small for part in parts])
    return {name: np.mean(rows, axis=0).tolist() for name, rows in counts.items()}


def most_times(found: dict[str, dict[str, list[float]]]) -> tuple[float, int]:
    """Return how many times occlusion's parts human maps have at most, and at which step."""
    human, occlusion = (np.array(found[method]["fragments"]) for method in (HUMAN, "occlusion"))
    times = human / occlusion
    return float(times.max()), 1 + int(times.argmax())


def fragments_text(figures: dict[str, Any]) -> str:
    """Return how broken what is uncovered looks, by method and step."""

    def cells(found: dict[str, Any], last: str) -> list[str]:
        return [
            *(f"{found['fragments'][k - 1]:.1f} ({found['small_fragments'][k - 1]:.1f})"
              for k in TOLD_STEPS),
            last,
        ]  # fmt: skip

    rows = [
        [method_name(method), *cells(own, f"{own['largest_px'][-1]:.0f}")]
        for method, own in figures["fragments"].items()
    ]
    rows.append(["human maps, by the hash alone", *cells(figures["fragments_by_hash"], "")])
    headings = ["method", *(f"step {k}" for k in TOLD_STEPS), "largest part at the last step, px"]
    ratio, step = most_times(figures["fragments"])
    return (
        "Number of connected parts of the uncovered area (pixels connect by a side or a corner), "
        "averaged over images, and in brackets the number of parts with at most 4 pixels "
        "(`fragments.csv`). The last line shows the same human maps with equally relevant pixels "
        f'in random order (`reveal.ties = "hash"`):\n\n{table(headings, rows)}\n\n'
        f"At every step human maps have at most {ratio:.2f} times as many parts as occlusion "
        f"(step {step})."
    )

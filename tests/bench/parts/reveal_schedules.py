"""Real photographs uncovered by each method: counts by the rule, to the pixel, and how it looks."""

import csv
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.protocol.progressive_reveal import HUMAN, PROTOTYPES, ProgressiveReveal
from stimuli.resampling import resampled
from stimuli.reveal import uncovered
from stimuli.studies.progressive_reveal.compose import compose
from stimuli.studies.progressive_reveal.tables import ITEM_TABLE, ITEMS, KEY
from tests.bench.book import Effort, Measured, Part, table
from tests.bench.parts.reveal_pictures import Uncovered, counts_picture, steps_sheet
from tests.bench.parts.words import share
from tests.bench.parts.xai_data import NETWORKS, imagenette, weights_of
from xai_backend.build.progressive_reveal import Gathered, gather
from xai_backend.build.reveal_request import RevealRequest
from xai_backend.progress import Silent

Figures = dict[str, Any]
PLAYERS = 5
SHOWN, QUICK_SHOWN = 6, 2
"""Photographs on each sheet."""
PUBLISHED_PIXELS = 65536


@dataclass(frozen=True, slots=True)
class Plan:
    """How many photographs are uncovered, and what is learnt for it.

    Attributes
    ----------
    classes, images_per_class
        Of Imagenette.
    patch_px, stride_px
        Of occlusion.
    training
        Of ProtoPNet, as a protocol has it.
    """

    classes: int
    images_per_class: int
    patch_px: int
    stride_px: int
    training: Mapping[str, int]


FULL = Plan(
    10,
    6,
    32,
    8,
    {
        "prototypes_per_class": 5,
        "channels": 128,
        "warm_epochs": 5,
        "cycles": 2,
        "joint_epochs": 5,
        "last_iterations": 100,
    },
)
QUICK = Plan(
    2,
    2,
    112,
    56,
    {
        "prototypes_per_class": 1,
        "channels": 16,
        "warm_epochs": 1,
        "cycles": 1,
        "joint_epochs": 1,
        "last_iterations": 5,
    },
)


def measure(effort: Effort) -> Measured:
    """Uncover photographs, hold every count against the rule, and draw what came of it."""
    plan = QUICK if effort.quick else FULL
    network = effort.options.get("model", "squeezenet1_1")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        effort.say(f"{plan.classes * plan.images_per_class} photographs, {network}")
        request = _request(folder, plan, network, effort)
        found = gather(request, Silent())
        pack = pack_in_memory(
            found.protocol,
            protocol_hash(found.protocol),
            "solutions",
            compose(found.protocol, found.material),
        )
    uncoverings = _uncoverings(found, pack)
    methods = found.protocol.reveal.methods
    exact = {method: _by_the_rule(found, uncoverings, method) for method in methods}
    counts = {
        method: [one.pixels for one in uncoverings if one.method == method] for method in methods
    }
    counts_picture(counts, PUBLISHED_PIXELS, effort.picture("pixels.png"))
    shown = _shown(found, QUICK_SHOWN if effort.quick else SHOWN)
    for method in methods:
        rows = [one for one in uncoverings if one.method == method and one.item in shown]
        steps_sheet(sorted(rows, key=lambda one: one.item), effort.picture(_sheet_file(method)))
    figures = {
        "network": network,
        "images": len(found.drawn.main),
        "players": PLAYERS,
        "protopnet_images": len(found.drawn.left),
        "exact": exact,
        "final": {method: _final(counts[method]) for method in methods},
        "facts": {method: _facts(pack, method) for method in methods},
    }
    return Measured(_text(figures, methods, effort), figures)


def _request(folder: Path, plan: Plan, network: str, effort: Effort) -> RevealRequest:
    """Return what the builder is asked for, as a lab would ask."""
    protocol = folder / "photographs.toml"
    rounds = plan.classes * plan.images_per_class
    training = "\n".join(f"{name} = {value}" for name, value in plan.training.items())
    protocol.write_text(
        'schema = "protocol/1.1"\nstudy = "progressive_reveal"\nname = "photographs"\n'
        f"[images]\nclasses = {plan.classes}\nimages_per_class = {plan.images_per_class}\n"
        f"[session]\nsittings = 1\nrounds_per_sitting = {rounds}\n"
        f"[system]\npatch_px = {plan.patch_px}\nstride_px = {plan.stride_px}\n"
        f"[training]\n{training}\n",
        encoding="utf-8",
    )
    source = imagenette() if not effort.quick else _few(folder, plan)
    weights = effort.options.get("weights")
    if weights is None and network in NETWORKS:
        weights = str(weights_of(network))
    return RevealRequest(
        protocol_file=protocol,
        source=str(source),
        model=network,
        weights=weights,
        robot_bubblers=PLAYERS,
        out=folder / "pack",
        device=effort.options.get("device", "cpu"),
    )


def _few(folder: Path, plan: Plan) -> Path:
    """Return a table of a few photographs of each of the first classes."""
    whole = imagenette()
    with whole.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    labels = sorted({row["label"] for row in rows})[: plan.classes]
    few = folder / "few.csv"
    with few.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["image", "label"])
        for label in labels:
            own = [row["file"] for row in rows if row["label"] == label]
            for file in own[: plan.images_per_class + 3]:
                writer.writerow([whole.with_suffix("") / file, label])
    return few


def _uncoverings(found: Gathered, pack: Pack) -> list[Uncovered]:
    """Return every main image by every method, as the pack's own files say it."""
    key = {row["presentation"]: row for row in pack.table(KEY)}
    main = {one.item for one in found.drawn.main}
    steps = found.protocol.reveal.steps
    return [
        Uncovered.of(key[row["presentation"]], row, pack, steps)
        for row in pack.table(ITEMS)
        if key[row["presentation"]]["item"] in main
    ]


def _by_the_rule(found: Gathered, uncoverings: Sequence[Uncovered], method: str) -> dict[str, int]:
    """Return how many images were uncovered exactly by the rule, step by step.

    The rule is written down once more, pixel by pixel and in whole numbers, from the
    paper's words and the protocol.
    """
    right_counts = right_order = right_end = 0
    own = [one for one in uncoverings if one.method == method]
    for one in own:
        maps = {
            name: resampled(mapped.maps[one.item], found.protocol.images.size_px)
            for name, mapped in found.by_method.items()
        }
        wanted = _wanted(found.protocol, method, maps)
        right_counts += list(one.pixels) == wanted
        right_order += _most_relevant_first(one, maps[method], found.protocol.reveal.steps)
        right_end += one.ran_out == (wanted[-1] < _asked(found.protocol, method, maps))
    return {
        "images": len(own),
        "counts": right_counts,
        "order": right_order,
        "ran_out_told": right_end,
    }


def _asked(protocol: ProgressiveReveal, method: str, maps: Mapping[str, np.ndarray]) -> int:
    """Return how many pixels the paper's rule asks for in the end."""
    image = protocol.images.size_px**2
    bubbled = _above_zero(maps[HUMAN])
    if method == HUMAN:
        return bubbled
    if method == PROTOTYPES:
        return image // 6
    return max(image // 10, bubbled)


def _wanted(protocol: ProgressiveReveal, method: str, maps: Mapping[str, np.ndarray]) -> list[int]:
    """Return how many pixels are to be uncovered at each step."""
    steps, asked = protocol.reveal.steps, _asked(protocol, method, maps)
    there = _above_zero(maps[method])
    wanted = []
    for step in range(1, steps + 1):
        exact = Fraction(step, steps) * asked
        whole = exact.numerator // exact.denominator
        wanted.append(min(there, whole if whole == exact else whole + 1))
    return wanted


def _above_zero(values: np.ndarray) -> int:
    return sum(1 for value in values.ravel().tolist() if value > 0)


def _most_relevant_first(one: Uncovered, relevance: np.ndarray, steps: int) -> bool:
    """Return whether no pixel comes before a more relevant one, and none without relevance."""
    before = np.inf
    for step in range(1, steps + 1):
        new = uncovered(one.step_of, step) & ~uncovered(one.step_of, step - 1)
        if not new.any():
            continue
        if relevance[new].max() > before or relevance[new].min() <= 0:
            return False
        before = relevance[new].min()
    rest = relevance[one.step_of == 0]
    return not rest.size or bool(rest.max() <= before)


def _shown(found: Gathered, count: int) -> set[str]:
    """Return the photographs of the sheets: the first of as many classes."""
    first: dict[str, str] = {}
    for one in found.drawn.main:
        first.setdefault(one.class_id, one.item)
    return set(list(first.values())[:count])


def _final(counts: Sequence[Sequence[int]]) -> Figures:
    final = np.array([one[-1] for one in counts]) / PUBLISHED_PIXELS
    return {
        "mean": float(final.mean()),
        "least": float(final.min()),
        "most": float(final.max()),
    }


def _facts(pack: Pack, method: str) -> Figures:
    rows = [
        row for row in pack.table(ITEM_TABLE) if row["method"] == method and row["use"] == "main"
    ]
    answered = [row["model_correct"] for row in rows if row["model_correct"] is not None]
    alike = [row["human_correlation"] for row in rows if row["human_correlation"] is not None]
    return {
        "right": sum(answered) if answered else None,
        "ran_out": sum(row["ran_out"] for row in rows),
        "correlation": float(np.mean(alike)) if alike else None,
    }


def _sheet_file(method: str) -> str:
    return f"steps_{method}.png"


def _text(figures: Figures, methods: Sequence[str], effort: Effort) -> str:
    rows = []
    for method in methods:
        exact, final, facts = (figures[name][method] for name in ("exact", "final", "facts"))
        rows.append(
            [
                method,
                f"{exact['counts']} of {exact['images']}",
                f"{exact['order']} of {exact['images']}",
                f"{exact['ran_out_told']} of {exact['images']}",
                f"{100 * final['mean']:.2f} % ({100 * final['least']:.2f} to "
                f"{100 * final['most']:.2f})",
                str(facts["ran_out"]),
                "–" if facts["right"] is None else f"{facts['right']}",
                "–" if facts["correlation"] is None else share(facts["correlation"]),
            ]
        )
    headings = [
        "method",
        "counts as the rule says at every step",
        "most relevant first",
        "told where relevance ran out",
        "uncovered in the end",
        "ran out",
        "model right",
        "correlation with human",
    ]
    sheets = "\n\n".join(
        f"{method}:\n\n"
        + effort.shown(_sheet_file(method), f"Photographs uncovered by {method}, step by step")
        for method in methods
    )
    return "\n\n".join(
        [
            f"{figures['images']} photographs of Imagenette (160 px), {figures['network']}, as "
            "`build progressive_reveal` makes a pack of them. **There are no people's maps of "
            f"these photographs: human maps are simulated**, {figures['players']} robots that "
            "bubble what stands out from its surround, whatever the class. ProtoPNet learnt from "
            f"{figures['protopnet_images']} photographs that aren't shown. Every count is held "
            "against the rule as it is written down once more, in whole numbers and pixel by "
            "pixel: ⌈k/15 · total⌉ at step k; human all bubbled pixels; lrp and occlusion a tenth "
            "of the image, or as many as human where that is more; protopnet a sixth; less where "
            "no positive relevance is left.",
            table(headings, rows),
            "Pixels at each step, as in the paper's Figure 4 (there with ClickMe's maps); where "
            "human ends above a tenth, lrp and occlusion follow it:",
            effort.shown("pixels.png", "Violins of uncovered pixels by step and method"),
            "What is uncovered, step by step; the last column is the whole photograph.",
            sheets,
        ]
    )


PARTS = (Part("schedules", "Photographs, step by step", measure),)

"""Real photographs uncovered by each method: counts by the rule, to the pixel, and how it looks."""

import csv
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.book import Effort, Measured, Part, table
from bench.parts.reveal_fragments import fragments_by_hash, fragments_of, fragments_text
from bench.parts.reveal_pictures import Uncovered, counts_picture, steps_sheet
from bench.parts.reveal_rule import by_the_rule
from bench.parts.words import share
from bench.parts.xai_data import NETWORKS, imagenette, weights_of
from stimuli.names import method_name
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.progressive_reveal.compose import compose
from stimuli.studies.progressive_reveal.protocol import HUMAN, PROTOTYPES
from stimuli.studies.progressive_reveal.tables import CURVES, ITEM_TABLE, ITEMS, KEY
from stimuli.workers import Workers
from xai_backend.progress import Silent
from xai_backend.studies.progressive_reveal.build import Gathered, gather
from xai_backend.studies.progressive_reveal.request import RevealRequest

Figures = dict[str, Any]
PLAYERS = 5
SHOWN, QUICK_SHOWN = 4, 2
"""Photographs on each sheet."""
PUBLISHED_PIXELS = 65536
OFF_THE_OBJECT = 1.5
"""Below so many times of what chance would show, a method is said to miss the object."""
RULE = (
    "Every count is compared with a second, slow implementation of the rule, pixel by pixel: "
    "⌈k/15 · total⌉ at step k; all bubbled pixels for human; a tenth of the image for lrp and "
    "occlusion, or as many as human if that is more; a sixth for protopnet; fewer if no positive "
    "relevance is left."
)


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
        "warm_epochs": 8,
        "cycles": 2,
        "joint_epochs": 4,
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


def photographs(effort: Effort) -> Measured:
    """Uncover real photographs, hold every count against the rule, and draw what came of it."""
    plan = QUICK if effort.quick else FULL
    network = effort.options.get("model", "squeezenet1_1")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        effort.say(f"{plan.classes * plan.images_per_class} photographs, {network}")
        found, figures = _uncovered_by_all(_request(folder, plan, network, effort), effort, "")
    figures |= {"network": network, "learnt_from": len(found.drawn.left)}
    return Measured(_text(_intro(figures), figures, effort, ""), figures)


def digits(effort: Effort) -> Measured:
    """The same for the pack of digits that needs nothing."""
    with tempfile.TemporaryDirectory() as name:
        request = RevealRequest(out=Path(name) / "pack", protocol_file=_few_digits(name, effort))
        effort.say("digits")
        _, figures = _uncovered_by_all(request, effort, "digits_")
    return Measured(_text(_digits_intro(figures), figures, effort, "digits_"), figures)


def _uncovered_by_all(
    request: RevealRequest, effort: Effort, prefix: str
) -> tuple[Gathered, Figures]:
    """Return what the builder makes, how exact it is, and draw it."""
    found = gather(request, Silent())
    pack = pack_in_memory(
        found.protocol,
        protocol_hash(found.protocol),
        "solutions",
        compose(found.protocol, found.material),
    )
    uncoverings = _uncoverings(found, pack)
    methods = found.protocol.reveal.methods
    counts = {
        method: [uncovering.pixels for uncovering in uncoverings if uncovering.method == method]
        for method in methods
    }
    counts_picture(counts, PUBLISHED_PIXELS, effort.picture(f"{prefix}pixels.png"))
    shown = _shown(found, QUICK_SHOWN if effort.quick else SHOWN)
    for method in methods:
        rows = [
            uncovering
            for uncovering in uncoverings
            if uncovering.method == method and uncovering.item in shown
        ]
        path = effort.picture(_sheet_file(prefix, method))
        steps_sheet(sorted(rows, key=lambda one: one.item), path)
    figures: Figures = {
        "images": len(found.drawn.main),
        "methods": list(methods),
        "human": found.by_method[HUMAN].about,
        "exact": {method: by_the_rule(found, uncoverings, method) for method in methods},
        "final": {method: _final(counts[method]) for method in methods},
        "facts": {method: _facts(pack, method) for method in methods},
        "object_share": {method: _object_shares(found, pack, method) for method in methods},
        "fragments": {method: fragments_of(found, pack, method) for method in methods},
        "fragments_by_hash": fragments_by_hash(found),
    }
    return found, figures


def _request(folder: Path, plan: Plan, network: str, effort: Effort) -> RevealRequest:
    """Return what the builder is asked for, as a lab would ask."""
    protocol = folder / "photographs.toml"
    protocol.write_text(_protocol_text(plan, "photographs"), encoding="utf-8")
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
        workers=Workers(here=True) if effort.quick else None,
    )


def _protocol_text(plan: Plan, name: str) -> str:
    rounds = plan.classes * plan.images_per_class
    training = "\n".join(f"{field} = {value}" for field, value in plan.training.items())
    return (
        f'schema = "protocol/1.0"\nstudy = "progressive_reveal"\nname = "{name}"\n'
        f"[images]\nclasses = {plan.classes}\nimages_per_class = {plan.images_per_class}\n"
        f"[session]\nsittings = 1\nrounds_per_sitting = {rounds}\n"
        f"[system]\npatch_px = {plan.patch_px}\nstride_px = {plan.stride_px}\n"
        f"[training]\n{training}\n"
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


def _object_shares(found: Gathered, pack: Pack, method: str) -> list[float]:
    """Return the mean share of what is the object that is uncovered, by step."""
    main = {one.item for one in found.drawn.main}
    rows = [r for r in pack.table(CURVES) if r["method"] == method and r["item"] in main]
    steps = range(1, found.protocol.reveal.steps + 1)
    return [float(np.mean([r["object_share"] for r in rows if r["step"] == k])) for k in steps]


def _few_digits(folder: str, effort: Effort) -> Path | None:
    """Return a protocol of a few digits for the quick form; None for the defaults."""
    if not effort.quick:
        return None
    path = Path(folder) / "few.toml"
    path.write_text(
        _protocol_text(replace(QUICK, patch_px=28, stride_px=14), "digits"), encoding="utf-8"
    )
    return path


def _sheet_file(prefix: str, method: str) -> str:
    return f"{prefix}steps_{method}.png"


def _intro(figures: Figures) -> str:
    return (
        f"{figures['images']} photographs of Imagenette (160 px), {figures['network']}, as "
        "`build progressive_reveal` makes a pack of them. **There are no people's maps of "
        f"these photographs: human maps are simulated**, {figures['human']['players']} robots "
        "that move a brush over what differs from its surroundings, regardless of the class. "
        "ProtoPNet learnt "
        f"from {figures['learnt_from']} photographs that aren't shown{_learnt(figures)}. {RULE}"
    )


def _learnt(figures: Figures) -> str:
    """Return what is to be known of a ProtoPNet that is right less often than the network."""
    own, plain = (figures["facts"][method]["right"] for method in (PROTOTYPES, "lrp"))
    if own >= plain:
        return ""
    return (
        f"; of those shown it names {own} correctly, the network {plain} (of a thousand classes): "
        "what it uncovers says little of what people could recognise by a ProtoPNet that has "
        "learnt enough"
    )


def _digits_intro(figures: Figures) -> str:
    shares = {method: values[-1] for method, values in figures["object_share"].items()}
    seen = ", ".join(f"{method_name(method)} {share(value)}" for method, value in shares.items())
    final = figures["final"][PROTOTYPES]["mean"]
    off_the_digit = (
        f" ProtoPNet, with {share(final)} of the image, shows little more of the digit than any "
        "part of that size would: where the small network is most like a prototype there is "
        "often ground beside a stroke."
        if shares[PROTOTYPES] < OFF_THE_OBJECT * final
        else ""
    )
    return (
        f"{figures['images']} embedded digits, as `build progressive_reveal` makes a pack of "
        "them without other data. **Human maps are simulated**: "
        f"{figures['human']['players']} robots that move a brush over the digit. "
        f"{RULE}\n\n"
        f"Mean share of the digit's pixels that the last step shows: {seen}.{off_the_digit}"
    )


def _text(intro: str, figures: Figures, effort: Effort, prefix: str) -> str:
    methods = figures["methods"]
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
        f"**{method_name(method)[0].upper()}{method_name(method)[1:]}**\n\n"
        + effort.shown(_sheet_file(prefix, method), f"Uncovered by {method}, step by step")
        for method in methods
    )
    return "\n\n".join(
        [
            intro,
            table(headings, [_row(figures, method) for method in methods]),
            "Pixels at each step, as in the paper's Figure 4 (with ClickMe's maps); the line is "
            "the median. If human ends above a tenth, lrp and occlusion follow it:",
            effort.shown(f"{prefix}pixels.png", "Violins of uncovered pixels by step and method"),
            fragments_text(figures),
            "The uncovered area at each step; the last picture is the whole image. Pictures have "
            "half their size, averaged in linear light.",
            sheets,
        ]
    )


def _row(figures: Figures, method: str) -> list[str]:
    exact, final, facts = (figures[name][method] for name in ("exact", "final", "facts"))
    return [
        method_name(method),
        *(f"{exact[what]} of {exact['images']}" for what in ("counts", "order", "ran_out_told")),
        f"{100 * final['mean']:.2f} % ({100 * final['least']:.2f} to {100 * final['most']:.2f})",
        str(facts["ran_out"]),
        "–" if facts["right"] is None else f"{facts['right']} of {figures['images']}",
        "–" if facts["correlation"] is None else share(facts["correlation"]),
    ]


PARTS = (
    Part("schedules", "Photographs, step by step", photographs),
    Part("digits", "Digits, step by step", digits),
)

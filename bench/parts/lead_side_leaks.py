"""How well a classifier tells the solver from what a lead gets, and from a region's shape."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from bench.book import Effort, Measured, Part, table
from stimuli.pack import Pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import sketch
from tests.stimuli.studies.accept_reject.built import SMALL_WORDS, build_small
from tests.stimuli.studies.accept_reject.lead_side import guessing, lead_side, seconds_to_draw

KINDS = ("items", "size", "order", "area", "abstention", "timing")
WORDS = {
    "items": "ids, names, place in the table, label",
    "size": "sizes of files",
    "order": "position in the run",
    "area": "area of the region",
    "abstention": "“no solution”, no region",
    "timing": "time to draw the contour",
}
TRIALS, QUICK_TRIALS = 120, 30


def lead_side_part(effort: Effort) -> Measured:
    """Areas under the curve by kind of feature, on a sketch and on a pack that was built."""
    trials = QUICK_TRIALS if effort.quick else TRIALS
    changes = {
        "plates": {"source": "uci", "axes": ["deutan"]},
        "solutions": {"trials_per_run": trials},
    }
    found = {
        "sketch": guessed(sketch(load_protocol("accept_reject", changes=changes), [("deutan", 3)]))
    }
    words = f"a sketch with {trials} trials a run"
    if not effort.quick:
        effort.say("a pack is built")
        with tempfile.TemporaryDirectory() as folder:
            found["built"] = guessed(build_small(Path(folder)).pack)
        words += f", and a pack that was really built ({SMALL_WORDS})"
    return Measured(_text(found, words), {"trials_per_run": trials, **found})


def guessed(pack: Pack) -> dict[str, Any]:
    """Return area and limit by kind of feature."""
    seen = seen_by_leads(pack)
    figures: dict[str, Any] = {"rows": len(seen)}
    for kinds in (*((kind,) for kind in KINDS), KINDS, ("shape",)):
        area, limit = guessing(seen, kinds)
        figures[kinds[0] if len(kinds) == 1 else "all"] = {"area": area, "limit": limit}
    return figures


def _text(found: Mapping[str, dict[str, Any]], words: str) -> str:
    names = [*KINDS, "all"]
    lines = [
        [WORDS.get(name, "all of these")]
        + [f"{one[name][key]:.3f}" for one in found.values() for key in ("area", "limit")]
        for name in names
    ]
    heads = ["what is used", *(f"{of}, {what}" for of in found for what in ("area", "limit"))]
    inside = all(one[name]["area"] < one[name]["limit"] for one in found.values() for name in names)
    verdict = "Every one lies" if inside else "Not every one lies"
    shapes = " and ".join(f"{one['shape']['area']:.2f} ({of})" for of, one in found.items())
    return (
        f"Explained solutions of S and E at one rung of {words}. Extremely randomised trees guess "
        "the solver, cross-validated over plates. The table gives the area under the ROC curve, "
        "and the limit that random guessing stays below (p < .0005).\n\n"
        + table(heads, lines)
        + f"\n\n{verdict} below its limit. The table leaves out the form and the position of the "
        "region. If regions are drawn with free outlines, the trees tell S’s from E’s by these "
        f"(perimeter, parts, holes, thickness, roughness, place), with an area of {shapes}. They "
        "need labelled examples for it, which leads don’t get. "
        '`outline = "discs"`, the default, gives all regions the same form (next section). The '
        "position remains, since it is what the explanation says. The guesses at the end of a "
        "session and the blinding indices measure what leads make of it."
    )


def seen_by_leads(pack: Pack) -> pd.DataFrame:
    """Return explained trials of the pack's lower rung, with the time to draw each."""
    seen = lead_side(pack)
    seen = seen[seen["explained"] & (seen["items_rung"] == seen["items_rung"].min())]
    seen = seen[seen["abstention_no_region"] == 0].reset_index(drop=True)
    return seen.assign(timing_draw_s=seconds_to_draw(pack, seen))


PARTS = (Part("lead_side", "What leads get doesn't tell the solver", lead_side_part),)

"""How well a classifier tells the solver from what a lead gets, and from a region's shape."""

from typing import Any

import pandas as pd

from stimuli.pack import Pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import sketch
from tests.bench.book import Effort, Measured, Part, table
from tests.stimuli.accept_reject.lead_side import guessing, lead_side, seconds_to_draw

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
    """Areas under the curve by kind of feature, on a sketch of full size."""
    trials = QUICK_TRIALS if effort.quick else TRIALS
    changes = {
        "plates": {"source": "uci", "axes": ["deutan"]},
        "solutions": {"trials_per_run": trials},
    }
    pack = sketch(load_protocol("accept_reject", changes=changes), [("deutan", 3)])
    seen = seen_by_leads(pack)
    figures: dict[str, Any] = {"trials_per_run": trials, "rows": len(seen)}
    lines = []
    for kinds in (*((kind,) for kind in KINDS), KINDS):
        area, limit = guessing(seen, kinds)
        name = kinds[0] if len(kinds) == 1 else "all"
        figures[name] = {"area": area, "limit": limit}
        lines.append([WORDS.get(name, "all of these"), f"{area:.3f}", f"{limit:.3f}"])
    shape, limit = guessing(seen, ("shape",))
    figures["shape"] = {"area": shape, "limit": limit}
    inside = all(figures[name]["area"] < limit for name in (*KINDS, "all"))
    verdict = "Every one lies" if inside else "Not every one lies"
    text = (
        f"Explained solutions of S and E of one rung of a sketch with {trials} trials a run. "
        "Extremely randomised trees guess the solver, cross-validated over plates: area under the "
        "ROC curve, and the limit below which guessing by lot stays (p < .0005).\n\n"
        + table(["what is used", "area under the curve", "limit"], lines)
        + f"\n\n{verdict} below its limit. What is left is the shape of the region itself: given "
        f"labelled examples the same trees tell S’s regions from E’s at {shape:.2f} by outline "
        "(perimeter, parts, holes, thickness, roughness, place). Area, smoothing, line and file "
        "are the same for both; where a region lies is what its explanation says, and can’t be "
        "made equal without taking the explanation away. Leads get no labelled examples; what "
        "they make of shapes is what the guesses at the session’s end and the blinding indices "
        "measure."
    )
    return Measured(text, figures)


def seen_by_leads(pack: Pack) -> pd.DataFrame:
    """Return explained trials of the pack's lower rung, with the time to draw each."""
    seen = lead_side(pack)
    seen = seen[seen["explained"] & (seen["items_rung"] == seen["items_rung"].min())]
    seen = seen[seen["abstention_no_region"] == 0].reset_index(drop=True)
    return seen.assign(timing_draw_s=seconds_to_draw(pack, seen))


PARTS = (Part("lead_side", "Nothing on the lead's side tells the solver", lead_side_part),)

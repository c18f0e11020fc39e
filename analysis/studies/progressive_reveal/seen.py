"""What was shown: which images of the pack stand for all, and their pictures."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from analysis.report.seen import Pixels, at_most, picture_of
from analysis.studies.progressive_reveal.trials import RoundTable
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.reveal import shown
from stimuli.studies.progressive_reveal.tables import CLASSES, ITEMS, KEY

Row = Mapping[str, Any]

SHOWN_STEPS: Final = 5
QUARTERS: Final = (0.25, 0.75)
"""Of the images, ordered by what the reference uncovers in the end, those that are shown."""
MOST_CLASSES: Final = 8
LARGE_PX, SMALL_PX = 256, 160


def seen_results(
    pack: Pack | None, table: RoundTable, images: Sequence[Row]
) -> dict[str, Any] | None:
    """Return which images the figures show, and at which steps; None without a pack.

    Parameters
    ----------
    pack
        With its pictures.
    table
        The analysed rounds.
    images
        Image × method: rounds, recognised ones, mean share.

    Returns
    -------
    dict
        ``reveals``: two images with less and more to uncover, step by step; ``examples``: of the
        classes in which methods differ most the image on which they do, uncovered as far as it
        was on average; ``classes``: of how many these are the first.
    """
    if pack is None:
        return None
    names = {one.class_id: one.name for one in Classes.of(pack.table(CLASSES), "en").names}
    key = [row for row in pack.table(KEY) if row["method"] in table.methods]
    class_of = {str(row["item"]): str(row["class"]) for row in key}
    there = {item: {str(row["method"]) for row in key if row["item"] == item} for item in class_of}
    items = [item for item in table.items if there.get(item, set()) >= set(table.methods)]
    return {
        "reveals": [_reveal(table, item, names[class_of[item]]) for item in _typical(table, items)],
        "examples": _examples(table, items, images, {i: names[c] for i, c in class_of.items()}),
        "classes": len({class_of[item] for item in items}),
    }


def _typical(table: RoundTable, items: Sequence[str]) -> list[str]:
    last = {item: table.amounts[table.items.index(item), 0, -1] for item in items}
    ordered = sorted((item for item in items if np.isfinite(last[item])), key=lambda i: last[i])
    places = [round(quarter * (len(ordered) - 1)) for quarter in QUARTERS]
    return list(dict.fromkeys(ordered[place] for place in places)) if ordered else []


def _reveal(table: RoundTable, item: str, name: str) -> dict[str, Any]:
    steps = np.unique(np.linspace(1, table.steps, SHOWN_STEPS).round().astype(int))
    amounts = table.amounts[table.items.index(item)]
    return {
        "item": item,
        "name": name,
        "rows": [
            {"method": method, "step": int(step), "share": float(amounts[m, step - 1])}
            for m, method in enumerate(table.methods)
            for step in steps
        ],
    }


def _examples(
    table: RoundTable, items: Sequence[str], images: Sequence[Row], name_of: Mapping[str, str]
) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for item in items:
        own = {row["method"]: row for row in images if row["item"] == item}
        if set(own) < set(table.methods):
            continue
        shares = [own[method]["share"] for method in table.methods]
        spread = max(shares) - min(shares)
        name = name_of[item]
        if name not in found or spread > found[name]["spread"]:
            cells = [_cell(table, item, own[method]) for method in table.methods]
            found[name] = {"item": item, "name": name, "spread": spread, "rows": cells}
    most = sorted(found.values(), key=lambda one: -one["spread"])[:MOST_CLASSES]
    return sorted(most, key=lambda one: one["name"])


def _cell(table: RoundTable, item: str, row: Row) -> dict[str, Any]:
    """Return the step by which so much is uncovered as was on average."""
    course = table.amounts[table.items.index(item), table.methods.index(row["method"])]
    reached = np.flatnonzero(course >= row["share"] - 1e-9)
    step = int(reached[0]) + 1 if len(reached) else table.steps
    names = ("method", "share", "n", "recognised")
    return {"step": step, **{name: row[name] for name in names}}


def pictures(pack: Pack, results: Mapping[str, Any]) -> dict[tuple[str, str, int], Pixels]:
    """Return each picture of the figures by image, method and step; whole images at step 0."""
    key = {(str(r["item"]), str(r["method"])): str(r["presentation"]) for r in pack.table(KEY)}
    files = {str(row["presentation"]): row for row in pack.table(ITEMS)}
    found: dict[tuple[str, str, int], Pixels] = {}
    seen = results["seen"]
    for one, side_px in (
        *((one, LARGE_PX) for one in seen["reveals"]),
        *((one, SMALL_PX) for one in seen["examples"]),
    ):
        for row in one["rows"]:
            place = (one["item"], row["method"])
            file = files[key[place]]
            image = picture_of(pack.asset(str(file["image_file"])))
            step_of = picture_of(pack.asset(str(file["steps_file"])), "L")
            found[*place, row["step"]] = at_most(shown(image, step_of, row["step"]), side_px)
            found[one["item"], "", 0] = at_most(image, side_px)
    return found

"""Small packs for tests: a protocol at hand, sketched shapes, rows put together."""

from functools import cache

from stimuli.pack import Pack
from stimuli.protocol import load_protocol
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.sketch import sketch
from stimuli.studies.progressive_reveal.tables import ITEMS, KEY, LISTS

SMALL = {
    "images": {"size_px": 32, "classes": 4, "images_per_class": 3},
    "session": {
        "sittings": 2, "rounds_per_sitting": 6, "orders_per_rotation": 2, "catch_rounds": 0,
    },
    "practice": {"answered_share": 0.0, "right_share": 0.0},
}  # fmt: skip


def protocol_of(**changes) -> ProgressiveReveal:
    """Return the study's protocol, small, with changes by section or of a field."""
    merged = {**SMALL}
    for key, change in changes.items():
        merged[key] = {**SMALL.get(key, {}), **change} if isinstance(change, dict) else change
    return load_protocol("progressive_reveal", None, merged)


@cache
def small_sketch() -> Pack:
    return sketch(protocol_of())


def shown_in(pack: Pack) -> dict[str, list[dict]]:
    """Return each list's rows of lists, items and key put together."""
    key = {row["presentation"]: row for row in pack.table(KEY)}
    items = {row["presentation"]: row for row in pack.table(ITEMS)}
    lists: dict[str, list[dict]] = {}
    for row in pack.table(LISTS):
        name = row["presentation"]
        lists.setdefault(row["list"], []).append({**row, **key[name], **items[name]})
    return lists

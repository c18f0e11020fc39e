"""Nothing on the shown side of a pack tells whether the AI is right: a classifier tries."""

from collections.abc import Sequence
from functools import cache

import pandas as pd
import pytest

from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import load_protocol, protocol_hash
from stimuli.studies.human_ai_team.sketch import sketch
from stimuli.studies.human_ai_team.tables import HELPS, ITEMS, KEY, LISTS
from tests.stimuli.guessing import lot_limit, taught_area
from tests.stimuli.studies.human_ai_team.shown_side import shown_side

KINDS = ("ids", "names", "sizes", "order", "position")
TRUTHS = ("ai_correct", "adversarial")
TABLES = ((ITEMS, "items.csv"), (HELPS, "helps.csv"), (LISTS, "lists.csv"), (KEY, "key.csv"))


SEEDS = (1, 2, 3, 4)
"""Of packs that a classifier learns from, and last of the one that it is asked about."""


@cache
def published(seed: int) -> Pack:
    """The published design in small pictures: 450 images, 150 of which the AI is right on."""
    small = {"size_px": 28, "resize_px": 28}
    return sketch(load_protocol("human_ai_team", None, {"seed": seed, "images": small}))


@cache
def seen(seed: int) -> pd.DataFrame:
    return shown_side(published(seed))


def guessing(packs: Sequence[pd.DataFrame], kinds: tuple[str, ...], of: str) -> tuple[float, float]:
    """Return how well the last pack's truth is guessed, and what guessing by lot stays below."""
    taught, asked = (
        (table[[name for name in table if name.startswith(kinds)]], table[of].to_numpy(dtype=bool))
        for table in (pd.concat(packs[:-1]), packs[-1])
    )
    trues = int(asked[1].sum())
    return taught_area(taught, asked), lot_limit(trues, len(asked[1]) - trues)


ALONE = [pytest.param((kind,), marks=pytest.mark.slow) for kind in KINDS]


@pytest.mark.parametrize("of", TRUTHS)
@pytest.mark.parametrize("kinds", [*ALONE, KINDS], ids="+".join)
def test_nothing_tells_whether_the_ai_is_right(kinds, of):
    area, limit = guessing([seen(seed) for seed in SEEDS], kinds, of)
    assert area < limit < 0.62


def leaking(pack: Pack, change) -> Pack:
    """Return a pack with its files changed by ``change(files, is_right)``."""
    files = {path: pack.read_asset(path) for path in pack.manifest.files}
    change(files, {row["presentation"]: row["ai_correct"] for row in pack.table(KEY)})
    return pack_in_memory(pack.protocol, protocol_hash(pack.protocol), "solutions", files)


def numbered_ids(files, is_right):
    """Ids of images that the AI gets right begin with a zero."""
    for table, path in TABLES:
        rows = table.from_csv(files[path], path)
        for row in rows:
            if is_right[row["presentation"]]:
                row["presentation"] = f"p0{row['presentation'][2:]}"
        files[path] = table.to_csv(rows)


def fewer_examples(files, is_right):
    """Two examples in place of three where the AI is wrong."""
    rows = HELPS.from_csv(files["helps.csv"], "helps")
    kept = [row for row in rows if row["place"] < 3 or is_right[row["presentation"]]]
    files["helps.csv"] = HELPS.to_csv(kept)


def longer_images(files, is_right):
    """Files of images that the AI gets wrong are sixteen bytes longer."""
    for row in ITEMS.from_csv(files["items.csv"], "items"):
        if not is_right[row["presentation"]]:
            files[row["image_file"]] += bytes(16)


def grouped_lines(files, is_right):
    """Wrong answers at the end of items.csv."""
    rows = ITEMS.from_csv(files["items.csv"], "items")
    files["items.csv"] = ITEMS.to_csv(sorted(rows, key=lambda row: is_right[row["presentation"]]))


def wrong_first(files, is_right):
    """Wrong answers in the first part of each sheet."""
    rows = LISTS.from_csv(files["lists.csv"], "lists")
    main = [row for row in rows if row["phase"] == "main"]
    main.sort(key=lambda row: (row["list"], is_right[row["presentation"]]))
    for nth, row in enumerate(main):
        row["position"] = 16 + nth % 30
    files["lists.csv"] = LISTS.to_csv(main)


@pytest.mark.parametrize(
    ("leak", "kind"),
    [
        (numbered_ids, "ids"),
        (fewer_examples, "sizes"),
        (longer_images, "sizes"),
        (grouped_lines, "order"),
        (wrong_first, "position"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_leak_is_found(leak, kind):
    """The same guesser, on a pack that was made to leak."""
    packs = [shown_side(leaking(published(seed), leak)) for seed in SEEDS[-2:]]
    area, limit = guessing(packs, (kind,), "ai_correct")
    assert area > limit

"""Nothing on the shown side tells the output that is to be predicted: a classifier tries."""

from functools import cache

import pandas as pd
import pytest

from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import load_protocol, protocol_hash
from stimuli.studies.simulatability.sketch import sketch
from stimuli.studies.simulatability.tables import EXPLANATIONS, ITEMS, KEY, LISTS
from tests.stimuli.guessing import lot_limit, taught_area
from tests.stimuli.studies.simulatability.shown_side import shown_side

KINDS = ("ids", "cells", "order", "position", "helps")
USES = ("forward", "counterfactual")
SEEDS = (1, 2, 3, 4)
"""Of packs that a classifier learns from, and last of the one that it is asked about."""
TABLES = ((ITEMS, "items.csv"), (EXPLANATIONS, "explanations.csv"), (LISTS, "lists.csv"),
          (KEY, "key.csv"))  # fmt: skip


@cache
def published(seed: int) -> Pack:
    """The published design in one arm, with more items."""
    changes = {
        "seed": seed,
        "items": {"per_test": 160},
        "design": {"methods": ["lime"]},
    }
    return sketch(load_protocol("simulatability", None, changes))


@cache
def seen(seed: int) -> pd.DataFrame:
    return shown_side(published(seed))


def guessing(packs, kinds, of, use):
    """Return how well the last pack's truth is guessed, and what guessing by lot stays below."""
    own = [table[table["use"] == use] for table in packs]
    taught, asked = (
        (table[[name for name in table if name.startswith(kinds)]], table[of].to_numpy(dtype=bool))
        for table in (pd.concat(own[:-1]), own[-1])
    )
    trues = int(asked[1].sum())
    # An item stands on the sheet twice, before and after explanations.
    return taught_area(taught, asked), lot_limit(trues // 2, (len(asked[1]) - trues) // 2)


ALONE = [pytest.param((kind,), marks=pytest.mark.slow) for kind in KINDS]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("kinds", [*ALONE, KINDS], ids="+".join)
def test_nothing_tells_the_output(kinds, use):
    area, limit = guessing([seen(seed) for seed in SEEDS], kinds, "positive", use)
    assert area < limit < 0.62


def test_nothing_tells_which_change_flips_the_output():
    area, limit = guessing([seen(seed) for seed in SEEDS], KINDS, "flips", "counterfactual")
    assert area < limit


def leaking(pack: Pack, change) -> Pack:
    """Return a pack with its files changed by ``change(files, is_positive)``."""
    files = {path: pack.read_asset(path) for path in pack.manifest.files}
    said = {
        row["presentation"]: row["output"] in ("positive", "granted") for row in pack.table(KEY)
    }
    change(files, said)
    return pack_in_memory(pack.protocol, protocol_hash(pack.protocol), "solutions", files)


def changed_table(files, table, path, change):
    files[path] = table.to_csv(change(table.from_csv(files[path], path)))


def numbered_ids(files, said):
    """Ids of positive outputs begin with a zero."""

    def renamed(rows):
        for row in rows:
            if said[row["presentation"]]:
                row["presentation"] = f"p0{row['presentation'][2:]}"
        return rows

    for table, path in TABLES:
        changed_table(files, table, path, renamed)


def told_outputs(files, said):
    """The output on the changed input stands where that on the original should."""

    def told(rows):
        for row in rows:
            positive = said[row["presentation"]]
            names = {"text": ("negative", "positive"), "tabular": ("refused", "granted")}
            row["shown_output"] = names[row["domain"]][positive]
        return rows

    changed_table(files, ITEMS, "items.csv", told)


def grouped_lines(files, said):
    """Positive outputs at the end of items.csv."""
    changed_table(
        files,
        ITEMS,
        "items.csv",
        lambda rows: sorted(rows, key=lambda row: said[row["presentation"]]),
    )


def positive_first(files, said):
    """Positive outputs first in each section."""

    def moved(rows):
        rows.sort(key=lambda row: (row["section"], row["arm"], not said[row["presentation"]]))
        for place, row in enumerate(rows):
            row["position"] = place % 160 + 1
        return rows

    tested = lambda rows: [row for row in rows if "learning" not in row["section"]]  # noqa: E731
    changed_table(files, LISTS, "lists.csv", lambda rows: moved(tested(rows)))


def fewer_explanations(files, said):
    """No explanation where the output is negative."""
    changed_table(
        files,
        EXPLANATIONS,
        "explanations.csv",
        lambda rows: [row for row in rows if said[row["presentation"]]],
    )


@pytest.mark.parametrize(
    ("leak", "kind"),
    [
        (numbered_ids, "ids"),
        (told_outputs, "cells"),
        (grouped_lines, "order"),
        (positive_first, "position"),
        (fewer_explanations, "helps"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_leak_is_found(leak, kind):
    """The same guesser, on a pack that was made to leak."""
    packs = [shown_side(leaking(published(seed), leak)) for seed in SEEDS[-2:]]
    area, limit = guessing(packs, (kind,), "positive", "counterfactual")
    assert area > limit

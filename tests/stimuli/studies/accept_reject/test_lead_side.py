"""Nothing on the lead's side of a pack tells who solved a plate: a classifier tries.

The outline of a region is left out: its form tells unless the protocol draws discs
(tests/slow/test_built_pack_blinding.py), and where it lies is what the explanation says. How well
each tells the source is measured in docs/accept_reject_truth.md.
"""

from functools import cache

import numpy as np
import pytest

from stimuli.images.sets import NO_SOLUTION
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject.sketch import SketchRates, sketch
from stimuli.studies.accept_reject.tables import ITEM_TABLE, ITEMS, KEY, LISTS
from tests.stimuli.studies.accept_reject.conftest import SMALL, small_protocol
from tests.stimuli.studies.accept_reject.lead_side import guessing, lead_side

KINDS = ("items", "size", "order", "area", "abstention")


@cache
def built() -> Pack:
    """A pack of 48 solved plates in four lists; E abstains often, S errs often."""
    solutions = {**SMALL["solutions"], "trials_per_run": 40}
    shares = {"S": 0.3, "E": 0.3, "wrong_digit": 0.2, "right_digit": 0.06, "no_numeral": 0.06,
              "high_contrast": 0.04, "no_solution": 0.04}  # fmt: skip
    protocol = small_protocol(seed=3, solutions={**solutions, "shares": shares})
    return sketch(protocol, [("deutan", 1)], SketchRates(expert_abstention=0.15, system_error=0.2))


@cache
def seen(change=None):
    """Return what the leads of one rung see, of the pack that was made to leak or of the honest."""
    table = lead_side(leaking(change) if change else built())
    return table[table["items_rung"] == 1].reset_index(drop=True)


ALONE = [pytest.param((kind,), marks=pytest.mark.slow) for kind in KINDS]


@pytest.mark.parametrize("kinds", [*ALONE, KINDS], ids="+".join)
@pytest.mark.parametrize("explained", [False, True])
def test_no_feature_tells_the_solver(kinds, explained):
    """Area under the curve below the limit that guessing by lot keeps (p < .0005)."""
    table = seen()
    area, limit = guessing(table[table["explained"] == explained], kinds)
    assert area < limit < 0.70


def test_abstention_is_as_frequent_for_both():
    """Exactly over all plates of a rung; of those that S and E solve, to within two plates."""
    rows = [row for row in built().table(ITEM_TABLE) if row["rung"] == 1]
    silent = {
        solver: sum(row[label] == NO_SOLUTION for row in rows)
        for solver, label in (("S", "model_label"), ("E", "expert_label"))
    }
    assert silent["S"] == silent["E"] > 0
    table = seen()
    rates = table.groupby("solver")["abstention_word"].mean()
    assert rates["E"] > 0.05
    assert abs(rates["S"] - rates["E"]) <= 2.001 / table["item"].nunique()


def leaking(change) -> Pack:
    """Return the pack with its files changed by ``change(files, solver_of)``."""
    pack = built()
    files = {path: pack.read_asset(path) for path in pack.manifest.files}
    solver_of = {row["presentation"]: row["solver"] for row in pack.table(KEY)}
    change(files, solver_of)
    return pack_in_memory(pack.protocol, protocol_hash(pack.protocol), "solutions", files)


def regions_of(files, solver_of, solver):
    rows = ITEMS.from_csv(files["items.csv"], "items")
    return [r["region_file"] for r in rows
            if solver_of[r["presentation"]] == solver and r["region_file"]]  # fmt: skip


def larger_areas(files, solver_of):
    """A thousand more pixels in each of S's regions: areas not yoked."""
    for path in regions_of(files, solver_of, "S"):
        bits = np.unpackbits(np.frombuffer(files[path], dtype=np.uint8))
        bits[np.flatnonzero(bits == 0)[5000:6000]] = 1
        files[path] = np.packbits(bits).tobytes()


def system_first(files, solver_of):
    """S's trials in the first half of each run."""
    rows = LISTS.from_csv(files["lists.csv"], "lists")
    rank = {"S": 0, "control": 1, "E": 2}
    rows.sort(key=lambda r: (r["list"], r["run"], rank[solver_of[r["presentation"]]]))
    place = {}
    for row in rows:
        at = (row["list"], row["run"])
        place[at] = row["position"] = place.get(at, 0) + 1
    files["lists.csv"] = LISTS.to_csv(rows)


def grouped_lines(files, solver_of):
    """E's lines at the end of items.csv."""
    rows = ITEMS.from_csv(files["items.csv"], "items")
    rows.sort(key=lambda r: solver_of[r["presentation"]] == "E")
    files["items.csv"] = ITEMS.to_csv(rows)


def named_regions(files, solver_of):
    """S's regions under names that begin alike."""
    rows = ITEMS.from_csv(files["items.csv"], "items")
    for row in rows:
        if row["region_file"] and solver_of[row["presentation"]] == "S":
            old = row["region_file"]
            row["region_file"] = old[:-19] + "00" + old[-17:]
            files[row["region_file"]] = files[old]
    files["items.csv"] = ITEMS.to_csv(rows)


def speaking_system(files, solver_of):
    """S never says that it has no solution."""
    rows = ITEMS.from_csv(files["items.csv"], "items")
    for row in rows:
        if row["shown_label"] == "no_solution" and solver_of[row["presentation"]] == "S":
            row["shown_label"] = "3"
    files["items.csv"] = ITEMS.to_csv(rows)


@pytest.mark.parametrize(
    ("leak", "kind", "explained"),
    [
        (larger_areas, "area", True),
        (system_first, "order", False),
        (grouped_lines, "items", True),
        (named_regions, "items", True),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_leak_is_found(leak, kind, explained):
    """The same guesser, on a pack that was made to leak."""
    table = seen(leak)
    area, limit = guessing(table[table["explained"] == explained], (kind,))
    assert area > limit


def test_a_system_that_never_abstains_is_found():
    """It tells of few plates, so shares show what a curve's area doesn't."""
    rates = seen(speaking_system).groupby("solver")["abstention_word"].mean()
    assert rates["S"] == 0
    assert rates["E"] - rates["S"] > 2.001 / seen()["item"].nunique()

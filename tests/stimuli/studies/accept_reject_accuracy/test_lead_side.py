"""Nothing on the lead's side of an accuracy pack tells who gave a label: a classifier tries."""

from functools import cache

import pytest

from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject.tables import KEY, LISTS
from stimuli.studies.accept_reject_accuracy.sketch import SketchRates, sketch
from stimuli.studies.accept_reject_accuracy.tables import ITEMS
from tests.stimuli.studies.accept_reject.lead_side import guessing
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import protocol_of
from tests.stimuli.studies.accept_reject_accuracy.lead_side import lead_side

KINDS = ("ids", "names", "sizes", "order", "position", "label")


@cache
def built() -> Pack:
    """A pack of 120 digits in several lists; S errs on a quarter."""
    protocol = protocol_of(solutions={"most_trials": 50})
    return sketch(protocol, SketchRates(images=120, system_error=0.25))


ALONE = [pytest.param((kind,), marks=pytest.mark.slow) for kind in KINDS]


@pytest.mark.parametrize("kinds", [*ALONE, KINDS], ids="+".join)
def test_no_feature_tells_the_solver(kinds):
    """Area under the curve below the limit that guessing by lot keeps (p < .0005)."""
    table = lead_side(built())
    assert len(table) == 240
    area, limit = guessing(table, kinds)
    assert area < limit < 0.65


def leaking(change) -> Pack:
    """Return the pack with its files changed by ``change(files, solver_of)``."""
    pack = built()
    files = {path: pack.read_asset(path) for path in pack.manifest.files}
    solver_of = {row["presentation"]: row["solver"] for row in pack.table(KEY)}
    change(files, solver_of)
    return pack_in_memory(pack.protocol, protocol_hash(pack.protocol), "solutions", files)


def system_first(files, solver_of):
    """S's trials in the first half of each list."""
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
    rows.sort(key=lambda row: solver_of[row["presentation"]] == "E")
    files["items.csv"] = ITEMS.to_csv(rows)


def named_images(files, solver_of):
    """S's images once more, under names that begin alike."""
    _own_images(files, solver_of, "00", b"")


def longer_images(files, solver_of):
    """S's images once more, in files of sixteen bytes more, under names that tell nothing."""
    _own_images(files, solver_of, "", bytes(16))


def _own_images(files, solver_of, begin, more):
    rows = ITEMS.from_csv(files["items.csv"], "items")
    for row in rows:
        if solver_of[row["presentation"]] == "S":
            old = row["image_file"]
            folder, _, name = old.rpartition("/")
            name = f"{begin}{name[2:]}" if begin else f"{row['presentation'][1:]}.png"
            row["image_file"] = f"{folder}/{name}"
            files[row["image_file"]] = files[old] + more
    files["items.csv"] = ITEMS.to_csv(rows)


def numbered_ids(files, solver_of):
    """S's ids begin with a zero."""
    for table, path in ((ITEMS, "items.csv"), (LISTS, "lists.csv"), (KEY, "key.csv")):
        rows = table.from_csv(files[path], path)
        for row in rows:
            if solver_of[row["presentation"]] == "S":
                row["presentation"] = f"p0{row['presentation'][2:]}"
        files[path] = table.to_csv(rows)


@pytest.mark.parametrize(
    ("leak", "kind"),
    [
        (numbered_ids, "ids"),
        (named_images, "names"),
        (longer_images, "sizes"),
        (grouped_lines, "order"),
        (system_first, "position"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_leak_is_found(leak, kind):
    """The same guesser, on a pack that was made to leak."""
    area, limit = guessing(lead_side(leaking(leak)), (kind,))
    assert area > limit

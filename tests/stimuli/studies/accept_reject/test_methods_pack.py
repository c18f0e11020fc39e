"""A pack in which S's solutions are explained by two methods, compared within each lead."""

from collections import Counter

import pytest

from stimuli.pack import Pack
from stimuli.studies.accept_reject.sketch import SketchRates, sketch
from stimuli.studies.accept_reject.tables import ITEM_TABLE, KEY, LISTS
from tests.stimuli.studies.accept_reject.conftest import SMALL, small_protocol

TWO = {"further_methods": ["lrp"]}
NAMES = {"sketch", "sketch-lrp"}
PLACE = ("deutan", 1)


@pytest.fixture(scope="module")
def pack() -> Pack:
    solutions = {**SMALL["solutions"], "trials_per_run": 14, "lists": 8, "rungs": [1]}
    protocol = small_protocol(system=TWO, solutions=solutions)
    return sketch(protocol, [PLACE], SketchRates(expert_abstention=0.0))


def explained_by_s(pack: Pack) -> dict[str, list]:
    """Return the key's rows of S's explained solutions that each list of the low rung shows."""
    key = {row["presentation"]: row for row in pack.table(KEY)}
    shown: dict[str, list] = {}
    for row in pack.table(LISTS):
        one = key[row["presentation"]]
        if row["list"].startswith("deutan-r1-") and one["solver"] == "S" and one["explained"]:
            shown.setdefault(row["list"], []).append(one)
    return shown


def test_every_list_shares_s_solutions_evenly_among_the_methods(pack):
    lists = explained_by_s(pack)
    assert len(lists) == 8
    for rows in lists.values():
        counts = Counter(row["method"] for row in rows)
        assert set(counts) == NAMES
        assert max(counts.values()) - min(counts.values()) <= 1


def test_over_the_lists_every_plate_is_explained_by_every_method(pack):
    methods: dict[str, set] = {}
    for rows in explained_by_s(pack).values():
        for row in rows:
            methods.setdefault(row["item"], set()).add(row["method"])
    assert all(found == NAMES for found in methods.values())


def test_methods_differ_in_region_and_agree_in_answer_and_area(pack):
    rows: dict[tuple, list] = {}
    for row in pack.table(ITEM_TABLE):
        rows.setdefault((row["item"], row["axis"], row["rung"]), []).append(row)
    assert all({row["method"] for row in found} == NAMES for found in rows.values())
    for first, second in rows.values():
        assert first["model_label"] == second["model_label"]
        assert first["region_area"] == second["region_area"]
    assert any(first["region_iou"] != second["region_iou"] for first, second in rows.values())

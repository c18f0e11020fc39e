"""What tells explanation and run apart where everyone has the runs in one order."""

from collections import Counter, defaultdict

import pytest

from stimuli.studies.accept_reject.shares import EXPLAINED_KINDS, WITH, probe_counts
from stimuli.studies.accept_reject.sketch import sketch
from stimuli.studies.accept_reject.tables import ITEMS, KEY, LISTS, SHAM_RUN
from tests.stimuli.studies.accept_reject.conftest import SMALL, small_protocol

PROBES = {**SMALL["solutions"], "rungs": [1], "probe_share": 0.2}


@pytest.fixture(scope="module")
def pack():
    protocol = small_protocol(
        solutions=PROBES, session={"run_order": "without_first", "sham_group": True}
    )
    return sketch(protocol, [("deutan", 1)])


@pytest.fixture(scope="module")
def shown(pack):
    items = {row["presentation"]: row for row in pack.table(ITEMS)}
    key = {row["presentation"]: row for row in pack.table(KEY)}
    by_list = defaultdict(list)
    for row in pack.table(LISTS):
        by_list[row["list"], row["run"]].append(row | items[row["presentation"]]
                                                | key[row["presentation"]])  # fmt: skip
    return by_list


def base(kind):
    return next((name for name, kinds in EXPLAINED_KINDS.items() if kind in kinds), kind)


def test_the_explained_run_holds_as_many_probes_as_planned(shown, pack):
    assert probe_counts(pack.protocol) == {"S": 3, "E": 2}
    for (_, run), rows in shown.items():
        bare = [row for row in rows if row["solver"] in "SE" and not row["explained"]]
        if run == WITH:
            assert Counter(row["solver"] for row in bare) == {"S": 3, "E": 2}
            assert all(row["region_file"] is None for row in bare)


def test_over_the_lists_other_plates_are_probes(shown):
    probed = [
        (row["item"], row["rung"], row["solver"])
        for (_, run), rows in shown.items()
        for row in rows
        if run == WITH and row["solver"] in "SE" and not row["explained"]
    ]
    assert len(set(probed)) == len(probed) == 4 * 5  # lists, probes


def test_the_sham_run_is_the_explained_run_without_explanations(shown):
    """The same plates and solutions at the same places, controls of the same kind."""
    compared = 0
    for (name, run), rows in shown.items():
        if run != SHAM_RUN:
            continue
        for sham, explained in zip(rows, shown[name, WITH], strict=True):
            same = ("position", "item", "plate_file", "shown_label", "solver")
            assert [sham[k] for k in same] == [explained[k] for k in same]
            assert sham["region_file"] is None
            assert not sham["explained"]
            assert sham["control_kind"] == (
                explained["control_kind"] and base(explained["control_kind"])
            )
            compared += 1
    assert compared == 4 * 26  # four lists

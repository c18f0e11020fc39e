import dataclasses
from collections import Counter, defaultdict

import numpy as np
import pytest

from stimuli.errors import UserError
from stimuli.images.digits import load_digits
from stimuli.images.sets import NO_SOLUTION
from stimuli.maps.map_set import MapSet
from stimuli.maps.relevance import area_of, region_from_bytes
from stimuli.pack.model import pack_in_memory
from stimuli.plates.plate import is_lit, plate_from_bytes
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject.compose import MAPS_FOLDER, compose_solutions, system_maps
from stimuli.studies.accept_reject.tables import ITEM_TABLE, ITEMS, KEY, LISTS, NO_NUMERAL
from stimuli.studies.accept_reject.tasks import draw_tasks
from tests.stimuli.studies.accept_reject.conftest import ONE_LIST, small_protocol


@pytest.fixture(scope="module")
def key(pack):
    return {row["presentation"]: row for row in pack.table(KEY)}


@pytest.fixture(scope="module")
def items(pack):
    return {row["presentation"]: row for row in pack.table(ITEMS)}


@pytest.fixture(scope="module")
def lists(pack):
    by_list = defaultdict(list)
    for row in pack.table(LISTS):
        by_list[row["list"]].append(row)
    return by_list


def mains(rows):
    return [row for row in rows if row["run"] > 0]


def test_no_list_shows_a_plate_twice(lists, key):
    for rows in lists.values():
        shown = [key[row["presentation"]]["item"] for row in rows]
        assert len(set(shown)) == len(shown)


def test_positions_count_from_one_in_each_run(lists):
    for rows in lists.values():
        for run in (0, 1, 2):
            positions = sorted(row["position"] for row in rows if row["run"] == run)
            assert positions == list(range(1, len(positions) + 1))


def test_over_four_lists_every_solved_plate_comes_once_from_each_solver_in_each_run(lists, key):
    cells = defaultdict(Counter)
    for name, rows in lists.items():
        for row in mains(rows):
            shown = key[row["presentation"]]
            if name.startswith("deutan-r2") and shown["solver"] != "control":
                cells[shown["item"]][shown["solver"], row["run"]] += 1
    once = {(solver, run): 1 for solver in "SE" for run in (1, 2)}
    assert len(cells) == 4 * 8  # S and E have 7.8 of 26 trials each, rounded up to 8 and 8
    assert all(found == once for found in cells.values())


def test_a_list_has_one_axis_and_rung_but_for_what_anyone_can_see(lists, key, items):
    for name, rows in lists.items():
        for row in mains(rows):
            shown = items[row["presentation"]]
            high = key[row["presentation"]]["control_kind"] == "high_contrast"
            assert f"{shown['axis']}-r{3 if high else shown['rung']}" in (
                name.rsplit("-", 1)[0],
                "deutan-r3",
            )
            assert high or name.startswith(f"{shown['axis']}-r{shown['rung']}-")


def test_only_the_run_with_explanations_shows_regions(lists, key, items):
    for rows in lists.values():
        for row in mains(rows):
            shown, what = items[row["presentation"]], key[row["presentation"]]
            assert what["explained"] == (row["run"] == 2)
            blank = what["control_kind"] == "right_digit_blank"
            if row["run"] == 1 or shown["shown_label"] == NO_SOLUTION or blank:
                assert shown["region_file"] is None
            else:
                assert shown["region_file"] is not None


def test_controls_are_what_their_names_say(key, items):
    for name, what in key.items():
        kind, label = what["control_kind"], items[name]["shown_label"]
        if what["solver"] != "control":
            assert kind is None
            continue
        if kind.startswith(("right_digit", "high_contrast")):
            assert label == what["true_label"]
        if kind.startswith("wrong_digit"):
            assert label not in (what["true_label"], NO_SOLUTION, NO_NUMERAL)
        if kind.startswith("no_numeral"):
            assert what["true_label"] == NO_NUMERAL
            assert label.isdigit()
        if kind == "no_solution":
            assert label == NO_SOLUTION
        if kind == "high_contrast":
            assert items[name]["rung"] == 3


def test_what_anyone_can_see_is_drawn_in_light_and_nothing_else_is(pack, key, items):
    files = {True: set(), False: set()}
    for name, what in key.items():
        files[what["control_kind"] == "high_contrast"].add(items[name]["plate_file"])
    assert files[True]
    assert not files[True] & files[False]
    for for_anyone, paths in files.items():
        for path in paths:
            assert is_lit(plate_from_bytes(pack.asset(path))) == for_anyone


def test_s_abstains_at_every_rung_as_often_as_e(pack):
    by_rung = defaultdict(list)
    for row in pack.table(ITEM_TABLE):
        by_rung[row["rung"]].append(row)
    assert set(by_rung) == {1, 2, 3}
    for rows in by_rung.values():
        system = sum(row["model_label"] == NO_SOLUTION for row in rows)
        expert = sum(row["expert_label"] == NO_SOLUTION for row in rows)
        assert system == expert > 0


def test_s_abstains_where_it_is_least_sure(pack):
    rows = [row for row in pack.table(ITEM_TABLE) if row["rung"] == 1]
    silent = [r["model_confidence"] for r in rows if r["model_label"] == NO_SOLUTION]
    speaking = [r["model_confidence"] for r in rows if r["model_label"] != NO_SOLUTION]
    assert max(silent) <= min(speaking)


def test_both_solvers_regions_of_a_plate_have_the_same_area(pack, key, items):
    areas = defaultdict(lambda: defaultdict(set))
    for name, what in key.items():
        if what["solver"] in ("S", "E") and items[name]["region_file"]:
            region = region_from_bytes(pack.asset(items[name]["region_file"]))
            areas[what["item"]][what["solver"]].add(int(region.sum()))
    both = [by_solver for by_solver in areas.values() if len(by_solver) == 2]
    assert len(both) > 5
    assert all(by_solver["S"] == by_solver["E"] for by_solver in both)


def test_e_regions_lie_where_e_painted(pack, key, items, tasks):
    painted = {record.item: tasks[1].maps.get(record.map) for record in tasks[1].records}
    checked = 0
    for name, what in key.items():
        if what["solver"] == "E" and items[name]["region_file"]:
            region = region_from_bytes(pack.asset(items[name]["region_file"]))
            painting = np.kron(painted[what["item"]] >= 0.5, np.ones((2, 2), bool))
            # Discs lie on the strokes as far as there is room for them, and never outweigh them.
            assert (region & painting).sum() / region.sum() > 0.5
            assert region.sum() == pytest.approx(painting.sum(), rel=0.01)
            assert area_of(region) == pytest.approx(area_of(painting), abs=0.005)
            checked += 1
    assert checked > 5


def test_the_lead_side_tells_nothing_by_itself(pack, items):
    sizes = Counter(len(pack.asset(path)) for path in pack.paths("assets/regions"))
    assert len(sizes) == 1
    names = list(items)
    assert names == sorted(names)
    lead_side = pack.asset("items.csv") + pack.asset("lists.csv")
    for word in (b"control", b"expert", b"sketch", b"wrong", b"true", b",S", b",E,"):
        assert word not in lead_side


def test_equal_inputs_give_the_same_pack_and_another_seed_another(few_tasks):
    task_pack, painted = few_tasks
    protocol = task_pack.protocol
    assert compose_solutions(task_pack, [painted]) == compose_solutions(task_pack, [painted])
    other = small_protocol(seed=2, solutions=ONE_LIST)
    first, second = (
        [task.true_label for task in draw_tasks(drawn, load_digits("uci"))]
        for drawn in (protocol, other)
    )
    assert first != second


def test_the_last_bits_of_maps_change_no_list(few_tasks):
    """A network's maps differ in their last bits from CPU to CPU; who sees what doesn't."""
    task_pack, painted = few_tasks
    system = system_maps(task_pack)
    draws = np.random.Generator(np.random.PCG64(1))
    nudged = {
        name: values * (1 + draws.choice([-1e-6, 1e-6], values.shape)).astype(np.float32)
        for name, values in system.maps.items()
    }
    files = {path: task_pack.asset(path) for path in task_pack.manifest.files}
    for name, content in MapSet(system.records, nudged).files().items():
        files[f"{MAPS_FOLDER}/{name}"] = content
    protocol = task_pack.protocol
    other = pack_in_memory(protocol, protocol_hash(protocol), "tasks", files)
    assert other.pack_id != task_pack.pack_id
    one, two = (compose_solutions(pack, [painted]) for pack in (task_pack, other))
    assert one["lists.csv"] == two["lists.csv"]
    assert one["key.csv"] == two["key.csv"]


def test_with_two_experts_both_are_drawn_and_each_item_has_one(few_tasks):
    task_pack, painted = few_tasks
    second = MapSet(tuple(_by_second(record) for record in painted.records), painted.maps)
    files = compose_solutions(task_pack, [painted, second])
    drawn = defaultdict(set)
    for row in KEY.from_csv(files["key.csv"], "key"):
        if row["solver"] == "E":
            drawn[row["item"]].add(row["solver_id"])
    assert all(len(who) == 1 for who in drawn.values())
    assert {next(iter(who)) for who in drawn.values()} == {"sketch-expert", "second"}


def test_experts_who_name_their_maps_alike_keep_their_own_paintings(few_tasks):
    task_pack, painted = few_tasks
    half = len(painted.records) // 2
    parts = (painted.records[:half], [_by_second(record) for record in painted.records[half:]])
    apart = [_part_of(painted, records) for records in parts]
    alike = [_numbered(part) for part in apart]
    regions = [_regions_of_e(compose_solutions(task_pack, sets)) for sets in (apart, alike)]
    assert len(regions[0]) >= 5
    assert regions[0] == regions[1]


def _by_second(record):
    return dataclasses.replace(record, solver_id="second")


def _part_of(painted, records):
    maps = {r.map: painted.maps[r.map] for r in records if r.map in painted.maps}
    return MapSet(tuple(records), maps)


def _numbered(part):
    names = {record.map: f"map-{k}" for k, record in enumerate(part.records)}
    records = tuple(dataclasses.replace(record, map=names[record.map]) for record in part.records)
    return MapSet(records, {names[name]: values for name, values in part.maps.items()})


def _regions_of_e(files):
    of_e = {row["presentation"]: row["item"] for row in KEY.from_csv(files["key.csv"], "key")
            if row["solver"] == "E"}  # fmt: skip
    return {
        of_e[row["presentation"]]: area_of(region_from_bytes(files[row["region_file"]]))
        for row in ITEMS.from_csv(files["items.csv"], "items")
        if row["presentation"] in of_e and row["region_file"]
    }


def without_the_first(painted):
    gone = painted.records[0].map
    maps = {name: values for name, values in painted.maps.items() if name != gone}
    return MapSet(painted.records[1:], maps)


def without_paint(painted):
    blank = {name: np.zeros_like(values) for name, values in painted.maps.items()}
    return MapSet(painted.records, blank)


def test_what_makes_no_pack_is_told(tasks, pack):
    task_pack, painted = tasks
    for whole, sets, words in (
        (task_pack, [without_the_first(painted)], painted.records[0].item),
        (task_pack, [without_paint(painted)], "painted nothing"),
        (pack, [], "not a task pack"),
    ):
        with pytest.raises(UserError, match=words):
            compose_solutions(whole, sets)

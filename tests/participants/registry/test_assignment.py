"""Places of the design: the emptiest is given, whoever asks and however many at once."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from participants.registry import ListOffer, Registry
from participants.registry.assignments import Cell, GivenPlace, emptiest, next_place, rarest_side
from participants.registry.sessions import DECLINED, FOR_GOOD
from participants.study import session_kind_of
from stimuli.errors import UserError
from stimuli.io.canonical import seed_of
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import load_protocol, protocol_hash
from stimuli.studies.accept_reject.lists import list_name, rotation_of
from stimuli.studies.accept_reject.tables import ITEMS, LISTS
from tests.participants.registry.people import (
    DROP_AFTER_S,
    OFFERS,
    ORDERS,
    assign,
    lead,
    session_of,
)

TOGETHER = 10


def test_an_assignment_is_given_once_and_for_all(registry, clock):
    code = lead(registry)
    given = assign(registry, code)
    for _ in range(5):
        assign(registry, lead(registry))
    clock.wait(10 * DROP_AFTER_S)
    assert assign(registry, code) == given


def test_only_lists_of_the_leads_own_axis_and_rung_are_given(registry):
    offers = (*OFFERS, ListOffer("p5", "protan", 5), ListOffer("d4", "deutan", 4))
    code = lead(registry, axis="protan", rung=5)
    assert assign(registry, code, offers).list == "p5"
    assert assign(registry, lead(registry), offers).list in {offer.list for offer in OFFERS}
    with pytest.raises(UserError, match=r"no list for protan rung 1; it has: deutan rung 3"):
        assign(registry, lead(registry, axis="protan", rung=1), offers)
    with pytest.raises(UserError, match="no axis and rung"):
        assign(registry, registry.enrol("lead"), offers)


def test_other_purposes_and_packs_fill_no_place(registry):
    for _ in range(8):
        assign(registry, lead(registry), purpose="robot")
        assign(registry, lead(registry), pack_id="another")
    given = [assign(registry, lead(registry)) for _ in range(8)]
    assert len(set(given)) == 8


def test_a_dropped_session_frees_its_place(registry, clock):
    """Of eight places seven are completed or running; only the silent one's is free."""
    given = {}
    for number in range(8):
        code = lead(registry)
        given[code] = assign(registry, code)
        registry.start_session(session_of(code, f"s-{number}"))
    silent, *others = given
    registry.finish_session("s-1")
    clock.wait(DROP_AFTER_S - 1)
    for number in range(2, 8):
        registry.heartbeat(f"s-{number}", trials_done=3)
    clock.wait(2)
    assert assign(registry, lead(registry)) == given[silent]
    assert len(others) == 7


def test_somebody_who_was_assigned_but_never_began_frees_the_place(registry, clock):
    places = [assign(registry, lead(registry)) for _ in range(8)]
    clock.wait(DROP_AFTER_S + 1)
    again = [assign(registry, lead(registry)) for _ in range(8)]
    assert set(again) == set(places)


def test_a_withdrawn_person_frees_the_place(registry):
    given = {}
    for _ in range(8):
        code = lead(registry)
        given[code] = assign(registry, code)
    gone = next(iter(given))
    registry.record_withdrawal(gone)
    assert assign(registry, lead(registry)) == given[gone]
    with pytest.raises(UserError, match="has withdrawn"):
        assign(registry, gone)


@pytest.mark.parametrize("how", [FOR_GOOD, DECLINED])
def test_who_left_or_declined_frees_the_place(registry, how):
    given = {}
    for number in range(8):
        code = lead(registry)
        given[code] = assign(registry, code)
        registry.start_session(session_of(code, f"s-{number}"))
    gone = next(iter(given))
    registry.finish_session("s-0", complete=False)
    registry.leave_session("s-0", how)
    assert assign(registry, lead(registry)) == given[gone]
    refusal = "left study accept_reject for good" if how == FOR_GOOD else "declined to take part"
    with pytest.raises(UserError, match=refusal):
        registry.start_session(session_of(gone, "s-8", pack_id="another"))
    unfinished = registry.unfinished(gone, study="accept_reject", pack_id="pack")
    assert (unfinished is None) == (how == FOR_GOOD)


CELLS = [Cell(name, order) for name in ("a", "b", "c") for order in ORDERS]


@settings(max_examples=60, deadline=None)
@given(fails=st.lists(st.booleans(), max_size=60), seed=st.integers(0, 2**31))
def test_freed_places_wait_for_the_end_of_the_round(fails, seed):
    """However many fail in a row: nobody takes a freed place before each cell was given."""
    given, rounds, waiting, failed_again = [], Counter(), Counter(), Counter()
    for failed in fails:
        place = next_place(CELLS, given, "rig", seed, ("left", "right"))
        assert next_place(CELLS[::-1], given, "rig", seed, ("left", "right")) == place
        mine = Counter([place.cell])
        if waiting and rounds.total() % len(CELLS) == 0:
            assert waiting[place.cell] > 0
            waiting -= mine
            failed_again += mine if failed else Counter()
        else:
            rounds += mine
            waiting += failed_again + (mine if failed else Counter())
            failed_again = Counter()
        assert max(rounds.values()) - min(rounds[cell] for cell in CELLS) <= 1
        given.append(replace(place, freed=failed))
    kept = Counter(place.cell for place in given if not place.freed)
    assert kept == rounds - waiting - failed_again


def test_who_fails_in_a_row_is_spread_over_the_arms():
    """Six of them were all in one arm, since a freed place went to the next person."""
    cells = [Cell(f"sheet-{n}", f"arm-{arm}") for n in range(5) for arm in range(5)]
    for seed, begun in zip(range(6), (10, 24, 54) * 2, strict=True):
        given = []
        for person in range(60):
            place = next_place(cells, given, "rig", seed)
            given.append(replace(place, freed=begun <= person < begun + 6))
        failed = Counter(place.cell.order for place in given if place.freed)
        assert max(failed.values()) <= 3


def test_freed_places_of_other_rungs_wait_too():
    """Leads of several rungs share the rotations of their lists, and so the round."""
    rotations = {f"{rung}-{n}": str(n) for rung in "ab" for n in range(2)}
    given = []
    for person in range(4):
        rung = "ab"[person % 2]
        cells = [Cell(f"{rung}-{n}", order) for n in range(2) for order in ORDERS]
        place = next_place(cells, given, "rig", 1, rotations=rotations)
        given.append(replace(place, freed=person == 0))
    traits = [(rotations[place.cell.list], place.cell.order) for place in given]
    assert len(set(traits)) == 4
    cells = [Cell(f"b-{n}", order) for n in range(2) for order in ORDERS]
    again = next_place(cells, given, "rig", 1, rotations=rotations).cell
    assert (rotations[again.list], again.order) == traits[0]


@settings(max_examples=60)
@given(
    rigs=st.lists(st.sampled_from(["r1", "r2", "r3"]), max_size=40),
    seed=st.integers(0, 2**31),
)
def test_allocation_is_gap_free_and_balanced_within_the_rig(rigs, seed):
    held = []
    for rig in rigs:
        cell = emptiest(CELLS, held, rig, seed)
        assert emptiest(CELLS[::-1], held[::-1], rig, seed) == cell
        all_counts = Counter(place.cell for place in held)
        here = Counter(place.cell for place in held if place.rig == rig)
        least = min(here[other] for other in CELLS)
        open_cells = [other for other in CELLS if here[other] == least]
        assert here[cell] == least
        assert all_counts[cell] == min(all_counts[other] for other in open_cells)
        held.append(GivenPlace(cell, rig))


def test_a_packs_lists_are_offered_for_the_axis_and_rung_of_their_main_plates():
    protocol = load_protocol("accept_reject")
    shown = [("m1", "deutan", 3), ("m2", "protan", 5), ("easy", "deutan", 8)]
    items = [
        {
            "presentation": name,
            "axis": axis,
            "rung": rung,
            "plate_file": "x",
            "shown_label": "3",
            "region_file": None,
        }
        for name, axis, rung in shown
    ]
    places = [("a", 0, "easy"), ("a", 1, "m1"), ("b", 0, "easy"), ("b", 2, "m2")]
    lists = [
        {"list": name, "run": run, "position": 1, "presentation": presentation}
        for name, run, presentation in places
    ]
    files = {"items.csv": ITEMS.to_csv(items), "lists.csv": LISTS.to_csv(lists)}
    pack = pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)
    offers = session_kind_of(pack).offers(pack)
    assert offers == (
        ListOffer("a", "deutan", 3, "a"),
        ListOffer("b", "protan", 5, "b"),
    )


@pytest.mark.parametrize("seed", range(2))
def test_rotations_of_lists_are_balanced_over_rungs(seed):
    """Sixteen leads of eight rungs: no rotation comes twice more often than four times each."""
    rotations = {list_name("deutan", rung, n): f"l{n + 1}" for rung in range(8) for n in range(4)}
    assert rotations == {name: rotation_of(name) for name in rotations}
    spread = {}
    for known in ({}, rotations):
        held = []
        for person in range(16):
            rung = seed_of("rung", seed, person) % 8
            lists = [list_name("deutan", rung, n) for n in range(4)]
            cells = [Cell(name, order) for name in lists for order in ORDERS]
            held.append(GivenPlace(emptiest(cells, held, "rig", 1, known), "rig"))
        given = Counter(rotations[place.cell.list] for place in held)
        spread[bool(known)] = max(given.values()) - min(given[f"l{n}"] for n in range(1, 5))
    assert spread[True] <= min(2, spread[False])


@given(st.integers(1, 60), st.integers(0, 5))
def test_sides_are_balanced_within_each_list_and_order(people, seed):
    """However many come: never two more on one side of a cell, of an order or of all."""
    cells = [Cell(name, order) for name in ("l1", "l2") for order in ("a", "b")]
    held = []
    for _ in range(people):
        cell = emptiest(cells, held, "rig", seed)
        held.append(GivenPlace(cell, "rig", rarest_side(("left", "right"), held, cell, seed)))
    for group in (
        *([place for place in held if place.cell == cell] for cell in cells),
        *([place for place in held if place.cell.order == order] for order in ("a", "b")),
        held,
    ):
        left = sum(place.accept_side == "left" for place in group)
        assert abs(2 * left - len(group)) <= 2


def test_a_side_is_given_once_and_for_all(registry):
    code = lead(registry)
    first = assign(registry, code, sides=("left", "right"))
    for _ in range(3):
        assign(registry, lead(registry), sides=("left", "right"))
    assert assign(registry, code, sides=("right",)) == first
    assert first.accept_side in ("left", "right")


def test_the_freed_place_that_is_given_first_is_drawn_from_all_arms():
    given = [next_place(CELLS, [], "rig", 1)]
    while len(given) < len(CELLS):
        given.append(next_place(CELLS, given, "rig", 1))
    given = [replace(place, freed=True) for place in given]
    drawn = Counter(next_place(CELLS, given, "rig", seed).cell for seed in range(600))
    assert set(drawn) == set(CELLS)
    assert max(drawn.values()) < 2 * min(drawn.values())


def test_ties_follow_the_studys_seed():
    firsts = {emptiest(CELLS, [], "r1", seed) for seed in range(60)}
    assert firsts == set(CELLS)


def test_cells_fill_evenly_at_every_moment(registry):
    filled = Counter()
    for number in range(20):
        filled[assign(registry, lead(registry), rig=f"rig-{number % 3}")] += 1
        counts = [*filled.values(), *([0] if len(filled) < 8 else [])]
        assert max(counts) - min(counts) <= 1


def test_orders_are_balanced_within_each_of_two_rigs():
    held = []
    for rig in ["r1", "r2"] * 12:
        held.append(GivenPlace(emptiest(CELLS, held, rig, 3), rig))
    for rig in ("r1", "r2"):
        orders = Counter(place.cell.order for place in held if place.rig == rig)
        assert abs(orders["with_first"] - orders["without_first"]) <= 2


@pytest.mark.slow
def test_ten_processes_at_once_get_a_balanced_gap_free_allocation(url, tmp_path, start):
    go = tmp_path / "go"
    workers = [start("enrol_at_once", url, go, f"rig-{n % 2}") for n in range(TOGETHER)]
    for worker in workers:
        assert worker.stdout.readline() == "ready\n"
    go.touch()
    lines = [worker.stdout.readline().split() for worker in workers]
    codes = {line[0] for line in lines}
    filled = Counter((line[1], line[2]) for line in lines)
    assert len(codes) == TOGETHER
    assert len(filled) == 8
    assert sorted(filled.values()) == [1] * 6 + [2] * 2
    registry = Registry.open(url)
    assert {person.code for person in registry.list()} == codes
    assert all(person.sessions == 1 for person in registry.list())

import itertools
import sqlite3
import threading
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from participants.registry import (
    ListOffer,
    NewSession,
    Registry,
    check_code,
    new_code,
    offers_of,
    tables,
)
from participants.registry.cells import Cell, Held, emptiest
from participants.registry.codes import LENGTH, LETTERS, SIGNS
from stimuli.errors import UserError
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import load_protocol, protocol_hash
from stimuli.studies.accept_reject.tables import ITEMS, LISTS

OFFERS = tuple(ListOffer(f"l{number}", "deutan", 3) for number in range(4))
ORDERS = ("without_first", "with_first")
DROP_AFTER_S = 3600.0
TOGETHER = 10


class Clock:
    def __init__(self):
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self):
        return self.now

    def wait(self, seconds):
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{(tmp_path / 'lab' / 'registry.sqlite').as_posix()}"


@pytest.fixture
def registry(url, clock):
    opened = Registry.open(url, clock)
    yield opened
    opened.close()


def lead(registry, **changes):
    return registry.enrol("lead", **{"axis": "deutan", "rung": 3, **changes})


def assign(registry, code, offers=OFFERS, **changes):
    study = {"study": "accept_reject", "pack_id": "pack", "rig": "rig-1"}
    rules = {"seed": 1, "drop_after_s": DROP_AFTER_S}
    return registry.assign(code, offers, ORDERS, **{**study, **rules, **changes})


def session_of(code, session="s-1", **changes):
    new = NewSession(session, code, "lead", "accept_reject", "pack", "main", "rig-1")
    return replace(new, **changes)


# Codes


def test_codes_are_valid_and_begin_with_a_letter():
    for _ in range(500):
        code = new_code()
        assert check_code(code) == code
        assert len(code) == LENGTH
        assert code[0] in LETTERS


def test_no_two_signs_look_alike():
    assert len(SIGNS) == len(set(SIGNS)) == 23
    for alike in ("0O", "0D", "1IL", "2Z", "5S", "6G", "8B", "UV"):
        assert sum(sign in SIGNS for sign in alike) <= 1


def test_every_single_wrong_sign_and_every_swap_is_caught():
    for code in {new_code() for _ in range(200)}:
        for at, sign in itertools.product(range(LENGTH), SIGNS):
            if sign != code[at]:
                with pytest.raises(UserError, match="typing error"):
                    check_code(code[:at] + sign + code[at + 1 :])
        for first, second in itertools.combinations(range(LENGTH), 2):
            signs = list(code)
            signs[first], signs[second] = signs[second], signs[first]
            if code[first] != code[second]:
                with pytest.raises(UserError, match="typing error"):
                    check_code("".join(signs))


@pytest.mark.parametrize("typed", ["", "K7", "0000000", "name@home", "K7RTMXF K7RTMXF"])
def test_what_is_no_code_is_refused(typed):
    with pytest.raises(UserError, match="no participant code"):
        check_code(typed)


def test_case_spaces_and_hyphens_are_forgiven():
    code = new_code()
    assert check_code(f" {code[:3].lower()}-{code[3:].lower()} ") == code


def test_codes_show_no_order_of_enrolment(registry):
    codes = [registry.enrol("expert") for _ in range(40)]
    assert len(set(codes)) == 40
    rising = sum(a < b for a, b in itertools.pairwise(codes))
    assert 5 < rising < 35


# People


@pytest.mark.parametrize(
    ("role", "changes", "message"),
    [
        ("king", {}, "no role 'king'"),
        ("lead", {"axis": "deutan"}, "go together"),
        ("lead", {"rung": 3}, "go together"),
        ("expert", {"axis": "deutan", "rung": 3}, "belong to leads"),
        ("lead", {"axis": "tritan", "rung": 3}, "no axis 'tritan'"),
        ("lead", {"axis": "deutan", "rung": 0}, "rungs count from 1"),
        ("lead", {"purpose": "fun"}, "no purpose 'fun'"),
    ],
)
def test_people_who_make_no_sense_are_refused(registry, role, changes, message):
    with pytest.raises(UserError, match=message):
        registry.enrol(role, **changes)
    assert registry.list() == ()


def test_the_list_counts_sessions_and_shows_the_last_consent(registry, clock):
    code = lead(registry)
    clock.wait(1)
    other = registry.enrol("expert", purpose="pilot")
    registry.start_session(session_of(code))
    answer = {"text": "consent", "version": "1.0", "sha256": "0" * 64, "language": "en"}
    registry.record_consent(code, **answer, agreed=True, session="s-1")
    registry.finish_session("s-1")
    first, second = registry.list()
    assert (first.code, first.sessions, first.complete, first.consent) == (code, 1, 1, True)
    assert (second.code, second.role, second.purpose) == (other, "expert", "pilot")
    assert second.consent is None
    assert not hasattr(first, "list")
    assert not hasattr(first, "order")


# Assignment


def test_an_assignment_is_given_once_and_for_all(registry, clock):
    code = lead(registry)
    given = assign(registry, code)
    for _ in range(5):
        assign(registry, lead(registry))
    clock.wait(10 * DROP_AFTER_S)
    assert assign(registry, code) == given


def test_cells_fill_evenly_at_every_moment(registry):
    filled = Counter()
    for number in range(20):
        filled[assign(registry, lead(registry), rig=f"rig-{number % 3}")] += 1
        counts = [*filled.values(), *([0] if len(filled) < 8 else [])]
        assert max(counts) - min(counts) <= 1


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


CELLS = [Cell(name, order) for name in ("a", "b", "c") for order in ORDERS]


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
        least = min(all_counts[other] for other in CELLS)
        open_cells = [other for other in CELLS if all_counts[other] == least]
        assert all_counts[cell] == least
        assert here[cell] == min(here[other] for other in open_cells)
        held.append(Held(cell, rig))


def test_orders_are_balanced_within_each_of_two_rigs():
    held = []
    for rig in ["r1", "r2"] * 12:
        held.append(Held(emptiest(CELLS, held, rig, 3), rig))
    for rig in ("r1", "r2"):
        orders = Counter(place.cell.order for place in held if place.rig == rig)
        assert abs(orders["with_first"] - orders["without_first"]) <= 2


def test_ties_follow_the_studys_seed():
    firsts = {emptiest(CELLS, [], "r1", seed) for seed in range(60)}
    assert firsts == set(CELLS)


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


def test_threads_enrol_without_stepping_on_each_other(registry):
    given, threads = [], []
    for _ in range(8):
        work = threading.Thread(target=lambda: given.append(assign(registry, lead(registry))))
        threads.append(work)
        work.start()
    for thread in threads:
        thread.join()
    assert len(set(given)) == 8


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
    assert offers_of(pack) == (ListOffer("a", "deutan", 3), ListOffer("b", "protan", 5))


# Sessions


def test_two_sessions_with_one_code_at_once_are_refused(registry):
    code = lead(registry)
    registry.start_session(session_of(code))
    for changes in ({"rig": "rig-2"}, {"study": "simulatability"}, {"purpose": "test"}):
        with pytest.raises(UserError, match="at this moment"):
            registry.start_session(session_of(code, "s-2", **changes))


def test_an_unknown_code_a_typo_a_wrong_role_and_a_finished_study_are_one_line_each(registry):
    code = lead(registry)
    unknown = next(other for other in iter(new_code, None) if other != code)
    typo = code[:-1] + next(sign for sign in SIGNS if sign != code[-1])
    expert = registry.enrol("expert")
    registry.start_session(session_of(code))
    registry.finish_session("s-1")
    refused = {
        unknown: "not in this registry",
        typo: "typing error",
        expert: "enrolled as expert, but this session is for a lead",
        code: "has finished study accept_reject already",
    }
    for number, (who, message) in enumerate(refused.items()):
        with pytest.raises(UserError, match=message) as error:
            registry.start_session(session_of(who, f"t-{number}"))
        assert "\n" not in str(error.value)
    assert [person.sessions for person in registry.list() if person.code == code] == [1]


def test_a_test_session_never_uses_up_a_code(registry):
    code = lead(registry)
    for number in range(2):
        registry.start_session(session_of(code, f"t-{number}", purpose="test"))
        registry.finish_session(f"t-{number}")
    registry.start_session(session_of(code))


def test_a_dead_session_goes_on_at_once_on_the_same_rig_and_only_there(registry, clock):
    code = lead(registry)
    registry.start_session(session_of(code))
    registry.heartbeat("s-1", trials_done=17)
    left = registry.unfinished(code, study="accept_reject", pack_id="pack")
    assert (left.session, left.rig, left.trials_done) == ("s-1", "rig-1", 17)
    with pytest.raises(UserError, match=r"on rig rig-1; go on there"):
        registry.resume_session("s-1", "rig-2")
    registry.resume_session("s-1", "rig-1")
    clock.wait(100 * DROP_AFTER_S)
    with pytest.raises(UserError, match="has an unfinished session"):
        registry.start_session(session_of(code, "s-2", rig="rig-2"))
    registry.resume_session("s-1", "rig-1")
    registry.finish_session("s-1")
    assert registry.unfinished(code, study="accept_reject", pack_id="pack") is None
    with pytest.raises(UserError, match="complete"):
        registry.resume_session("s-1", "rig-1")


def test_a_stopped_session_can_go_on(registry):
    code = lead(registry)
    registry.start_session(session_of(code))
    registry.finish_session("s-1", complete=False)
    assert registry.unfinished(code, study="accept_reject", pack_id="pack").session == "s-1"
    registry.resume_session("s-1", "rig-1")
    registry.finish_session("s-1")


def test_a_silent_session_of_another_study_frees_the_code(registry, clock):
    code = lead(registry)
    registry.start_session(session_of(code))
    clock.wait(16 * 60)
    registry.start_session(session_of(code, "s-2", study="simulatability"))


def test_a_withdrawn_code_begins_and_resumes_nothing(registry):
    code = lead(registry)
    registry.start_session(session_of(code))
    registry.record_withdrawal(code)
    with pytest.raises(UserError, match="has withdrawn"):
        registry.resume_session("s-1", "rig-1")
    with pytest.raises(UserError, match="has withdrawn"):
        registry.start_session(session_of(code, "s-2"))
    assert registry.person(code).withdrawn


def test_sessions_that_nobody_began_are_refused(registry):
    for call in (registry.heartbeat, registry.finish_session):
        with pytest.raises(UserError, match="not in this registry"):
            call("s-9")


# The database


def test_everything_survives_closing(url, clock):
    registry = Registry.open(url, clock)
    code = lead(registry)
    given = assign(registry, code)
    registry.close()
    again = Registry.open(url, clock)
    assert assign(again, code) == given


def test_a_newer_registry_is_one_clear_line(url):
    registry = Registry.open(url)
    with registry._engine.begin() as connection:
        connection.execute(update(tables.meta).values(value="registry/2.0"))
    with pytest.raises(UserError, match=r"newer version \(registry/2\.0\)"):
        Registry.open(url)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("nonsense", "no such database"),
        ("foo://user:secret@host/db", "no such database"),
    ],
)
def test_a_url_of_no_database_is_one_clear_line_without_passwords(bad, message):
    with pytest.raises(UserError, match=message) as error:
        Registry.open(bad)
    assert "secret" not in str(error.value)


def test_a_file_that_is_no_registry_is_one_clear_line(tmp_path):
    path = tmp_path / "registry.sqlite"
    path.write_bytes(b"not a database at all, but long enough to be looked at" * 40)
    with pytest.raises(UserError, match="file is not a database"):
        Registry.open(f"sqlite:///{path.as_posix()}")


def test_a_registry_that_stays_locked_is_one_clear_line(registry, url, monkeypatch):
    monkeypatch.setattr(tables, "BUSY_TIMEOUT_S", 0.05)
    hasty = Registry.open(url)
    blocker = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    with pytest.raises(UserError, match="database is locked"):
        hasty.enrol("lead")
    blocker.close()
    hasty.enrol("lead")

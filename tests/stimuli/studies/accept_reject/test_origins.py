"""A pack says who E is: in its key and item table, and never on the lead's side."""

import dataclasses

import pytest

from stimuli.maps.map_set import MapSet
from stimuli.maps.origin import IMPORTED, NETWORK, PEOPLE, RESPONSE_MODEL, Origin
from stimuli.pack import open_pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject.compose import compose_solutions
from stimuli.studies.accept_reject.origins import experts_of
from stimuli.studies.accept_reject.tables import ITEM_TABLE, KEY
from stimuli.study import simulated_people
from tests.stimuli.test_golden import GOLDEN


def pack_by(tasks, origin, note, half=None):
    """Return a pack whose paintings somebody made; half of them somebody else."""
    task_pack, painted = tasks
    records = [
        dataclasses.replace(record, origin=half if half and nth % 2 else origin, origin_note=note)
        for nth, record in enumerate(painted.records)
    ]
    files = compose_solutions(task_pack, [MapSet(tuple(records), painted.maps)])
    protocol = task_pack.protocol
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files), files


@pytest.mark.parametrize("origin", [PEOPLE, RESPONSE_MODEL, IMPORTED])
def test_key_and_item_table_say_who_made_a_solution(tasks, origin):
    pack, _ = pack_by(tasks, origin, "CDF34HK")
    made = {(row["solver"], row["solver_origin"]) for row in pack.table(KEY)}
    assert made == {("S", NETWORK), ("E", origin), ("control", None)}
    rows = pack.table(ITEM_TABLE)
    assert {(row["expert_origin"], row["expert_origin_note"]) for row in rows} == {
        (origin, "CDF34HK")
    }
    assert experts_of(pack) == Origin(origin, "CDF34HK")


def test_a_pack_with_a_robot_among_people_is_one_of_simulated_people(tasks):
    pack, _ = pack_by(tasks, PEOPLE, "them", half=RESPONSE_MODEL)
    told = "E's answers and paintings come from response models (them)"
    assert simulated_people(pack) == told
    assert simulated_people(pack_by(tasks, PEOPLE, "them")[0]) == ""
    assert simulated_people(pack_by(tasks, IMPORTED, "them")[0]) == ""


def test_the_lead_side_is_the_same_whoever_painted(tasks):
    _, people = pack_by(tasks, PEOPLE, "CDF34HK")
    _, robots = pack_by(tasks, RESPONSE_MODEL, "CDF34HK")
    differing = {path for path in people if people[path] != robots[path]}
    assert differing == {"key.csv", "item_table.csv"}


def test_an_older_pack_reads_with_no_origin_but_that_of_robots():
    pack = open_pack(GOLDEN / "pack-1.0", "solutions")
    assert {row["solver_origin"] for row in pack.table(KEY)} == {None}
    assert not experts_of(pack).kind
    assert simulated_people(pack) == ""

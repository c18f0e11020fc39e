"""A pack says who E is: in its key and item table, and never on the lead's side."""

import dataclasses
from functools import cache

import pytest

from stimuli.maps.map_set import MapSet
from stimuli.maps.origin import NETWORK, PEOPLE, RESPONSE_MODEL, Origin
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject.compose import compose_solutions
from stimuli.studies.accept_reject.origins import (
    ARMS_FILE,
    arms_file,
    arms_of,
    experts_of,
    origins_of,
)
from stimuli.studies.accept_reject.tables import ITEM_TABLE, KEY
from stimuli.study import simulated_people


@pytest.fixture(scope="module")
def pack_by(few_tasks):
    """Return a pack whose paintings somebody made; half of them somebody else."""
    task_pack, painted = few_tasks

    @cache
    def made(origin, half=None):
        records = [
            dataclasses.replace(
                record, origin=half if half and nth % 2 else origin, origin_note="CDF34HK"
            )
            for nth, record in enumerate(painted.records)
        ]
        files = compose_solutions(task_pack, [MapSet(tuple(records), painted.maps)])
        protocol = task_pack.protocol
        return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files), files

    return made


@pytest.mark.parametrize("origin", [PEOPLE, RESPONSE_MODEL])
def test_key_and_item_table_say_who_made_a_solution(pack_by, origin):
    pack, _ = pack_by(origin)
    made = {(row["solver"], row["solver_origin"]) for row in pack.table(KEY)}
    assert made == {("S", NETWORK), ("E", origin), ("control", None)}
    rows = pack.table(ITEM_TABLE)
    assert {(row["expert_origin"], row["expert_origin_note"]) for row in rows} == {
        (origin, "CDF34HK")
    }
    assert experts_of(pack) == Origin(origin, "CDF34HK")


def test_a_pack_with_a_robot_among_people_is_one_of_simulated_people(pack_by):
    pack, _ = pack_by(PEOPLE, half=RESPONSE_MODEL)
    told = "E's answers and paintings come from response models (CDF34HK)"
    assert simulated_people(pack) == told
    assert simulated_people(pack_by(PEOPLE)[0]) == ""


def test_the_lead_side_is_the_same_whoever_painted(pack_by):
    _, people = pack_by(PEOPLE)
    _, robots = pack_by(RESPONSE_MODEL)
    differing = {path for path in people if people[path] != robots[path]}
    assert differing == {"key.csv", "item_table.csv", "arms.csv"}


def test_the_table_of_arms_says_how_s_was_explained_and_who_painted(few_tasks):
    """From the task pack, in which the builder noted it; without a code of any person."""
    task_pack, painted = few_tasks
    own = Origin(NETWORK, "plate_cnn", "mine:edges", "power=2.0", "a1" * 32, "b2" * 32)
    told = {ARMS_FILE: arms_file({("S", "sketch"): own})}
    assets = {path: task_pack.asset(path) for path in task_pack.manifest.files}
    noted = pack_in_memory(
        task_pack.protocol, task_pack.manifest.protocol_hash, "tasks", assets | told
    )
    by_people = tuple(
        dataclasses.replace(record, origin=PEOPLE, solver_id="CDF34HK", origin_note="CDF34HK")
        for record in painted.records
    )
    files = compose_solutions(noted, [MapSet(by_people, painted.maps)])
    assert b"CDF34HK" not in files[ARMS_FILE]
    pack = pack_in_memory(noted.protocol, protocol_hash(noted.protocol), "solutions", files)
    assert arms_of(pack) == {("S", "sketch"): own, ("E", "painting"): Origin(PEOPLE, "1 expert")}
    assert origins_of(pack)["S's solutions, explained by sketch"] == own

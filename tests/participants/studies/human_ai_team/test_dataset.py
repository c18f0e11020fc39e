"""Rows of trials.csv and people.csv, against the journal and the pack's key."""

import pytest

from participants.dataset.table_files import read_table
from participants.folder import DataFolder
from participants.journal import read_journal
from participants.simulate.run import simulate
from stimuli.studies.human_ai_team.tables import ITEMS, KEY
from tests.participants.studies.human_ai_team.taken import ALL_ASKED, pack_of

STUDY = "human_ai_team"
ROBOTS = ("careful", "yes_sayer", "yes_sayer", "careful", "careful", "careful", "absent", "careful")


@pytest.fixture(scope="module")
def pack():
    return pack_of(question=ALL_ASKED)


@pytest.fixture(scope="module")
def data(pack, tmp_path_factory):
    folder = DataFolder(tmp_path_factory.mktemp("data"))
    simulate(folder, pack, ROBOTS)
    return folder


def test_rows_say_what_was_shown_and_answered(pack, data):
    key = {row["presentation"]: row for row in pack.table(KEY)}
    items = {row["presentation"]: row for row in pack.table(ITEMS)}
    rows = read_table(data, STUDY, "trials")
    assert len(rows) == len(ROBOTS) * 10
    for row in rows:
        known, shown = key[row["presentation"]], items[row["presentation"]]
        for name in ("item", "ai_correct", "level", "adversarial", "true_label"):
            assert row[name] == known[name]
        assert row["ai_correct"] == (row["pred_label"] == row["true_label"])
        assert row["confidence"] == pytest.approx(known["confidence"])
        alone = row["method"] == "human_alone"
        assert row["confidence_percent"] == (None if alone else shown["confidence_percent"])
        assert row["condition"] == row["method"]
        assert row["counts"] is True
        right = "yes" if row["ai_correct"] else "no"
        answered = row["decision"] != "none"
        assert row["correct"] == ((row["decision"] == right) if answered else None)
        assert (row["own_decision"] is None) is alone
        assert row["confidence_rating"] in (1, 2, 3, 4)
    assert len({row["method"] for row in rows if row["qualified"]}) == ROBOTS.count("careful")
    assert {row["prior_knowledge"] for row in rows if row["robot"] != "absent"} == {"yes", "no"}
    assert {row["decision"] for row in rows if row["robot"] == "absent"} == {"none"}
    assert {row["decision"] for row in rows if row["robot"] == "yes_sayer"} == {"yes"}


def test_own_answers_are_those_of_the_journal(data):
    rows = {(row["session"], row["trial"]): row for row in read_table(data, STUDY, "trials")}
    for paths in data.sessions():
        journal = read_journal(paths.journal)
        for end in journal.of("own_end"):
            if end["phase"] != "practice":
                row = rows[paths.session, end["trial"]]
                assert (row["own_decision"], row["own_rt_s"]) == (end["decision"], end["rt_s"])


def test_people_say_who_qualified(data):
    people = {row["participant"]: row for row in read_table(data, STUDY, "people")}
    for row in people.values():
        assert row["qualified"] is {"careful": True}.get(row["robot"], False)
        assert row["qualified"] is (row["validation_right"] == row["validation_needed"] == 4)
        assert (row["validation"], row["trials"], row["complete"]) == (4, 6, True)
        assert row["relied_on"]
    for row in read_table(data, STUDY, "trials"):
        assert row["qualified"] is people[row["participant"]]["qualified"]


def test_a_disqualified_robots_place_is_given_out_again(tmp_path):
    """As the registry has it: each of two arms × three sheets goes to one who qualifies."""
    pack = pack_of(help={"arms": ("confidence", "gradcam")})
    data = DataFolder(tmp_path)
    simulate(data, pack, ["yes_sayer"] * 4 + ["careful"] * 6)
    rows = read_table(data, STUDY, "people")
    kept = {(row["sheet"], row["method"]) for row in rows if row["qualified"]}
    assert len(kept) == sum(row["qualified"] for row in rows) == 6

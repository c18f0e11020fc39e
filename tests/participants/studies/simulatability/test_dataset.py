"""Rows of trials.csv and people.csv, against the journal and the pack's key."""

import pytest

from participants.dataset.table_files import read_table
from participants.folder import DataFolder
from participants.simulate.run import simulate
from participants.studies.simulatability.rows import points_to
from stimuli.studies.simulatability.protocol import cell_of
from stimuli.studies.simulatability.stimulus import EXPLANATION, Composite
from stimuli.studies.simulatability.tables import EXPLANATIONS, KEY
from tests.experiments.studies.simulatability.made_cases import EXPLANATIONS as MADE
from tests.participants.studies.simulatability.taken import pack_of

STUDY = "simulatability"
ROBOTS = ("reader", "careless", "practice", "true_label", "same_as_before", "absent")
CHANGES = {
    "question": {"confidence_steps": 4},
    "design": {"second_test": True},
    "length": {"shorten": False},
    "understanding": {"then": "end"},
}


@pytest.fixture(scope="module")
def pack():
    return pack_of(**CHANGES)


@pytest.fixture(scope="module")
def data(pack, tmp_path_factory):
    folder = DataFolder(tmp_path_factory.mktemp("data"))
    simulate(folder, pack, ROBOTS)
    return folder


def test_rows_say_what_was_shown_and_answered(pack, data):
    key = {row["presentation"]: row for row in pack.table(KEY)}
    rows = read_table(data, STUDY, "trials")
    assert len(rows) == (len(ROBOTS) - 1) * 80
    for row in rows:
        known = key[row["presentation"]]
        for name in ("item", "source_id", "outcome", "flips", "short", "output", "true_label"):
            assert row[name] == known[name]
        assert (row["domain"], row["method"]) == cell_of(row["arm"])
        assert row["condition"] == row["arm"]
        assert row["item"].split(":")[0] == row["domain"]
        learning = row["use"] == "learning"
        assert (row["look_s"] is None) is not learning
        answered = row["decision"] != "none"
        assert row["correct"] == ((row["decision"] == row["output"]) if answered else None)
        assert (row["confidence"] in (1, 2, 3, 4)) is not learning
        explained = (row["use"], row["phase"]) in (("learning", "post"), ("counterfactual", "post"))
        rated = explained and row["method"] != "no_explanation"
        assert (row["rating"] is not None) is rated
    assert {row["decision"] for row in rows if row["robot"] == "absent"} == {"none"}


def test_a_second_test_is_in_the_other_domain_with_the_next_method(pack, data):
    people = read_table(data, STUDY, "people")
    for row in people:
        if row["qualified"]:
            assert row["second_arm"] == pack.protocol.second_arm(row["arm"])
    arms = {(row["participant"], row["test_number"], row["arm"])
            for row in read_table(data, STUDY, "trials")}  # fmt: skip
    assert len(arms) == 2 * (len(ROBOTS) - 1)


def test_people_say_who_qualified_and_what_they_answered(data):
    people = {row["robot"]: row for row in read_table(data, STUDY, "people")}
    assert {name for name, row in people.items() if not row["qualified"]} == {"careless"}
    for row in people.values():
        assert row["complete"]
        assert row["course"] == "yes"
        assert (row["relied_on"] is None) is (row["robot"] == "careless")
    assert people["careless"]["median_prediction_s"] is None
    assert people["reader"]["understanding_right"] == 5


def test_what_is_known_of_each_explanation_stands_beside_the_trials(pack, data):
    """Every explanation of the packs that were shown, by the trial table's items and methods."""
    rows = {(row["item"], row["method"]): row for row in read_table(data, STUDY, "explanations")}
    explained = {
        (row["presentation"], row["method"]): EXPLANATION.validate_json(row["explanation"])
        for row in pack.table(EXPLANATIONS)
    }
    assert len(rows) == len(explained)
    for trial in read_table(data, STUDY, "trials"):
        if trial["rating"] is not None:
            assert (trial["item"], trial["method"]) in rows
    for row in rows.values():
        explanation = explained[row["presentation"], row["method"]]
        parts = explanation if isinstance(explanation, Composite) else None
        lime = parts.lime if parts else explanation
        rule = parts.anchor if parts else explanation
        assert row["fidelity"] == getattr(lime, "fidelity", None)
        assert (row["precision"], row["coverage"]) == (
            getattr(rule, "precision", None), getattr(rule, "coverage", None)
        )  # fmt: skip
    has = {name: {row["method"] for row in rows.values() if row[name] is not None}
           for name in ("precision", "agrees")}  # fmt: skip
    assert has["precision"] == {"anchor", "composite"}
    assert "ours" not in has["agrees"]


@pytest.mark.parametrize("is_positive", [True, False])
def test_an_explanation_agrees_if_it_says_the_models_output(is_positive):
    for method, explanation in MADE["text"].items():
        said = points_to(explanation, "pos" if is_positive else "neg", is_positive=is_positive)
        assert said is {"rationale": None, "lime": not is_positive, "omission": not is_positive,
                        "composite": False}.get(method, is_positive)  # fmt: skip


def test_an_excluded_robots_place_is_given_out_again(tmp_path):
    """Each of two arms goes to one who qualifies before any is given twice."""
    pack = pack_of(design={"methods": ("lime",)}, understanding={"then": "end"})
    data = DataFolder(tmp_path)
    simulate(data, pack, ["careless"] * 2 + ["majority"] * 2, seed=2)
    rows = read_table(data, STUDY, "people")
    kept = {(row["arm"], row["qualified"]) for row in rows if row["qualified"]}
    assert kept == {("text_lime", True), ("tabular_lime", True)}
    assert [row["qualified"] for row in rows].count(True) == 2

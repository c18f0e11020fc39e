"""A lead's session on labelled images: plan, texts, robots, and what the tables keep."""

import pytest

from participants.dataset.table_files import read_table
from participants.folder import DataFolder
from participants.lists import Assignment
from participants.session import Page
from participants.simulate.run import simulate
from participants.studies.accept_reject_accuracy.plan import (
    TEXTS,
    plan_session,
)
from participants.studies.accept_reject_accuracy.robots import LABELLERS
from participants.study import session_kind_of
from participants.texts import (
    languages,
    load_text,
)
from stimuli.errors import UserError
from stimuli.studies.accept_reject.tables import ITEM_TABLE, KEY
from tests.participants.studies.accept_reject.packs import tiny_sketch
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch

LANGUAGES = languages(TEXTS)


@pytest.fixture(scope="module")
def pack():
    return small_sketch()


@pytest.fixture(scope="module")
def data(pack, tmp_path_factory):
    folder = DataFolder(tmp_path_factory.mktemp("data"))
    simulate(folder, pack, ["exact_labels", "lenient", "noisy", "noisy", "lazy", "random"], seed=2)
    return folder


def plan_of(pack, language="en"):
    return plan_session(pack, Assignment("l1", "one_run"), language, "CDF34HK")


def test_a_session_has_one_run_after_practice_with_feedback(pack):
    plan = plan_of(pack)
    steps = [step.step for step in plan.steps]
    assert steps[:3] == ["consent", "instructions", "guidelines"]
    assert steps[-2:] == ["consent_renewed", "end"]
    assert [trial.run for trial in plan.trials] == sorted(trial.run for trial in plan.trials)
    assert {trial.run for trial in plan.trials} == {0, 1}
    for trial in plan.trials:
        assert (trial.expected is not None) is (trial.phase == "practice")
    examples = [step for step in plan.steps if isinstance(step, Page) and step.figure]
    assert [page.text for page in examples] == ["example_accept", "example_reject"]


def test_what_a_pack_does_not_offer_is_refused_in_one_line(pack):
    with pytest.raises(UserError, match="no list 'l9'"):
        plan_session(pack, Assignment("l9", "one_run"), "en", "P")
    with pytest.raises(UserError, match="one run"):
        plan_session(pack, Assignment("l1", "with_first"), "en", "P")
    with pytest.raises(UserError, match="language 'fr'"):
        plan_session(pack, Assignment("l1", "one_run"), "fr", "P")
    assert session_kind_of(pack).orders(pack.protocol) == ("one_run",)


def test_robots_decide_as_the_key_says(pack, data):
    rows = {}
    for row in read_table(data, "accept_reject", "trials"):
        rows.setdefault(row["robot"], []).append(row)
    true = {row["presentation"]: row["true_label"] for row in pack.table(KEY)}
    said = {row["item"]: row["model_label"] for row in pack.table(ITEM_TABLE)}
    for row in rows["exact_labels"]:
        right = row["shown_label"] == true[row["presentation"]]
        assert row["decision"] == ("accept" if right else "reject")
    for row in rows["lenient"]:
        if row["decision"] == "accept" and row["shown_label"] != row["true_label"]:
            assert row["shown_label"] == said[row["item"]]
    slips = [
        (row["decision"] == "accept") != (row["shown_label"] == row["true_label"])
        for row in rows["noisy"]
    ]
    assert 0 < sum(slips) < len(slips) / 3
    assert {row["decision"] for row in rows["lazy"]} == {"accept"}
    assert {row["decision"] for row in rows["random"]} == {"accept", "reject"}


def test_tables_have_the_studys_columns_and_nothing_of_plates(data):
    rows = read_table(data, "accept_reject", "trials")
    assert {(row["axis"], row["rung"], row["method"]) for row in rows} == {(None, None, None)}
    assert {row["order"] for row in rows} == {"one_run"}
    assert {row["solver"] for row in rows} == {"S", "E", "control"}
    assert {row["explained"] for row in rows} == {False}
    assert len(read_table(data, "accept_reject", "items")) == 60


def robot_of(name, pack):
    return session_kind_of(pack).load_robots().make(pack, "en")(name, "P", 1)


def test_a_robot_for_plates_cannot_judge_images_and_the_other_way_round(pack):
    with pytest.raises(UserError, match="judges no labels of images"):
        robot_of("dichromat", pack)
    with pytest.raises(UserError, match="unknown; take one of"):
        robot_of("exact_labels", tiny_sketch())
    assert session_kind_of(pack).robot_names == tuple(LABELLERS)
    assert session_kind_of(tiny_sketch()).robot_names[0] == "lead"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plan_names_only_texts_that_exist(pack, language):
    plan = plan_of(pack, language)
    assert plan.text_folder == TEXTS
    for step in plan.steps:
        if isinstance(step, Page):
            load_text(TEXTS, language, step.text).filled(
                {**step.values, "institution": "I", "contact": "C", "terms": "T"}
            )

"""Age and gender by arm: counted from the lab's registry, of those who are analysed."""

from contextlib import closing
from dataclasses import replace

import pytest

from analysis.questions.answers_by_arm import ANSWERED
from analysis.studies.human_ai_team.data import read_data as read_team
from analysis.studies.human_ai_team.questions import about_people as of_team
from analysis.studies.simulatability.data import read_data as read_predictions
from analysis.studies.simulatability.questions import about_people as of_predictions
from participants.folder import LabFolder
from participants.registry import Registry
from participants.registry.records import record_demographics
from tests.analysis.studies.human_ai_team import tables_of as team
from tests.analysis.studies.simulatability import tables_of as predictions

STUDIES = {
    "human_ai_team": (
        of_team.ABOUT_PEOPLE, read_team, lambda: team.crossed(people=4), team.dataset_of
    ),
    "simulatability": (
        of_predictions.ABOUT_PEOPLE, read_predictions, lambda: predictions.trials_of(4, 4),
        predictions.dataset_of,
    ),
}  # fmt: skip


@pytest.fixture(params=STUDIES)
def asked(request, tmp_path):
    """A study's question and data in a lab folder whose registry knows their people."""
    question, read, table, dataset_of = STUDIES[request.param]
    lab, trials = LabFolder.make(tmp_path / "lab"), table()
    with closing(Registry.open(lab.registry_url)) as registry:
        codes = {name: registry.enrol("participant") for name in trials["participant"].unique()}
        trials["participant"] = trials["participant"].map(codes)
        stranger = registry.enrol("participant")
        first, second, third, _ = codes.values()
        for code, age, gender in (
            (first, "18_24", "woman"), (second, "25_34", None), (third, "18_24", "man"),
            (stranger, "65_up", "other"),
        ):  # fmt: skip
            told = dict.fromkeys(("glasses", "acuity", "language"))
            record_demographics(registry, code, {"age_band": age, "gender": gender, **told})
    data = read(replace(dataset_of(trials), folder=lab.data.root), None, ())
    arms = trials.drop_duplicates("participant").set_index("participant")
    return question, data, [arms.loc[code] for code in (first, second, third)]


def test_answers_are_counted_by_arm_and_strangers_are_not(asked):
    question, data, people = asked
    answers = question.compute(data)
    arms_of = [row["method"] for row in people]
    rows = answers.rows(ANSWERED)
    count = {(row.of["asked"], row.of["choice"], row.of["method"]): row.count for row in rows}
    for choice, arms in {"18_24": (arms_of[0], arms_of[2]), "25_34": (arms_of[1],)}.items():
        for arm in answers.arms:
            assert count["about_age", choice, arm] == arms.count(arm)
    for place, choice in enumerate(("woman", "skip", "man")):
        for arm in answers.arms:
            assert count["about_gender", choice, arm] == (arms_of[place] == arm)
    given = {choice for (_, choice, _), number in count.items() if number}
    assert given == {"18_24", "25_34", "woman", "man", "skip"}
    assert {row.of["method"]: row.n for row in rows} == {a: arms_of.count(a) for a in answers.arms}


def test_the_page_has_a_row_for_each_answer_and_no_code(asked):
    question, data, _ = asked
    (part,) = question.parts[0].parts(question.compute(data))
    shown = [row[:2] for row in part.rows]
    assert shown[0] == ("How old are you?", "18 to 24")
    assert [words for _, words in shown[7:]] == ["Woman", "Man", "Another", "I’d rather not say"]
    assert {row[0] for row in part.rows} == {"How old are you?", "", "What is your gender?"}


def test_without_a_registry_nothing_is_shown(asked):
    question, data, _ = asked
    answers = question.compute(replace(data, dataset=replace(data.dataset, folder=None)))
    assert answers.estimates == ()
    assert not question.shown(answers)

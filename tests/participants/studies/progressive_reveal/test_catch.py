"""Catch rounds in sessions and tables, and what robots make of them."""

from collections import defaultdict
from dataclasses import fields
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from participants.dataset.derive import derive
from participants.folder import DataFolder
from participants.journal import JournalWriter
from participants.lists import Assignment
from participants.session import Page, Question, done_steps, run_session
from participants.studies.progressive_reveal.plan import STUDY, plan_session
from participants.studies.progressive_reveal.robots.viewers import ViewerParticipant, views_of
from participants.studies.progressive_reveal.rounds import RevealRound
from participants.studies.progressive_reveal.rows import longest_walk
from participants.studies.progressive_reveal.simulated import played_script
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.lists import catch_kind
from stimuli.studies.progressive_reveal.sketch import sketch
from stimuli.studies.progressive_reveal.tables import CLASSES, KEY
from tests.participants.studies.progressive_reveal.test_dataset import header_of
from tests.participants.studies.progressive_reveal.viewing import ScriptedViewer
from tests.stimuli.studies.progressive_reveal.small import protocol_of


@cache
def pack():
    return sketch(protocol_of(session={"catch_rounds": 4, "copy_typing_words": 0}))


def plan_of(of=None, list_id="l1"):
    return plan_session(of or pack(), Assignment(list_id, "as_listed"), "en", "P")


def kind_of():
    return {row["presentation"]: catch_kind(row["method"]) for row in pack().table(KEY)}


def test_to_a_participant_they_are_rounds_like_any():
    rounds = [step for step in plan_of().trials if step.phase == "main"]
    kinds = [kind_of()[step.presentation] for step in rounds]
    assert len(rounds) == 16
    assert sorted(kind for kind in kinds if kind) == ["hidden"] * 2 + ["whole"] * 2
    caught = [step for step, kind in zip(rounds, kinds, strict=True) if kind]
    usual = next(step for step, kind in zip(rounds, kinds, strict=True) if not kind)
    own = {"step", "trial", "sitting", "position", "presentation", "image_file", "steps_file",
           "right_class", "pixels", "done"}  # fmt: skip
    for step in caught:
        for field in fields(RevealRound):
            if field.name not in own:
                assert getattr(step, field.name) == getattr(usual, field.name), field.name


def test_their_rows_are_marked_and_tell_keys_and_walks(tmp_path):
    data, plan = DataFolder(tmp_path / "data"), plan_of()
    data.copy_pack(pack())
    names = [one.class_id for one in Classes.of(pack().table(CLASSES), "en").names]

    def script(step):
        """Go up the table of classes from its last name to the right one."""
        upwards = names[names.index(step.right_class) :][::-1]
        return [(4.0 * (nth + 1), name) for nth, name in enumerate(upwards)]

    path = data.session("s1").journal
    with JournalWriter.create(path, header_of(plan, "s1")) as journal:
        viewer = ScriptedViewer(journal, script=script)
        run_session(plan, done_steps(plan, ()), viewer, viewer, journal)
    rows = derive(data, STUDY, with_unfinished=True).trials
    kinds = kind_of()
    assert {row["catch"] for row in rows} == {None, "hidden", "whole"}
    for row in rows:
        assert row["catch"] == kinds[row["presentation"]]
        assert row["method"] == row["condition"]
        assert catch_kind(row["method"]) == row["catch"]
        run = len(names) - names.index(row["class"])
        assert (row["attempts"], row["table_walk"]) == (run, run)
        letters = sum(map(len, row["answers"].split("|")))
        assert row["keystrokes"] == letters + run


def walked_by_definition(places):
    """The longest stretch in which each place is the last one plus one, or minus one."""
    best = 0
    for first in range(len(places)):
        for last in range(first, len(places)):
            own = places[first : last + 1]
            steps = {b - a for a, b in pairwise(own)}
            if steps <= {1} or steps <= {-1}:
                best = max(best, len(own))
    return best


@given(st.lists(st.integers(0, 6), max_size=12))
def test_a_walk_is_the_longest_run_of_neighbours(places):
    assert longest_walk(places) == walked_by_definition(places)


def outcomes(kind, people=15):
    """What robots of a kind do in catch rounds: recognised at all, and answers before that."""
    views, kinds = views_of(pack(), "en"), kind_of()
    found = defaultdict(list)
    for number in range(people):
        robot = ViewerParticipant.among(views, kind, f"P{number}", seed=5)
        for name, caught in kinds.items():
            if caught:
                view = views[name]
                played = played_script(robot.script(name), view, view.steps * view.step_s)
                right = any(one.right for one in played.attempts)
                found[caught].append((right, len(played.attempts) - right))
    return found


def test_robots_who_look_pass_both_kinds():
    found = outcomes("viewer")
    assert max(wrong for _, wrong in found["hidden"]) <= 1  # at the last step, when all is there
    assert sum(right for right, _ in found["whole"]) > 0.8 * len(found["whole"])


@pytest.mark.parametrize("kind", ["guesser", "walker", "mistaken"])
def test_robots_who_guess_answer_before_there_is_anything_to_see(kind):
    found = outcomes(kind)
    if kind == "mistaken":  # never right, but silent until something of the object is there
        assert not any(right for right, _ in found["whole"])
        return
    early = sum(wrong + right >= 1 for right, wrong in found["hidden"])
    assert early > 0.8 * len(found["hidden"])


def plan_with(**session):
    return plan_of(sketch(protocol_of(session={"catch_rounds": 0, **session})))


def test_facts_about_oneself_come_before_the_rounds_and_the_topic_after_them():
    steps = plan_with(demographics="before").steps
    names = [step.step for step in steps]
    first = names.index("trial-0001")
    before = [step.step for step in steps[:first] if isinstance(step, Question)]
    after = [step.step for step in steps[first:] if isinstance(step, Question)]
    assert before == ["survey_gender", "survey_age", "survey_field"]
    assert after == ["survey_machine_learning"]
    assert (
        names.index("consent")
        < names.index("before_demographics")
        == (names.index("survey_gender") - 1)
    )
    told = {step.step: step.values for step in steps if isinstance(step, Page) and step.values}
    assert told["before_questions"]["questions"] == "1"


def test_questions_about_oneself_are_introduced_as_such_once():
    """The form comes right before the survey: what follows it is introduced as more of it."""
    session = {"catch_rounds": 0, "demographics": "before"}
    with_form = protocol_of(session=session).model_copy(update={"demographics": True})
    plan = plan_of(sketch(with_form))
    names = [step.step for step in plan.steps]
    first = names.index("demographics")
    assert names[first + 1 : first + 3] == ["after_demographics", "survey_field"]
    assert "before_demographics" not in names


def test_an_old_protocol_asks_all_after_the_rounds():
    names = [step.step for step in plan_with(demographics="after").steps]
    questions = [name for name in names if name.startswith("survey_")]
    assert len(questions) == 4
    assert names.index("before_questions") > names.index("trial-0009")
    assert "before_demographics" not in names
    assert not any(n.startswith("survey") for n in (s.step for s in plan_with(survey=False).steps))

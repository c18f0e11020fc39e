"""A session from a table: two answers to an item, ratings, feedback, catch items, its rows."""

from dataclasses import replace
from unittest.mock import Mock

import pytest

from participants.dataset.table_files import read_table
from participants.folder import DataFolder
from participants.journal import read_journal
from participants.planning import plans_of
from participants.session import Attended, Break, Qualification, Question
from participants.session.feedback import Feedback, FeedbackPresenter
from participants.simulate.run import simulate
from participants.table_study.trial import ItemPresenter, ItemTrial
from stimuli.catalogue import OUTSIDE
from stimuli.protocol import load_protocol
from stimuli.study import rules_as_pack
from tests.stimuli.table_study.tables_at_hand import DESIGN, OTHER, TABLE, write_study


@pytest.fixture
def sketch(tmp_path, monkeypatch):
    """Return the pack of the small study, with lines of study.toml or the table replaced."""

    def make(changes=(), table=TABLE):
        design = OTHER + DESIGN
        for old, new in changes:
            assert old in design
            design = design.replace(old, new)
        monkeypatch.setenv(OUTSIDE, str(write_study(tmp_path, design, table)))
        return rules_as_pack(load_protocol("wolves"))

    return make


def steps_of(pack):
    (plan, *_) = plans_of(pack, "en")
    return plan.steps


def test_an_item_is_answered_before_and_after_the_advice_then_rated(sketch):
    steps = steps_of(sketch())
    practice = [step.step for step in steps if step.step.endswith("-0001")]
    assert practice == ["own-0001", "trial-0001", "sure-0001", "feedback-0001"]
    trials = [step for step in steps if isinstance(step, ItemTrial)]
    assert [trial.stage for trial in trials] == ["own", "final"] * 4
    assert [trial.fixation_s for trial in trials] == [0.5, 0.0] * 4
    assert not any(trial.has_advice for trial in trials if trial.stage == "own")
    assert [step.about for step in steps if isinstance(step, Feedback)] == [1]
    assert {step.question for step in steps if isinstance(step, Question)} == {"sure"}


def test_catch_items_are_checked_and_breaks_come_between(sketch):
    steps = steps_of(sketch([("catch_right = 1", "catch_right = 1\nbreak_every_trials = 1")]))
    (check,) = [step for step in steps if isinstance(step, Qualification)]
    (catch,) = {
        step.trial for step in steps if isinstance(step, ItemTrial) and step.phase == "validation"
    }
    assert check.trials == (catch,)
    assert check.needed == 1
    assert [pause.done for pause in steps if isinstance(pause, Break)] == [1, 2]


def test_advice_comes_with_the_item_or_on_a_key(sketch, tmp_path):
    steps = steps_of(sketch([('"after_answer"', '"on_key"\nkey = "h"')]))
    trials = [step for step in steps if isinstance(step, ItemTrial)]
    assert {(trial.stage, trial.later.key) for trial in trials} == {("only", "h")}


def test_a_factor_may_say_when_advice_comes(sketch, tmp_path):
    levels = ("with_item", "after_answer")
    table = TABLE.replace(",none,", f",{levels[0]},").replace(",map,", f",{levels[1]},")
    changes = [('"none", "map"', '"with_item", "after_answer"'),
               ('["map", "none"]', '["after_answer", "with_item"]'),
               ('when = "after_answer"', 'when = "help"')]  # fmt: skip
    pack = sketch(changes, table)
    (plan, *_) = plans_of(pack, "en")
    stages = [(trial.stimulus["help"], trial.stage) for trial in plan.trials]
    assert stages.count(("with_item", "only")) == 2
    assert {stage for level, stage in stages if level == "after_answer"} == {"own", "final"}
    data = DataFolder(tmp_path / "data")
    simulate(data, pack, ["follower"] * 4, 1, on_session=lambda name: None)
    rows = read_table(data, "wolves", "trials")
    assert {row["help"] for row in rows} == {*levels}
    for row in rows:
        assert (row["own_decision"] is not None) == (row["help"] == "after_answer")


TYPED = [('answers = ["dog", "wolf"]', "typed = true")]
CAPITALS = TABLE.replace(",dog,", ",dog | hound,").replace("b.png,wolf", "b.png,none")


@pytest.mark.parametrize("robot", ["expected", "guesser"])
def test_typed_answers_are_in_the_journal_key_by_key_and_scored_by_what_is_accepted(
    sketch, tmp_path, robot
):
    pack = sketch(TYPED, CAPITALS)
    data = DataFolder(tmp_path / "data")
    simulate(data, pack, [robot] * 6, 1, on_session=lambda name: None)
    journals = [read_journal(paths.journal) for paths in data.sessions()]
    for end in (end for journal in journals for end in journal.of("trial_end")):
        assert "".join(one["text"] for one in end["keystrokes"]) == end["decision"]
        assert end["keystrokes"][-1]["entry"] == end["decision"]
        assert end["keystrokes"][-1]["t_s"] == pytest.approx(end["rt_s"], abs=1e-6)
    rows = read_table(data, "wolves", "trials")
    assert len(rows) == 12
    accepted = {"a": {"dog", "hound"}, "b": {"none"}}
    for row in rows:
        assert row["answers"] is row["place"] is None
        assert row["correct"] == (row["decision"] in accepted[row["item"]])
        assert row["agrees"] == (row["decision"] == row["advice"])
    assert "none" in {row["decision"] for row in rows}


def test_feedback_takes_every_accepted_answer(sketch):
    pack = sketch(TYPED, CAPITALS)
    (told, *_) = [step for step in steps_of(pack) if isinstance(step, Feedback)]
    assert told.expected == "dog"
    assert all(map(told.accepts, ("dog", " Hound. ", "DOG")))
    assert not told.accepts("wolf")


@pytest.mark.parametrize(("rt_s", "decision"), [(1.5, "none"), (None, None)])
def test_feedback_knows_a_typed_none_from_no_answer(rt_s, decision):
    presenter = Mock(spec=FeedbackPresenter)
    ends = [{"trial": 1, "decision": "none", "rt_s": rt_s}]
    told = Feedback(step="f", about=1, expected="two", feedback_s=1.0, limit_s=9.0)
    told.perform(presenter, Mock(ends=ends))
    (call,) = presenter.feedback.call_args_list
    assert (call.args[0].decision, call.args[0].right) == (decision, False)


@pytest.mark.parametrize(("rt_s", "shown"), [(1.5, "none"), (None, None)])
def test_the_first_answer_is_shown_after_the_advice_also_in_a_session_that_goes_on(
    sketch, rt_s, shown
):
    first, final, *_ = (step for step in steps_of(sketch()) if isinstance(step, ItemTrial))
    before = [
        Mock(event="own_end", fields={"trial": trial, "decision": said, "rt_s": rt_s})
        for trial, said in ((9, "wolf"), (final.trial, "none"))
    ]
    presenter = Mock(spec=ItemPresenter)
    presenter.choose.return_value = Mock(recorded=dict, later_s=None, keystrokes=())
    for trial in (final, first):
        recorder = Attended(Mock(), lambda end: True, before if trial is final else ())
        trial.perform(presenter, recorder)
    after, alone = (call.args[0] for call in presenter.choose.call_args_list)
    assert (after.first, alone.first) == (shown, None)
    assert replace(after, first=None) == final


def test_with_a_mouse_no_key_is_needed(sketch):
    changes = [("[advice]", 'device = "mouse"\n[advice]'), ('"after_answer"', '"on_key"')]
    (plan, *_) = plans_of(sketch(changes), "en")
    assert plan.device == "mouse"
    assert all(trial.device == "mouse" and not trial.keys for trial in plan.trials)


def test_people_between_see_the_items_of_their_arm_alone(sketch):
    pack = sketch([('levels = ["none", "map"]\n', 'levels = ["none", "map"]\nvary = "between"\n')])
    for plan, level in zip(plans_of(pack, "en"), ("none", "map"), strict=True):
        main = [step for step in plan.trials if step.phase == "main"]
        assert {trial.stimulus["help"] for trial in main} == {level}
        assert {trial.stimulus["item"] for trial in main} == {"a", "b"}


@pytest.mark.parametrize("when", ["after_answer", "with_item", "on_key"])
def test_rows_hold_what_was_answered_and_what_the_pack_says(sketch, tmp_path, when):
    pack = sketch([('"after_answer"', f'"{when}"')])
    data = DataFolder(tmp_path / "data")
    simulate(data, pack, ["follower"] * 6, 1, on_session=lambda name: None)
    rows = read_table(data, "wolves", "trials")
    items = {row["presentation"]: row for row in read_table(data, "wolves", "items")}
    journals = [read_journal(paths.journal) for paths in data.sessions()]
    ends = {(journal.header["session"], end["trial"]): end for journal in journals
            for end in journal.of("trial_end") if end["phase"] == "main"}  # fmt: skip
    assert len(rows) == len(ends) == 12
    for row in rows:
        item, end = items[row["presentation"]], ends[row["session"], row["trial"]]
        assert row["decision"] == end["decision"]
        assert row["help"] == row["condition"] == item["help"]
        assert row["correct"] == (end["decision"] == item["right"])
        assert row["ai_correct"] == (item["advice"] == item["right"])
        assert row["agrees"] == (end["decision"] == item["advice"])
        assert row["sure"] in (1, 2, 3)
        assert (row["own_decision"] is not None) == (when == "after_answer")
        assert (row["advice_shown_s"] is not None) == (when == "on_key")
    people = read_table(data, "wolves", "people")
    assert [row["trials"] for row in people] == [2] * 6

"""What leads are asked after the runs, and what the sham group sees and is asked."""

from dataclasses import dataclass

import pytest

from participants.session import (
    Question,
    done_steps,
    run_session,
)
from participants.studies.accept_reject.plan import (
    orders_of,
)
from stimuli.errors import UserError
from stimuli.studies.accept_reject.sketch import sketch
from tests.participants.session.scripted import MemoryRecorder, ScriptedPresenter
from tests.participants.studies.accept_reject.packs import (
    bare_pack,
    plan_of,
    tiny_protocol,
)


@dataclass
class Suspecting(ScriptedPresenter):
    """Answers the question of the source as told."""

    guess: str = "some_machine"

    def question(self, question):
        first = super().question(question)
        return self.guess if question.step == "source_guess" else first


@pytest.mark.parametrize(
    ("guess", "asked"),
    [("all_people", False), ("all_machine", False), ("some_machine", True), ("cannot_say", True)],
)
def test_which_a_machine_gave_is_asked_only_where_it_could_be_some(guess, asked):
    plan = plan_of(bare_pack())
    presenter, recorder = Suspecting(guess=guess), MemoryRecorder()
    assert run_session(plan, frozenset(), presenter, presenter, recorder)
    assert ("source_which" in presenter.steps) is asked
    assert "source_which" in done_steps(plan, recorder.events)
    answered = [event["step"] for event in recorder.of("answer")]
    assert ("source_which" in answered) is asked
    # The same when the session is cut off right after that answer.
    at = next(place for place, event in enumerate(recorder.events)
              if event.event == "answer" and event["step"] == "source_guess")  # fmt: skip
    again = Suspecting(guess=guess)
    kept = recorder.events[: at + 1]
    run_session(plan, done_steps(plan, kept), again, again, MemoryRecorder(list(kept)))
    assert ("source_which" in again.steps) is asked


def test_sources_are_asked_of_explained_solutions_the_lead_saw():
    """As many as the protocol says, the same when taken up again, others for another lead."""
    pack = bare_pack(main_trials=30, session={"source_questions": 5})
    plan = plan_of(pack)
    asked = [s for s in plan.steps if isinstance(s, Question) and s.about is not None]
    seen = {trial.stimulus for trial in plan.trials if trial.stimulus.region_file}
    assert len(asked) == len({question.step for question in asked}) == 5
    assert [question.place for question in asked] == [(number, 5) for number in range(1, 6)]
    assert {question.about for question in asked} <= seen
    assert plan_of(pack).steps == plan.steps
    other = [s.step for s in plan_of(pack, participant="Q").steps if isinstance(s, Question)]
    assert other != [s.step for s in plan.steps if isinstance(s, Question)]
    steps = [step.step for step in plan.steps]
    assert steps.index("source_which") < steps.index(asked[0].step) < steps.index("debrief")


@pytest.fixture(scope="module")
def with_sham():
    """The tiny pack of a study with a sham group."""
    session = tiny_protocol().session.model_copy(update={"sham_group": True})
    solutions = tiny_protocol().solutions.model_copy(update={"lists": 1, "rungs": (1,)})
    changed = {"session": session, "solutions": solutions}
    return sketch(tiny_protocol().model_copy(update=changed), [("deutan", 1)])


def test_the_sham_group_sees_no_explanation(with_sham):
    pack = with_sham
    assert orders_of(pack.protocol) == ("without_first", "with_first", "sham")
    plan = plan_of(pack, "sham")
    mains = [trial for trial in plan.trials if trial.phase == "main"]
    assert {trial.run for trial in mains} == {1, 2}
    assert all(trial.stimulus.region_file is None for trial in mains)
    assert len({trial.stimulus.plate_file for trial in mains}) == len(mains)
    assert all(s.about is None for s in plan.steps if isinstance(s, Question))


def test_who_saw_no_outline_is_not_asked_about_outlines(with_sham):
    """No question, and no answer to one, that speaks of a line; all else is asked as of others."""
    asked = {
        order: {s.question: s.choices for s in plan_of(with_sham, order).steps
                if isinstance(s, Question) and s.about is None}
        for order in ("sham", "with_first")
    }  # fmt: skip
    assert set(asked["with_first"]) - set(asked["sham"]) == {"source_which"}
    choices = {choice for own in asked["sham"].values() for choice in own}
    assert not {"line", "both", "with_line", "without_line", "both_alike"} & choices
    assert asked["sham"]["relied_on"] == ("numeral", "guess", "other")
    assert asked["sham"]["source_guess"] == asked["with_first"]["source_guess"]


def test_a_pack_without_a_sham_run_says_so():
    with pytest.raises(UserError, match="no second run without explanations"):
        plan_of(bare_pack(), "sham")


def test_sources_are_not_asked_where_the_protocol_asks_for_none():
    plan = plan_of(bare_pack(session={"source_questions": 0}))
    assert all(s.about is None for s in plan.steps if isinstance(s, Question))

"""A whole screening without a window: who gets where, what is told, what is resumed."""

import random
from importlib.resources import files

import pytest

from participants.planning import rehearsal_plan
from participants.screening.robots import robots
from tests.participants.screening.screenings import CODE, gone_through, screened, short_pack, whole

BRIEF = {"trials": 4, "verify_trials": 2}
VERDICTS = {"verdict_lead", "verdict_expert", "verdict_neither"}


@pytest.mark.parametrize(
    ("name", "role", "told"),
    [
        ("normal", "expert", "verdict_expert"),
        ("dichromat", "lead", "verdict_lead"),
        ("tritan", "neither", "verdict_neither"),
    ],
)
def test_the_rules_decide_and_the_screen_says_so(name, role, told):
    ran = whole(name)
    assert ran.complete
    assert ran.results["decision"]["role"] == role
    assert VERDICTS & set(ran.texts) == {told}
    assert ("titration" in ran.results) == (role == "lead")
    assert ran.texts[-1] == "screening_end"


def test_a_lead_goes_on_to_titration_on_the_axis_that_was_found():
    ran = whole("dichromat")
    found = ran.results["titration"]
    assert found["axis"] == ran.results["decision"]["axis"] == "deutan"
    shown = [trial for trial in ran.window.plates if trial.procedure == "titration"]
    assert len(shown) == found["trials"]
    assert {trial.stimulus.axis for trial in shown} == {"deutan"}
    # Leads are titrated for the times of their trials; a protocol could set others.
    assert {trial.exposure_s for trial in shown} == {4.0, 25.0}
    page = "titration_none" if found["rung"] is None else "titration_found"
    assert page in ran.texts


def test_who_would_rather_not_be_told_reads_thanks_alone():
    ran = screened("between")
    assert "decision" in ran.results
    assert not VERDICTS & set(ran.texts)
    assert ran.texts[-1] == "screening_end"


@pytest.mark.parametrize("number", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
def test_a_screening_that_was_killed_anywhere_comes_to_the_same_end(number):
    """Whatever was answered stays; no plate that was answered is shown again."""
    ran = whole("dichromat")
    last = random.randrange(1, len(ran.recorder.events))
    cut = screened("dichromat", last=last)
    assert len(cut.recorder.events) == last
    again = screened("dichromat", before=cut.recorder.events)
    assert again.complete
    assert again.results == ran.results
    ends = [(end["procedure"], end["number"]) for end in again.recorder.of("trial_end")]
    assert len(ends) == len(set(ends)) == len(ran.recorder.of("trial_end"))


@pytest.mark.parametrize("stage", ["trivector", "d15", "ishihara", "titration"])
def test_one_stage_can_be_done_alone_and_decides_nothing(stage):
    pack = short_pack((stage,), axis="deutan" if stage == "titration" else None, titration=BRIEF)
    ran = screened("dichromat", pack)
    assert set(ran.results) == {stage}
    assert ran.complete


def test_each_screening_of_a_person_has_plates_of_its_own():
    plates = []
    for attempt in (1, 2):
        pack = short_pack(("titration",), attempt, "deutan", titration=BRIEF)
        ran = screened("dichromat", pack)
        plates.append({trial.stimulus.plate.lms.tobytes() for trial in ran.window.plates})
    assert not plates[0] & plates[1]


def test_without_the_book_no_score_is_asked_for():
    ran = screened("dichromat", short_pack(("ishihara",)))
    assert ran.results["ishihara"]["edition"] == 38
    events = ran.recorder.events
    asked = next(e for e in events if e.event == "answer" and e["question"] == "ishihara_edition")
    none = {**asked.fields, "value": "none"}
    before = list(events[: events.index(asked)])
    before.append(type(asked)("answer", len(before) + 1, 0.0, "", none))
    again = screened("dichromat", short_pack(("ishihara",)), before)
    assert again.complete
    assert again.results == {}


def test_a_rehearsal_shows_every_text_and_each_kind_of_plate_once_and_decides_nothing():
    """Whatever is answered: the book's score is asked for, and all verdicts are read."""
    pack = short_pack()
    plan = rehearsal_plan(pack, "en", CODE, also_rare=True)
    ran = gone_through(plan, robots(pack, "en")("inattentive", CODE, 1))
    assert ran.complete
    assert len(ran.texts) == len(set(ran.texts))
    own_texts = {path.stem for path in (files("participants.texts") / "screening/en").glob("*.md")}
    assert {*own_texts, "break"} <= set(ran.texts)
    plates = [(plate.stimulus.axis, plate.stimulus.phase) for plate in ran.window.plates]
    gaps = [("", "gap"), ("deutan", "gap"), ("protan", "gap"), ("tritan", "gap")]
    assert plates[:4] == gaps
    assert [phase for _, phase in plates[4:]] == ["short", "long"]
    assert [trial.trial for trial in ran.window.plates] == [1, 2, 3, 4, 5, 6]
    assert ran.window.scores == [38]
    assert set(ran.results) == {"d15"}

"""The colour checklist: asked on one screen, read from files, and what its answers mean."""

import io

import pytest

from experiments.rig.checklist import (
    MUST_HOLD,
    SKIPPED,
    UNANSWERED,
    Answers,
    ask_checklist,
    confirmed,
    judged,
    known_values,
    memory_path,
    read_answers,
    remember,
)
from experiments.rig.profile import Geometry, RigProfile
from participants.journal.events import SKIPPED_CHECKLIST, Checklist
from participants.texts import load_checklist
from stimuli.errors import UserError
from stimuli.rich_terminal import Console

POINTS = list(MUST_HOLD)
TEXT = load_checklist("en")


class Typist:
    """Types lines in order and notes what was asked; an empty one takes what is usual."""

    def __init__(self, *lines):
        self.lines, self.asked = list(lines), []

    def __call__(self, question, default):
        self.asked.append(question)
        return self.lines.pop(0) or default


@pytest.fixture
def asked():
    def ask(*lines, known=None, measured=False, text=TEXT):
        console = Console(file=io.StringIO(), width=80)
        typist = Typist(*lines)
        answers = ask_checklist(console, text, known or {}, measured=measured, ask=typist)
        assert not typist.lines, "everything that was typed was asked for"
        return answers, console.file.getvalue(), typist.asked

    return ask


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_language_has_every_point_and_they_fit_one_screen(language, asked):
    text = load_checklist(language)
    assert text.language == language
    assert list(text.items) == POINTS
    _, shown, _ = asked("", "", "", text=text)
    lines = shown.splitlines()
    assert len(lines) <= 20
    assert all(len(line) <= 80 for line in lines)
    for number in range(1, len(POINTS) + 1):
        assert f" {number} " in shown


def test_a_language_without_a_checklist_is_served_in_english():
    assert load_checklist("fr").language == "en"


def test_enter_confirms_everything(asked):
    answers, _, _ = asked("", "", "")
    assert answers.holds == dict.fromkeys(POINTS, True)
    assert (answers.values, answers.reasons, answers.unmet) == ({}, {}, ())
    assert judged(answers, "main").status == "pass"


def test_numbers_say_what_does_not_hold_and_hard_points_ask_for_a_reason(asked):
    answers, _, questions = asked("57", "40,5", "6 1", "it is on for the person's sake")
    assert [point for point, holds in answers.holds.items() if not holds] == [
        "night_light", "ambient_light",
    ]  # fmt: skip
    assert answers.values == {"distance_cm": 57.0, "ambient_lux": 40.5}
    assert answers.reasons == {"night_light": "it is on for the person's sake"}
    assert len(questions) == 4
    finding = judged(answers, "main")
    assert (finding.status, "night_light" in finding.found) == ("warn", True)


def test_a_hard_point_without_a_reason_stops_the_session_of_any_purpose(asked):
    answers, _, _ = asked("", "", "5", "")
    assert answers.unmet == ("warm_up",)
    for purpose in ("main", "pilot"):
        assert judged(answers, purpose).status == "fail"


def test_what_is_typed_wrongly_is_asked_for_again(asked):
    absurd = ["far", "-3", "5700", "570", "0.57", "5,7", "nan", "inf", "0"]
    answers, shown, questions = asked(*absurd, "57", "", "0 5", "12", "five", "7")
    assert answers.values == {"distance_cm": 57.0}
    assert not answers.holds["distance"]
    assert shown.count("A number from 20 to 300, or nothing") == len(absurd)
    assert "from 1 to 11" in shown
    assert len(questions) == 6 + len(absurd)


def test_an_absurd_light_is_asked_for_again_in_the_labs_language(asked):
    answers, shown, _ = asked("", "400000", "0", "40,5", "", text=load_checklist("de"))
    assert answers.values == {"ambient_lux": 40.5}
    assert shown.count("Eine Zahl von 0,1 bis 5000, oder nichts") == 2


def test_an_absurd_value_from_before_is_not_offered_again(tmp_path):
    memory = memory_path(tmp_path, "rig-1")
    remember(memory, {"distance_cm": 5700.0, "ambient_lux": 33.0})
    assert known_values(memory, RigProfile()) == {"ambient_lux": 33.0}


def test_what_is_known_of_the_rig_is_offered_and_a_measured_distance_not_asked_for(asked):
    known = {"distance_cm": 63.0, "ambient_lux": 12.0}
    answers, shown, questions = asked("", "", known=known, measured=True)
    assert "63 cm from the display" in shown
    assert len(questions) == 2
    assert answers.values == known
    answers, _, questions = asked("", "", "", known=known)
    assert (answers.values, len(questions)) == (known, 3)


def test_a_rigs_values_are_remembered_and_its_profile_goes_before_them(tmp_path):
    memory = memory_path(tmp_path / "rigs", "rig-1")
    assert known_values(memory, RigProfile()) == {}
    remember(memory, {"distance_cm": 60.0, "ambient_lux": 33.0})
    assert known_values(memory, RigProfile()) == {"distance_cm": 60.0, "ambient_lux": 33.0}
    measured = RigProfile(geometry=Geometry(width_cm=52.0, distance_cm=57.0))
    assert known_values(memory, measured) == {"distance_cm": 57.0, "ambient_lux": 33.0}


@pytest.mark.parametrize("damage", [b"\xff", b"[]", b"{", b'{"ambient_lux": "dim"}'])
def test_a_damaged_memory_is_no_memory(tmp_path, damage):
    memory = tmp_path / "rig-1.checklist.json"
    memory.write_bytes(damage)
    assert known_values(memory, RigProfile()) == {}


def filed(tmp_path, changes="", without=(), tail=""):
    lines = [f"{point} = true" for point in POINTS if point not in without]
    path = tmp_path / "answers.toml"
    path.write_text("\n".join([*lines, changes, tail]), encoding="utf-8")
    return path


def test_answers_from_a_file(tmp_path):
    tail = 'distance_cm = 57\n[reasons]\nwarm_up = "swapped the display"\n'
    path = filed(tmp_path, "warm_up = false", ["warm_up"], tail)
    answers = read_answers(path, TEXT)
    assert answers.source == "file"
    assert not answers.holds["warm_up"]
    assert (answers.values, answers.unmet) == ({"distance_cm": 57.0}, ())
    assert judged(answers, "main").status == "warn"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"without": ["acuity"]}, "acuity: is missing"),
        ({"changes": "bright = true"}, "bright: unknown key"),
        ({"changes": "hdr = 'off'", "without": ["hdr"]}, "hdr: must be true or false"),
        ({"changes": "ambient_lux = 0"}, "ambient_lux: must be a number from 0.1 to 5000"),
        ({"changes": "ambient_lux = true"}, "ambient_lux: must be a number from 0.1"),
        ({"changes": "distance_cm = 5700"}, "distance_cm: must be a number from 20 to 300"),
        ({"changes": "hdr = "}, "is not valid TOML"),
        ({"tail": "[reasons]\nbright = 'x'"}, r"\[reasons\]"),
        ({"tail": "[reasons]\nhdr = 'ask jo@x.org'"}, "hdr: 'jo@x.org' looks like an e-mail"),
    ],
)
def test_a_file_of_answers_with_a_mistake_is_refused_by_key(tmp_path, given, said):
    with pytest.raises(UserError, match=said):
        read_answers(filed(tmp_path, **given), TEXT)


def test_a_file_of_answers_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match=r"--checklist .*confirmed"):
        read_answers(tmp_path / "none.toml", TEXT)


def test_nobody_answering_stops_sessions_of_purpose_main_alone():
    assert judged(UNANSWERED, "main").status == "fail"
    assert judged(UNANSWERED, "pilot").status == "warn"
    assert judged(SKIPPED, "robot") is None


def test_answers_are_what_a_journal_takes():
    assert SKIPPED.fields() == SKIPPED_CHECKLIST
    for answers in (SKIPPED, UNANSWERED, confirmed(TEXT, {"distance_cm": 57.0})):
        assert Checklist.model_validate(answers.fields()).source == answers.source
    assert Answers("asked", TEXT).fields()["sha256"] == TEXT.sha256


def test_a_labs_own_checklist_must_have_the_same_points(tmp_path):
    folder = tmp_path / "rig" / "fr"
    folder.mkdir(parents=True)
    (folder / "checklist.toml").write_text('version = "1"\n[items]\n[words]\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"\[items\] must contain exactly: night_light"):
        load_checklist("fr", tmp_path)

"""Tables of progressive_reveal from journals: every finished round once, whatever happened."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from participants.dataset.derive import derive, write_tables
from participants.dataset.table_files import read_table
from participants.folder import DataFolder
from participants.journal import JournalWriter, read_journal
from participants.lists import Assignment
from participants.session import done_steps, run_session
from participants.studies.progressive_reveal.plan import STUDY, SURVEY, plan_session
from participants.studies.progressive_reveal.rows import SURVEY_COLUMNS
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.tables import CLASSES, KEY
from tests.participants.dataset import test_derive as leads
from tests.participants.studies.accept_reject.packs import bare_pack
from tests.participants.studies.progressive_reveal.test_session import pack
from tests.participants.studies.progressive_reveal.viewing import LETTER_S, ScriptedViewer

LEADS = "accept_reject"


def header_of(plan, session, robot="", purpose="main", participant="CDF34HK"):
    return {
        "session": session, "participant": participant, "role": "participant", "study": STUDY,
        "purpose": purpose, "pack_id": plan.pack_id, "protocol_hash": plan.protocol_hash,
        "list": plan.list_id, "order": plan.order, "language": "en", "rig": "rig-1",
        "robot": robot, "refresh_hz": 60.0, "pacing": "vsync", "keyboard_backend": "test",
        "clock": "test", "clock_resolution_s": 0.0,
        "display": {"profile_hash": "", "calibrated": False}, "versions": {},
        "accept_key": "", "reject_key": "", "time_zone": "UTC",
    }  # fmt: skip


def record(data, session="s1", list_id="l1", header=None, **how):
    """Take a person one sitting further; return whether the session is complete."""
    plan = plan_session(pack(), Assignment(list_id, "as_listed"), "en", "CDF34HK")
    path = data.session(session).journal
    data.copy_pack(pack())
    begun = path.exists()
    done = done_steps(plan, read_journal(path).events) if begun else frozenset()
    begin = JournalWriter.resume if begun else JournalWriter.create
    with begin(path, header_of(plan, session, **(header or {}))) as journal:
        viewer = ScriptedViewer(journal, **how)
        return run_session(plan, done, viewer, viewer, journal)


def record_all(data, session="s1", **how):
    while not record(data, session, **how):
        pass


def key_of():
    return {row["presentation"]: row for row in pack().table(KEY)}


def test_a_row_holds_what_journal_pack_and_key_say(data):
    """One row checked cell by cell against the sources, by hand."""
    plan = plan_session(pack(), Assignment("l1", "as_listed"), "en", "CDF34HK")
    step, key = plan.trials[2], key_of()[plan.trials[2].presentation]
    wrong = next(row["class"] for row in key_of().values() if row["class"] != key["class"])
    record(data, script=lambda one: [(3.0, wrong), (9.5, one.right_class)])
    journal = read_journal(data.session("s1").journal)
    begun_s = journal.header.t_monotonic_s
    (off,) = (
        event for event in journal.of("flip") if (event["trial"], event["what"]) == (3, "image_off")
    )
    named = [one.class_id for one in Classes.of(pack().table(CLASSES), "en").names]
    neighbours = abs(named.index(wrong) - named.index(key["class"])) == 1
    first_key_s = 9.5 - LETTER_S * len(key["class"])
    row = derive(data, STUDY, with_unfinished=True).trials[0]
    assert row == {
        "participant": "CDF34HK", "session": "s1", "purpose": "main", "rig": "rig-1",
        "trial": 3, "item": key["item"], "condition": key["method"], "rt_s": 9.5,
        "onset_s": round(300.0 - begun_s, 4), "shown_s": round(off.t_monotonic_s - 300.0, 4),
        "frames_planned": None, "frames_dropped": 0,
        "pack_id": pack().pack_id, "protocol_hash": plan.protocol_hash, "repeat_of": None,
        "counts": True, "presentation": step.presentation, "list": "l1", "sitting": 1,
        "position": 1, "class": key["class"], "method": key["method"], "recognised": True,
        "step": 3, "pixels": step.pixels[2], "step_first_key": 1 + int(first_key_s // 4),
        "pixels_first_key": step.pixels[int(first_key_s // 4)], "image_pixels": 32 * 32,
        "final_pixels": key["final_pixels"], "attempts": 2,
        "answers": f"{wrong}|{key['class']}", "first_attempt_right": False, "censored": False,
        "left": False, "model_correct": key["model_correct"], "typing_s": pytest.approx(LETTER_S),
        "guess_rate": 0.25, "robot": None, "catch": None, "map_origin": "response_model",
        "keystrokes": len(wrong) + len(key["class"]) + 2, "table_walk": 1 + neighbours,
    }  # fmt: skip


def test_a_round_that_nobody_named_is_censored_at_its_last_step(data):
    record(data, script=lambda one: [], header={"robot": "idle", "purpose": "robot"})
    for row in derive(data, STUDY, with_unfinished=True).trials:
        assert (row["recognised"], row["censored"], row["left"]) == (False, True, False)
        assert (row["rt_s"], row["answers"], row["attempts"]) == (None, None, 0)
        assert (row["step"], row["pixels"]) == (15, row["final_pixels"])
        assert (row["first_attempt_right"], row["frames_planned"]) == (False, 3600)
        assert (row["robot"], row["purpose"]) == ("idle", "robot")


def test_all_sittings_are_one_session_and_practice_is_in_none(data):
    record_all(data)
    tables = derive(data, STUDY, with_unfinished=True)
    # Round 9 warms up for the second sitting.
    assert [row["trial"] for row in tables.trials] == [*range(3, 9), *range(10, 16)]
    assert [row["sitting"] for row in tables.trials] == [1] * 6 + [2] * 6
    starts = [event.t_monotonic_s for event in read_journal(data.session("s1").journal).of(
        "session")]  # fmt: skip
    onsets = [row["onset_s"] for row in tables.trials]
    assert onsets[0] == round(300.0 - starts[0], 4)
    assert onsets[6] == round(1000.0 - starts[1], 4)


def test_a_round_that_was_left_has_a_row_and_one_that_was_killed_has_none(data):
    record(data, walks_out={4: 5.0}, script=lambda one: [])
    with pytest.raises(KeyboardInterrupt):
        record(data, dies_in=6)
    record_all(data)
    rows = {row["trial"]: row for row in derive(data, STUDY, with_unfinished=True).trials}
    assert sorted(rows) == [3, 4, 5, 7, 8, *range(10, 16)]
    assert (rows[4]["left"], rows[4]["censored"], rows[4]["step"]) == (True, True, 1)


def test_answers_that_hold_the_separator_stay_one_each(data):
    names = [(3.0, "a|b"), (5.0, "c\nd")]
    record(data, script=lambda one: [*names, (9.0, one.right_class)])
    row = derive(data, STUDY, with_unfinished=True).trials[0]
    assert row["answers"].split("|") == ["a b", "c d", row["class"]]


@settings(max_examples=4, deadline=None)
@given(share=st.floats(0, 1))
def test_a_journal_cut_at_any_byte_resumes_without_an_image_twice(tmp_path_factory, share):
    """SIGKILL at any instant: what ended stays; what was seen in part is not shown again."""
    data = DataFolder(tmp_path_factory.mktemp("cut") / "data")
    record_all(data)
    path = data.session("s1").journal
    content = path.read_bytes()
    first_line = content.index(b"\n") + 1
    path.write_bytes(content[: first_line + int(share * (len(content) - first_line))])
    before = derive(data, STUDY, with_unfinished=True).trials
    if not read_journal(path).complete:
        record_all(data)
    rows = derive(data, STUDY, with_unfinished=True).trials
    assert rows[: len(before)] == before
    begun = [event for event in read_journal(path).of("trial_start") if event["phase"] == "main"]
    assert len(begun) == len({event["presentation"] for event in begun}) == 12
    assert len(rows) in (11, 12)


def test_in_a_lab_of_two_studies_neither_writes_over_the_others_tables(data):
    """The study that was there first keeps its place; the other's tables lie below it."""
    leads.record(data, bare_pack(), "s0")
    first = write_tables(data, LEADS)
    record(data, "s1")
    second = write_tables(data, STUDY, with_unfinished=True)
    assert tuple(read_table(data, LEADS, "trials")) == first.trials
    assert tuple(read_table(data, STUDY, "trials")) == second.trials
    assert read_table(data, STUDY, "curves")
    assert (data.tables / STUDY / "trials.csv").is_file()
    leads.record(data, bare_pack(), "s2")
    assert len(write_tables(data, LEADS).trials) == 2 * len(first.trials)
    assert tuple(read_table(data, STUDY, "trials")) == second.trials


def test_a_persons_row_tells_visits_rounds_and_what_was_said_of_oneself(data):
    said = {"survey_age": "25_34", "survey_machine_learning": "heard"}
    record(data, leaves=frozenset({"break-1-0002"}), answers=said)
    record(data, walks_out={5: 5.0}, script=lambda step: [], answers=said)
    record_all(data, answers=said)
    (row,) = derive(data, STUDY, with_unfinished=True).beside["people"]
    assert row == {
        "participant": "CDF34HK", "session": "s1", "purpose": "main", "rig": "rig-1",
        "pack_id": pack().pack_id, "list": "l1", "language": "en", "complete": True, "visits": 4,
        "rounds": 12, "recognised": 11, "left": 1, "typing_s": pytest.approx(LETTER_S),
        "gender": "skip", "age": "25_34", "field": "skip", "machine_learning": "heard",
        "robot": None,
    }  # fmt: skip


def test_every_choice_of_the_survey_is_a_level_of_its_column():
    for question, choices in SURVEY:
        assert set(SURVEY_COLUMNS[question].levels) == set(choices)
    assert list(SURVEY_COLUMNS) == [question for question, _ in SURVEY]

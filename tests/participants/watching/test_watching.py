"""The view of a session from outside, on journals of every study."""

import json
import shutil
from collections import namedtuple
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import pytest

from participants.cli import main
from participants.folder import DataFolder
from participants.journal import JournalWriter, read_journal
from participants.journal.reader import journal_from_bytes
from participants.journal.writer import is_being_written
from participants.lists import Assignment
from participants.simulate.run import simulate
from participants.studies.accept_reject.plan import plan_session
from participants.texts.folders import RIG, files_called
from participants.texts.rig import rig_languages
from participants.watching import following
from participants.watching.following import Followed, plan_of_journal
from participants.watching.progress import FILE, ago, line, load_watch_words, progress_of, who
from stimuli.errors import UserError
from tests.participants.dataset.test_derive import CODE, header_of
from tests.participants.studies.accept_reject.packs import bare_pack, tiny_sketch
from tests.participants.studies.human_ai_team.taken import pack_of as team_pack
from tests.participants.studies.simulatability.taken import pack_of as cases_pack
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch as label_pack
from tests.stimuli.studies.progressive_reveal.small import small_sketch as reveal_pack

STUDIES = {
    "accept_reject": (tiny_sketch, "lead"),
    "accept_reject_accuracy": (label_pack, "exact_labels"),
    "progressive_reveal": (reveal_pack, "viewer"),
    "human_ai_team": (partial(team_pack, question={"decision": "two_stage"}), "careful"),
    "simulatability": (partial(cases_pack, design={"second_test": True}), "reader"),
}
WORDS = load_watch_words("en")
Usage = namedtuple("Usage", "total used free")


@pytest.fixture(scope="module", params=STUDIES)
def data(request, tmp_path_factory):
    """A data folder with one complete session of a robot."""
    pack, robot = STUDIES[request.param]
    folder = DataFolder(tmp_path_factory.mktemp(request.param) / "data")
    simulate(folder, pack(), [robot])
    return folder


@pytest.fixture
def paths(data):
    return next(data.sessions())


def later(utc, **passed):
    return datetime.fromisoformat(utc) + timedelta(**passed)


def test_the_view_counts_the_trials_that_the_session_will_have_shown(data, paths):
    """The oracle is the whole journal, which the view of a part of it doesn't know."""
    events = read_journal(paths.journal).events
    plan = plan_of_journal(data, events[0])
    shown = [one["trial"] for one in events if one.event == "trial_end"]
    main = [one["trial"] for one in events if one.event == "trial_end" and counts(one)]
    seen = []
    for length in range(1, len(events) + 1):
        if events[length - 1].event not in ("trial_start", "flip", "response"):
            seen.append(progress_of(events[:length], plan, running=True))
    during = [one for one in seen if one.screen == "trial"]
    assert {one.trials for one in during} == {len(main)}
    assert [one.trial for one in during] == sorted(one.trial for one in during)
    assert {one.trial for one in during} == set(range(1, len(main) + 1))
    assert [one.done for one in seen] == sorted(one.done for one in seen)
    assert (seen[0].screen, seen[0].pressed_utc) == ("consent", None)
    assert (seen[-1].screen, seen[-1].done, seen[-1].lost) == ("end", len(shown), 0)
    assert seen[-1].sitting == seen[-1].sittings


def counts(end):
    return end["phase"] != "practice"


def test_only_whole_lines_are_read_and_each_once(data, paths, tmp_path):
    """A view beside a session sees lines that are half written."""
    lines = paths.journal.read_bytes().splitlines(keepends=True)
    copy = DataFolder(tmp_path / "data")
    grown = copy.session(paths.session)
    grown.folder.mkdir(parents=True)
    copy.packs.symlink_to(data.packs)
    seen = Followed(copy, grown)
    grown.journal.write_bytes(lines[0][:40])
    assert seen.progress() is None
    for cut in (60, 61, len(lines) - 1):
        grown.journal.write_bytes(b"".join(lines[:cut]) + lines[cut][:30])
        anew = read_anew(lines[:cut], copy)
        assert seen.progress() == anew
        assert anew.state == "broken_off"
    grown.journal.write_bytes(b"".join(lines))
    assert seen.progress().state == "complete"


def read_anew(lines, data):
    """Return what a view sees that reads the whole lines anew."""
    events = journal_from_bytes(b"".join(lines), "here").events
    return progress_of(events, plan_of_journal(data, events[0]), running=False)


def test_the_view_tells_neither_answers_nor_arm_list_or_order(data, paths):
    events = read_journal(paths.journal).events
    plan = plan_of_journal(data, events[0])
    hidden = {str(events[0]["list"]), str(events[0]["order"])}
    ends = [one.fields.values() for one in events if one.event == "trial_end"]
    hidden |= {value for fields in ends for value in fields if isinstance(value, str)}
    for length in (1, len(events) // 2, len(events)):
        seen = progress_of(events[:length], plan, running=True)
        now = later(seen.heard_utc, seconds=12)
        said = {word for text in (who(seen, WORDS), line(seen, WORDS, now)) for word in words(text)}
        assert not said & hidden


def words(text):
    return text.replace(";", ",").split(", ")


# --- at the command line, beside a journal that is being written ------------------


@pytest.fixture
def writing(lab):
    """A session of this moment whose journal is open."""
    pack = bare_pack()
    lab.data.copy_pack(pack)
    plan = plan_session(pack, Assignment("l0", "without_first"), "en", CODE)
    paths = lab.data.session("20260101T000000Z-x")
    journal = JournalWriter.create(paths.journal, header_of(plan, paths.session))
    journal.append("clock", **CLOCK)
    yield journal
    if is_being_written(paths.journal):
        journal.close()


CLOCK = {
    "at": "start", "offset_s": 0.0, "stepped": False, "stimulus_clock": "",
    "stimulus_offset_s": None, "stimulus_span_s": None, "stimulus_step_s": None,
}  # fmt: skip
CONSENT = {"version": "1", "sha256": "0" * 64, "language": "en", "agreed": True}


def seen_lines(capsys, *options):
    capsys.readouterr()
    assert main(["watch", *options]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_running_session_is_shown_with_what_keeps_it(writing, capsys):
    first, second = seen_lines(capsys)
    assert first == f"{CODE}, accept_reject, main"
    assert second == "consent; no answer yet; frames fine"
    writing.append("consent", durable=True, text="consent", **CONSENT)
    writing.append("pause", reason="")
    writing.append("focus", here=False)
    _, second = seen_lines(capsys, "--once")
    assert second.startswith("a page or a question; last answer 0 s ago; frames fine; paused for ")
    assert second.endswith("another window is in front, or has the keyboard")
    (told,) = json.loads(seen_lines(capsys, "--json")[0])
    assert (told["state"], told["participant"], told["screen"]) == ("running", CODE, "page")


def test_a_full_disk_is_told_in_place_of_what_the_journal_cannot_know(writing, capsys, monkeypatch):
    monkeypatch.setattr(following.shutil, "disk_usage", lambda _: Usage(2**30, 2**30, 0))
    assert seen_lines(capsys)[1] == (
        "consent; the disk is full: answers wait in memory; free space now"
    )
    (told,) = json.loads(seen_lines(capsys, "--json")[0])
    assert told["disk_full"]


def test_trials_that_lost_frames_or_that_nobody_answered_are_told(data, paths):
    events = list(read_journal(paths.journal).events)
    plan = plan_of_journal(data, events[0])
    ends = [at for at, one in enumerate(events) if one.event == "trial_end"][-3:]
    for at, changes in zip(ends, ({"frames_dropped": 2}, {}, {}), strict=True):
        gone = {"decision": "none", "rt_s": None, "look_s": None, "outcome": "none"}
        events[at] = replace(events[at], fields={**events[at].fields, **gone, **changes})
        events[at].fields["flagged"] = True
    seen = progress_of(events[: ends[-1] + 1], plan, running=True)
    assert (seen.lost, seen.flagged) == (1, 3)
    told = line(seen, WORDS, later(seen.heard_utc, hours=3))
    assert "frames lost in 1 trial; 2 trials are flagged: " in told
    assert "last answer 3 h ago" in told or "no answer yet" in told


def test_a_session_that_is_over_is_named_with_how_it_ended(lab, writing, capsys):
    writing.append("abort", durable=True, reason="left")
    writing.append("session_end", durable=True, complete=False)
    writing.close()
    none, last = seen_lines(capsys)
    assert none == "No session is running on this PC."
    assert last == "The last one: 20260101T000000Z-x, ended before its end, 0 s ago."


def test_a_session_whose_process_died_is_broken_off(lab, writing, capsys):
    writing.close()
    assert "broken off" in seen_lines(capsys)[1]


def test_without_any_session_the_view_says_so(lab, capsys):
    assert seen_lines(capsys) == ["No session is running on this PC."]
    assert seen_lines(capsys, "--json") == ["[]"]


def test_a_session_whose_pack_is_not_here_is_counted_without_an_end(lab, writing, capsys):
    shutil.rmtree(lab.data.packs)
    assert seen_lines(capsys)[1].startswith("trial 1; ")


def test_the_view_has_all_words_in_every_language_and_refuses_a_lab_s_odd_ones(tmp_path):
    for language in rig_languages():
        assert load_watch_words(language).language == language
    own = tmp_path / "rig" / "en"
    own.mkdir(parents=True)
    shipped = files_called(FILE, RIG, "en")[RIG].read_text(encoding="utf-8")
    (own / FILE).write_text(shipped.replace("{ago}", "{when}"), encoding="utf-8")
    with pytest.raises(UserError, match=r"last: \{when\} has no value"):
        load_watch_words("en", tmp_path)
    (own / FILE).write_text('[words]\ntitle = "T"\n', encoding="utf-8")
    with pytest.raises(UserError, match="must contain exactly"):
        load_watch_words("en", tmp_path)


@pytest.mark.parametrize(
    ("passed_s", "said"),
    [(0, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"), (2e5, "2 days")],
)
def test_how_long_ago_is_said_in_the_largest_unit_of_which_there_are_two(passed_s, said):
    utc = "2026-01-01T00:00:00.000000Z"
    assert ago(utc, later(utc, seconds=passed_s), WORDS) == said

"""Simulated datasets of uncovered images: journals tell what the robots' scripts say."""

import json
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from participants.cli import main
from participants.dataset.table_files import read_table
from participants.folder import DataFolder
from participants.journal import read_journal
from participants.lists import Assignment
from participants.simulate.run import simulate
from participants.studies.progressive_reveal import simulated
from participants.studies.progressive_reveal.plan import STUDY, plan_session, step_pixels
from participants.studies.progressive_reveal.robots.viewers import VIEWERS, viewers, views_of
from participants.studies.progressive_reveal.simulated import (
    Habits,
    Leaving,
    SimulatedParticipant,
    attendance,
    played_script,
)
from stimuli.studies.progressive_reveal.tables import CURVES, KEY, LISTS
from tests.participants.studies.progressive_reveal.robots.method_truth import method_truths
from tests.participants.studies.progressive_reveal.viewing import patient
from tests.stimuli.studies.progressive_reveal.small import small_sketch

KINDS = ["viewer", "guesser", "slow_typist", "idle", "viewer"]
RESTLESS = Habits(break_off=1.0, give_up=0.0, stop_at_break=0.5)
FOR_GOOD = Habits(break_off=0.0, give_up=1.0, stop_at_break=0.0)

restless = partial(attendance, habits=RESTLESS)
for_good = partial(attendance, habits=FOR_GOOD)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = DataFolder(tmp_path_factory.mktemp("simulated") / "data")
    simulate(folder, small_sketch(), KINDS, seed=5, attendance=patient)
    return folder


def journals(folder):
    return [read_journal(paths.journal) for paths in folder.sessions()]


def test_the_tables_are_what_the_scripts_say(data):
    """Each round typed again by hand, with steps and pixels looked up by hand."""
    pack = small_sketch()
    key = {row["presentation"]: row for row in pack.table(KEY)}
    pixels = {
        (row["item"], row["method"], row["step"]): row["pixels"] for row in pack.table(CURVES)
    }
    rows = read_table(data, STUDY, "trials")
    assert len(rows) == len(KINDS) * 12
    for row in rows:
        robot = viewers(pack, "en")(row["robot"], row["participant"], 5)
        truth, view = key[row["presentation"]], robot.views[row["presentation"]]
        typed = played_script(robot.script(row["presentation"]), view, 15 * 4.0)
        right = [one for one in typed.attempts if one.right]
        assert [row[c] for c in ("item", "class", "method", "condition")] == [
            truth[c] for c in ("item", "class", "method", "method")
        ]
        assert row["attempts"] == len(typed.attempts)
        assert row["recognised"] is bool(right)
        assert row["censored"] is not bool(right)
        step = int(right[0].t_s // 4.0) + 1 if right else 15
        assert (row["step"], row["pixels"]) == (
            step,
            pixels[truth["item"], truth["method"], step],
        )
        if right:
            assert row["rt_s"] == pytest.approx(right[0].t_s, abs=2e-6)
            assert row["step_first_key"] == int(right[0].first_key_s // 4.0) + 1


def test_kinds_behave_as_they_are_called(data):
    rows = read_table(data, STUDY, "trials")
    of = {kind: [row for row in rows if row["robot"] == kind] for kind in KINDS}
    assert not any(row["attempts"] for row in of["idle"])
    means = {kind: np.mean([row["attempts"] for row in own]) for kind, own in of.items()}
    assert means["guesser"] > means["viewer"] + 0.5


def test_steps_come_at_exact_multiples_and_the_image_leaves_with_the_next_frame(data):
    for journal in journals(data):
        ends = {end["trial"]: end for end in journal.of("trial_end")}
        flips = {trial: [] for trial in ends}
        for flip in journal.of("flip"):
            flips[flip["trial"]].append(flip)
        for trial, end in ends.items():
            *steps, off = flips[trial]
            onset_s = end["onset_t_monotonic_s"]
            assert [flip["what"] for flip in steps] == ["image_on"] + ["step"] * (len(steps) - 1)
            assert [flip["step"] for flip in steps] == list(range(1, len(steps) + 1))
            assert [flip["frame"] for flip in steps] == [240 * n for n in range(len(steps))]
            assert end["step_onsets_s"] == [4.0 * n for n in range(len(steps))]
            for flip, since_s in zip(steps, end["step_onsets_s"], strict=True):
                assert flip.t_monotonic_s - onset_s == pytest.approx(since_s, abs=1e-9)
            over_s = end["attempts"][-1]["t_s"] if end["recognised"] else 60.0
            assert off["what"] == "image_off"
            assert -1e-6 <= off.t_monotonic_s - onset_s - over_s <= 1 / 60
            assert off["frame"] == end["frames_shown"]
            assert end["frames_planned"] == (None if end["recognised"] else 3600)


def test_journals_are_whole_and_in_the_order_of_time(data):
    for journal in journals(data):
        assert journal.complete
        assert [part["resumed"] for part in journal.of("session")] == [False, True]
        assert [stop["reason"] for stop in journal.of("abort")] == ["sitting_end"]
        times = [event.t_monotonic_s for event in journal.events]
        assert times == sorted(times)
        presses = [(press["trial"], press.t_monotonic_s) for press in journal.of("response")]
        answers = [
            (end["trial"], pytest.approx(end["onset_t_monotonic_s"] + one["t_s"], abs=2e-6))
            for end in journal.of("trial_end")
            for one in end["attempts"]
        ]
        assert presses == answers
        (copied,) = journal.of("copy")
        assert all(word["keystrokes"][-1]["entry"] == word["word"] for word in copied["words"])


def content(folder):
    files = sorted(p for p in folder.root.rglob("*") if p.is_file())
    return {p.relative_to(folder.root).as_posix(): p.read_bytes() for p in files}


def test_the_same_seed_writes_the_same_bytes_and_another_does_not(data, tmp_path):
    again, other = DataFolder(tmp_path / "again"), DataFolder(tmp_path / "other")
    simulate(again, small_sketch(), KINDS, seed=5, attendance=patient)
    simulate(other, small_sketch(), KINDS[:1], seed=6)
    assert content(again) == content(data)
    ours, others = read_table(data, STUDY, "trials"), read_table(other, STUDY, "trials")
    assert not {row["participant"] for row in ours} & {row["participant"] for row in others}


def test_lists_are_given_out_evenly_so_that_methods_are_balanced(tmp_path):
    folder = DataFolder(tmp_path / "data")
    pack = small_sketch()
    lists = {row["list"] for row in pack.table(LISTS)}
    simulate(folder, pack, ["idle"] * len(lists), seed=1, attendance=patient)
    assert Counter(journal.header["list"] for journal in journals(folder)) == Counter(lists)
    shown = Counter((row["item"], row["method"]) for row in read_table(folder, STUDY, "trials"))
    assert set(shown.values()) == {2}


def test_who_leaves_in_mid_round_comes_back_and_sees_no_image_twice(tmp_path):
    folder = DataFolder(tmp_path / "data")
    simulate(folder, small_sketch(), ["viewer"] * 6, seed=2, attendance=restless)
    left = []
    for journal in journals(folder):
        assert journal.complete
        ends = journal.of("trial_end")
        shown = [end["presentation"] for end in ends if end["phase"] == "main"]
        assert len(shown) == len(set(shown)) == 12
        left += [end for end in ends if end["left"]]
        reasons = Counter(stop["reason"] for stop in journal.of("abort"))
        assert reasons["sitting_end"] == 1
        assert len(journal.of("session")) == 1 + sum(reasons.values())
    assert len(left) >= 4
    rows = {(row["participant"], row["trial"]): row for row in read_table(folder, STUDY, "trials")}
    assert sum(row["left"] for row in rows.values()) == len(left)
    for end in left:
        assert not end["recognised"]
        seen_s = end["frames_shown"] / 60
        assert end["step"] == int(seen_s // 4.0)
        assert len(end["step_onsets_s"]) == end["step"] + 1


def test_who_gives_up_stays_away_and_the_rest_is_kept(tmp_path):
    folder = DataFolder(tmp_path / "data")
    simulate(folder, small_sketch(), ["idle"] * 3, seed=2, attendance=for_good)
    before = content(folder)
    for journal in journals(folder):
        assert not journal.complete
        last = journal.of("trial_end")[-1]
        assert last["left"]
        assert journal.events[-1].event == "session_end"
    stamps = {p: p.stat().st_mtime_ns for p in (folder.root / "sessions").rglob("*.jsonl")}
    simulate(folder, small_sketch(), ["idle"] * 3, seed=2, attendance=for_good)
    assert content(folder) == before
    assert stamps == {p: p.stat().st_mtime_ns for p in stamps}


def test_habits_are_shares_of_people():
    plan = plan_session(small_sketch(), Assignment(sorted_lists()[0], "as_listed"), "en", "P")
    habits = Habits(break_off=0.3, give_up=0.2, stop_at_break=0.0)
    people = [Leaving.of(habits, plan, 1, f"P{n}") for n in range(1500)]
    assert np.mean([one.trial is not None for one in people]) == pytest.approx(0.5, abs=0.05)
    assert np.mean([one.for_good for one in people]) == pytest.approx(0.2, abs=0.04)
    # Round 9 warms up for the second sitting.
    assert {one.trial for one in people} - {None} == {*range(3, 9), *range(10, 16)}


def sorted_lists():
    return sorted({row["list"] for row in small_sketch().table(LISTS)})


@pytest.mark.parametrize(
    "rounds", [9, *(pytest.param(one, marks=pytest.mark.slow) for one in (0, 1, 15))]
)
def test_an_interrupted_simulation_goes_on_to_the_same_bytes(tmp_path, monkeypatch, rounds):
    whole, folder = DataFolder(tmp_path / "whole"), DataFolder(tmp_path / "data")
    simulate(whole, small_sketch(), ["viewer", "idle"], seed=5)
    left, reveal = rounds, SimulatedParticipant.reveal

    def interrupted(self, step):
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        return reveal(self, step)

    monkeypatch.setattr(SimulatedParticipant, "reveal", interrupted)
    with pytest.raises(KeyboardInterrupt):
        simulate(folder, small_sketch(), ["viewer", "idle"], seed=5)
    monkeypatch.undo()
    simulate(folder, small_sketch(), ["viewer", "idle"], seed=5)
    assert content(folder) == content(whole)


def test_the_verb_takes_a_mix_and_writes_tables(tmp_path, capsys, monkeypatch):
    small = replace(simulated.SESSION_ROBOTS, sketch=lambda protocol: small_sketch())
    monkeypatch.setattr(simulated, "SESSION_ROBOTS", small)
    out = tmp_path / "robots"
    arguments = ["simulate", STUDY, "--mix", "viewer:2,idle:1", "--out", str(out), "--json"]
    assert main(arguments) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["robots"] == {"viewer": 2, "idle": 1}
    assert answer["trials"] == len(read_table(DataFolder(out), STUDY, "trials"))


def assert_as_expected(kind, people, folder):
    """Table III of a simulation, counted by hand, against what follows from the functions."""
    pack = small_sketch()
    simulate(folder, pack, [kind] * people, seed=3, attendance=patient)
    rows = read_table(folder, STUDY, "trials")
    shown = {(row["item"], row["method"]) for row in rows}
    views = [one for one in views_of(pack, "en").values() if (one.item, one.method) in shown]
    truths = method_truths(VIEWERS[kind], views, step_pixels(pack), seed=3)
    for method, truth in truths.items():
        own = [row for row in rows if row["method"] == method]
        named = [row["pixels"] for row in own if row["recognised"]]
        everything = [row["pixels"] if row["recognised"] else row["final_pixels"] for row in own]
        # People answer twelve rounds each, so errors are wider than those of as many people.
        error = 6 / np.sqrt(len(own))
        assert len(named) / len(own) == pytest.approx(truth.rate, abs=0.5 * error)
        attempts = [row["attempts"] for row in own]
        assert np.mean(attempts) == pytest.approx(truth.attempts, abs=np.std(attempts) * error)
        assert np.mean(everything) == pytest.approx(
            truth.pixels_of_all, abs=np.std(everything) * error
        )
        assert np.mean(named) == pytest.approx(truth.pixels_recognised, abs=np.std(named) * error)
        by_step = [
            np.mean([row["recognised"] and row["step"] <= step for row in own])
            for step in range(1, 16)
        ]
        assert np.abs(np.array(by_step) - truth.confirmed_by).max() <= 0.5 * error


def test_a_dataset_shows_what_is_expected_of_each_method(tmp_path):
    assert_as_expected("viewer", 8, DataFolder(tmp_path / "data"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["viewer", "guesser", "slow_typist"])
def test_a_large_dataset_shows_it_closely(kind, tmp_path):
    assert_as_expected(kind, 800, DataFolder(tmp_path / "data"))

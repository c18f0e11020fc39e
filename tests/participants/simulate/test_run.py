"""Simulated datasets: the journals are real ones, the tables are the robots' truth."""

import os
import shutil
from dataclasses import replace

import pytest

from participants.cli import main
from participants.dataset.derive import derive
from participants.dataset.table_files import read_table
from participants.folder import DataFolder
from participants.journal import read_journal
from participants.lists import Assignment
from participants.registry import check_code
from participants.simulate.command import kinds_of
from participants.simulate.run import simulate, simulated_code
from participants.studies.accept_reject.plan import plan_session
from participants.studies.accept_reject.robots.leads import RobotParticipant, SimulatedLead
from participants.studies.accept_reject.study import LEADS
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject.lists import list_places
from stimuli.studies.accept_reject.tables import KEY
from tests.modes import modes_below
from tests.participants.studies.accept_reject.packs import tiny_protocol, tiny_sketch
from tests.sealing import files_of
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch

KINDS = ["lead", "random"]
LABELLERS = ["noisy", "exact_labels"]
"""They look at no plate, which takes most of a robot's time."""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = DataFolder(tmp_path_factory.mktemp("simulated") / "data")
    simulate(folder, tiny_sketch(), KINDS, seed=5)
    return folder


def test_the_tables_are_what_the_robots_answered(data):
    """Each trial asked again of the robot by hand, joined with the key by hand."""
    pack = tiny_sketch()
    key = {row["presentation"]: row for row in pack.table(KEY)}
    rows = read_table(data, "accept_reject", "trials")
    assert len(rows) == len(KINDS) * 40
    for number, kind in enumerate(KINDS):
        own = {row["trial"]: row for row in rows if row["robot"] == kind}
        code = simulated_code("accept_reject", 5, number)
        robot = RobotParticipant.of(kind, pack, code, 5)
        plan = plan_session(pack, Assignment(own[5]["list"], own[5]["order"]), "en", code)
        for trial in plan.trials[-40::4]:
            row, answer = own[trial.trial], robot.answer(trial)
            assert row["participant"] == code
            assert row["decision"] == answer.decision
            assert row["rt_s"] == pytest.approx(answer.rt_s, abs=1e-6)
            assert row["accepted"] is (answer.decision == "accept" and answer.rt_s <= 3)
            assert row["presentation"] == trial.presentation
            truth = key[trial.presentation]
            assert row["condition"] == ("with" if truth["explained"] else "without")
            assert [row[c] for c in ("item", "solver", "true_label")] == [
                truth[c] for c in ("item", "solver", "true_label")
            ]


def test_plates_leave_at_a_visible_cutoff_and_answers_may_follow(tmp_path):
    """Flips, frames and judgement of every trial, against the robot's own answer."""
    trial = tiny_protocol().trial.model_copy(update={"cutoff_mode": "visible", "cutoff_s": 0.7})
    protocol = tiny_protocol().model_copy(update={"trial": trial})
    pack = pack_in_memory(protocol, protocol_hash(protocol), "solutions", files_of(tiny_sketch()))
    folder = DataFolder(tmp_path / "data")
    simulate(folder, pack, ["random"], seed=5)
    (paths,) = folder.sessions()
    events = read_journal(paths.journal).events
    late = []
    for end in (event for event in events if event.event == "trial_end"):
        own = {e["what"]: e for e in events if e.event == "flip" and e["trial"] == end["trial"]}
        on_s, off_s = (own[what].t_monotonic_s for what in ("plate_on", "plate_off"))
        if end["rt_s"] > 0.7:
            late.append(end)
            assert (end["frames_planned"], end["frames_shown"]) == (42, 42)
            assert off_s - on_s == pytest.approx(0.7, abs=1e-6)
        else:
            assert end["frames_planned"] is None
            assert off_s - on_s >= end["rt_s"]
        assert end["accepted"] is (end["decision"] == "accept")
        assert end["in_time"] is (end["rt_s"] <= 0.7)
    assert 0 < len(late) < 44
    times = [event.t_monotonic_s for event in events if event.event != "clock"]
    assert times == sorted(times)


def test_nothing_is_seen_after_the_plate_has_gone():
    """A lead who isn't sure by then rejects; what was seen before is the same either way."""
    pack, brief = tiny_sketch(), {"exposure_s": 1.0}
    robot = RobotParticipant.of("lead", pack, simulated_code("accept_reject", 5, 0), 5)
    plan = plan_session(pack, Assignment(sorted(list_places(pack))[0], "without_first"), "en", "P")
    for trial in plan.trials[-20:]:
        answer = robot.answer(replace(trial, **brief))
        assert answer.decision == "reject" or answer.rt_s < 3.0
        assert answer.rt_s < 4.0


def test_press_minus_onset_is_the_time_and_the_plate_leaves_on_the_next_frame(data):
    journal = read_journal(next(data.sessions()).journal)
    flips = {(e["trial"], e["what"]): e.t_monotonic_s for e in journal.of("flip")}
    presses = {e["trial"]: e.t_monotonic_s for e in journal.of("response")}
    for end in journal.of("trial_end"):
        onset_s = flips[end["trial"], "plate_on"]
        assert onset_s == end["onset_t_monotonic_s"]
        if end["rt_s"] is not None:
            assert presses[end["trial"]] - onset_s == pytest.approx(end["rt_s"], abs=1e-6)
            gone_s = flips[end["trial"], "plate_off"] - presses[end["trial"]]
            assert -1e-9 <= gone_s <= 1 / 60 + 1e-9


def content(folder):
    files = sorted(p for p in folder.root.rglob("*") if p.is_file())
    return {p.relative_to(folder.root).as_posix(): p.read_bytes() for p in files}


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = DataFolder(tmp_path_factory.mktemp("pair") / "data")
    simulate(folder, small_sketch(), LABELLERS, seed=5)
    return folder


def test_the_same_seed_writes_the_same_bytes_and_another_does_not(pair, tmp_path):
    again, other = DataFolder(tmp_path / "again"), DataFolder(tmp_path / "other")
    simulate(again, small_sketch(), LABELLERS, seed=5)
    simulate(other, small_sketch(), LABELLERS, seed=6)
    assert content(again) == content(pair)
    ours, others = (derive(one, "accept_reject").trials for one in (pair, other))
    assert not {row["participant"] for row in ours} & {row["participant"] for row in others}


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_all_that_a_simulation_writes_is_private(data):
    """Locks too."""
    assert any(data.root.rglob("*.lock"))
    assert modes_below(data.root) == {"folders": {0o700}, "files": {0o600}}


def test_each_study_and_seed_has_people_of_its_own():
    drawn = [
        simulated_code(study, seed, number)
        for study in studies_of("participants")
        for seed in range(3)
        for number in range(40)
    ]
    assert len(set(drawn)) == len(drawn)
    assert all(map(check_code, drawn))


@pytest.mark.parametrize(
    ("robots", "seed", "message"),
    [
        (["lazy"], 1, "already contains sessions that this simulation doesn't write"),
        (KINDS[:1], 5, "already contains sessions that this simulation doesn't write"),
        (["random", *KINDS[1:]], 5, r"another robot \('lead', now 'random'\)"),
    ],
)
def test_a_folder_of_another_simulation_is_left_alone(data, robots, seed, message):
    before = content(data)
    with pytest.raises(UserError, match=message):
        simulate(data, tiny_sketch(), robots, seed=seed)
    assert content(data) == before


@pytest.mark.parametrize(("sessions", "trials"), [(0, 1), (1, 1)])
def test_an_interrupted_simulation_goes_on_to_the_same_bytes(
    pair, tmp_path, monkeypatch, sessions, trials
):
    """Ctrl+C at a trial: finished sessions aren't simulated again, the rest is as ever."""
    folder = DataFolder(tmp_path / "data")
    shown = [len(read_journal(path).of("trial_end")) for path in complete_journals(pair)]
    left = sum(shown[:sessions]) + trials
    answer = SimulatedLead.trial

    def interrupted(self, trial):
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        return answer(self, trial)

    monkeypatch.setattr(SimulatedLead, "trial", interrupted)
    with pytest.raises(KeyboardInterrupt):
        simulate(folder, small_sketch(), LABELLERS, seed=5)
    assert not folder.tables.exists()
    finished = {path: path.stat().st_mtime_ns for path in complete_journals(folder)}
    assert len(finished) == sessions
    left = 10_000
    simulate(folder, small_sketch(), LABELLERS, seed=5)
    assert 10_000 - left == sum(shown[sessions:])
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    assert content(folder) == content(pair)


def complete_journals(folder):
    """Return the journals of whole sessions, in the order in which they were simulated."""
    return [paths.journal for paths in folder.sessions() if read_journal(paths.journal).complete]


def test_a_journal_that_never_reached_the_disk_in_whole_is_made_again(pair, tmp_path):
    """Simulated journals aren't synced: a power cut may leave any part of one."""
    folder = DataFolder(tmp_path / "data")
    shutil.copytree(pair.root, folder.root)
    path = sorted(complete_journals(folder))[1]
    whole = path.read_bytes()
    for part in (whole[:-9], b""):
        path.write_bytes(part)
        simulate(folder, small_sketch(), LABELLERS, seed=5)
        assert content(folder) == content(pair)


def test_more_robots_are_added_to_those_that_are_there(pair, tmp_path):
    folder = DataFolder(tmp_path / "data")
    for robots in (LABELLERS[:1], LABELLERS):
        simulate(folder, small_sketch(), robots, seed=5)
    assert content(folder) == content(pair)


@pytest.mark.parametrize(
    ("arguments", "kinds"),
    [
        ((2, "lazy", None), ["lazy", "lazy"]),
        ((None, "lead", "lead:2,random:1"), ["lead", "lead", "random"]),
        ((3, "lead", "lead:2, random:1"), ["lead", "lead", "random"]),
    ],
)
def test_kinds_follow_the_options(arguments, kinds):
    assert kinds_of(*arguments, LEADS) == kinds


@pytest.mark.parametrize(
    "arguments",
    [(None, "lead", None), (2, "expert", None), (None, "lead", "lead"), (None, "lead", "lead:0"),
     (3, "lead", "lead:2")],
)  # fmt: skip
def test_mistaken_options_are_one_clear_line(arguments):
    with pytest.raises(UserError) as mistake:
        kinds_of(*arguments, LEADS)
    assert "\n" not in str(mistake.value)


@pytest.mark.parametrize(
    "arguments",
    [
        ["simulate", "nothing", "--participants", "1", "--out", "x"],
        ["simulate", "accept_reject", "--out", "x"],
        ["simulate", "accept_reject", "--participants", "1", "--out", "x", "--pack", "nowhere"],
        ["simulate", "accept_reject", "--participants", "1", "--out", "x", "--protocol", "none"],
        ["simulate", "progressive_reveal", "--participants", "1", "--robot", "lead", "--out", "x"],
        ["simulate", "progressive_reveal", "--mix", "viewer:1,lead:1", "--out", "x"],
    ],
)
def test_the_verb_ends_with_2_on_a_mistake(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert not (tmp_path / "x").exists()

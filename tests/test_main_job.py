"""The main job, small: from nothing but the checkout to a report, through the door."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from participants.dataset.table_files import read_table
from participants.folder import DataFolder
from participants.journal import read_journal
from participants.simulate.run import RIG

DOOR = Path(__file__).parents[1] / "lab.py"
TINY = """
schema = "protocol/1.0"
study = "accept_reject"
name = "tiny"
plates = { source = "uci", axes = ["deutan"], ladder_deutan = [0.03, 0.09] }
system = { training_plates = 300, patch_px = 28, stride_px = 28 }
trial = { fixation_s = 0.1, limit_s = 1.2, cutoff_s = 0.8 }
session = { between_runs_s = 0.0 }
analysis = { replicates = 200 }

[solutions]
trials_per_run = 4
practice_trials = 0
lists = 2

[solutions.shares]
S = 0.25
E = 0.25
wrong_digit = 0.25
right_digit = 0.25
no_numeral = 0.0
high_contrast = 0.0
no_solution = 0.0
"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    (folder / "tiny.toml").write_text(TINY, encoding="utf-8")
    words = ["demo", "--protocol", str(folder / "tiny.toml"), "--out", str(folder / "out")]
    ended = subprocess.run(
        [sys.executable, str(DOOR), *words],
        env={**os.environ, "PLAINSIGHT_LAB": str(folder / "lab")},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout, folder / "out"


@pytest.mark.window(tolerance_ms=200)
def test_the_demo_says_what_its_report_shows(demo):
    said, out = demo
    results = json.loads((out / "report" / "results.json").read_text(encoding="utf-8"))
    assert results["headline"]
    assert all(sentence in said for sentence in results["headline"])
    assert said.strip().endswith(str(out / "report" / "report.html"))


@pytest.mark.window(tolerance_ms=200)
def test_one_robot_went_through_a_whole_session_in_a_window(demo):
    sessions = list(DataFolder(demo[1] / "data").sessions())
    journals = [read_journal(session.journal) for session in sessions]
    assert len(journals) == 22
    assert all(journal.complete for journal in journals)
    (seen,) = (journal for journal in journals if journal.header["rig"] != RIG)
    assert seen.header["robot"] == "lead"
    assert seen.header["display"]["injection"] == "xtest"


@pytest.mark.window(tolerance_ms=200)
def test_the_tables_hold_what_the_journals_say(demo):
    data = DataFolder(demo[1] / "data")
    rows = read_table(data, "accept_reject", "trials")
    assert len(rows) == 22 * 2 * 4
    ends = {
        (journal.header["session"], end["trial"]): end
        for journal in (read_journal(session.journal) for session in data.sessions())
        for end in journal.of("trial_end")
    }
    for row in rows:
        end = ends[row["session"], row["trial"]]
        assert (row["decision"], row["rt_s"]) == (end["decision"], end["rt_s"])
        assert row["accepted"] == (row["decision"] == "accept" and row["rt_s"] <= 0.8)

"""The study goes the whole way: a pack, a session that is killed and resumed, data, a report."""

from pathlib import Path

import pytest

from tests.study_kit import StudyKit


@pytest.fixture
def kit(tmp_path):
    return StudyKit(Path(__file__).parent, tmp_path)


@pytest.mark.window
def test_a_killed_session_goes_on_where_it_stopped(kit):
    journal = kit.killed_and_resumed("first", after=3)
    shown = [end["presentation"] for end in journal.of("trial_end")]
    wanted = [row["presentation"] for row in kit.list_rows(journal.header["list"])]
    assert journal.complete
    assert shown == wanted


def test_the_report_finds_what_a_robot_prefers(kit):
    rows = kit.simulated("first", participants=12)
    results = kit.analysed()
    own = [row for row in results["estimates"] if row["question"] == "first_answer"]
    chance, first, *_ = own
    assert first["estimate"] == pytest.approx(sum(row["place"] == "1" for row in rows) / len(rows))
    assert chance["estimate"] < first["ci_low"]

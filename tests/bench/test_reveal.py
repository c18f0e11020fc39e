"""The comparison of a window's robots with those without one tells like from unlike."""

import pytest

from bench.parts.reveal_agreement import compared, twin
from participants.dataset.derive import write_tables
from participants.dataset.table_files import read_table
from participants.folder import DataFolder
from participants.journal import read_journal
from participants.simulate.run import simulate
from participants.studies.progressive_reveal.plan import STUDY
from tests.participants.studies.progressive_reveal.viewing import patient
from tests.stimuli.studies.progressive_reveal.small import small_sketch

KINDS = ["viewer"] * 4 + ["guesser", "slow_typist"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = DataFolder(tmp_path_factory.mktemp("agreement") / "data")
    simulate(folder, small_sketch(), KINDS, seed=5, attendance=patient)
    return folder


def twins(data, folder, seed):
    other = DataFolder(folder / "twins").make()
    other.copy_pack(small_sketch())
    for paths in data.sessions():
        twin(other, small_sketch(), read_journal(paths.journal), seed)
    write_tables(other, STUDY)
    return read_table(other, STUDY, "trials")


def test_the_same_robots_do_the_same_again(data, tmp_path):
    found = compared(read_table(data, STUDY, "trials"), twins(data, tmp_path, seed=5))
    assert found.rounds == len(KINDS) * 12
    shares = (found.same_answers, found.same_recognised, found.same_step, found.same_step_first_key)
    assert shares == (1.0, 1.0, 1.0, 1.0)
    assert found.rt_ms == {"mean": 0.0, "sd": 0.0, "largest": 0.0}
    assert found.rates[0] == found.rates[1]
    assert found.step_p == found.rt_p == pytest.approx(1.0)


def test_other_robots_are_told_from_them(data, tmp_path):
    found = compared(read_table(data, STUDY, "trials"), twins(data, tmp_path, seed=6))
    assert found.same_answers < 0.9
    assert found.same_step < 0.5
    assert found.rt_ms["sd"] > 1000


def test_rounds_that_take_three_steps_longer_are_noticed(data):
    rows = read_table(data, STUDY, "trials")
    later = [row | {"step": row["step"] + 3, "rt_s": (row["rt_s"] or 0) + 12} for row in rows]
    found = compared(later, rows)
    assert found.rt_ms["mean"] == pytest.approx(12_000)
    assert found.same_step == 0.0
    assert max(found.step_p, found.rt_p) < 0.01


def test_tables_without_a_common_round_are_refused(data):
    rows = read_table(data, STUDY, "trials")
    with pytest.raises(ValueError, match="no round in common"):
        compared(rows[:3], rows[3:])

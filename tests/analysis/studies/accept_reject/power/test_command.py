import shutil

import pytest

from analysis import cli
from analysis.power import job
from tests.analysis.formats import without_drawings
from tests.analysis.power.commands import check_continues, check_files, check_one_line, run

POWER = ["power", "accept_reject"]
BASE = [
    *POWER, "--participants", "8,10", "--items", "8", "--runs", "1",
    "--effect", "0,0.2:1",
]  # fmt: skip


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    out = tmp_path_factory.mktemp("power") / "out"
    return out, *run(BASE, out, "--workers", "1")


def test_report_table_and_figures_are_there(done):
    out, results, rows = done
    tests = {"usefulness S", "usefulness E", "S-E", "sensitivity", "wrong_digits"}
    verdicts = {"worse", "like", "better", "undecided", "harm", "no harm shown"}
    assert {row["term"] for row in rows} == tests | verdicts
    assert len(rows) == 11 * 2 * 2  # tests and verdicts, effects, sizes
    figures = ("usefulness_s", "usefulness_e", "difference", "d_prime", "wrong_digits",
               "comparison", "harm")  # fmt: skip
    page = check_files(out, rows, tuple(f"power_{name}" for name in figures))
    assert results["formula"].replace(" ", "") in page.replace(" ", "").replace("&nbsp;", "")
    truths = {(row["term"], row["effect"]): row["truth"] for row in rows}
    assert (truths["usefulness S", 0.0], truths["usefulness S", 0.2]) == (0.0, 0.2)
    assert (truths["sensitivity", 0.0], truths["sensitivity", 0.2]) == (0.0, -1.0)
    right = {(row["family"], row["effect"]): row["term"] for row in rows if row["right"]}
    assert right == {
        ("comparison", 0.0): "like", ("comparison", 0.2): "like",
        ("harm", 0.0): "no harm shown", ("harm", 0.2): "harm",
    }  # fmt: skip
    sizes = {(row["participants"], row["items"]) for row in results["models"]}
    assert sizes == {(8, 8), (10, 8)}


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_stop_on_the_way_and_two_workers_change_nothing(workers, done, tmp_path):
    check_continues(BASE, done, tmp_path / "again", workers)


@pytest.mark.slow
def test_more_runs_add_to_those_that_are_there(done, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(done[0], out)
    before = (out / "runs.jsonl").read_bytes()
    with without_drawings():
        results, rows = run(BASE, out, "--runs", "2", "--workers", "1")
    after = (out / "runs.jsonl").read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == 8
    assert {row["runs"] for row in rows} == {2}
    assert results["asked"]["runs"] == 2


def test_what_is_said_of_controls_reaches_the_simulation(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(job, "answer", lambda question, *_, **__: asked.append(question.ask))
    words = [*BASE, "--accept-controls", "0.7,0.1"]
    assert cli.main([*words, "--out", str(tmp_path / "out")]) == 0
    assert asked[0].world.accept_controls == (0.7, 0.1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--participants ten", ["--participants ten", "10,20"]),
        ("--participants 1", ["--participants 1", "2 or more"]),
        ("--items 30,", ["--items 30,"]),
        ("--effect much", ["--effect much"]),
        ("--effect 2", ["--effect 2", "between"]),
        ("--effect 0:9", ["--effect 0:9", "between 0 and 5"]),
        ("--accept-controls 0.6", ["--accept-controls 0.6", "two shares"]),
        ("--sd-control-item 1,2", ["--sd-control-item", "4 standard"]),
        ("--effect 1", ["--effect 1", "--baseline"]),
        ("--effect 0.7", ["0.7", "--baseline"]),
        ("--sd-item 1,2", ["--sd-item", "4 standard"]),
        ("--baseline 1", ["--baseline 1"]),
    ],
)
def test_mistakes_end_with_one_line(words, said, tmp_path, capsys):
    check_one_line([*POWER, *words.split()], tmp_path / "out", said, capsys)


def test_a_study_that_there_is_not_is_told(tmp_path, capsys):
    said = ["no study 'telepathy'", "take one of accept_reject"]
    check_one_line(["power", "telepathy"], tmp_path / "out", said, capsys)


def test_a_folder_with_other_things_is_left_alone(tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    check_one_line(POWER, tmp_path, ["notes.txt", "new folder"], capsys)

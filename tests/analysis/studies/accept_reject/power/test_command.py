import pytest

from tests.analysis.power.commands import check_continues, check_files, check_one_line, run

POWER = ["power", "accept_reject"]
BASE = [
    *POWER, "--generator", "model", "--participants", "6,8", "--items", "8", "--runs", "2",
    "--effect", "0,0.2",
]  # fmt: skip


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    out = tmp_path_factory.mktemp("power") / "out"
    return out, *run(BASE, out, "--workers", "1")


def test_report_table_and_figures_are_there(done):
    out, results, rows = done
    assert len(rows) == 4 * 2 * 2  # terms, effects, sizes
    page = check_files(
        out, rows, ("power_usefulness", "power_difference", "power_like", "power_beyond")
    )
    assert results["formula"].replace(" ", "") in page.replace(" ", "").replace("&nbsp;", "")
    assert {row["truth"] for row in rows if row["term"] == "explained"} == {0.0, 0.2}


def test_two_workers_and_a_stop_on_the_way_change_nothing(done, tmp_path):
    check_continues(BASE, done, tmp_path / "again")


def test_more_runs_add_to_those_that_are_there(done):
    out, _, _ = done
    before = (out / "runs.jsonl").read_bytes()
    results, rows = run(BASE, out, "--runs", "3", "--workers", "1")
    after = (out / "runs.jsonl").read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == 12
    assert {row["runs"] for row in rows} == {3}
    assert results["asked"]["runs"] == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--participants ten", ["--participants ten", "10,20"]),
        ("--participants 1", ["--participants 1", "2 or more"]),
        ("--items 30,", ["--items 30,"]),
        ("--items 9000", ["--items 9000", "640"]),
        ("--effect much", ["--effect much"]),
        ("--effect 2", ["--effect 2", "between"]),
        ("--effect 1 --generator model", ["--effect 1", "--baseline"]),
        ("--generator dice", ["dice", "robots, model"]),
        ("--robot king", ["king", "contour_reader"]),
        ("--generator model --effect 0.7", ["0.7", "--baseline"]),
        ("--generator model --sd-item 1,2", ["--sd-item", "4 standard"]),
        ("--generator model --baseline 1", ["--baseline 1"]),
        ("--pack {none}", ["none"]),
    ],
)
def test_mistakes_end_with_one_line(words, said, tmp_path, capsys):
    arguments = words.format(none=tmp_path / "none").split()
    check_one_line([*POWER, *arguments], tmp_path / "out", said, capsys)


def test_a_study_that_there_is_not_is_told(tmp_path, capsys):
    said = ["no study 'telepathy'", "take one of accept_reject"]
    check_one_line(["power", "telepathy"], tmp_path / "out", said, capsys)


def test_a_folder_with_other_things_is_left_alone(tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    check_one_line([*POWER, "--generator", "model"], tmp_path, ["notes.txt", "new folder"], capsys)

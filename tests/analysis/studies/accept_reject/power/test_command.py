import csv
import json

import pytest

from analysis.cli import main

SIZES = ["--participants", "6,8", "--items", "8"]
BASE = ["power", "accept_reject", "--generator", "model", "--runs", "2", *SIZES]
TIMES = ("median_run_s",)


def run(out, *more):
    assert main([*BASE, "--effect", "0,0.2", "--out", str(out), *more]) == 0
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    return results, [{k: v for k, v in row.items() if k not in TIMES} for row in results["power"]]


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    out = tmp_path_factory.mktemp("power") / "out"
    return out, *run(out, "--workers", "1")


def test_report_table_and_figures_are_there(done):
    out, results, rows = done
    assert len(rows) == 2 * 2 * 2  # terms, effects, sizes
    with (out / "power.csv").open(encoding="utf-8") as stream:
        table = list(csv.DictReader(stream))
    assert [float(row["power"]) for row in table] == [row["power"] for row in rows]
    for name in ("power_usefulness", "power_difference"):
        for kind in ("svg", "png", "pdf"):
            assert (out / "figures" / f"{name}.{kind}").stat().st_size > 1000
    page = (out / "report.html").read_text(encoding="utf-8")
    assert results["formula"].replace(" ", "") in page.replace(" ", "").replace("&nbsp;", "")
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert {row["truth"] for row in rows if row["term"] == "explained"} == {0.0, 0.2}


def test_two_workers_and_a_stop_on_the_way_change_nothing(done, tmp_path):
    """Half of the finished runs are lost, as if it had been stopped there."""
    out, _, rows = done
    lines = (out / "runs.jsonl").read_bytes().splitlines(keepends=True)
    again = tmp_path / "again"
    again.mkdir()
    kept = b"".join(lines[: len(lines) // 2])
    (again / "runs.jsonl").write_bytes(kept + lines[-1][:20])
    assert run(again, "--workers", "2")[1] == rows
    assert (again / "runs.jsonl").read_bytes().startswith(kept)


def test_more_runs_add_to_those_that_are_there(done):
    out, _, _ = done
    before = (out / "runs.jsonl").read_bytes()
    results, rows = run(out, "--runs", "3", "--workers", "1")
    after = (out / "runs.jsonl").read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == 12
    assert {row["runs"] for row in rows} == {3}
    assert results["asked"]["runs"] == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "power simulatability --out {out}",
            ["no study 'simulatability'", "take one of accept_reject"],
        ),
        ("power accept_reject --out {out} --participants ten", ["--participants ten", "10,20"]),
        ("power accept_reject --out {out} --participants 1", ["--participants 1", "2 or more"]),
        ("power accept_reject --out {out} --items 30,", ["--items 30,"]),
        ("power accept_reject --out {out} --items 9000", ["--items 9000", "640"]),
        ("power accept_reject --out {out} --effect much", ["--effect much"]),
        ("power accept_reject --out {out} --effect 2", ["--effect 2", "between"]),
        ("power accept_reject --out {out} --generator dice", ["dice", "robots, model"]),
        ("power accept_reject --out {out} --robot king", ["king", "contour_reader"]),
        ("power accept_reject --out {out} --generator model --effect 0.7", ["0.7", "--baseline"]),
        ("power accept_reject --out {out} --generator model --sd-item 1,2", ["--sd-item", "four"]),
        ("power accept_reject --out {out} --generator model --baseline 1", ["--baseline 1"]),
        ("power accept_reject --out {out} --pack {out}/none", ["none"]),
        ("power accept_reject --out {full} --generator model", ["notes.txt", "new folder"]),
    ],
)
def test_mistakes_end_with_one_line(words, said, tmp_path, capsys):
    full = tmp_path / "full"
    full.mkdir()
    (full / "notes.txt").write_text("mine", encoding="utf-8")
    arguments = [w.format(out=tmp_path / "out", full=full) for w in words.split()]
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    for word in said:
        assert word in error
    assert not (tmp_path / "out").exists()

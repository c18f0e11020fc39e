import csv
import json

import pytest

from analysis.cli import main
from analysis.power.grid import Cell
from analysis.studies.progressive_reveal.power.hazard_world import HazardWorld
from analysis.studies.progressive_reveal.power.simulated import Generator, Run, run_study

BASE = [
    "power", "progressive_reveal", "--participants", "6,12", "--items", "8", "--methods", "2",
    "--ratio", "1,4", "--test", "bootstrap",
]  # fmt: skip
TIMES = ("median_run_s",)


def run(out, *more):
    assert main([*BASE, "--runs", "4", "--out", str(out), *more]) == 0
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
    for name in ("power_steps", "power_recognised"):
        for kind in ("svg", "png", "pdf"):
            assert (out / "figures" / f"{name}.{kind}").stat().st_size > 1000
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Holm" in page
    assert {row["odds_ratio"] for row in rows} == {1.0, 4.0}
    assert {row["truth"] for row in rows if row["odds_ratio"] == 1.0} == {0.0}
    assert any("steps" in sentence for sentence in results["headline"])


def test_two_workers_and_a_stop_on_the_way_change_nothing(done, tmp_path):
    out, _, rows = done
    lines = (out / "runs.jsonl").read_bytes().splitlines(keepends=True)
    again = tmp_path / "again"
    again.mkdir()
    kept = b"".join(lines[: len(lines) // 2])
    (again / "runs.jsonl").write_bytes(kept + lines[-1][:20])
    assert run(again, "--workers", "2")[1] == rows


def test_the_test_is_the_studys_own_model_with_holm_over_all_pairs():
    world = HazardWorld(("m1", "m2", "m3"), recognised=0.8)
    effect = world.effect(6.0)
    run_of = Run(Generator(world, 0, "model", 1), Cell(12, 12, effect), 0)
    found = run_study(run_of)
    assert found["fitted"], found["reason"]
    assert set(found["terms"]) == {"recognised", "steps"}
    estimate, _, p = found["terms"]["steps"]
    assert estimate == found["usefulness"]["steps"] < 0
    assert p < 0.05
    assert run_study(run_of)["terms"] == found["terms"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--participants ten", ["--participants ten", "10,20"]),
        ("--items 3", ["--items 3", "4 or more"]),
        ("--ratio much", ["--ratio much"]),
        ("--ratio 0", ["--ratio 0", "odds ratio"]),
        ("--test dice", ["dice", "model, bootstrap"]),
        ("--recognised 1", ["--recognised 1"]),
        ("--sd-item 1,2,3", ["--sd-item", "two"]),
    ],
)
def test_mistakes_end_with_one_line(words, said, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["power", "progressive_reveal", "--out", str(out), *words.split()]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    for word in said:
        assert word in error
    assert not out.exists()

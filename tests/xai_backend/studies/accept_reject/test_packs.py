"""What a build from nothing leaves: sealed packs, S's answers and maps, E's paintings."""

import json
from pathlib import Path

import numpy as np

from stimuli.deviations import differences
from stimuli.maps.map_set import read_map_set
from stimuli.maps.origin import Origin
from stimuli.pack import open_pack
from stimuli.studies.accept_reject.origins import arms_of
from stimuli.studies.accept_reject.tables import ITEM_TABLE, ITEMS, LISTS, METRICS, TASKS
from tests.xai_backend.studies.accept_reject.small_builds import build_printed


def test_a_build_from_nothing_leaves_sealed_packs(built):
    lab, printed = built
    assert Path(printed["pack"]) == lab / "pack"
    solutions, tasks = open_pack(lab / "pack"), open_pack(lab / "pack-tasks")
    assert solutions.pack_id == printed["pack_id"]
    assert (solutions.manifest.kind, tasks.manifest.kind) == ("solutions", "tasks")
    assert len(solutions.table(ITEMS)) > 10
    assert len({row["list"] for row in solutions.table(LISTS)}) == 4
    provenance = json.loads((lab / "pack" / "provenance.json").read_text(encoding="utf-8"))
    assert provenance["packages"]["torch"]
    assert provenance["tasks"] == tasks.pack_id
    rows = {one.field: one.here for one in differences(solutions.protocol)}
    assert rows["--robot-experts"] == "Robots solved and painted as experts: 2."


def test_packs_say_how_s_was_explained_and_by_which_weights(built):
    lab, _ = built
    report = json.loads(open_pack(lab / "pack-tasks").asset("network.json"))
    arms = arms_of(open_pack(lab / "pack"))
    by_system = arms["S", "occlusion"]
    settings = "patch_px=8, precision=float32, stride_px=8"
    assert (by_system.kind, by_system.note) == ("network", report["checkpoint"])
    assert (by_system.method, by_system.settings) == ("occlusion", settings)
    assert len(by_system.weights_sha256) == 64
    assert arms["E", "painting"] == Origin("response_model", "2 experts")


def test_s_answers_and_explains_every_plate_at_every_rung(built):
    lab, _ = built
    tasks = open_pack(lab / "pack-tasks")
    report = json.loads(tasks.asset("network.json"))
    maps = read_map_set(lab / "pack-tasks" / "maps")
    solved = {row["item"] for row in tasks.table(TASKS) if not row["use"].startswith("expert_")}
    assert {(r.item, r.rung) for r in maps.records} == {(i, k) for i in solved for k in (1, 2)}
    assert {r.solver_id for r in maps.records} == {report["checkpoint"]}
    assert all(maps.maps[r.map].shape == (32, 32) for r in maps.records)
    assert all(0.1 <= r.confidence <= 1 and r.answer in "0123456789" for r in maps.records)
    assert [(a["axis"], a["rung"]) for a in report["accuracy"]] == [("deutan", 1), ("deutan", 2)]
    assert report["accuracy"][1]["accuracy"] > 0.5
    nothing = report["zero_contrast"]
    assert nothing["ci_low"] < nothing["chance"] < nothing["ci_high"]


def test_metrics_of_s_are_in_both_packs_if_they_are_asked_for(built, protocol_file, monkeypatch):
    lab, _ = built
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab))
    out = lab / "measured"
    options = ["--protocol", protocol_file, "--robot-experts", 2, "--out", out, "--json"]
    build_printed(monkeypatch, [*options, "--metrics"])
    tasks, pack = open_pack(lab / "measured-tasks"), open_pack(out)
    assert tasks.asset("metrics.csv") == pack.asset("metrics.csv")
    before = open_pack(lab / "pack-tasks").manifest.files
    assert {**before, "metrics.csv": tasks.manifest.files["metrics.csv"]} == tasks.manifest.files
    rows = {(row["item"], row["axis"], row["rung"], row["method"]) for row in pack.table(METRICS)}
    shown = {
        (row["item"], row["axis"], row["rung"], row["method"]) for row in pack.table(ITEM_TABLE)
    }
    assert shown <= rows


def test_experts_paint_all_but_the_leads_controls(built):
    lab, printed = built
    tasks = open_pack(lab / "pack-tasks")
    shown = {row["item"] for row in tasks.table(TASKS) if row["use"] != "no_numeral"}
    assert [Path(folder).name for folder in printed["human_maps"]] == ["robot-1", "robot-2"]
    one, two = (read_map_set(Path(folder)) for folder in printed["human_maps"])
    assert {r.item for r in one.records} == shown == {r.item for r in two.records}
    both = [r.item for r in one.records if f"robot-1-{r.item}" in one.maps]
    differ = [
        not np.array_equal(one.maps[f"robot-1-{item}"], two.maps[f"robot-2-{item}"])
        for item in both
        if f"robot-2-{item}" in two.maps
    ]
    assert differ
    assert all(differ)

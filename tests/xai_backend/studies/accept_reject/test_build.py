"""From nothing to a sealed pack, whatever happens on the way."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import analysis.cli
import participants.cli
from stimuli.images import digits
from stimuli.maps.map_set import read_map_set
from stimuli.maps.origin import Origin
from stimuli.pack import open_pack
from stimuli.studies.accept_reject.origins import arms_of
from stimuli.studies.accept_reject.tables import ITEMS, LISTS, TASKS
from stimuli.study import simulated_people
from stimuli.workers import Workers
from tests.analysis.formats import page_alone
from xai_backend import cli
from xai_backend.explain import answering
from xai_backend.progress import Silent
from xai_backend.studies.accept_reject import build as accept_reject
from xai_backend.studies.accept_reject import network
from xai_backend.studies.accept_reject.request import BuildRequest

TINY = """
schema = "protocol/1.0"
study = "accept_reject"
name = "tiny"
[plates]
source = "uci"
axes = ["deutan"]
ladder_deutan = [0.04, 0.09]
dot_radius_min = 0.04
dot_radius_max = 0.08
density = 0.5
min_stroke_dots = 1.0
[system]
input_px = 32
training_plates = 2048
patch_px = 8
stride_px = 8
[experts]
no_numeral_share = 0.05
high_contrast_share = 0.05
[solutions]
trials_per_run = 10
practice_trials = 2
lists = 2
[solutions.shares]
S = 0.3
E = 0.4
wrong_digit = 0.1
right_digit = 0.1
no_numeral = 0.1
high_contrast = 0.0
no_solution = 0.0
"""

EVALUATION_PLATES = 100
PROGRAM = f"""\
import sys
from xai_backend.cli import main
from xai_backend.models import plate_checkpoint
from xai_backend.studies.accept_reject import network
network.EVALUATION_PLATES = {EVALUATION_PLATES}
plate_checkpoint.SNAPSHOT_STEPS = 10
sys.exit(main(sys.argv[1:]))
"""

OWN = """\
def edges(model, inputs, targets):
    grey = inputs.mean(dim=1)
    return (grey - grey.roll(1, dims=2)).abs()
"""


@pytest.fixture(scope="module", autouse=True)
def fewer_plates():
    """Let S be evaluated on fewer plates than in a build for people."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network, "EVALUATION_PLATES", EVALUATION_PLATES)
        yield


@pytest.fixture(scope="module")
def protocol_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("protocol") / "tiny.toml"
    path.write_text(TINY, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def built(tmp_path_factory, protocol_file, fewer_plates):
    """One whole build, in a lab of its own: the lab, and what the command printed."""
    lab = tmp_path_factory.mktemp("lab")
    command = ["--protocol", protocol_file, "--robot-experts", 2, "--out", lab / "pack", "--json"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAINSIGHT_LAB", str(lab))
        return lab, _build_printed(patch, command)


def _build_printed(patch, options):
    stream = io.StringIO()
    patch.setattr(sys, "stdout", stream)
    assert cli.main(["build", "accept_reject", *map(str, options)]) == 0
    return json.loads(stream.getvalue())


def _run(*options):
    return cli.main(["build", *map(str, options)])


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


def test_robots_that_paint_in_place_of_experts_are_told_wherever_the_pack_goes(built):
    lab, printed = built
    told = "E's answers and paintings come from response models (robot-1, robot-2)"
    assert printed["simulated"] == simulated_people(open_pack(lab / "pack")) == told
    assert simulated_people(open_pack(lab / "pack-tasks")) == ""


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


def test_the_first_command_of_the_readme_needs_no_download(monkeypatch):
    """UCI's digits come with scikit-learn; the protocol's own, MNIST's, are downloaded."""

    def refuse(*asked, **more):
        raise AssertionError("downloads")

    monkeypatch.setattr(digits, "fetch", refuse)
    lines = (Path(__file__).parents[4] / "README.md").read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith("python3 lab.py build accept_reject ")]
    options = line.split()
    request = BuildRequest(source=options[options.index("--source") + 1])
    protocol, found = accept_reject._resolved(request)
    assert (protocol.plates.source, found.source) == ("uci", "uci")


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


def test_a_second_run_computes_nothing(built, protocol_file, monkeypatch):
    lab, printed = built
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab))
    monkeypatch.setattr("xai_backend.models.plate_checkpoint.train", None)
    monkeypatch.setattr(network.plate_reading, "accuracies", None)
    monkeypatch.setattr("xai_backend.explain.answering.logits_of", None)
    monkeypatch.setattr("xai_backend.methods.occlusion.Occlusion.explain", None)
    monkeypatch.setattr("xai_backend.studies.accept_reject.experts.annotate", None)
    options = ["--protocol", protocol_file, "--robot-experts", 2, "--out", lab / "pack", "--json"]
    assert _build_printed(monkeypatch, options) == printed


@pytest.fixture
def two_methods(built, tmp_path, monkeypatch):
    """A working folder with a protocol of two methods, one of them a lab's own; its options."""
    monkeypatch.setenv("PLAINSIGHT_LAB", str(built[0]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.delitem(sys.modules, "two_methods", raising=False)
    (tmp_path / "two_methods.py").write_text(OWN)
    text = TINY.replace("lists = 2", "lists = 8")
    text = text.replace("[system]", '[system]\nfurther_methods = ["mine"]')
    (tmp_path / "two.toml").write_text(text, encoding="utf-8")
    named = ["--method", "mine=two_methods:edges"]
    return ["--protocol", "two.toml", *named, "--out", "two", "--json"]


def test_a_lab_s_own_method_explains_beside_the_suite_s(two_methods, monkeypatch):
    printed = _build_printed(monkeypatch, two_methods)
    records = read_map_set(Path(printed["pack"]) / "maps").records
    assert {record.method for record in records} == {"occlusion", "mine"}
    methods = json.loads((Path(printed["pack"]) / "provenance.json").read_text())["methods"]
    assert methods["mine"]["name"] == "two_methods:edges"


@pytest.mark.slow
def test_a_lab_s_own_method_is_compared_with_the_suite_s_in_one_pack(two_methods, monkeypatch):
    """From the build to the report: S's solutions with either method's regions, in every list."""
    _build_printed(monkeypatch, [*two_methods, "--robot-experts", 2])
    simulated = ["simulate", "accept_reject", "--pack", "two", "--participants", "4"]
    assert participants.cli.main([*simulated, "--out", "data"]) == 0
    with page_alone():
        analysed = ["analyse", "accept_reject", "--data", "data", "--out", "report"]
        assert analysis.cli.main(analysed) == 0
    results = json.loads(Path("report/results.json").read_text(encoding="utf-8"))
    assert {row["method"] for row in results["explainers"]["methods"]} == {"occlusion", "mine"}
    page = Path("report/report.html").read_text(encoding="utf-8")
    assert "Occlusion less mine" in page or "mine less Occlusion" in page


def test_human_maps_on_a_task_pack_give_the_same_pack(built, tmp_path):
    lab, printed = built
    maps = [option for folder in printed["human_maps"] for option in ("--human-maps", folder)]
    assert _run("accept_reject", "--tasks", lab / "pack-tasks", *maps, "--out", tmp_path / "p") == 0
    assert open_pack(tmp_path / "p").pack_id == printed["pack_id"]


def _killed(lab, options, moment):
    """Build in a process that is killed as soon as there is such a file."""
    command = [sys.executable, "-c", PROGRAM, "build", "accept_reject", *map(str, options)]
    environment = {**os.environ, "PLAINSIGHT_LAB": str(lab), "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    while process.poll() is None and not any(lab.glob(moment)):
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, moment
    assert not (lab / "pack").exists()


KILLED_AT = (
    "cache/checkpoints/*.snapshot.safetensors",
    "cache/results/shards/*.safetensors",
    "pack-tasks/pack.json",
)
"""While training, explaining and painting."""


def test_a_build_that_was_stopped_among_the_maps_ends_with_the_same_pack(
    built, protocol_file, tmp_path, monkeypatch
):
    """In another lab, with the network of the first, but none of its maps."""
    for kept in ("checkpoints", "evaluations"):
        shutil.copytree(built[0] / "cache" / kept, tmp_path / "cache" / kept)
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path))
    compute, begun, calls = answering._values, [], []

    def stopped_once(loaded, batch, execution):
        calls.append(batch)
        begun.extend(batch.keys)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return compute(loaded, batch, execution)

    monkeypatch.setattr(answering, "_values", stopped_once)
    request = BuildRequest(
        protocol_file=protocol_file,
        robot_experts=2,
        out=tmp_path / "pack",
        workers=Workers(here=True),
    )
    with pytest.raises(KeyboardInterrupt):
        accept_reject.build(request, Silent())
    assert not (tmp_path / "pack-tasks").exists()
    made = accept_reject.build(request, Silent())
    assert (made.pack_id, made.tasks_id) == (built[1]["pack_id"], built[1]["tasks_id"])
    assert 0 < len(begun) - len(set(begun)) <= 16


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_build_that_was_killed_ends_with_the_same_pack(
    built, protocol_file, tmp_path, monkeypatch, workers
):
    """In another lab: its caches are cold."""
    lab = tmp_path / "lab"
    options = ["--protocol", protocol_file, "--robot-experts", 2, "--out", lab / "pack", "--json"]
    options += ["--workers", workers]
    for moment in KILLED_AT:
        _killed(lab, options, moment)
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab))
    printed = _build_printed(monkeypatch, options)
    assert printed["pack_id"] == built[1]["pack_id"]
    assert printed["tasks_id"] == built[1]["tasks_id"]


@pytest.mark.slow
def test_a_clusters_pack_is_the_same(built, protocol_file, tmp_path):
    """The trained network is taken over; answers and maps are a Dask worker's."""
    distributed = pytest.importorskip("distributed")
    lab, printed = built
    for kept in ("checkpoints", "evaluations"):
        shutil.copytree(lab / "cache" / kept, tmp_path / "lab" / "cache" / kept)
    options = ["--protocol", protocol_file, "--out", tmp_path / "pack", "--json", "--scheduler"]
    with (
        pytest.MonkeyPatch.context() as patch,
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
    ):
        patch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
        again = _build_printed(patch, [*options, cluster.scheduler_address])
    assert again["pack_id"] == printed["tasks_id"]


def test_a_method_of_ones_own_explains_s(built, tmp_path, monkeypatch):
    lab, _ = built
    (tmp_path / "own.toml").write_text(TINY.replace("[experts]", 'method = "mine"\n[experts]'))
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab))
    named = ("--method", "mine=captum:Saliency", "--set", "mine.abs=false")
    command = ["--protocol", tmp_path / "own.toml", *named, "--out", tmp_path / "tasks", "--json"]
    _build_printed(monkeypatch, command)
    maps = read_map_set(tmp_path / "tasks" / "maps")
    assert {record.method for record in maps.records} == {"mine"}
    about = json.loads((tmp_path / "tasks" / "provenance.json").read_text(encoding="utf-8"))
    assert about["methods"]["mine"]["name"] == "captum:Saliency"
    assert ["abs", False] in about["methods"]["mine"]["parameters"]["settings"]


def test_another_seed_gives_other_tasks(protocol_file):
    plans = []
    for seed in (None, 1, 2):
        request = accept_reject.BuildRequest(protocol_file=protocol_file, seed=seed)
        protocol, digits = accept_reject._resolved(request)
        tasks = accept_reject.draw_tasks(protocol, digits)
        plans.append((sorted(task.item for task in tasks), network.training_settings(protocol)))
    assert plans[0] == plans[1]
    assert plans[0][0] != plans[2][0]
    assert plans[0][1] != plans[2][1]


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """Run a build that must end with one line and exit 2; return the line."""
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))

    def run(*options, study="accept_reject"):
        assert _run(study, *options) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.count("\n") == 1
        assert not (tmp_path / "lab" / "cache").exists()
        return printed.err

    return run


def test_mistakes_end_with_one_line_before_anything_long(refused, built, protocol_file, tmp_path):
    lab, printed = built
    tasks, painted = lab / "pack-tasks", printed["human_maps"][0]
    tiny = ("--protocol", protocol_file)
    full = tmp_path / "full"
    full.mkdir()
    (full / "notes.txt").touch()
    assert "no study 'magic'" in refused(study="magic")
    assert "must be 1 or more" in refused(*tiny, "--robot-experts", 0)
    assert "--human-maps needs --tasks" in refused(*tiny, "--human-maps", painted)
    assert "--tasks needs --human-maps" in refused("--tasks", tasks)
    assert "--seed can't go with --tasks" in refused(
        "--tasks", tasks, "--seed", 1, "--human-maps", painted
    )
    assert "has solved the task pack" in refused(
        "--tasks", tasks, "--robot-experts", 1, "--workers", 2
    )
    own = ("--method", "mine=captum:Saliency")
    assert "doesn't name mine as a method" in refused(*tiny, *own)
    assert "has explained the task pack" in refused("--tasks", tasks, "--robot-experts", 1, *own)
    assert "can't be reached" in refused(*tiny, "--scheduler", "nowhere")
    assert "take a task pack" in refused("--tasks", lab / "pack", "--robot-experts", 1)
    assert "is not a pack" in refused("--tasks", full, "--robot-experts", 1)
    assert "is not a map set" in refused("--tasks", tasks, "--human-maps", full)
    assert "is not empty" in refused(*tiny, "--out", full)
    assert "contains another pack" in refused(*tiny, "--seed", 7, "--out", tasks)
    assert "take uci, mnist, or a folder" in refused(*tiny, "--source", tmp_path / "nowhere")
    assert "lacks MNIST's IDX files" in refused(*tiny, "--source", full)
    assert "can't be read" in refused("--protocol", tmp_path / "none.toml")
    assert "torch finds no such device" in refused(*tiny, "--device", "cuda:99")
    assert "is unknown; take cpu or cuda" in refused(*tiny, "--device", "abacus")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ('method = "magic"', "no explanation method 'magic'; take one of attention_relevance"),
        ("patch_px = 40", "system.patch_px is 40, larger than input_px (32)"),
        ("patch_px = 4", "stride_px is 8, must be 1 to patch_px (4)"),
        ('methd = "lrp"', "system.methd: unknown key"),
    ],
)
def test_impossible_systems_are_refused(refused, tmp_path, change, line):
    text = TINY.replace("patch_px = 8\n", "") if change.startswith("patch") else TINY
    path = tmp_path / "changed.toml"
    path.write_text(text.replace("[system]", f"[system]\n{change}"), encoding="utf-8")
    assert line in refused("--protocol", path)


def test_paintings_that_lack_a_plate_are_refused(refused, built, tmp_path):
    lab, printed = built
    folder = tmp_path / "few"
    folder.mkdir()
    source = Path(printed["human_maps"][0])
    header, *rows = (source / "maps.csv").read_text(encoding="utf-8").splitlines()
    tasks = open_pack(lab / "pack-tasks").table(TASKS)
    gone = next(row["item"] for row in tasks if row["use"] == "main")
    kept = [row for row in rows if gone not in row]
    (folder / "maps.csv").write_text("\n".join([header, *kept]) + "\n", encoding="utf-8")
    maps = load_file(source / "maps.safetensors")
    save_file({k: v for k, v in maps.items() if gone not in k}, folder / "maps.safetensors")
    assert gone in refused("--tasks", lab / "pack-tasks", "--human-maps", folder)

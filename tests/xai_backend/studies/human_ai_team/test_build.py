"""A pack of embedded digits: what it holds, and the same pack_id after a kill."""

import contextlib
import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from stimuli.io.canonical import file_sha256, files_sha256
from stimuli.maps.origin import Origin
from stimuli.pack import open_pack
from stimuli.studies.human_ai_team.bins import bin_of
from stimuli.studies.human_ai_team.origins import helps_by_arm
from stimuli.studies.human_ai_team.tables import (
    AI,
    ARM_COUNTS,
    AVAILABLE,
    HELPS,
    ITEMS,
    KEY,
    LABELS,
    METRICS,
    NATURAL_BINS,
    SAMPLES,
)
from xai_backend import cli
from xai_backend.explain import answering
from xai_backend.explain.answering import classifier_at_hand
from xai_backend.models.image_model import as_images
from xai_backend.packs.digit_network import never_learnt
from xai_backend.studies.human_ai_team import attacks, chosen
from xai_backend.studies.human_ai_team import source as sources
from xai_backend.studies.human_ai_team.build import MADE_FILE
from xai_backend.studies.human_ai_team.images import file_name

TINY = """\
schema = "protocol/1.5"
study = "human_ai_team"
name = "tiny"
[bins]
low_below = 0.35
mid_from = 0.35
mid_below = 0.6
high_from = 0.6
per_bin = 1
adversarial_per_level = 1
sheets = 2
trials_per_sheet = 5
[prior]
samples = 1
sample_from = 0.5
[validation]
trials = 4
right_trials = 2
pass_right = 4
[attack]
epsilon_255 = 20.0
[help]
arms = ["confidence", "gradcam", "salient_object", "nearest_neighbours"]
[analysis]
reference_arm = "confidence"
"""
DIGITS, JUDGED = 60, 400
SMALLER = {
    (sources, "ERRING"): replace(sources.ERRING, epochs=30),
    (sources, "FEW"): DIGITS,
    (sources, "MOST_JUDGED"): JUDGED,
    (chosen, "DONORS"): 16,
    (attacks, "CHUNK"): 16,
}
"""What is smaller here than in a build for people."""
PROGRAM = """\
import sys
import torch
from tests.xai_backend.studies.human_ai_team.test_build import SMALLER
from xai_backend.cli import main
torch.set_num_threads(1)
for (module, name), value in SMALLER.items():
    setattr(module, name, value)
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A lab with a protocol and the trained network, and what `build --json` said of a pack."""
    lab = tmp_path_factory.mktemp("lab")
    (lab / "tiny.toml").write_text(TINY, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        status, said, wrong = built_here(patch, lab, *options_of(lab))
    assert status == 0, wrong
    return lab, json.loads(said)


def options_of(lab):
    """The options of the build from nothing in a lab."""
    return ["--protocol", lab / "tiny.toml", "--out", lab / "pack", "--workers", 1, "--json"]


def built_here(monkeypatch, lab, *options):
    """Run the builder in this process."""
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab))
    for (module, name), value in SMALLER.items():
        monkeypatch.setattr(module, name, value)
    said, wrong = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", said)
    monkeypatch.setattr(sys, "stderr", wrong)
    status = cli.main(["build", "human_ai_team", *map(str, options)])
    return status, said.getvalue(), wrong.getvalue()


def pixels(pack, path):
    return np.asarray(Image.open(io.BytesIO(pack.asset(path))))


def test_bins_are_full_and_the_ai_says_what_the_pack_says(trained):
    """The network by itself, on the pictures that people see."""
    lab, said = trained
    pack = open_pack(lab / "pack")
    protocol = pack.protocol
    assert (protocol.images.size_px, protocol.system.network) == (56, "picture_cnn")
    assert protocol.attack.stop == "wrong"
    assert {one.field for one in protocol.deviations} >= {"attack.stop", "images.size_px"}
    items = {row["presentation"]: row for row in pack.table(ITEMS)}
    key = {row["presentation"]: row for row in pack.table(KEY)}
    (weights,) = (lab / "cache" / "checkpoints").glob("picture_cnn-*.safetensors")
    model = classifier_at_hand("picture_cnn", str(weights), "cpu").model
    bins = []
    for name, row in key.items():
        codes = torch.from_numpy(pixels(pack, items[name]["image_file"])[None].copy())
        with torch.no_grad():
            shares = model(as_images(codes)).double().softmax(dim=1)[0]
        assert row["confidence"] == pytest.approx(float(shares.max()), abs=1e-5)
        shown = items[name]["shown_label"]
        assert row["ai_correct"] == (shown == row["true_label"])
        assert str(int(shares.argmax())) == shown
        assert row["swapped"] is False
        if row["role"] == "main":
            right, attacked = row["ai_correct"], row["adversarial"]
            bins.append(bin_of(float(shares.max()), right, attacked, protocol.bins))
            assert not (right and attacked)
    wanted = [*NATURAL_BINS, *(f"adversarial_{level}" for level in ("easy", "medium", "hard"))]
    assert sorted(bins) == sorted(wanted)
    roles = [row["role"] for row in key.values()]
    assert [roles.count(role) for role in ("main", "validation", "practice")] == [9, 4, 5]
    assert said["images"] == 9
    assert said["misled"] <= said["attacked"]


def test_validation_shows_errors_of_the_ai_with_their_own_confidence(trained):
    """Those of 18 to 31 %, with two labels; what is outside is counted."""
    lab, _ = trained
    pack = open_pack(lab / "pack")
    shown = {row["presentation"]: row["shown_label"] for row in pack.table(ITEMS)}
    rows = [row for row in pack.table(KEY) if row["role"] == "validation"]
    wrong = [row for row in rows if not row["ai_correct"]]
    outside = sum(not 0.18 <= row["confidence"] <= 0.31 for row in wrong)
    outside += sum(row["confidence"] < 0.96 for row in rows if row["ai_correct"])
    assert len({shown[row["presentation"]] for row in wrong}) == 2
    counts = {"right": 2, "errors": 2, "swapped": 0, "outside_confidence": outside}
    assert json.loads(pack.asset(MADE_FILE))["validation"] == counts


def test_labels_without_a_definition_are_counted(trained):
    lab, _ = trained
    pack = open_pack(lab / "pack")
    rows = pack.table(LABELS)
    lacking = {
        tag: labels - {row["label"] for row in rows if row["definition"] and has(row, tag)}
        for labels in [{row["label"] for row in rows}]
        for tag in ("en", "de")
    }
    counted = json.loads(pack.asset(MADE_FILE))["without_definition"]
    assert counted == {tag: len(own) for tag, own in lacking.items() if own}
    assert counted["de"] == len({row["label"] for row in rows})  # WordNet is English


def has(row, tag):
    return row["language"] in (None, tag)


def test_the_table_of_arms_says_how_the_help_was_made(trained):
    lab, _ = trained
    pack = open_pack(lab / "pack")
    made = json.loads(pack.asset(MADE_FILE))
    how = {name: (one.method, one.settings) for name, one in helps_by_arm(pack).items()}
    assert how == {
        "confidence": ("", ""),
        "gradcam": ("gradcam", ""),
        "salient_object": ("saliency_sod", "provider=centre_surround"),
        "nearest_neighbours": ("nearest_neighbours", "neighbours=3"),
    }
    weights = {name: one.weights_sha256 for name, one in helps_by_arm(pack).items()}
    assert weights["gradcam"] == weights["nearest_neighbours"] == made["weights_sha256"]
    assert weights["salient_object"] == ""


def test_nobody_judges_what_helps_them_and_no_image_comes_twice(trained):
    lab, _ = trained
    pack = open_pack(lab / "pack")
    content = {}
    for table, column in ((ITEMS, "image_file"), (SAMPLES, "image_file"), (HELPS, "help_file")):
        rows = [
            row for row in pack.table(table) if row.get("arm", "") in ("", "nearest_neighbours")
        ]
        content[table.name] = [pixels(pack, row[column]).tobytes() for row in rows]
    judged = content["items"]
    assert len(set(judged)) == len(judged) == 18
    assert not set(judged) & {*content["samples"], *content["helps"]}
    assert len(content["helps"]) == 3 * 18
    originals = [str(row["item"]).removesuffix("-attacked") for row in pack.table(KEY)]
    assert len(set(originals)) == len(originals)


def test_ai_alone_and_found_images_are_of_all_digits_that_may_be_judged(trained):
    lab, said = trained
    pack = open_pack(lab / "pack")
    ai = pack.table(AI)
    assert len(ai) == JUDGED
    counts = {}
    for row in ai:
        name = bin_of(row["confidence"], row["correct"], False, pack.protocol.bins)
        counts[name] = counts.get(name, 0) + 1
    found = {row["bin"]: row["found"] for row in pack.table(AVAILABLE)}
    assert {name: found[name] for name in NATURAL_BINS} == {
        name: counts.get(name, 0) for name in NATURAL_BINS
    }
    assert found == said["found"]


def test_metrics_words_and_what_a_pack_was_made_with(trained):
    lab, _ = trained
    pack = open_pack(lab / "pack")
    metrics = pack.table(METRICS)
    assert {row["method"] for row in metrics} == {"gradcam", "salient_object"}
    assert len(metrics) == 2 * 18
    salient = [row["iou"] for row in metrics if row["method"] == "salient_object"]
    assert np.median(salient) > 0.4  # ink stands out from slate
    words = {(row["label"], row["language"]): row["name"] for row in pack.table(LABELS)}
    assert words["3", None] == "three" or "3" not in {label for label, _ in words}
    assert all(len(str(name)) > 1 for name in words.values())
    made = json.loads(pack.asset(MADE_FILE))
    assert made["methods"]["gradcam"]["method"]["name"] == "gradcam"
    assert "learns from" in made["training_images"]
    (examples,) = (row for row in pack.table(ARM_COUNTS) if row["arm"] == "nearest_neighbours")
    assert examples["examples_learned"] is True
    blank = {row["arm"]: row["blank_maps"] for row in pack.table(ARM_COUNTS)}
    marks = {row["presentation"]: pixels(pack, row["help_file"]).any()
             for row in pack.table(HELPS) if row["arm"] == "gradcam"}  # fmt: skip
    main = [row["presentation"] for row in pack.table(KEY) if row["role"] == "main"]
    assert blank["gradcam"] == sum(not marks[name] for name in main)
    assert "passed_over" in made


@pytest.fixture
def other_lab(trained, tmp_path):
    """A lab with the protocol and the network of the first, but none of its results."""
    (tmp_path / "tiny.toml").write_text(TINY, encoding="utf-8")
    kept = Path("cache", "checkpoints")
    shutil.copytree(trained[0] / kept, tmp_path / kept)
    return tmp_path


def test_a_build_that_was_stopped_goes_on_to_the_same_pack(trained, other_lab, monkeypatch):
    compute, begun, calls = answering._values, [], []

    def stopped_once(loaded, batch, execution):
        calls.append(batch)
        begun.extend(batch.keys)
        if len(calls) == 12:
            raise KeyboardInterrupt
        return compute(loaded, batch, execution)

    monkeypatch.setattr(answering, "_values", stopped_once)
    options = options_of(other_lab)
    with contextlib.suppress(KeyboardInterrupt):
        status, _, _ = built_here(monkeypatch, other_lab, *options)
        assert status != 0
    assert not (other_lab / "pack").exists()
    status, again, wrong = built_here(monkeypatch, other_lab, *options)
    assert status == 0, wrong
    assert json.loads(again)["pack_id"] == trained[1]["pack_id"]
    assert len(calls) > 20
    assert 0 < len(begun) - len(set(begun)) <= 2 * len(calls[11].keys)


@pytest.mark.slow
def test_a_build_that_was_killed_goes_on_to_the_same_pack(trained, other_lab, monkeypatch):
    tmp_path, said = other_lab, trained[1]
    shards = tmp_path / "cache" / "results" / "shards"
    options = options_of(tmp_path)
    build = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "build", "human_ai_team", *map(str, options)],
        env={**os.environ, "PLAINSIGHT_LAB": str(tmp_path)},
        stdout=subprocess.DEVNULL,
    )
    while build.poll() is None and count(shards) < 6:
        time.sleep(0.01)
    assert build.poll() is None, "it was done before it could be killed"
    build.send_signal(signal.SIGKILL)
    build.wait()
    kept = count(shards)
    assert not (tmp_path / "pack").exists()
    status, again, wrong = built_here(monkeypatch, tmp_path, *options)
    assert status == 0, wrong
    assert json.loads(again)["pack_id"] == said["pack_id"]
    assert count(shards) > kept


def count(shards: Path) -> int:
    return sum(1 for _ in shards.glob("*.safetensors"))


def test_a_lab_brings_maps_and_texts_of_its_own(trained, tmp_path, monkeypatch):
    """The images of the pack first, then maps and texts by their names."""
    lab, _ = trained
    text = TINY.replace('"gradcam", "salient_object", "nearest_neighbours"', '"our_maps", "text"')
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    options = ["--protocol", tmp_path / "own.toml"]
    status, _, wrong = built_here(monkeypatch, lab, *options, "--out", tmp_path / "none")
    assert (status, "--help-texts FILE" in wrong) == (2, True)
    folder = tmp_path / "images"
    status, said, wrong = built_here(monkeypatch, lab, *options, "--for-maps", folder)
    assert (status, said) == (0, f"18 images: {folder}\n"), wrong
    rows = list(csv.DictReader((folder / "images.csv").open(encoding="utf-8")))
    names = [row["image"] for row in rows]
    assert sorted(path.stem for path in folder.glob("*.png")) == sorted(names)
    maps = tmp_path / "maps"
    maps.mkdir()
    for number, name in enumerate(names):
        np.save(maps / f"{name}.npy", np.full((56, 56), number, dtype=np.float32))
    texts = tmp_path / "texts.csv"
    lines = [f"{name},help {name},Hilfe {name}" for name in names]
    texts.write_text("\n".join(["image,text,de", *lines]), encoding="utf-8")
    options += ["--help-texts", texts]
    status, _, wrong = built_here(monkeypatch, lab, *options, "--out", tmp_path / "none")
    assert (status, "--maps our_maps=DIR" in wrong) == (2, True)
    options += ["--maps", f"our_maps={maps}", "--out", tmp_path / "pack"]
    status, _, wrong = built_here(monkeypatch, lab, *options)
    assert status == 0, wrong
    pack = open_pack(tmp_path / "pack")
    progress = " ".join(wrong.split())
    labels = sorted({row["label"] for row in pack.table(LABELS)})
    assert f"{len(labels)} labels have no definition in de: {', '.join(labels)}; give" in progress
    assert "validation: 2 right labels (" in progress
    assert "our_maps: 1 of 9 maps mark nothing" in progress or names[0] not in main_of(pack)
    assert helps_by_arm(pack) == {
        "confidence": Origin(),
        "our_maps": Origin("imported", "maps", sha256=files_sha256(sorted(maps.iterdir()), maps)),
        "text": Origin("imported", "texts.csv", sha256=file_sha256(texts)),
    }
    name_of = {row["presentation"]: file_name(str(row["item"])) for row in pack.table(KEY)}
    label_of = {row["presentation"]: row["shown_label"] for row in pack.table(ITEMS)}
    proposed = {row["image"]: row["label"] for row in rows}
    for row in pack.table(HELPS):
        name = name_of[row["presentation"]]
        assert proposed[name] == label_of[row["presentation"]]
        if row["arm"] == "text":
            word = "Hilfe" if row["language"] == "de" else "help"
            assert row["help_text"] == f"{word} {name}"
        else:
            brightest = 255 if names.index(name) else 0
            assert pixels(pack, row["help_file"]).max() == brightest


def main_of(pack):
    return {file_name(str(row["item"])) for row in pack.table(KEY) if row["role"] == "main"}


def test_what_cannot_be_built_is_said_with_counts(trained, monkeypatch, tmp_path):
    lab, said = trained
    text = TINY.replace("per_bin = 1", "per_bin = 400").replace("sheets = 2", "sheets = 600")
    text = text.replace(', "gradcam", "salient_object", "nearest_neighbours"', "")
    (tmp_path / "many.toml").write_text(text, encoding="utf-8")
    options = ["--protocol", tmp_path / "many.toml", "--out", tmp_path / "pack"]
    status, _, wrong = built_here(monkeypatch, lab, *options)
    assert status == 2
    assert "images by bin, 400 wanted in each: " in wrong
    for name in NATURAL_BINS:
        assert f"{name} " in wrong
        assert f"{said['found'][name]}" in wrong
    assert "--per-bin" in wrong.rpartition(";")[2] or "another classifier" in wrong
    status, _, wrong = built_here(monkeypatch, lab, "--model", "resnet34")
    assert (status, "trained on the spot" in wrong) == (2, True)
    status, _, wrong = built_here(monkeypatch, lab, "--source", tmp_path, "--train-learned")
    assert (status, "give --train, too" in wrong) == (2, True)
    status, _, wrong = built_here(monkeypatch, lab, "--source", tmp_path / "nowhere")
    assert (status, "take digits, mnist, or labelled images" in wrong) == (2, True)


def test_the_digits_that_may_be_judged_are_all_that_the_network_did_not_learn(digits):
    learnt = sorted(digits.train_indices.tolist())[::9]
    judged = never_learnt(digits, learnt)
    assert sorted([*judged, *learnt]) == list(range(len(digits)))
    assert judged[: len(digits.held_out_indices)] == digits.held_out_indices.tolist()


@pytest.mark.slow
def test_the_suites_own_digits_fill_the_pack_of_the_readme(tmp_path, monkeypatch):
    """The network learns as it does for people; of the arms only the cheapest is made."""
    arms = '[help]\narms = ["confidence"]\n'
    head = 'schema = "protocol/1.6"\nstudy = "human_ai_team"\nname = "one arm"\n'
    (tmp_path / "one.toml").write_text(head + arms, encoding="utf-8")
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path))
    options = ["--per-bin", 4, "--adversarial-per-level", 4, "--out", tmp_path / "pack"]
    words = ["build", "human_ai_team", "--protocol", tmp_path / "one.toml", *options]
    assert cli.main(list(map(str, words))) == 0
    assert open_pack(tmp_path / "pack").protocol.bins.images == 36

"""What a pack of embedded digits holds."""

import json

import numpy as np
import pytest
import torch

from stimuli.maps.origin import IMAGE, NETWORK
from stimuli.pack import open_pack
from stimuli.studies.human_ai_team.material import bin_of
from stimuli.studies.human_ai_team.study import helps_by_arm
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
from tests.xai_backend.studies.human_ai_team.digit_packs import JUDGED, pixels
from xai_backend import cli
from xai_backend.explain.answering import classifier_at_hand
from xai_backend.models.image_model import as_images
from xai_backend.studies.human_ai_team.build import MADE_FILE


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
    kinds = {name: one.kind for name, one in helps_by_arm(pack).items()}
    assert (kinds["gradcam"], kinds["salient_object"]) == (NETWORK, IMAGE)


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


@pytest.mark.slow
def test_the_suites_own_digits_fill_the_pack_of_the_readme(tmp_path, monkeypatch):
    """The network learns as it does for people; of the arms only the cheapest is made."""
    arms = '[help]\narms = ["confidence"]\n'
    head = 'schema = "protocol/1.0"\nstudy = "human_ai_team"\nname = "one arm"\n'
    (tmp_path / "one.toml").write_text(head + arms, encoding="utf-8")
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path))
    options = ["--per-bin", 4, "--adversarial-per-level", 4, "--out", tmp_path / "pack"]
    words = ["build", "human_ai_team", "--protocol", tmp_path / "one.toml", *options]
    assert cli.main(list(map(str, words))) == 0
    assert open_pack(tmp_path / "pack").protocol.bins.images == 36

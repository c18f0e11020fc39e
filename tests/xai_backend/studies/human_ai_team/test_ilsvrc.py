"""Packs of folders laid out as ILSVRC and Stanford Dogs."""

import io
import sys

import pytest

from stimuli.pack import open_pack
from stimuli.studies.human_ai_team.tables import KEY, LABELS, METRICS
from tests.xai_backend.ilsvrc import layouts
from tests.xai_backend.ilsvrc.layouts import GLOSSES, WNIDS
from xai_backend import cli

SMALL = """\
schema = "protocol/1.0"
study = "human_ai_team"
name = "small"
[images]
resize_px = 24
size_px = 24
least_side_px = 32
[system]
layer = ""
[bins]
per_bin = 1
adversarial_per_level = 0
sheets = 2
trials_per_sheet = 4
[prior]
samples = 1
sample_from = 0.5
[validation]
trials = 2
right_trials = 1
pass_right = 2
[session]
practice_trials = 2
[attack]
jpeg_quality = 95
jpeg_subsampling = "4:4:4"
[help]
arms = ["confidence", "gradcam"]
[analysis]
reference_arm = "confidence"
"""
NETWORK = "tests.xai_backend.ilsvrc.colour_network"


def built(monkeypatch, lab, *options, network="usual"):
    """Run the builder in this process; its status, and what it told."""
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab))
    said = io.StringIO()
    monkeypatch.setattr(sys, "stderr", said)
    (lab / "small.toml").write_text(SMALL, encoding="utf-8")
    given = ["--protocol", lab / "small.toml", "--model", f"{NETWORK}:{network}", "--workers", 1]
    status = cli.main(["build", "human_ai_team", *map(str, [*given, *options])])
    return status, " ".join(said.getvalue().split())


@pytest.fixture(scope="module")
def photos():
    return layouts.photos()


@pytest.mark.parametrize("layout", [layouts.kit, layouts.dogs],
                         ids=lambda layout: layout.__name__)  # fmt: skip
def test_a_folder_as_it_lies_on_disk_is_built(layout, photos, tmp_path, monkeypatch):
    """Without a file of classes or of boxes where the layout has them."""
    source = layout(tmp_path / "set", photos)
    options = ["--source", source, "--out", tmp_path / "pack"]
    if layout is layouts.dogs:
        classes = tmp_path / "words.txt"
        classes.write_text(layouts.words_text(), encoding="utf-8")
        options += ["--classes", classes]
    german = tmp_path / "names.csv"
    german.write_text("label,name,de\nn01440764,the tench,Schleie\n", encoding="utf-8")
    status, said = built(monkeypatch, tmp_path, *options, "--names", german)
    assert status == 0, said
    pack = open_pack(tmp_path / "pack")
    true = {photo.name: WNIDS[photo.label] for photo in photos}
    rows = pack.table(KEY)
    assert all(true[name_of(row["item"])] == row["true_label"] for row in rows)
    with_boxes = layout is layouts.dogs
    assert all((row["box"] is not None) is with_boxes for row in rows)
    assert {row["method"] for row in pack.table(METRICS)} == ({"gradcam"} if with_boxes else set())
    words = {(row["label"], row["language"]): row for row in pack.table(LABELS)}
    assert words["n02110341", None]["name"] == "dalmatian"
    assert words["n01440764", "de"]["name"] == "Schleie"
    assert words["n01440764", None]["name"] == "the tench"
    if layout is layouts.kit:
        assert words["n02110341", "en"]["definition"] == GLOSSES[2]


def name_of(item):
    return str(item).rpartition("/")[2].partition(".")[0]

"""What a build says before long work: copies, time, images that the network has learned from."""

import json
from itertools import count

import numpy as np
import pytest

from stimuli.pack import open_pack
from tests.xai_backend.ilsvrc import layouts
from tests.xai_backend.studies.human_ai_team import test_ilsvrc
from tests.xai_backend.studies.human_ai_team.test_ilsvrc import SMALL, built
from xai_backend.studies.human_ai_team import helps
from xai_backend.studies.human_ai_team.training_images import Distances, copy_of


@pytest.fixture(scope="module")
def kaggle(tmp_path_factory):
    return layouts.kaggle(tmp_path_factory.mktemp("set"), layouts.photos())


def with_distance(monkeypatch, value):
    text = SMALL.replace('["confidence", "gradcam"]', '["confidence", "nearest_neighbours"]')
    own = f"[help]\nneighbours = 1\nnear_duplicate_distance = {value}\n"
    monkeypatch.setattr(test_ilsvrc, "SMALL", text.replace("[help]\n", own))


def test_a_distance_that_no_image_is_beyond_is_refused_with_one_that_fits(
    kaggle, tmp_path, monkeypatch
):
    with_distance(monkeypatch, 100.0)
    status, said = built(monkeypatch, tmp_path, "--source", kaggle, "--out", tmp_path / "pack")
    assert status == 2
    assert "help.near_duplicate_distance (100): in the features of" in said
    assert "100% of images have another image of their class that is nearer" in said


def test_a_distance_that_misses_copies_is_a_caution_and_in_the_pack(kaggle, tmp_path, monkeypatch):
    with_distance(monkeypatch, 1e-6)
    status, said = built(monkeypatch, tmp_path, "--source", kaggle, "--out", tmp_path / "pack")
    assert status == 0, said
    assert "only 0% of copies (smaller, and saved again) are nearer" in said
    made = json.loads(open_pack(tmp_path / "pack").asset("made.json"))["near_duplicates"]
    assert made["copies_recognised"] == 0
    assert made["others_passed_over"] == 0
    assert made["copies_median"] > 0


def test_a_fitting_distance_lies_between_copies_and_others():
    apart = Distances(np.linspace(1, 2, 50), np.linspace(8, 30, 50))
    assert 2 < apart.fitting < 8.5
    assert apart.nearer(apart.fitting) == (1.0, 0.0)
    assert Distances(np.linspace(1, 9, 50), np.linspace(2, 30, 50)).fitting is None
    codes = np.random.default_rng(1).integers(0, 255, (24, 24, 3), dtype=np.uint8)
    assert copy_of(codes).shape == codes.shape
    assert (copy_of(codes) != codes).any()


def test_the_time_of_extremal_perturbations_is_said_before_they_begin(
    kaggle, tmp_path, monkeypatch
):
    """By a clock on which each reading is 2 s later: steps take no time, each map 2 s."""
    text = SMALL.replace('"gradcam"', '"extremal_perturbation"')
    monkeypatch.setattr(test_ilsvrc, "SMALL", text)
    ticks = count(step=2)
    real = helps.seconds_a_map

    def timed(method, ai, image, target, clock):
        return real(method, ai, image, target, lambda: next(ticks))

    monkeypatch.setattr(helps, "seconds_a_map", timed)
    usual = helps.ExtremalPerturbation
    monkeypatch.setattr(helps, "_method", lambda arm, protocol, saliency: usual(iterations=3))
    options = ["--source", kaggle, "--out", tmp_path / "pack"]
    status, said = built(monkeypatch, tmp_path, *options)
    assert status == 0, said
    line = "extremal_perturbation: 10 maps take about 20 s (2 s each); after an interruption"
    assert line in said
    assert said.index(line) < said.index("explaining (extremal_perturbation)")
    status, said = built(monkeypatch, tmp_path, *options)
    assert (status, "maps take about" in said) == (0, False)


@pytest.mark.parametrize(
    ("seconds", "words"), [(2.34, "2.3 s"), (90, "2 min"), (11_700, "3 h 15 min")]
)
def test_times_are_said_as_people_say_them(seconds, words):
    assert helps.in_words(seconds) == words


def test_names_of_imagenets_training_images_are_a_caution(tmp_path, monkeypatch):
    source = layouts.folders(tmp_path / "set", layouts.photos())
    for path in source.glob("*/*"):
        path.rename(path.with_name(f"{path.parent.name}_{path.stem[-4:]}.JPEG"))
    (tmp_path / "words.txt").write_text(layouts.words_text(), encoding="utf-8")
    options = ["--source", source, "--out", tmp_path / "pack", "--classes", tmp_path / "words.txt"]
    status, said = built(monkeypatch, tmp_path, *options)
    assert status == 0, said
    assert "images are called like ImageNet's training images (n0" in said

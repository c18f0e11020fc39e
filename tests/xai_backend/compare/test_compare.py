"""Methods side by side: scores as their parts give them, a page with all of it, refusals."""

import csv
import sys

import numpy as np
import pytest
import torch
from PIL import Image

from stimuli.errors import UserError
from xai_backend.cli import main
from xai_backend.compare.job import compare
from xai_backend.compare.scores import STEPS, with_shuffled_weights
from xai_backend.explain.answering import classifier_at_hand
from xai_backend.explain.request import CompareRequest, PhotosRequest
from xai_backend.metrics.faithfulness import deletion
from xai_backend.metrics.maps import gini
from xai_backend.models.image_model import as_images
from xai_backend.options import asked_methods
from xai_backend.progress import Silent

NETWORK = """\
import torch
from torch import nn


def network():
    torch.manual_seed(3)
    return nn.Sequential(
        nn.Conv2d(3, 6, 5, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(96, 4)
    )


def edges(model, inputs, targets):
    grey = inputs.mean(dim=1)
    return (grey - grey.roll(1, dims=2)).abs()

"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.delitem(sys.modules, "compared_networks", raising=False)
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    (tmp_path / "compared_networks.py").write_text(NETWORK)
    (tmp_path / "compared_networks.toml").write_text("side_px = 32\n")
    generator = np.random.default_rng(3)
    (tmp_path / "photos").mkdir()
    for name in ("a.png", "b.png", "c.png"):
        coarse = generator.integers(0, 256, (6, 6, 3), dtype=np.uint8)
        Image.fromarray(coarse).resize((300, 256)).save(tmp_path / "photos" / name)
    return tmp_path


def run(*words):
    return main(
        [
            "explain", "--model", "compared_networks:network", "--images", "photos",
            "--out", "out", "--compare", *words,
        ]
    )  # fmt: skip


def rows(here, name):
    with (here / "out" / name).open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_scores_are_those_of_their_parts(here, capsys):
    boxes = here / "boxes.csv"
    boxes.write_text("image,x0,y0,x1,y1\na,0,0,300,256\n")
    words = ("--method", "edges=compared_networks:edges", "--method", "integrated_gradients")
    assert run(*words, "--boxes", str(boxes)) == 0, capsys.readouterr().err
    scored = rows(here, "scores.csv")
    assert [(row["method"], row["image"]) for row in scored] == [
        (method, image) for method in ("edges", "integrated_gradients") for image in "abc"
    ]
    # An image that is the object as a whole is always hit; without boxes nothing is said.
    assert [row["pointing_game"] for row in scored] == ["1.0", "", ""] * 2
    # Edges are of the picture alone, whatever the network has learned.
    sane = {row["method"]: float(row["sanity"]) for row in rows(here, "summary.csv")}
    assert sane["edges"] == pytest.approx(1)
    assert abs(sane["integrated_gradients"]) < 0.9
    classifier = classifier_at_hand("compared_networks:network", None, "cpu")
    photo = np.array(Image.open(here / "photos" / "a.png").convert("RGB"))
    height, width = photo.shape[:2]
    assert (height, width) == (256, 300)
    codes = classifier.frame.codes(Image.open(here / "photos" / "a.png").convert("RGB"))
    images = as_images(torch.tensor(codes[None]))
    target = int(scored[0]["target"])
    grey = images.mean(dim=1)
    edges = (grey - grey.roll(1, dims=2)).abs().numpy()
    area = deletion(classifier.model, images, torch.tensor([target]), edges, STEPS).area[0]
    assert float(scored[0]["deletion"]) == pytest.approx(area)
    (pair,) = rows(here, "agreement.csv")
    assert (pair["method"], pair["other"], pair["images"]) == ("edges", "integrated_gradients", "3")
    assert -1 <= float(pair["rank_correlation"]) <= 1


def test_the_page_shows_methods_classes_and_pictures_and_comes_out_the_same(here):
    words = (
        "--method",
        "compared_networks:edges",
        "--method",
        "integrated_gradients",
        "--sample",
        "2",
    )
    assert run(*words) == 0
    page = (here / "out" / "compare.html").read_bytes()
    text = page.decode("utf-8")
    assert text.count("data:image/jpeg") == 2 * 3
    for colour in ("#ff961e", "#3c8cff", "#eb69d7"):
        assert f"background:{colour}" in text
    for said in (
        "compared_networks:edges",
        "integrated_gradients",
        "class ",
        "both close together",
    ):
        assert said in text
    assert run(*words) == 0
    assert (here / "out" / "compare.html").read_bytes() == page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--method", "gradcam", "--method", "gradcam"), "gradcam is given already"),
        (("--method", "lrp", "--method", "gradcam", "--set", "x=1"), "NAME.SETTING=VALUE"),
    ],
)
def test_what_cannot_be_compared_is_one_line(here, capsys, words, said):
    assert run(*words) == 2
    assert said in capsys.readouterr().err


def test_shuffled_weights_are_the_same_numbers_at_other_places(here):
    model = classifier_at_hand("compared_networks:network", None, "cpu").model
    other, again = with_shuffled_weights(model), with_shuffled_weights(model)
    own = dict(model.named_parameters())
    for name, weights in other.named_parameters():
        assert torch.equal(weights.flatten().sort().values, own[name].flatten().sort().values)
        assert torch.equal(weights, dict(again.named_parameters())[name])
    assert not torch.equal(other.network[0].weight, model.network[0].weight)


def test_a_method_that_refuses_the_shuffled_network_is_told_and_scored_without(here):
    asked = asked_methods(["a=integrated_gradients", "b=compared_networks:edges"], [])
    photos = PhotosRequest(
        model="compared_networks:network", images=here / "photos", out=here / "out"
    )
    request = CompareRequest(photos, asked, 1)

    def refuse(*given):
        raise UserError("not this one")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("xai_backend.compare.job.shuffled_maps", refuse)
        compare(request, Silent())
    assert "a has no maps with shuffled weights: not this one" in (
        here / "out" / "compare.html"
    ).read_text(encoding="utf-8")
    assert {row["sanity"] for row in rows(here, "scores.csv")} == {""}


def slow_gini(values):
    """Mean absolute difference of all pairs by twice the mean (Hurley and Rickard 2009)."""
    sizes = np.abs(values).ravel()
    return np.abs(sizes[:, None] - sizes[None]).mean() / (2 * sizes.mean())


def test_gini_is_that_of_its_definition():
    maps = np.random.default_rng(1).normal(size=(3, 4, 5))
    assert gini(maps) == pytest.approx([slow_gini(one) for one in maps])
    single = np.zeros((1, 4, 5))
    assert np.isnan(gini(single)[0])
    single[0, 1, 1] = -2
    assert gini(single)[0] == pytest.approx(1 - 1 / 20)
    assert gini(np.ones((1, 4, 5)))[0] == pytest.approx(0)

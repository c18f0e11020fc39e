"""What stands below overlays and on a method's sheet, and photographs with labels."""

import re

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision import models

from stimuli.errors import UserError
from xai_backend.cli import main
from xai_backend.explain.job import PER_PAGE, Sheet
from xai_backend.explain.overlay import FOR_AND_AGAINST, LEAST_PX, Caption, captioned
from xai_backend.explain.working import Answered, outputs_of_labels
from xai_backend.models.classifier import caution_of_errors

SHORT = Caption("tench", "97%", "gradcam", "a")
LONG = Caption("a name that is much too long for any picture " * 3, "<1%", "gradcam", "b" * 200)


@pytest.mark.parametrize("side", [64, 224, 448])
def test_a_caption_stands_below_a_picture_and_leaves_it_as_it_is(side):
    picture = np.random.default_rng(1).integers(0, 256, (side, side, 3), dtype=np.uint8)
    whole = captioned(picture, SHORT)
    times = max(1, -(-LEAST_PX // side))
    assert np.array_equal(whole[: side * times : times, ::times], picture)
    strip = whole[side * times :]
    for entry in FOR_AND_AGAINST:
        assert (strip == entry.colour).all(axis=2).sum() > 50
    # However long the words are, pictures of one size stay so, and nothing touches the edge.
    assert captioned(picture, LONG).shape == whole.shape
    for caption in (SHORT, LONG):
        assert (captioned(picture, caption)[side * times :, [0, -1]] == 255).all()


@pytest.mark.parametrize(
    ("probability", "words"),
    [(0.0, "0%"), (0.004, "<1%"), (0.25, "25%"), (0.996, ">99%"), (1.0, "100%")],
)
def test_a_probability_never_claims_more_than_it_is(probability, words):
    assert Answered(1, probability).share == words


def test_a_sheet_shows_every_overlay_once_and_its_pages_name_one_another():
    answers = {f"a #{number}": Answered(0, 0.5, "tench", "cock") for number in range(PER_PAGE + 5)}
    sheet = Sheet("captum:DeepLift", "net", "mostly wrong", FOR_AND_AGAINST, "all of them")
    pages = sheet.pages(answers, "overlays", dict.fromkeys(answers, (2, 1)))
    assert list(pages) == ["sheet_captum_DeepLift.html", "sheet_captum_DeepLift_2.html"]
    first, second = pages.values()
    sources = re.findall(r'<img src="([^"]+)"', first + second)
    assert sources == [f"overlays/a%20%23{number}.png" for number in range(PER_PAGE + 5)]
    assert 'href="sheet_captum_DeepLift_2.html"' in first
    assert 'href="sheet_captum_DeepLift.html"' in second
    for text in pages.values():
        for said in ("mostly wrong", "labelled cock", "50%", "against it"):
            assert said in text


@pytest.mark.parametrize(("right", "warned"), [(7, True), (8, False), (16, False)])
def test_a_network_that_is_mostly_wrong_is_told(right, warned):
    told = caution_of_errors("squeezenet1_1", right, 16)
    assert (told is not None) == warned
    if told:
        assert "right on 7 of 16 labelled images" in told
        assert "order of its outputs" in told
        assert "mean and std" in told


def labels(tmp_path, text, categories=("great white shark", "cock", "crane", "crane")):
    (tmp_path / "labels.csv").write_text(text)
    images = ["a.jpg", "b.c.png"]
    return outputs_of_labels(tmp_path / "labels.csv", images, categories, 4)


def test_labels_are_a_network_s_classes_in_any_spelling(tmp_path):
    found = labels(tmp_path, "image,label\nx/a.jpg,Great_White_Shark\nb.c,CRANE\nz.jpg,none\n")
    assert found == {
        "a": ("Great_White_Shark", frozenset({0})),
        "b.c": ("CRANE", frozenset({2, 3})),
    }
    assert labels(tmp_path, "image,label\na,3\n", ())["a"] == ("3", frozenset({3}))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("image,label\na,whale\n", "row 2: whale is no class of the network; its classes are"),
        ("image,label\na,4\n", "4 is no class"),
        ("image,label\na,1\na.jpg,2\n", "row 3: a.jpg has a label already"),
        ("image,label\nz,1\n", "names none of the photographs"),
        ("file,label\na,1\n", "column missing: image"),
    ],
)
def test_labels_that_cant_be_are_one_line(tmp_path, text, said):
    with pytest.raises(UserError, match=said):
        labels(tmp_path, text)


def test_explain_says_before_the_work_that_a_network_is_mostly_wrong(tmp_path, capsys):
    torch.manual_seed(8)
    torch.save(models.squeezenet1_1(num_classes=6).state_dict(), tmp_path / "net.pt")
    (tmp_path / "net.toml").write_text('side_px = 64\nclasses = ["a", "b", "c", "d", "e", "f"]')
    generator = np.random.default_rng(3)
    (tmp_path / "photos").mkdir()
    for name in "xyz":
        codes = generator.integers(0, 256, (64, 64, 3), dtype=np.uint8)
        Image.fromarray(codes).save(tmp_path / "photos" / f"{name}.png")
    words = ["explain", "--model", "squeezenet1_1", "--weights", str(tmp_path / "net.pt")]
    words += ["--method", "gradcam", "--images", str(tmp_path / "photos")]
    words += ["--out", str(tmp_path / "out"), "--store", str(tmp_path / "store")]
    assert main(words) == 0
    table = (tmp_path / "out" / "explanations.csv").read_text(encoding="utf-8").splitlines()
    given = int(table[1].split(",")[1])
    assert "caution" not in capsys.readouterr().err
    wrong = "abcdef"[(given + 1) % 6]
    rows = "".join(f"{name},{wrong}\n" for name in "xyz")
    (tmp_path / "labels.csv").write_text(f"image,label\n{rows}")
    assert main([*words, "--labels", str(tmp_path / "labels.csv")]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "caution: squeezenet1_1 is right on 0 of 3 labelled images" in said
    page = (tmp_path / "out" / "sheet_gradcam.html").read_text(encoding="utf-8")
    assert "is right on 0 of 3 labelled images" in page
    assert page.count(f"labelled {wrong}") == 3

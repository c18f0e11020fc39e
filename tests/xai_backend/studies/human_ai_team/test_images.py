"""Images as a network sees them: boxes in its crop, and which images are left out."""

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from stimuli.errors import UserError
from stimuli.images.digits import load_digits
from stimuli.images.sets import read_labelled
from stimuli.protocol import load_protocol
from xai_backend.metrics.localisation import cropped, hull, read_boxes
from xai_backend.models.frame import InputFrame
from xai_backend.progress import Silent
from xai_backend.studies.human_ai_team.images import (
    Jpeg,
    digit_candidates,
    gathered,
    photo_candidates,
)
from xai_backend.studies.human_ai_team.source import breed_names, set_aside

FRAME = InputFrame(32, 24)


@pytest.mark.parametrize("size", [(40, 60), (61, 37), (24, 24), (100, 33)])
@pytest.mark.parametrize(
    "share", [(0.1, 0.2, 0.9, 0.8), (0.4, 0.4, 0.6, 0.5), (0.0, 0.0, 1.0, 1.0)]
)
def test_boxes_lie_where_torchvision_puts_them(size, share):
    # Imported late, since they bring in torch's compiler, which takes seconds.
    from torchvision.transforms.v2 import CenterCrop, Compose, Resize
    from torchvision.tv_tensors import BoundingBoxes

    width, height = size
    box = (share[0] * width, share[1] * height, share[2] * width, share[3] * height)
    whole = BoundingBoxes(
        torch.tensor([box], dtype=torch.float64), format="XYXY", canvas_size=(height, width)
    )
    (expected,) = Compose([Resize(32), CenterCrop(24)])(whole).tolist()
    found = cropped(box, size, FRAME)
    if found is None:
        assert expected[0] >= expected[2] or expected[1] >= expected[3]
    else:
        assert found == pytest.approx(expected, abs=0.01)


def test_a_box_beside_the_crop_is_none():
    assert cropped((0, 0, 5, 5), (200, 40), FRAME) is None
    assert hull([], 24) is None
    assert hull([(1.5, 2.0, 3.2, 4.0), (0.2, 3.0, 2.0, 23.9)], 24) == (0, 2, 4, 24)


def test_boxes_are_read_by_path_name_or_stem(tmp_path):
    path = tmp_path / "boxes.csv"
    path.write_text("image,x0,y0,x1,y1\na/1.png,0,0,4,5\n2,1,1,2,2\n9,1,1,2,2\n2.png,3,3,5,5\n")
    found = read_boxes(path, ["a/1.png", "b/2.png"])
    assert found == {"a/1.png": [(0, 0, 4, 5)], "b/2.png": [(1, 1, 2, 2), (3, 3, 5, 5)]}
    path.write_text("image,x0,y0,x1,y1\n2,4,1,2,2\n")
    with pytest.raises(UserError, match="row 2: x0 must be left of x1"):
        read_boxes(path, ["b/2.png"])


def test_grey_and_small_images_are_left_out_and_counted(tmp_path):
    rng = np.random.default_rng(1)
    for label in ("cat", "dog"):
        (tmp_path / label).mkdir()
    pictures = {
        "cat/colour.png": rng.integers(0, 255, (30, 40, 3), dtype=np.uint8),
        "cat/small.png": rng.integers(0, 255, (20, 40, 3), dtype=np.uint8),
        "dog/grey.png": rng.integers(0, 255, (30, 40), dtype=np.uint8),
    }
    for name, codes in pictures.items():
        Image.fromarray(codes).save(tmp_path / name)
    changes = {"images": {"least_side_px": 24, "resize_px": 32, "size_px": 24}}
    protocol = load_protocol("human_ai_team", None, changes)
    candidates = photo_candidates(read_labelled(tmp_path), FRAME, Jpeg())
    album = gathered(candidates, protocol, Silent())
    assert list(album.pictures) == ["cat/colour.png"]
    assert album.dropped == {
        "smaller than images.least_side_px (24)": 1,
        "without colour": 1,
    }
    assert album.pictures["cat/colour.png"].load().shape == (24, 24, 3)


def test_images_of_other_classes_are_left_out_if_only_some_labels_are_wanted(tmp_path):
    for number, label in enumerate(("n1", "n2", "n2")):
        (tmp_path / label).mkdir(exist_ok=True)
        codes = np.full((30, 30, 3), (number, 0, 99), dtype=np.uint8)
        Image.fromarray(codes).save(tmp_path / label / f"{number}.png")
    look = {"least_side_px": 24, "resize_px": 24, "size_px": 24, "labels": ["n1"]}
    kept = []
    for only in (True, False):
        protocol = load_protocol("human_ai_team", None, {"images": {**look, "only_labels": only}})
        candidates = photo_candidates(read_labelled(tmp_path), FRAME, Jpeg())
        album = gathered(candidates, protocol, Silent())
        kept.append((list(album.pictures), album.dropped))
    assert kept[0] == (["n1/0.png"], {"of a label outside images.labels": 2})
    assert kept[1] == (["n1/0.png", "n2/1.png", "n2/2.png"], {})


def test_the_breeds_of_stanford_dogs_have_names_that_differ_in_both_languages():
    protocol = load_protocol("human_ai_team", Path("stanford_dogs.toml"))
    names = breed_names(protocol.images.labels)
    assert len(set(protocol.images.labels)) == 120
    for language in ("", "de"):
        words = {names[label, language].casefold() for label in protocol.images.labels}
        assert len(words) == 120
    assert protocol.validation.pass_right == 8  # as published with dogs
    assert breed_names(()) == {}


def test_training_images_that_are_set_aside_are_of_every_class():
    digits = load_digits("uci")
    candidates = digit_candidates(digits, range(200), 56, Jpeg())
    aside = set_aside(candidates, 3)
    counts = {label: sum(one.label == label for one in candidates) for label in "0123456789"}
    for label, count in counts.items():
        assert sum(one.label == label for one in aside) == -(-count // 4)
    assert set_aside(candidates[::-1], 3) == aside

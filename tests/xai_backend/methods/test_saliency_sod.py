import sys
from types import SimpleNamespace

import colour
import numpy as np
import pytest
import torch
from PIL import Image

from stimuli.errors import UserError
from xai_backend.methods.saliency_sod import SalientObject, centre_surround, lab_of


def picture(height=17, width=22, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def test_cielab_is_colour_science_s():
    codes = picture()
    oracle = colour.XYZ_to_Lab(
        colour.sRGB_to_XYZ(codes / 255),
        colour.CCS_ILLUMINANTS["CIE 1931 2 Degree Standard Observer"]["D65"],
    )
    assert np.abs(lab_of(codes) - oracle).max() < 0.05


def test_surrounds_are_the_largest_symmetric_windows():
    """Window by window, from the definition."""
    codes = picture()
    lab = lab_of(codes)
    height, width = lab.shape[:2]
    binomial = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]) / 256
    framed = np.pad(lab, ((2, 2), (2, 2), (0, 0)), mode="edge")
    slow = np.zeros((height, width))
    for y in range(height):
        for x in range(width):
            down, across = min(y, height - 1 - y), min(x, width - 1 - x)
            window = lab[y - down : y + down + 1, x - across : x + across + 1]
            here = (framed[y : y + 5, x : x + 5] * binomial[..., None]).sum(axis=(0, 1))
            slow[y, x] = np.linalg.norm(window.mean(axis=(0, 1)) - here)
    assert np.abs(centre_surround(codes) - slow / slow.max()).max() < 1e-9


def test_the_classifier_plays_no_part(small_model, model, photos):
    one = SalientObject().explain(small_model, photos, torch.tensor([0, 1, 2]))
    other = SalientObject().explain(model, photos, torch.tensor([2, 2, 2]))
    assert torch.equal(one, other)


def test_without_rembg_u2net_says_what_to_install(small_model, photos, monkeypatch):
    monkeypatch.setitem(sys.modules, "rembg", None)
    with pytest.raises(UserError, match=r"pip install \"rembg\[cpu\]\""):
        SalientObject("u2net").explain(small_model, photos, torch.tensor([0, 1, 2]))


def test_u2net_asks_rembg_for_one_mask_an_image(small_model, photos, monkeypatch):
    """rembg's documented interface: new_session(name), remove(image, session, only_mask)."""
    asked = []

    def remove(image, session, only_mask):
        asked.append((image.size, image.mode, session, only_mask))
        return Image.new("L", image.size, 51)

    stand_in = SimpleNamespace(new_session=lambda name: f"session of {name}", remove=remove)
    monkeypatch.setitem(sys.modules, "rembg", stand_in)
    maps = SalientObject("u2net").explain(small_model, photos, torch.tensor([0, 1, 2]))
    assert asked == [((24, 24), "RGB", "session of u2net", True)] * 3
    assert torch.allclose(maps, torch.full((3, 24, 24), 0.2))

"""Edges against OpenCV's, and heatmaps against their definition."""

import numpy as np
import pytest
from scipy import ndimage

from experiments.studies.human_ai_team.painter import (
    STRONG,
    WEAK,
    canny,
    edges,
    heatmap,
    in_reds,
    red_scale,
)

SIDE = 120


def scene(seed):
    """Return blurred patches of grey, uint8 (SIDE, SIDE)."""
    rng = np.random.default_rng(seed)
    patches = np.kron(rng.integers(0, 256, (8, 8)), np.ones((15, 15)))
    return np.round(ndimage.gaussian_filter(patches, 1.5)).astype(np.uint8)


@pytest.mark.parametrize("seed", range(3))
def test_edges_are_those_that_opencv_finds(seed):
    """But for ties and the border, where the two may choose another pixel of the same edge."""
    cv2 = pytest.importorskip("cv2")
    grey = scene(seed)
    theirs = cv2.Canny(grey, WEAK, STRONG, L2gradient=True) > 0
    ours = canny(grey.astype(float))
    inner = np.s_[2:-2, 2:-2]
    assert theirs[inner].sum() > 200
    assert (ours ^ theirs)[inner].sum() < 0.02 * theirs[inner].sum()


def test_a_plain_image_has_no_edges_and_a_faint_step_none():
    plain = np.full((SIDE, SIDE, 3), 90, np.uint8)
    assert not edges(plain).any()
    plain[:, SIDE // 2 :] += 10
    assert not edges(plain).any()
    plain[:, SIDE // 2 :] += 100
    found = edges(plain)
    assert found.sum(axis=1).tolist() == [1] * SIDE


def test_the_scale_begins_and_ends_as_the_map_does_and_darkens_all_the_way():
    scale = red_scale(4, 300)
    assert tuple(scale[0, 0]) == (103, 0, 13)
    assert tuple(scale[-1, 0]) == (255, 245, 240)
    light = in_reds(np.linspace(0, 1, 200)) @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(light) < 0).all()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_a_heatmap_is_its_reds_and_a_share_of_black_on_edges(share):
    image = np.repeat(scene(1)[..., None], 3, axis=2)
    relevance = scene(2)
    shown = heatmap(relevance, image, share, SIDE).astype(float)
    plain = in_reds(relevance / 255)
    lines = edges(image)
    assert np.abs(shown[~lines] - plain[~lines]).max() <= 0.5
    assert np.abs(shown[lines] - (1 - share) * plain[lines]).max() <= 0.5

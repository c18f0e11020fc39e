"""Metrics of maps: by hand, from the definition, and against scipy."""

import io

import numpy as np
import pytest
import torch
from PIL import Image
from scipy.stats import spearmanr
from torch import nn

from xai_backend.methods.method import Execution
from xai_backend.metrics.faithfulness import deletion, insertion, ranks
from xai_backend.metrics.localisation import (
    best_threshold,
    intersection_over_union,
    pointing_game,
    weakly_supervised_localisation,
)
from xai_backend.metrics.maps import compressed_size, covered_area, spearman
from xai_backend.models.image_model import ImageModel


def at(*points, size=40):
    values = np.zeros((1, size, size))
    for row, column in points:
        values[0, row, column] = 1
    return values


def thing(rows, columns, size=40):
    mask = np.zeros((1, size, size), dtype=bool)
    mask[0, rows, columns] = True
    return mask


SQUARE = thing(slice(0, 10), slice(0, 10))


@pytest.mark.parametrize(
    ("points", "score"),
    [
        ([(5, 5)], 1),
        ([(5, 24)], 1),  # 15 px from column 9: just within
        ([(5, 25)], 0),  # 16 px: not
        ([(18, 21)], 1),  # 9 down, 12 across: 15
        ([(19, 21)], 0),  # 10 down, 12 across: 15.6
        ([(5, 5), (35, 35)], 0.5),
        ([], 0),
    ],
)
def test_the_pointing_game_by_hand(points, score):
    assert pointing_game(at(*points), SQUARE)[0] == score


def test_overlap_by_hand():
    values = np.zeros((1, 4, 4))
    values[0, 0] = [1.0, 0.5, 0.2, -3.0]
    objects = thing(slice(0, 1), slice(0, 2), size=4)
    assert intersection_over_union(values, objects, 0.1)[0] == 2 / 3
    assert intersection_over_union(values, objects, 0.2)[0] == 1
    assert intersection_over_union(values, objects, 0.5)[0] == 1 / 2
    assert intersection_over_union(np.zeros((1, 4, 4)), objects, 0.1)[0] == 0


def test_one_threshold_is_chosen_for_all_maps():
    values = np.zeros((2, 1, 4))
    values[0, 0] = [1.0, 0.5, 0.5, 0.0]
    values[1, 0] = [1.0, 0.12, 0.0, 0.0]
    objects = np.array([[[True, False, False, False]], [[True, True, False, False]]])
    threshold, overlaps = best_threshold(values, objects)
    assert threshold == 0.5
    assert overlaps.tolist() == [1.0, 0.5]


def test_weakly_supervised_localisation_by_hand():
    values = np.zeros((4, 40, 40))
    values[0, 0:10, 0:10] = 1
    values[1, 0:10, 0:10] = 1
    values[1, 39, 39] = 0.04  # under the threshold
    values[2, 0:10, 0:10] = 1
    values[2, 39, 39] = 0.06  # over it: the box is the whole picture
    boxes = [[(0, 0, 10, 11)], [(30, 30, 40, 40), (0, 0, 10, 10)], [(0, 0, 10, 10)], [(0, 0, 9, 9)]]
    assert weakly_supervised_localisation(values, boxes).tolist() == [1, 1, 0, 0]
    assert weakly_supervised_localisation(values[:1], [[(0, 0, 10, 20)]]).tolist() == [0]
    assert weakly_supervised_localisation(values[:1], [[(0, 0, 10, 19)]]).tolist() == [1]


@pytest.fixture
def counting():
    """A network whose two logits are 0 and the sum of the red channel."""
    head = nn.Linear(3 * 16, 2, bias=False)
    head.weight.data = torch.zeros(2, 48)
    head.weight.data[1, :16] = 1
    return ImageModel(nn.Identity(), nn.Sequential(nn.Flatten(), head))


def sigmoid(values):
    return 1 / (1 + np.exp(-np.asarray(values, dtype=np.float64)))


def test_deletion_by_hand(counting):
    """Reds .4, .3, .2, .1 in a row: the sum falls by each in turn, then stays at 0."""
    image = torch.zeros(1, 3, 4, 4)
    image[0, 0, 0] = torch.tensor([0.4, 0.3, 0.2, 0.1])
    curve = deletion(counting, image, torch.tensor([1]), image[:, 0].numpy(), steps=16)
    wanted = sigmoid([1.0, 0.6, 0.3, 0.1] + [0.0] * 13)
    assert curve.share.tolist() == [k / 16 for k in range(17)]
    assert curve.probability[0] == pytest.approx(wanted, abs=1e-6)
    assert curve.area[0] == pytest.approx((wanted[1:] + wanted[:-1]).sum() / 32)


def test_steps_change_equal_shares_and_the_order_is_the_map_s(counting):
    image = torch.zeros(1, 3, 4, 4)
    image[0, 0, 0] = torch.tensor([0.4, 0.3, 0.2, 0.1])
    backwards = -image[:, 0].numpy()
    curve = deletion(counting, image, torch.tensor([1]), backwards, steps=2)
    assert curve.share.tolist() == [0, 0.5, 1]
    assert curve.probability[0] == pytest.approx(sigmoid([1, 1, 0]), abs=1e-6)
    with pytest.raises(ValueError, match="steps is 17"):
        deletion(counting, image, torch.tensor([1]), backwards, steps=17)
    with pytest.raises(ValueError, match="don't belong"):
        deletion(counting, image, torch.tensor([1]), backwards[:, :3], steps=2)


def test_insertion_is_its_definition(small_model, photos):
    """Image by image, step by step, with scipy's blur."""
    from scipy.ndimage import gaussian_filter

    maps = np.random.default_rng(5).random((3, 24, 24))
    targets = torch.tensor([3, 0, 4])
    curve = insertion(small_model, photos, targets, maps, steps=8)
    for k in range(3):
        blurry = np.stack(
            [gaussian_filter(c.numpy(), 5.0, mode="nearest", truncate=3.0) for c in photos[k]]
        )
        order = np.argsort(-maps[k].ravel())
        for step in range(9):
            shown = blurry.reshape(3, -1).copy()
            chosen = order[: step * 72]
            shown[:, chosen] = photos[k].numpy().reshape(3, -1)[:, chosen]
            image = torch.from_numpy(shown.reshape(1, 3, 24, 24)).float()
            wanted = small_model(image).softmax(1)[0, targets[k]].item()
            assert curve.probability[k, step] == pytest.approx(wanted, abs=1e-5)


def test_curves_do_not_depend_on_batches(small_model, photos):
    maps, targets = photos[:, 0].numpy(), torch.tensor([3, 0, 4])
    together = deletion(small_model, photos, targets, maps, steps=9)
    alone = deletion(small_model, photos[1:2], targets[1:2], maps[1:2], steps=9)
    few = deletion(small_model, photos, targets, maps, 9, Execution(at_once=3))
    assert np.array_equal(together.probability[1], alone.probability[0])
    assert np.abs(together.probability - few.probability).max() < 1e-6


def test_ties_are_broken_without_a_shape():
    places = ranks(np.zeros((50, 50)))
    assert sorted(places.ravel()) == list(range(2500))
    first = places < 1250
    assert abs(first[:25].mean() - 0.5) < 0.05
    assert abs(first[:, :25].mean() - 0.5) < 0.05
    assert np.array_equal(places, ranks(np.zeros((50, 50))))


def test_rank_correlations_are_scipy_s():
    generator = np.random.default_rng(2)
    one = generator.integers(0, 6, (4, 9, 7)).astype(np.float32)
    other = one + generator.normal(size=one.shape)
    oracle = [spearmanr(a.ravel(), b.ravel()).statistic for a, b in zip(one, other, strict=True)]
    assert spearman(one, other) == pytest.approx(oracle, abs=1e-12)
    masks = generator.random(one.shape) < 0.4
    oracle = [spearmanr(a[m], b[m]).statistic for a, b, m in zip(one, other, masks, strict=True)]
    assert spearman(one, other, masks) == pytest.approx(oracle, abs=1e-12)


def test_covered_area_by_hand():
    values = np.zeros((3, 10, 10))
    values[0, 0, :5] = [1, 0.5, 0.06, 0.04, -1]
    values[1] = 2
    assert covered_area(values).tolist() == [0.03, 1, 0]
    assert covered_area(values, 0.5).tolist() == [0.01, 1, 0]


def test_compressed_size_grows_with_detail_and_reads_back():
    generator = np.random.default_rng(0)
    noise = generator.normal(size=(64, 64))
    smooth = np.outer(np.hanning(64), np.hanning(64))
    maps = np.stack([np.zeros((64, 64)), smooth, noise])
    for codec in ("png", "jpeg"):
        blank, even, rich = compressed_size(maps, codec)
        assert blank < even < rich
    assert np.array_equal(compressed_size(maps), compressed_size(maps * 1e-6))
    codes = np.round((noise / np.abs(noise).max() + 1) * 127.5).astype(np.uint8)
    stream = io.BytesIO()
    Image.fromarray(codes).save(stream, format="PNG", optimize=True)
    assert compressed_size(maps)[2] == len(stream.getvalue())

"""The push against loops over every patch of every picture."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from xai_backend.determinism import deterministic
from xai_backend.models.frame import Normalise
from xai_backend.models.image_model import ImageModel
from xai_backend.models.labelled import Labelled
from xai_backend.protopnet import ProtoPNet
from xai_backend.protopnet import trained as pushing
from xai_backend.protopnet.backbone import most_active_box
from xai_backend.protopnet.network import ProtoPNetSettings
from xai_backend.protopnet.trained import push

COUNT, SIDE = 11, 24


@pytest.fixture
def pictures():
    generator = np.random.Generator(np.random.PCG64(1))
    codes = generator.integers(0, 256, (COUNT, SIDE, SIDE, 3), dtype=np.uint8)
    return Labelled(codes, np.arange(COUNT) % 3, ("a", "b", "c"))


@pytest.fixture
def model():
    with deterministic(seed=2):
        trunk = nn.Sequential(
            nn.Conv2d(3, 6, 5, stride=4), nn.BatchNorm2d(6), nn.ReLU(), nn.Conv2d(6, 7, 2)
        )
        network = ProtoPNet(trunk, 7, 3, ProtoPNetSettings(3, 5))
    return ImageModel(Normalise((0.5,) * 3, (0.2,) * 3), network)


def slow_push(model, pictures):
    """Each prototype's nearest patch of its class: values, picture, cell and distance."""
    network = model.network
    found = []
    for j, p in enumerate(network.prototypes.detach()):
        best = (math.inf,)
        for i in range(COUNT):
            if pictures.labels[i] != network.prototype_classes[j]:
                continue
            with torch.no_grad():
                z = network.latent(model.normalise(pictures.images(torch.tensor([i]))))[0]
            for row in range(z.shape[1]):
                for column in range(z.shape[2]):
                    patch = z[:, row, column]
                    distance = float((patch - p).square().sum())
                    if distance < best[0]:
                        best = (distance, i, (row, column), patch)
        found.append(best)
    return found


@pytest.mark.parametrize("at_once", [1, 4, 32])
def test_every_prototype_becomes_the_nearest_patch_of_its_class(
    model, pictures, at_once, monkeypatch
):
    monkeypatch.setattr(pushing, "PICTURES_AT_ONCE", at_once)
    model.eval()
    expected = slow_push(model, pictures)
    origins = push(model, pictures)
    for origin, p, (distance, picture, cell, patch) in zip(
        origins, model.network.prototypes, expected, strict=True
    ):
        assert (origin.picture, origin.cell) == (picture, cell)
        assert origin.distance == pytest.approx(distance, rel=1e-4)
        assert torch.allclose(p, patch, atol=1e-6)


def test_of_equal_patches_that_of_the_first_picture_is_taken(model, pictures):
    codes = pictures.codes.copy()
    codes[6] = codes[9] = codes[3]  # the same class, the same picture
    same = Labelled(codes, pictures.labels, pictures.classes)
    assert not {6, 9} & {origin.picture for origin in push(model, same)}


def test_a_box_is_the_smallest_around_what_reaches_the_95th_percentile():
    values = torch.rand(20, 30, generator=torch.Generator().manual_seed(3)).double()
    values[4:9, 11:17] += 1  # a twentieth of all pixels
    flat = sorted(values.flatten().tolist())
    place = 0.95 * (len(flat) - 1)
    level = flat[int(place)] + (place - int(place)) * (flat[int(place) + 1] - flat[int(place)])
    active = [(r, c) for r in range(20) for c in range(30) if values[r, c] >= level]
    rows, columns = [r for r, _ in active], [c for _, c in active]
    slow = (min(rows), min(columns), max(rows) + 1, max(columns) + 1)
    assert most_active_box(values) == slow == (4, 11, 9, 17)

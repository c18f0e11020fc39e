"""Distances, similarity, costs and logits against loops straight from the paper's equations."""

import math

import pytest
import torch
from torch import nn

from xai_backend.determinism import deterministic
from xai_backend.protopnet import ProtoPNet
from xai_backend.protopnet.network import (
    ProtoPNetSettings,
    cluster_cost,
    nearest,
    own_class,
    separation_cost,
    similarity,
    squared_distances,
)

LABELS = [2, 0, 1, 2, 2]
CLASSES, PER_CLASS, CHANNELS = 3, 2, 4
EPSILON = 1e-4


@pytest.fixture
def latent():
    generator = torch.Generator().manual_seed(1)
    return torch.rand(len(LABELS), CHANNELS, 3, 2, generator=generator, dtype=torch.float64)


@pytest.fixture
def prototypes():
    generator = torch.Generator().manual_seed(2)
    return torch.rand(CLASSES * PER_CLASS, CHANNELS, generator=generator, dtype=torch.float64)


@pytest.fixture
def classes():
    return torch.tensor([0, 0, 1, 1, 2, 2])


def slow_distance(z, p):
    """‖z − p‖²."""
    return sum((float(a) - float(b)) ** 2 for a, b in zip(z, p, strict=True))


def patches(picture):
    """The patches z of a latent map (D, h, w)."""
    return [
        picture[:, row, column]
        for row in range(picture.shape[1])
        for column in range(picture.shape[2])
    ]


def slow_cost(latent, prototypes, classes, *, own):
    """(1/n) Σ_i min over prototypes j (not) of class y_i, min over patches z, of ‖z − p_j‖²."""
    total = 0.0
    for picture, label in zip(latent, LABELS, strict=True):
        least = math.inf
        for p, of_class in zip(prototypes, classes.tolist(), strict=True):
            if (of_class == label) is own:
                least = min([least, *(slow_distance(z, p) for z in patches(picture))])
        total += least
    return total / len(LABELS)


def test_distances_are_those_of_every_patch_and_prototype(latent, prototypes):
    found = squared_distances(latent, prototypes)
    assert found.shape == (5, 6, 3, 2)
    for i, picture in enumerate(latent):
        for j, p in enumerate(prototypes):
            for row in range(3):
                for column in range(2):
                    slow = slow_distance(picture[:, row, column], p)
                    assert float(found[i, j, row, column]) == pytest.approx(slow, abs=1e-12)


def test_no_distance_is_below_zero_where_rounding_would_take_it():
    patch = torch.rand(1, 128, 1, 1, generator=torch.Generator().manual_seed(3))
    for scale in (1, 10, 1000):
        distance = squared_distances(scale * patch, scale * patch[:, :, 0, 0])
        assert 0 <= float(distance) <= 1e-5 * scale**2


@pytest.mark.parametrize("distance", [0.0, 1e-4, 0.3, 7.0, 1e6])
def test_similarity_is_the_paper_s_and_falls_with_distance(distance):
    found = float(similarity(torch.tensor(distance, dtype=torch.float64), EPSILON))
    assert found == pytest.approx(math.log((distance + 1) / (distance + EPSILON)))
    assert 0 < found <= math.log(1 / EPSILON) * (1 + 1e-12)


def test_cluster_cost_is_the_equation_s(latent, prototypes, classes):
    smallest = nearest(squared_distances(latent, prototypes))
    own = own_class(torch.tensor(LABELS), classes)
    slow = slow_cost(latent, prototypes, classes, own=True)
    assert float(cluster_cost(smallest, own)) == pytest.approx(slow)


def test_separation_cost_is_the_equation_s_and_negative(latent, prototypes, classes):
    smallest = nearest(squared_distances(latent, prototypes))
    own = own_class(torch.tensor(LABELS), classes)
    slow = -slow_cost(latent, prototypes, classes, own=False)
    assert float(separation_cost(smallest, own)) == pytest.approx(slow)
    assert slow < 0


def test_logits_are_sums_of_weights_times_highest_similarities(latent):
    with deterministic(seed=6):
        network = ProtoPNet(
            nn.Identity(), CHANNELS, CLASSES, ProtoPNetSettings(PER_CLASS, 5, EPSILON)
        ).double()
    network.add_on.requires_grad_(False)
    logits = network(latent).detach()
    z = network.latent(latent).detach()
    assert z.shape == (5, 5, 3, 2)
    assert 0 < z.min() < z.max() < 1
    for i, picture in enumerate(z):
        for k in range(CLASSES):
            slow = 0.0
            for j, p in enumerate(network.prototypes.detach()):
                similarities = [
                    math.log((slow_distance(patch, p) + 1) / (slow_distance(patch, p) + EPSILON))
                    for patch in patches(picture)
                ]
                slow += (1.0 if j // PER_CLASS == k else -0.5) * max(similarities)
            assert float(logits[i, k]) == pytest.approx(slow)


def test_distances_have_the_gradient_of_their_definition(latent, prototypes):
    inputs = (latent[:2].requires_grad_(), prototypes.requires_grad_())
    assert torch.autograd.gradcheck(squared_distances, inputs)

"""ProtoPNet reads digits as well as the plain network, and shows why."""

import numpy as np
import pytest
import torch

from tests.xai_backend.digit_pictures import digit_pictures
from xai_backend.models.image_model import logits_of
from xai_backend.models.picture_cnn import PictureTraining, trained_pictures
from xai_backend.networks import load_network
from xai_backend.protopnet import read_protopnet, small, trained_protopnet

THREE, FEW = 3, 150
"""The classes, and how many of their digits the default run learns from."""


def accuracy(model, pictures):
    answers = logits_of(model, pictures.images(torch.arange(len(pictures)))).argmax(dim=1)
    return float((answers.numpy() == pictures.labels).mean())


def both(pictures, folder, seed):
    """The plain network and ProtoPNet over it, with the settings that builds use."""
    path = trained_pictures(pictures, PictureTraining(), seed, folder)
    plain = load_network("picture_cnn", str(path))
    protopnet = trained_protopnet(plain, pictures, small(), seed, folder)
    return plain, read_protopnet(protopnet)


def of_three(digits, indices):
    """Pictures of zeros, ones and twos alone."""
    own = indices[digits.labels[indices] < THREE]
    return own, tuple(str(digit) for digit in range(THREE))


@pytest.fixture(scope="module")
def few(digits, tmp_path_factory):
    own, classes = of_three(digits, digits.train_indices)
    pictures = digit_pictures(digits, own[:FEW], classes)
    return both(pictures, tmp_path_factory.mktemp("checkpoints"), 1)


@pytest.mark.slow
def test_protopnet_is_within_two_points_of_the_plain_network(few, digits):
    plain, protopnet = few
    held_out = digit_pictures(digits, *of_three(digits, digits.held_out_indices))
    alone = accuracy(plain.model, held_out)
    assert alone > 0.96
    assert accuracy(protopnet.model, held_out) >= alone - 0.02


@pytest.mark.slow
def test_prototypes_lie_on_the_digits_and_differ(few):
    _, protopnet = few
    places = {(prototype.image, prototype.cell) for prototype in protopnet.prototypes}
    assert len(places) >= 0.8 * len(protopnet.prototypes)
    with_edges = [prototype.part.std() > 20 for prototype in protopnet.prototypes]
    assert np.mean(with_edges) > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_protopnet_is_within_two_points_whatever_the_seed(seed, digits, tmp_path):
    plain, protopnet = both(digit_pictures(digits, digits.train_indices), tmp_path, seed)
    held_out = digit_pictures(digits, digits.held_out_indices)
    alone = accuracy(plain.model, held_out)
    assert alone > 0.98
    assert accuracy(protopnet.model, held_out) >= alone - 0.02

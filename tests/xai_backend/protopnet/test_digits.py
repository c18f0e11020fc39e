"""ProtoPNet reads digits as well as the plain network, and shows why."""

import numpy as np
import pytest
import torch

from tests.xai_backend.digit_pictures import digit_pictures
from xai_backend.models.image_model import logits_of
from xai_backend.models.picture_training import PictureTraining, trained_pictures
from xai_backend.networks import load_network
from xai_backend.protopnet import read_protopnet, small, trained_protopnet

FEWER = 700
"""Digits that the default run learns from: a third less time."""


def accuracy(model, pictures):
    answers = logits_of(model, pictures.images(torch.arange(len(pictures)))).argmax(dim=1)
    return float((answers.numpy() == pictures.labels).mean())


def both(digits, folder, seed, most=None):
    """The plain network and ProtoPNet over it, with the settings that builds use."""
    pictures = digit_pictures(digits, digits.train_indices[:most])
    path = trained_pictures(pictures, PictureTraining(), seed, folder)
    plain = load_network("picture_cnn", str(path))
    protopnet = trained_protopnet(plain, pictures, small(), seed, folder)
    return plain, read_protopnet(protopnet)


@pytest.fixture(scope="module")
def held_out(digits):
    return digit_pictures(digits, digits.held_out_indices)


@pytest.fixture(scope="module")
def fewer(digits, tmp_path_factory):
    return both(digits, tmp_path_factory.mktemp("checkpoints"), 1, FEWER)


def test_protopnet_is_within_two_points_of_the_plain_network(fewer, held_out):
    plain, protopnet = fewer
    alone = accuracy(plain.model, held_out)
    assert alone > 0.96
    assert accuracy(protopnet.model, held_out) >= alone - 0.02


def test_prototypes_lie_on_the_digits_and_differ(fewer):
    _, protopnet = fewer
    places = {(prototype.image, prototype.cell) for prototype in protopnet.prototypes}
    assert len(places) >= 0.8 * len(protopnet.prototypes)
    with_edges = [prototype.part.std() > 20 for prototype in protopnet.prototypes]
    assert np.mean(with_edges) > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_protopnet_is_within_two_points_whatever_the_seed(seed, digits, held_out, tmp_path):
    plain, protopnet = both(digits, tmp_path, seed)
    alone = accuracy(plain.model, held_out)
    assert alone > 0.98
    assert accuracy(protopnet.model, held_out) >= alone - 0.02

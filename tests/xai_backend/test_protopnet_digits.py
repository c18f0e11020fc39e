"""ProtoPNet reads digits as well as the plain network, and shows why."""

import numpy as np
import pytest
import torch

from tests.xai_backend.digit_pictures import digit_pictures
from xai_backend.models.image_model import logits_of
from xai_backend.models.picture_training import PictureTraining, trained_pictures
from xai_backend.networks import load_network
from xai_backend.protopnet import read_protopnet, small, trained_protopnet

SEED = 1


def accuracy(model, pictures):
    answers = logits_of(model, pictures.images(torch.arange(len(pictures)))).argmax(dim=1)
    return float((answers.numpy() == pictures.labels).mean())


@pytest.fixture(scope="module")
def both(digits, tmp_path_factory):
    """The plain network and ProtoPNet over it, with the settings that builds use."""
    folder = tmp_path_factory.mktemp("checkpoints")
    pictures = digit_pictures(digits, digits.train_indices)
    path = trained_pictures(pictures, PictureTraining(), SEED, folder)
    plain = load_network("picture_cnn", str(path))
    protopnet = trained_protopnet(plain, pictures, small(), SEED, folder)
    return plain, read_protopnet(protopnet)


@pytest.mark.slow
def test_protopnet_is_within_two_points_of_the_plain_network(both, digits):
    plain, protopnet = both
    held_out = digit_pictures(digits, digits.held_out_indices)
    alone = accuracy(plain.model, held_out)
    assert alone > 0.96
    assert accuracy(protopnet.model, held_out) >= alone - 0.02


@pytest.mark.slow
def test_prototypes_lie_on_the_digits_and_differ(both):
    _, protopnet = both
    places = {(prototype.image, prototype.cell) for prototype in protopnet.prototypes}
    assert len(places) >= 0.5 * len(protopnet.prototypes)
    with_ink = [prototype.part.std() > 20 for prototype in protopnet.prototypes]
    assert np.mean(with_ink) > 0.9

import numpy as np
import pytest
import torch
from sklearn.neighbors import NearestNeighbors

from stimuli.errors import UserError
from xai_backend.methods.nearest_neighbours import NearestNeighbours
from xai_backend.models.image_model import ImageModel


@pytest.fixture
def training():
    images = torch.rand(40, 3, 24, 24, generator=torch.Generator().manual_seed(9))
    classes = torch.arange(40) % 4
    names = [f"photo{k}" for k in range(40)]
    return names, images, classes


def parts(training, size):
    names, images, classes = training
    return [
        (names[at : at + size], images[at : at + size], classes[at : at + size])
        for at in range(0, len(names), size)
    ]


def test_neighbours_are_scikit_learn_s(small_model, photos, training):
    method = NearestNeighbours(count=5)
    references = method.references(small_model, parts(training, 7))
    found = method.neighbours(small_model, photos, torch.tensor([2, 0, 3]), references)
    names, images, classes = training
    below = small_model.network[:4]
    features = below(small_model.normalise(images)).flatten(1).numpy()
    own = below(small_model.normalise(photos)).flatten(1).numpy()
    for k, target in enumerate((2, 0, 3)):
        rows = np.flatnonzero(classes.numpy() == target)
        distances, order = (
            NearestNeighbors(n_neighbors=5).fit(features[rows]).kneighbors(own[k : k + 1])
        )
        assert [neighbour.name for neighbour in found[k]] == [names[rows[i]] for i in order[0]]
        assert [neighbour.distance for neighbour in found[k]] == pytest.approx(
            distances[0], rel=1e-5
        )
        assert {neighbour.label for neighbour in found[k]} == {target}


def test_the_image_itself_and_copies_are_passed_over(small_model, training):
    names, images, classes = training
    images = images.clone()
    images[8] = images[4]
    method = NearestNeighbours(count=10)
    references = method.references(small_model, [(names, images, classes)])
    found = method.neighbours(small_model, images[:1], torch.tensor([0]), references)[0]
    assert "photo0" not in {neighbour.name for neighbour in found}
    assert len({"photo4", "photo8"} & {neighbour.name for neighbour in found}) == 1
    assert len(found) == 8


def test_a_larger_distance_passes_over_near_duplicates(small_model, training):
    names, images, classes = training
    images = images.clone()
    images[4] = (images[0] + 0.001).clamp(0, 1)
    near = NearestNeighbours(count=1)
    references = near.references(small_model, [(names, images, classes)])
    ask = (small_model, images[:1], torch.tensor([0]), references)
    first = near.neighbours(*ask)[0][0]
    assert first.name == "photo4"
    strict = NearestNeighbours(count=1, duplicate_distance=first.distance * 1.01)
    assert strict.neighbours(*ask)[0][0].name != "photo4"


def test_what_can_t_be_is_one_line(small_model, photos):
    with pytest.raises(UserError, match="no training images"):
        NearestNeighbours().references(small_model, [])
    with pytest.raises(UserError, match="no layer 'nowhere'"):
        NearestNeighbours(layer="nowhere").features(small_model, photos)
    bare = ImageModel(small_model.normalise, small_model.network)
    with pytest.raises(UserError, match="name a layer"):
        NearestNeighbours().features(bare, photos)
    with pytest.raises(ValueError, match="count starts at 1"):
        NearestNeighbours(count=0)

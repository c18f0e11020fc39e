"""The small network for pictures, what it learns from, and its checkpoints."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from stimuli.errors import UserError
from xai_backend.models.image_model import logits_of
from xai_backend.models.labelled import Augmentation, Labelled, shuffled_batches, varied
from xai_backend.models.picture_cnn import (
    LAST_FEATURES,
    PictureTraining,
    picture_cnn,
    train_pictures,
    trained_pictures,
)
from xai_backend.networks import load_network

SHORT = PictureTraining(epochs=2, batch=8)
STILL = Augmentation(0, 0, 0, 0)


@pytest.fixture(scope="module")
def pictures():
    generator = np.random.Generator(np.random.PCG64(1))
    codes = generator.integers(0, 256, (20, 16, 16, 3), dtype=np.uint8)
    return Labelled(codes, np.arange(20) % 4, ("a", "b", "c", "d"))


def test_an_eighth_of_the_side_is_left_and_each_place_sees_31_pixels():
    model = picture_cnn(10).eval()
    features = model.network[: int(LAST_FEATURES) + 1]
    image = torch.rand(1, 3, 56, 56, requires_grad=True)
    maps = features(model.normalise(image))
    assert maps.shape == (1, 64, 7, 7)
    (seen,) = torch.autograd.grad(maps[0, :, 3, 3].sum(), image)
    rows = torch.nonzero(seen[0].abs().sum(dim=(0, 2)))[:, 0]
    assert len(range(int(rows[0]), int(rows[-1]) + 1)) <= 31
    assert model(torch.rand(2, 3, 56, 56)).shape == (2, 10)


def test_training_is_the_same_each_time_and_its_file_is_found_again(pictures, tmp_path):
    path = trained_pictures(pictures, SHORT, 3, tmp_path)
    data = path.read_bytes()
    assert trained_pictures(pictures, SHORT, 3, tmp_path) == path
    path.unlink()
    torch.manual_seed(8)
    assert trained_pictures(pictures, SHORT, 3, tmp_path).read_bytes() == data
    others = [
        trained_pictures(pictures, SHORT, 4, tmp_path),
        trained_pictures(pictures, replace(SHORT, batch=10), 3, tmp_path),
        trained_pictures(replace(pictures, classes=("a", "b", "c", "e")), SHORT, 3, tmp_path),
    ]
    assert len({path, *others}) == 4


def test_a_checkpoint_is_a_classifier_of_its_own_frame(pictures, tmp_path):
    path = trained_pictures(pictures, SHORT, 3, tmp_path)
    found = load_network("picture_cnn", str(path))
    images = pictures.images(torch.arange(20))
    model = train_pictures(pictures, SHORT, 3)
    assert torch.equal(logits_of(found.model, images), logits_of(model, images))
    assert (found.frame.resize_px, found.frame.crop_px) == (16, 16)
    assert found.categories == ("a", "b", "c", "d")


def test_a_damaged_checkpoint_is_one_line(tmp_path):
    (tmp_path / "picture_cnn-0.safetensors").write_bytes(b"no such thing")
    with pytest.raises(UserError, match="contains no valid checkpoint of picture_cnn"):
        load_network("picture_cnn", str(tmp_path / "picture_cnn-0.safetensors"))
    with pytest.raises(UserError, match="picture_cnn: give --weights FILE"):
        load_network("picture_cnn")


def test_each_picture_comes_once_an_epoch_in_an_order_of_the_seed_s(pictures):
    def labels_of(seed):
        parts = [labels for _, labels in shuffled_batches(pictures, 6, STILL, seed)]
        assert [len(part) for part in parts] == [6, 6, 6, 2]
        return torch.cat(parts).tolist()

    assert sorted(labels_of(1)) == sorted(pictures.labels.tolist())
    assert labels_of(1) == labels_of(1) != labels_of(2)


def test_no_variation_is_the_picture_itself_and_mirroring_its_mirror_image(pictures):
    images = pictures.images(torch.arange(20))
    generator = torch.Generator().manual_seed(1)
    assert torch.allclose(varied(images, STILL, generator), images, atol=1e-5)
    mirrored = varied(images, replace(STILL, mirrored=True), generator)
    turned = [
        torch.allclose(one, image.flip(2), atol=1e-5)
        for one, image in zip(mirrored, images, strict=True)
    ]
    kept = [
        torch.allclose(one, image, atol=1e-5) for one, image in zip(mirrored, images, strict=True)
    ]
    assert all(a != b for a, b in zip(turned, kept, strict=True))
    assert any(turned)
    assert any(kept)


@pytest.mark.parametrize(
    ("augmentation", "most_px"),
    [
        (Augmentation(0, 0, 0.1, 0), 4.3),
        (Augmentation(10, 0, 0, 0), 2.2),
        (Augmentation(0, 0.2, 0, 0), 3.2),
        (Augmentation(0, 0, 0, 0.2), 0.8),
    ],
)
def test_a_dot_moves_no_farther_than_the_ranges_say(augmentation, most_px):
    """A dot 12 px right of and 4 px above the middle of 40 px; half a pixel is rounding's."""
    image = torch.zeros(200, 3, 40, 40)
    image[:, :, 15:17, 31:33] = 1
    found = varied(image, augmentation, torch.Generator().manual_seed(2))[:, 0]
    weights = found / found.sum(dim=(1, 2), keepdim=True)
    at = torch.arange(40) + 0.5
    rows, columns = (weights.sum(dim=2) * at).sum(dim=1), (weights.sum(dim=1) * at).sum(dim=1)
    moved = torch.maximum((rows - 16).abs(), (columns - 32).abs())
    assert most_px * 0.6 < moved.max() < most_px + 0.5


def test_pictures_that_don_t_belong_together_are_one_line(pictures):
    codes = pictures.codes
    with pytest.raises(UserError, match="20 pictures, 19 labels"):
        Labelled(codes, np.zeros(19, dtype=np.int64), ("a",))
    with pytest.raises(UserError, match="none of 3 classes"):
        Labelled(codes, pictures.labels, ("a", "b", "c"))
    with pytest.raises(UserError, match="no picture of class e"):
        Labelled(codes, pictures.labels, ("a", "b", "c", "d", "e"))
    with pytest.raises(UserError, match="square"):
        train_pictures(Labelled(codes[:, :8], pictures.labels, pictures.classes), SHORT, 1)
    with pytest.raises(UserError, match="12 px is not a multiple of 8"):
        train_pictures(Labelled(codes[:, :12, :12], pictures.labels, pictures.classes), SHORT, 1)


def test_pictures_may_be_read_when_they_are_asked_for(pictures):
    class Read:
        def __len__(self):
            return 20

        def __getitem__(self, rows):
            return np.stack([pictures.codes[int(row)] for row in rows])

    read = Labelled(Read(), pictures.labels, pictures.classes)
    assert read.content_sha256() == pictures.content_sha256()
    rows = torch.tensor([3, 1])
    assert torch.equal(read.images(rows), pictures.images(rows))

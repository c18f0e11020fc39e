"""ProtoPNets as files, as classifiers, and as what explains a folder."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.numpy import load_file

from stimuli.errors import UserError
from tests.xai_backend.protopnets import FEW, plain_picture_cnn, some_pictures
from tests.xai_backend.requests import explain_request
from xai_backend.explain.job import explain
from xai_backend.methods.protopnet import ProtoPNetMap
from xai_backend.models.image_model import logits_of
from xai_backend.models.picture_cnn import preprocessing
from xai_backend.networks import load_network
from xai_backend.progress import Silent
from xai_backend.protopnet import (
    read_protopnet,
    train_protopnet,
    trained_protopnet,
    write_protopnet,
)


@pytest.fixture(scope="module")
def pictures():
    return some_pictures(32)


@pytest.fixture(scope="module")
def trained(pictures):
    return train_protopnet(plain_picture_cnn(), pictures, FEW, seed=4)


def test_a_file_gives_back_all_of_it(trained, pictures, tmp_path):
    write_protopnet(trained, tmp_path / "p.safetensors")
    found = read_protopnet(tmp_path / "p.safetensors")
    images = pictures.images(torch.arange(5))
    assert torch.equal(logits_of(trained.model, images), logits_of(found.model, images))
    for name in ("backbone", "frame", "classes", "settings", "history"):
        assert getattr(found, name) == getattr(trained, name)
    for one, other in zip(found.prototypes, trained.prototypes, strict=True):
        assert np.array_equal(one.picture, other.picture)
        for name in ("label", "image", "cell", "box", "distance"):
            assert getattr(one, name) == getattr(other, name)
    classifier = load_network("protopnet", str(tmp_path / "p.safetensors"))
    assert classifier.categories == ("a", "b", "c")
    assert classifier.preprocessing == preprocessing()
    assert torch.equal(logits_of(classifier.model, images), logits_of(found.model, images))


def test_what_was_trained_once_is_found_again(pictures, tmp_path, monkeypatch):
    plain = plain_picture_cnn()
    path = trained_protopnet(plain, pictures, FEW, 4, tmp_path)
    monkeypatch.setattr("xai_backend.protopnet.storage.train_protopnet", None)
    assert trained_protopnet(plain, pictures, FEW, 4, tmp_path) == path
    relabelled = replace(pictures, labels=(pictures.labels + 1) % 3)
    for others in (
        (replace(plain, weights_sha256="1" * 64), pictures, FEW, 4),
        (plain, relabelled, FEW, 4),
        (plain, pictures, replace(FEW, l1=0.1), 4),
        (plain, pictures, FEW, 5),
    ):
        with pytest.raises(TypeError, match="not callable"):
            trained_protopnet(*others, tmp_path)


@pytest.mark.parametrize("damage", ["short", "other", "none", "weights"])
def test_a_file_that_is_none_is_one_line(trained, tmp_path, damage):
    path = tmp_path / "p.safetensors"
    write_protopnet(trained, path)
    data = path.read_bytes()
    if damage == "short":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "other":
        path.write_bytes(data.replace(b"protopnet/1.0", b"protopnet/9.0"))
    elif damage == "weights":
        path.write_bytes(data.replace(b"weights.last.weight", b"weights.lost.weight"))
    else:
        path.unlink()
    with pytest.raises(UserError, match=r"p\.safetensors: contains no valid ProtoPNet") as line:
        read_protopnet(path)
    assert "\n" not in str(line.value)


def test_a_folder_is_explained_by_it(trained, pictures, tmp_path):
    write_protopnet(trained, tmp_path / "p.safetensors")
    (tmp_path / "photos").mkdir()
    for row in range(3):
        Image.fromarray(pictures.codes[row]).save(tmp_path / "photos" / f"photo{row}.png")
    asked = explain_request(
        model="protopnet",
        method="protopnet",
        images=tmp_path / "photos",
        out=tmp_path / "maps",
        weights=str(tmp_path / "p.safetensors"),
        settings=("reading=any",),
        target=1,
        store=tmp_path / "store",
    )
    assert explain(asked, Silent()).images == 3
    maps = load_file(tmp_path / "maps" / "maps.safetensors")
    images = pictures.images(torch.arange(3))
    targets = torch.ones(3, dtype=torch.int64)
    expected = ProtoPNetMap("any").explain(trained.model, images, targets)
    for row in range(3):
        assert maps[f"photo{row}"] == pytest.approx(expected[row].numpy(), rel=1e-4)

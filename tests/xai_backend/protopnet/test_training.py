"""Stages, determinism and files of ProtoPNets, on small networks and few pictures."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from stimuli.errors import UserError
from tests.xai_backend.conftest import COARSE
from tests.xai_backend.networks import pictures as inputs
from tests.xai_backend.networks import small_network
from tests.xai_backend.protopnets import FEW, plain_picture_cnn, some_pictures
from xai_backend.determinism import deterministic
from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import IMAGENET_MEAN, IMAGENET_STD, InputFrame, Normalise
from xai_backend.models.image_model import ImageModel, logits_of
from xai_backend.models.plate_cnn import plate_cnn
from xai_backend.models.torchvision_models import last_features, untrained
from xai_backend.protopnet import (
    ProtoPNetSettings,
    read_protopnet,
    train_protopnet,
    training,
    write_protopnet,
)
from xai_backend.protopnet.backbone import Trunk
from xai_backend.protopnet.network import wrong_class

IMAGENET = {"codes": "/255", "mean": list(IMAGENET_MEAN), "std": list(IMAGENET_STD)}


@pytest.fixture(scope="module")
def pictures():
    return some_pictures(32)


@pytest.fixture(scope="module")
def trained(pictures):
    return train_protopnet(plain_picture_cnn(), pictures, FEW, seed=4)


def state_of(module):
    return {name: value.clone() for name, value in module.state_dict().items()}


def same(one, other):
    return all(torch.equal(one[name], other[name]) for name in one)


class Watched:
    """What the weights were after each epoch, push and last layer."""

    def __init__(self, monkeypatch):
        self.after = []
        for name in ("_epoch", "push", "_optimise_last_layer"):
            monkeypatch.setattr(training, name, self._watching(name, getattr(training, name)))

    def _watching(self, name, original):
        def watching(first, *others):
            done = original(first, *others)
            model = getattr(first, "model", first)
            stage = others[1] if name == "_epoch" else name
            self.after.append((stage, state_of(model.network)))
            return done

        return watching


def test_each_stage_changes_what_it_is_about_and_nothing_else(monkeypatch, pictures):
    watched = Watched(monkeypatch)
    plain = plain_picture_cnn()
    before = state_of(plain.model)
    train_protopnet(plain, pictures, FEW, seed=4)
    stages = [stage for stage, _ in watched.after]
    assert stages == ["warm", *["joint", "push", "_optimise_last_layer"] * 2]
    changed = []
    for (_, one), (stage, other) in zip(watched.after, watched.after[1:], strict=False):
        parts = {name.split(".")[0] for name in one if not torch.equal(one[name], other[name])}
        changed.append((stage, parts))
    joint = ("joint", {"trunk", "add_on", "prototypes"})
    ends = [("push", {"prototypes"}), ("_optimise_last_layer", {"last"})]
    assert changed == [joint, *ends] * 2
    frozen = {name: value for name, value in watched.after[0][1].items() if "trunk" in name}
    last = watched.after[0][1]["last.weight"]
    copied = {name.removeprefix("trunk.layers."): value for name, value in frozen.items()}
    network = plain.model.network.state_dict()
    assert all(torch.equal(value, network[name]) for name, value in copied.items())
    classes = watched.after[0][1]["prototype_classes"]
    assert torch.equal(last, torch.where(wrong_class(3, classes), -0.5, 1.0))
    assert same(before, state_of(plain.model))


def test_prototypes_are_patches_of_pictures_of_their_class(trained, pictures):
    network = trained.model.network
    assert len(trained.prototypes) == 6
    for j, prototype in enumerate(trained.prototypes):
        row = pictures.names.index(prototype.image)
        assert pictures.labels[row] == prototype.label == network.prototype_classes[j]
        assert np.array_equal(prototype.picture, pictures.codes[row])
        with torch.no_grad():
            image = pictures.images(torch.tensor([row]))
            latent = network.latent(trained.model.normalise(image))[0]
        down, across = prototype.cell
        assert torch.allclose(latent[:, down, across], network.prototypes[j], atol=1e-6)
        top, left, bottom, right = prototype.box
        assert prototype.part.shape == (bottom - top, right - left, 3)


def test_the_same_seed_gives_the_same_file_and_torch_s_generator_plays_no_part(
    trained, pictures, tmp_path
):
    torch.manual_seed(99)
    before = torch.get_rng_state()
    again = train_protopnet(plain_picture_cnn(), pictures, FEW, seed=4)
    assert torch.equal(before, torch.get_rng_state())
    write_protopnet(trained, tmp_path / "one")
    write_protopnet(again, tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    other = train_protopnet(plain_picture_cnn(), pictures, FEW, seed=5)
    assert not torch.equal(other.model.network.prototypes, trained.model.network.prototypes)


@pytest.mark.parametrize(
    ("family", "layer"),
    [
        ("resnet", "layer4"),
        ("bottlenecks", "layer4"),
        ("squeezenet", "features"),
        ("mobilenet", "features"),
        ("vgg_bn", "0"),
    ],
)
def test_a_trunk_gives_the_layer_s_own_output(family, layer):
    network = small_network(family)
    kept = []
    network.get_submodule(layer).register_forward_hook(lambda *all_of: kept.append(all_of[2]))
    signal = inputs(2, 64, 64)
    network(signal)
    assert torch.equal(Trunk(network, layer).eval()(signal), kept[0])


def photograph_network(name, classes):
    with deterministic(seed=3):
        network = untrained(name, num_classes=classes)
    model = ImageModel(Normalise(IMAGENET_MEAN, IMAGENET_STD), network, last_features(name)).eval()
    frame = InputFrame(resize_px=72, crop_px=64)
    return Classifier(name, model.requires_grad_(False), frame, (), "0" * 64, IMAGENET)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mobilenet_v2", "resnet18"])
def test_a_photograph_network_is_a_backbone_whatever_classes_it_had(tmp_path, name):
    pictures = some_pictures(64, count=6)
    settings = replace(FEW, channels=16, cycles=1, batch=6)
    found = train_protopnet(photograph_network(name, 7), pictures, settings, seed=1)
    network = found.model.network
    images = pictures.images(torch.arange(2))
    with torch.no_grad():
        assert network.latent(found.model.normalise(images)).shape == (2, 16, 2, 2)
    assert logits_of(found.model, images).shape == (2, 3)
    write_protopnet(found, tmp_path / "p.safetensors")
    back = read_protopnet(tmp_path / "p.safetensors")
    assert back.frame == InputFrame(resize_px=72, crop_px=64)
    assert torch.equal(logits_of(found.model, images), logits_of(back.model, images))


def test_a_plate_network_is_a_backbone_with_its_own_front(tmp_path):
    with deterministic(seed=2):
        model = plate_cnn(COARSE).eval().requires_grad_(False)
    frame = InputFrame(resize_px=32, crop_px=32)
    plain = Classifier("plate_cnn", model, frame, (), "0" * 64, "codes/255")
    pictures = some_pictures(32)
    found = train_protopnet(plain, pictures, replace(FEW, cycles=1), seed=1)
    write_protopnet(found, tmp_path / "p.safetensors")
    back = read_protopnet(tmp_path / "p.safetensors")
    images = pictures.images(torch.arange(4))
    assert torch.equal(logits_of(found.model, images), logits_of(back.model, images))
    assert torch.equal(back.model.normalise.table, model.normalise.table)


def test_a_network_without_feature_maps_is_refused(pictures):
    plain = plain_picture_cnn()
    flat = ImageModel(plain.model.normalise, nn.Flatten(), None)
    with pytest.raises(UserError, match="vit_b_16 has no last feature maps"):
        train_protopnet(replace(plain, name="vit_b_16", model=flat), pictures, FEW, seed=1)


@pytest.mark.parametrize(
    "setting",
    [
        {"prototypes_per_class": 0},
        {"cycles": 0},
        {"cluster": -1.0},
        {"epsilon": 0.0},
        {"backbone_rate": 0.0},
        {"last_iterations": -1},
    ],
)
def test_impossible_settings_are_refused(setting):
    with pytest.raises(ValueError, match="start"):
        ProtoPNetSettings(**setting)

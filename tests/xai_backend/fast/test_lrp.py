import pytest
import torch
from scipy.stats import spearmanr
from torch import nn
from torchvision import models
from torchvision.models.googlenet import BasicConv2d

from tests.xai_backend.networks import MAKERS, lively, pictures, small_network
from xai_backend.fast.lrp import never_negative, prepared, relevance
from xai_backend.fast.operations import run
from xai_backend.methods.lrp import Lrp
from xai_backend.models.image_model import ImageModel
from xai_backend.models.plate_cnn import PlateContrast

EPSILON = 1e-6


def furthest(found, expected):
    return float((found - expected).abs().max() / expected.abs().max())


def both(network, images, targets):
    fast = relevance(prepared(network), images, targets, EPSILON)
    return fast, Lrp(EPSILON).by_zennit(ImageModel(nn.Identity(), network), images, targets)


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_relevance_is_zennit_s_in_double_precision(name):
    fast, oracle = both(small_network(name), pictures(2, 48, 40), torch.tensor([3, 7]))
    assert fast.dtype == torch.float64
    assert furthest(fast, oracle) <= 1e-10


def test_bare_functions_are_treated_as_zennit_treats_them():
    """A rectifier and a mean that no module does: plain gradients."""

    class Bare(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = (
                BasicConv2d(3, 6, kernel_size=3),
                BasicConv2d(6, 8, kernel_size=3),
            )
            self.head = nn.Linear(8, 10)

        def forward(self, x):
            x = nn.functional.adaptive_avg_pool2d(self.second(self.first(x)), (1, 1))
            return self.head(torch.flatten(x, 1))

    torch.manual_seed(4)
    network = Bare().double().eval().requires_grad_(False)
    fast, oracle = both(network, pictures(2, 12, 12), torch.tensor([3, 7]))
    assert furthest(fast, oracle) <= 1e-10


def test_strides_groups_averages_and_biases_are_zennit_s():
    torch.manual_seed(5)
    network = nn.Sequential(
        nn.Conv2d(3, 6, (3, 2), (2, 1), (1, 0), bias=True),
        nn.ReLU(),
        nn.Conv2d(6, 8, 3, 2, 1, dilation=2, groups=2),
        nn.AvgPool2d(3, 2, 1),
        nn.Conv2d(8, 8, 2, groups=8),
        nn.BatchNorm2d(8),
        nn.ReLU6(),
        nn.MaxPool2d(2, 1),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(32, 10),
    )
    network = network.double().eval().requires_grad_(False)
    fast, oracle = both(network, pictures(2, 37, 35), torch.tensor([3, 7]))
    assert furthest(fast, oracle) <= 1e-10


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_values_said_to_be_never_negative_are_not(name):
    network, images = small_network(name), pictures(3, 48, 48)
    steps = prepared(network).steps
    values = run(steps, images, keep=range(len(steps) + 1))
    safe = never_negative(steps)
    assert safe
    assert all((values[number] >= 0).all() for number in safe)
    assert any((value < 0).any() for value in values.values())


def test_networks_without_a_rule_are_left_to_zennit(small_model, photos):
    network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Tanh(), nn.Flatten(), nn.Linear(4 * 22 * 22, 5))
    assert prepared(network.eval()) is None
    assert prepared(nn.Sequential(nn.Flatten(), nn.Linear(12, 5))) is None
    maps = Lrp().explain(
        ImageModel(nn.Identity(), network.requires_grad_(False)), photos, torch.tensor([3, 0, 4])
    )
    assert torch.isfinite(maps).all()


def test_a_plate_network_takes_the_fast_path(model, images):
    targets = torch.tensor([3, 0, 9])
    assert prepared(model.network, passing=(PlateContrast,)) is not None
    oracle = Lrp().by_zennit(model, model.normalise(images).detach(), targets)
    assert furthest(Lrp().explain(model, images, targets), oracle) <= 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("name", ["squeezenet1_1", "resnet18", "resnet50", "vgg16", "mobilenet_v2"])
def test_relevance_is_zennit_s_in_torchvision_s_networks(name):
    torch.manual_seed(3)
    network = lively(models.get_model(name, weights=None))
    fast, oracle = both(network, pictures(1, 224, 224), torch.tensor([3]))
    assert furthest(fast, oracle) <= 1e-10


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_relevance_is_zennit_s_in_single_precision(name):
    network, images = small_network(name).float(), pictures(2, 48, 40).float()
    fast, oracle = both(network, images, network(images).argmax(dim=1))
    assert furthest(fast, oracle) <= 1e-4
    for ours, theirs in zip(fast.flatten(1), oracle.flatten(1), strict=True):
        assert spearmanr(ours, theirs).statistic >= 0.9999

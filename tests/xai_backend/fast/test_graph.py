import pytest
import torch
from torch import nn
from torchvision import models

from tests.xai_backend.networks import MAKERS, pictures, small_network
from xai_backend.fast.graph import steps_of
from xai_backend.fast.occlusion import narrowed
from xai_backend.fast.operations import Whole, run

FAMILIES = (
    "alexnet",
    "googlenet",
    "mobilenet_v2",
    "resnet18",
    "resnet34",
    "resnet50",
    "squeezenet1_0",
    "squeezenet1_1",
    "vgg16",
    "vgg16_bn",
)


def close(found, expected, most=1e-10):
    return bool((found - expected).abs().max() <= most * expected.abs().max())


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_operations_give_the_network_s_logits(name):
    network, images = small_network(name), pictures(2, 48, 40)
    steps = steps_of(network)
    before = images.clone()
    logits = run(steps, images)[len(steps)]
    assert close(logits, network(images))
    assert torch.equal(images, before)


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_a_network_can_be_narrowed_to_one_output(name):
    network, images = small_network(name), pictures(2, 48, 48)
    steps = narrowed(steps_of(network), 7)
    logits = run(steps, images)[len(steps)]
    assert logits.shape == (2, 1)
    assert close(logits, network(images)[:, 7:8])


@pytest.mark.parametrize("name", FAMILIES)
def test_torchvision_s_families_can_be_read(name):
    options = {"init_weights": False} if name == "googlenet" else {}
    with torch.device("meta"):
        steps = steps_of(models.get_model(name, weights=None, **options).eval())
    whole = [step.operation.module for step in steps if isinstance(step.operation, Whole)]
    assert all(isinstance(module, nn.AdaptiveAvgPool2d) for module in whole)


class Choosy(nn.Module):
    def forward(self, x):
        return x.mean((2, 3)) if x.sum() > 0 else x.amax((2, 3))


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(3, 4, 3)

    def forward(self, x):
        return (2 * self.convolution(x)).flatten(1)


class Wasteful(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 4, 3), nn.Conv2d(3, 4, 3)

    def forward(self, x):
        self.first(x)
        return torch.flatten(self.second(x), 1)


class Overwriting(nn.Module):
    """A rectifier in place changes what the other branch sees, too."""

    def __init__(self):
        super().__init__()
        self.convolution, self.rectifier = nn.Conv2d(3, 4, 3), nn.ReLU(inplace=True)

    def forward(self, x):
        plain = self.convolution(x)
        return torch.flatten(self.rectifier(plain) + plain, 1)


class OverwritingSum(Overwriting):
    def forward(self, x):
        plain = self.convolution(x)
        total = plain
        total += nn.functional.adaptive_avg_pool2d(plain, (1, 1))
        return torch.flatten(plain, 1)


class Weighed(Overwriting):
    def forward(self, x):
        plain = self.convolution(x)
        return torch.flatten(torch.add(plain, plain, alpha=3), 1)


@pytest.mark.parametrize(
    "network",
    [
        nn.Sequential(Choosy(), nn.Linear(3, 2)),
        Scaled(),
        Wasteful(),
        Overwriting(),
        OverwritingSum(),
        Weighed(),
    ],
)
def test_what_cannot_be_read_is_none_or_taken_whole(network):
    steps = steps_of(network)
    assert steps is None or isinstance(steps[0].operation, Whole)


def test_a_batch_norm_is_not_merged_where_the_convolution_is_used_twice():
    class Forked(nn.Module):
        def __init__(self):
            super().__init__()
            self.convolution, self.norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)

        def forward(self, x):
            plain = self.convolution(x)
            return torch.flatten(plain + self.norm(plain), 1)

    network, images = Forked().double().eval().requires_grad_(False), pictures(2, 8, 8)
    network.norm.running_mean.fill_(0.3)
    steps = steps_of(network)
    assert close(run(steps, images)[len(steps)], network(images))

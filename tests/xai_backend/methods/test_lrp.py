import copy

import pytest
import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torchvision import models
from torchvision.models.resnet import BasicBlock, ResNet
from zennit.attribution import Gradient
from zennit.composites import EpsilonPlusFlat
from zennit.torchvision import ResNetCanonizer, VGGCanonizer

from stimuli.errors import UserError
from tests.xai_backend.networks import MAKERS
from xai_backend.methods.lrp import Lrp
from xai_backend.models.frame import IMAGENET_MEAN, IMAGENET_STD, Normalise
from xai_backend.models.image_model import ImageModel

TARGETS = torch.tensor([3, 0, 9])


def merged(network):
    """The same network with each batch norm merged into its convolution by torch itself."""
    layers, network = [], copy.deepcopy(network)
    for layer in network:
        if isinstance(layer, nn.BatchNorm2d):
            layers[-1] = fuse_conv_bn_eval(layers[-1], layer)
        else:
            layers.append(layer)
    return nn.Sequential(*layers)


def test_maps_are_those_of_zennit_on_a_merged_network(model, images):
    """Below the scaling layer, which passes relevance on, zennit's own composite decides."""
    network = merged(model.network)
    with torch.no_grad():
        scaled = network[0](model.normalise(images))
    rest = network[1:]
    logits = rest(scaled).detach()
    chosen = nn.functional.one_hot(TARGETS, 10) * logits
    with Gradient(model=rest, composite=EpsilonPlusFlat()) as attributor:
        _, relevance = attributor(scaled.requires_grad_(), chosen)
    oracle = relevance.sum(dim=1)
    maps = Lrp().explain(model, images, TARGETS)
    assert maps.dtype == torch.float32
    assert (maps - oracle).abs().max() <= 1e-4 * oracle.abs().max()


def test_rules_are_what_their_definitions_say():
    """Flat: relevance spreads evenly over a receptive field; ε: in proportion to w·x."""
    torch.manual_seed(0)
    network = nn.Sequential(
        nn.Conv2d(1, 2, 2, 2, bias=False), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3, bias=False)
    )
    images = torch.rand(1, 3, 4, 4)
    model = ImageModel(nn.Conv2d(3, 1, 1, bias=False).requires_grad_(False), network)
    with torch.no_grad():
        hidden = torch.relu(network[0](model.normalise(images)))
        parts = hidden.flatten() * network[3].weight[1]
        by_cell = parts.reshape(2, 2, 2).sum(dim=0)
        slow = by_cell.repeat_interleave(2, 0).repeat_interleave(2, 1) / 4
    fast = Lrp().explain(model, images, torch.tensor([1]))[0]
    assert (fast - slow).abs().max() <= 1e-4 * slow.abs().max()


def photo_model(network):
    """A torchvision network with random weights, lively batch norms and no biases."""
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.uniform_(module.running_var, 0.05, 0.15)
        if getattr(module, "bias", None) is not None:
            nn.init.zeros_(module.bias)
    return ImageModel(Normalise(IMAGENET_MEAN, IMAGENET_STD), network.eval())


def small_network(name):
    torch.manual_seed(2)
    # In float32 a narrow network of this kind leaves too much in the rules' stabilisers.
    wide = {"resnet": lambda: ResNet(BasicBlock, [1, 2, 1, 1], num_classes=10)}
    return (MAKERS | wide)[name]()


@pytest.mark.parametrize(
    ("name", "canonizer"),
    [
        ("resnet", ResNetCanonizer),
        ("bottlenecks", ResNetCanonizer),
        ("squeezenet", VGGCanonizer),
    ],
)
def test_photographs_networks_get_zennit_s_relevance(name, canonizer):
    """Zennit's own composite and canonizer for the architecture, in one batch."""
    model = photo_model(small_network(name))
    images = torch.rand(2, 3, 48, 48, generator=torch.Generator().manual_seed(5))
    targets = torch.tensor([3, 7])
    signal = model.normalise(images)
    chosen = nn.functional.one_hot(targets, 10) * model.network(signal).detach()
    composite = EpsilonPlusFlat(canonizers=[canonizer()])
    with Gradient(model=model.network, composite=composite) as attributor:
        _, relevance = attributor(signal.requires_grad_(), chosen)
    oracle = relevance.sum(dim=1)
    maps = Lrp().explain(model, images, targets)
    assert (maps - oracle).abs().max() <= 1e-4 * oracle.abs().max()


@pytest.mark.parametrize("name", ["resnet", "bottlenecks", "mobilenet"])
def test_relevance_is_conserved_where_branches_are_added(name):
    model = photo_model(small_network(name))
    images = torch.rand(2, 3, 48, 48, generator=torch.Generator().manual_seed(5))
    targets = torch.tensor([3, 7])
    maps = Lrp().explain(model, images, targets)
    logits = model(images).gather(1, targets[:, None])[:, 0]
    # What is missing stays in the rules' stabilisers, and in MobileNet's depthwise filters
    # where no input speaks for an output. Shortcuts counted twice would double the sum.
    assert torch.allclose(maps.sum(dim=(1, 2)), logits, rtol=0.1 if name == "mobilenet" else 0.01)


def test_networks_without_known_rules_are_refused():
    model = photo_model(models.shufflenet_v2_x0_5())
    with pytest.raises(UserError, match="no rules for shufflenetv2; there are for alexnet"):
        Lrp().explain(model, torch.rand(1, 3, 32, 32), torch.tensor([0]))

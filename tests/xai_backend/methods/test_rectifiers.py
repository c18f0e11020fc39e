"""Rectifiers that are functions: methods with rules for layers say so, and what to do."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from stimuli.errors import UserError
from xai_backend.methods.lrp import Lrp
from xai_backend.methods.of_captum import CaptumMethod
from xai_backend.methods.rectifiers import remedy_for
from xai_backend.models.image_model import ImageModel

WAYS = {
    "layers": lambda network, which, x: network.rectifiers[which](x),
    "functional": lambda network, which, x: functional.relu(x),
    "inplace": lambda network, which, x: functional.relu(x, inplace=True),
    "torch": lambda network, which, x: torch.relu(x),
    "tensor": lambda network, which, x: x.relu(),
}


class Small(nn.Module):
    """Two convolutions, rectified in one of several ways."""

    def __init__(self, way):
        super().__init__()
        self.way = WAYS[way]
        self.first, self.second = nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 16, 3, 2, 1)
        self.rectifiers = nn.ModuleList([nn.ReLU(), nn.ReLU()])
        self.last = nn.Linear(16, 4)

    def forward(self, images):
        maps = self.way(self, 0, self.first(images))
        return self.last(self.way(self, 1, self.second(maps)).mean(dim=(2, 3)))


def model_of(way):
    torch.manual_seed(0)
    return ImageModel(nn.Identity(), Small(way).eval())


IMAGES, TARGETS = torch.rand(2, 3, 16, 16), torch.tensor([0, 1])


@pytest.mark.parametrize("way", WAYS)
def test_rectifiers_that_are_functions_are_noticed(way):
    said = remedy_for(model_of(way), IMAGES[:1])
    assert bool(said) == (way != "layers")


@pytest.mark.parametrize("attribution", ["DeepLift", "GuidedBackprop", "Deconvolution"])
def test_captums_rules_for_rectifiers_arent_left_out(attribution):
    method = CaptumMethod(attribution)
    assert method.explain(model_of("layers"), IMAGES, TARGETS).abs().max() > 0
    with pytest.raises(ValueError, match=r"as a layer, self\.relu = nn\.ReLU"):
        method.explain(model_of("functional"), IMAGES, TARGETS)
    gradients = CaptumMethod("Saliency")
    assert gradients.explain(model_of("functional"), IMAGES, TARGETS).abs().max() > 0


def test_lrp_says_what_to_do():
    assert Lrp().explain(model_of("layers"), IMAGES, TARGETS).abs().max() > 0
    with pytest.raises(UserError, match=r"don't fit this network; write functional\.relu as a lay"):
        Lrp().explain(model_of("functional"), IMAGES, TARGETS)

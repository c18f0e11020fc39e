"""Small networks of torchvision's blocks, with random weights and lively batch norms."""

import torch
from torch import nn
from torchvision import models
from torchvision.models.resnet import BasicBlock, Bottleneck, ResNet
from torchvision.models.vgg import make_layers

NARROW = [[1, 8, 1, 1], [2, 16, 3, 2]]


class NarrowResNet(ResNet):
    """A ResNet whose stages have an eighth of the usual channels: 8, 16, 32 and 64."""

    def __init__(self, block, layers):
        super().__init__(block, layers, num_classes=10)
        self.fc = nn.Linear(64 * block.expansion, 10)

    def _make_layer(self, block, planes, *more, **further):
        return super()._make_layer(block, planes // 8, *more, **further)


MAKERS = {
    "resnet": lambda: NarrowResNet(BasicBlock, [1, 2, 1, 1]),
    "bottlenecks": lambda: NarrowResNet(Bottleneck, [1, 1, 1, 1]),
    "squeezenet": lambda: models.squeezenet1_1(num_classes=10),
    "mobilenet": lambda: models.MobileNetV2(10, inverted_residual_setting=NARROW),
    "vgg": lambda: _small_vgg(batch_norm=False),
    "vgg_bn": lambda: _small_vgg(batch_norm=True),
}


def small_network(name, seed=2):
    """A network of a family, float64, in evaluation mode."""
    torch.manual_seed(seed)
    return lively(MAKERS[name]())


def lively(network):
    """The network with batch norms that do something, float64, in evaluation mode."""
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.uniform_(module.bias, -0.2, 0.2)
            nn.init.uniform_(module.running_mean, -0.2, 0.2)
            nn.init.uniform_(module.running_var, 0.05, 0.15)
        if getattr(module, "inplace", False):
            module.inplace = False
    return network.double().eval().requires_grad_(False)


def pictures(count, *sides, seed=5):
    """Inputs (count, 3, *sides), float64."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(count, 3, *sides, generator=generator, dtype=torch.float64)


def _small_vgg(batch_norm):
    features = make_layers([8, 8, "M", 16, "M", 16, "M"], batch_norm=batch_norm)
    head = [nn.Linear(64, 20), nn.ReLU(), nn.Dropout(), nn.Linear(20, 10)]
    return nn.Sequential(features, nn.AdaptiveAvgPool2d(2), nn.Flatten(), *head)

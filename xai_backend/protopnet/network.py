"""The network: backbone, add-on layers, prototypes, one linear layer (section 2.1)."""

from functools import cached_property

import torch
from torch import Tensor, nn

from xai_backend.protopnet.region import Lattice, lattice_of
from xai_backend.protopnet.settings import ProtoPNetSettings
from xai_backend.protopnet.similarity import nearest, similarity, squared_distances, wrong_class

RIGHT, WRONG = 1.0, -0.5
"""Where the last layer's weights begin: prototypes of the class, and of the others."""


class ProtoPNet(nn.Module):
    """Logits from how near the most similar patch comes to each prototype.

    Prototypes are 1×1 patches of the latent maps; each class has equally many, in the order
    of classes. The last layer has no bias and begins at 1 for a class's own prototypes and
    at −½ for the others.

    Parameters
    ----------
    trunk
        Convolutional layers, from (n, C, H, W) to feature maps (n, features, h, w).
    features
        Channels of the feature maps.
    classes
        Number of classes K.
    settings
        Of the prototypes: how many, their channels and epsilon.
    """

    prototype_classes: Tensor

    def __init__(
        self,
        trunk: nn.Module,
        features: int,
        classes: int,
        settings: ProtoPNetSettings,
    ) -> None:
        super().__init__()
        channels = settings.channels
        self.trunk = trunk
        layers = nn.Conv2d(features, channels, 1), nn.Conv2d(channels, channels, 1)
        self.add_on = nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.Sigmoid())
        for layer in layers:
            nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
            assert layer.bias is not None
            nn.init.zeros_(layer.bias)
        of_class = torch.arange(classes).repeat_interleave(settings.prototypes_per_class)
        self.register_buffer("prototype_classes", of_class)
        self.prototypes = nn.Parameter(torch.rand(len(of_class), channels))
        self.last = nn.Linear(len(of_class), classes, bias=False)
        with torch.no_grad():
            self.last.weight.copy_(torch.where(wrong_class(classes, of_class), WRONG, RIGHT))
        self.epsilon = settings.epsilon

    @cached_property
    def lattice(self) -> Lattice:
        """Where the cells of the latent maps look."""
        return lattice_of(self.trunk)

    def latent(self, signal: Tensor) -> Tensor:
        """Return the latent maps (n, D, h, w), 0…1, of the network's input (n, C, H, W)."""
        return self.add_on(self.trunk(signal))

    def distances(self, signal: Tensor) -> Tensor:
        """Return squared distances (n, m, h, w) of every patch and prototype."""
        return squared_distances(self.latent(signal), self.prototypes)

    def activations(self, signal: Tensor) -> Tensor:
        """Return every prototype's activation map, its similarities (n, m, h, w)."""
        return similarity(self.distances(signal), self.epsilon)

    def scores(self, nearest_distances: Tensor) -> Tensor:
        """Return each prototype's highest similarity (n, m) of smallest distances (n, m)."""
        return similarity(nearest_distances, self.epsilon)

    def forward(self, signal: Tensor) -> Tensor:
        """Return the logits (n, K)."""
        return self.last(self.scores(nearest(self.distances(signal))))

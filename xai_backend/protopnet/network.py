"""The ProtoPNet: backbone, add-on layers, prototypes, one linear layer (section 2.1).

Its settings say how it is built and trained. Its logits come from the similarity of latent patches
and prototypes. Training keeps two costs of their distances small.
"""

from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor, nn
from torch.nn import functional

from xai_backend.models.labelled import Augmentation
from xai_backend.protopnet.backbone import Lattice, lattice_of


@dataclass(frozen=True, slots=True)
class ProtoPNetSettings:
    """Structure, costs and stages of a ProtoPNet (Chen et al. 2019, section 2 and supplement).

    Default values are the paper's and, for what it leaves open (rates, epochs), those that its
    authors published with it. `small` has the values for the small network for pictures.

    Attributes
    ----------
    prototypes_per_class
        Number of prototypes of each class.
    channels
        Channels of a latent patch and of a prototype, both 1×1.
    epsilon
        ε of the similarity log((d² + 1) / (d² + ε)).
    cluster, separation
        λ1 and λ2: weights of the cluster and the separation cost. The separation cost is
        negative, as in the paper, and both weights positive.
    l1
        λ: weight of the last layer's connections from prototypes of other classes.
    warm_epochs
        With the backbone frozen.
    cycles
        Number of cycles. In a cycle all layers but the last learn, prototypes are pushed, and the
        last layer learns.
    joint_epochs
        Epochs of all layers but the last, in each cycle.
    batch
        Pictures in a step.
    add_on_rate, prototype_rate, backbone_rate
        Adam's learning rates.
    decay_epochs, decay
        In the joint stage all rates are multiplied by ``decay`` after as many epochs.
    weight_decay
        Weight decay of Adam, for backbone and add-on layers.
    last_iterations
        Most iterations of the last layer's optimisation.
    augmentation
        How pictures vary while layers learn; push and last layer use unchanged pictures.
    """

    prototypes_per_class: int = 10
    channels: int = 128
    epsilon: float = 1e-4
    cluster: float = 0.8
    separation: float = 0.08
    l1: float = 1e-4
    warm_epochs: int = 5
    cycles: int = 3
    joint_epochs: int = 10
    batch: int = 80
    add_on_rate: float = 3e-3
    prototype_rate: float = 3e-3
    backbone_rate: float = 1e-4
    decay_epochs: int = 5
    decay: float = 0.1
    weight_decay: float = 1e-3
    last_iterations: int = 100
    augmentation: Augmentation = field(
        default_factory=lambda: Augmentation(rotation_deg=15.0, shear_share=0.18, mirrored=True)
    )

    def __post_init__(self) -> None:
        counts = (self.prototypes_per_class, self.channels, self.batch, self.decay_epochs)
        stages = (self.warm_epochs, self.joint_epochs, self.last_iterations)
        weights = (self.cluster, self.separation, self.l1, self.weight_decay)
        rates = (self.add_on_rate, self.prototype_rate, self.backbone_rate, self.decay)
        if min(counts) < 1 or self.cycles < 1 or min(stages) < 0:
            raise ValueError("prototypes, channels, batch, cycles, decay_epochs start at 1")
        if min(weights) < 0 or not min(rates) > 0 or not 0 < self.epsilon < 1:
            raise ValueError("costs' weights start at 0, rates above 0; epsilon is 0…1")


def small() -> ProtoPNetSettings:
    """Return settings for the small network for pictures, to train in half a minute on one core."""
    return ProtoPNetSettings(
        prototypes_per_class=6,
        channels=48,
        cluster=0.4,
        separation=0.2,
        warm_epochs=3,
        cycles=2,
        joint_epochs=6,
        batch=32,
        backbone_rate=2e-3,
        last_iterations=20,
        decay=0.5,
        augmentation=Augmentation(),
    )


def squared_distances(latent: Tensor, prototypes: Tensor) -> Tensor:
    """Return ‖z − p‖² of every latent patch and prototype.

    As ‖z‖² − 2 z·p + ‖p‖², where z·p is a convolution of the latent maps with the
    prototypes. Values that rounding makes negative become zero.

    Parameters
    ----------
    latent
        (n, D, h, w).
    prototypes
        (m, D).

    Returns
    -------
    (n, m, h, w)
        At least 0.
    """
    patches = latent.square().sum(dim=1, keepdim=True)
    prototype_norms = prototypes.square().sum(dim=1)[None, :, None, None]
    products = functional.conv2d(latent, prototypes[:, :, None, None])
    return torch.relu(patches - 2 * products + prototype_norms)


def similarity(distances: Tensor, epsilon: float) -> Tensor:
    """Return log((d² + 1) / (d² + ε)) of squared distances: positive, the larger the nearer."""
    return torch.log((distances + 1) / (distances + epsilon))


def nearest(distances: Tensor) -> Tensor:
    """Return each prototype's smallest squared distance (n, m) of distances (n, m, h, w)."""
    return distances.amin(dim=(2, 3))


def own_class(labels: Tensor, prototype_classes: Tensor) -> Tensor:
    """Return bool (n, m): is a prototype (m,) of a picture's class (n,)?"""
    return labels[:, None] == prototype_classes[None, :]


def cluster_cost(nearest: Tensor, of_own_class: Tensor) -> Tensor:
    """Return Clst: the mean squared distance to the nearest prototype of a picture's class.

    It makes each picture have a patch near one of its class's prototypes.

    Parameters
    ----------
    nearest
        (n, m): each prototype's smallest squared distance in each picture.
    of_own_class
        bool (n, m), see `own_class`.
    """
    return _smallest(nearest, of_own_class).mean()


def separation_cost(nearest: Tensor, of_own_class: Tensor) -> Tensor:
    """Return Sep: minus the mean squared distance to the nearest prototype of other classes.

    It keeps every patch of a picture away from other classes' prototypes. Arguments are those of
    `cluster_cost`.
    """
    return -_smallest(nearest, ~of_own_class).mean()


def wrong_class(classes: int, prototype_classes: Tensor) -> Tensor:
    """Return bool (K, m): is a prototype of another class than k?"""
    numbers = torch.arange(classes, device=prototype_classes.device)
    return ~own_class(numbers, prototype_classes)


def _smallest(nearest: Tensor, chosen: Tensor) -> Tensor:
    return torch.where(chosen, nearest, torch.inf).amin(dim=1)


RIGHT, WRONG = 1.0, -0.5
"""Initial weights of the last layer: for prototypes of the class, and of other classes."""


class ProtoPNet(nn.Module):
    """Computes logits from each prototype's similarity to the nearest patch.

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
        Number and channels of the prototypes, and epsilon.
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
        """Centres of the receptive fields of the latent maps' cells."""
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
        """Return each prototype's highest similarity (n, m) from its smallest distance (n, m)."""
        return similarity(nearest_distances, self.epsilon)

    def forward(self, signal: Tensor) -> Tensor:
        """Return the logits (n, K)."""
        return self.last(self.scores(nearest(self.distances(signal))))

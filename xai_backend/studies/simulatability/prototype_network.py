"""The prototype network: a network that decides by likeness to training examples (section 3.3).

It stands on any encoder of inputs, so that sentences and rows of tables share it.
"""

from dataclasses import dataclass
from typing import Final, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from xai_backend.protopnet.network import own_class, separation_cost, wrong_class

CLASSES: Final = 2


@dataclass(frozen=True, slots=True)
class PrototypeSettings:
    """Structure and costs of a prototype network, and how it is trained.

    Default values are those of the published code for tables; `prototype_settings` has the values
    of both variants.

    Attributes
    ----------
    per_class
        Prototypes of each class.
    latent
        Dimensions of a prototype.
    batch
        Examples in a step; a smaller last batch of an epoch is left out.
    epochs, patience
        Most epochs; training stops after ``patience`` epochs without a higher accuracy on the
        validation split.
    push_after
        From this epoch on, from 1, prototypes are pushed onto training examples.
    clip
        Largest norm of the gradient; None for no limit.
    off_class_l1, separation
        Weights of the two costs beside the cross entropy.
    separation_cap
        Squared distances beyond this aren't increased; None for no cap.
    together
        Whether k-means clusters the latents of both classes together; else separately.
    last_learns
        Whether the last layer learns; else it stays the identity.
    frozen
        Whether the encoder doesn't learn.
    """

    per_class: int
    latent: int = 16
    batch: int = 1000
    epochs: int = 300
    patience: int = 150
    push_after: int = 20
    clip: float | None = None
    off_class_l1: float = 0.1
    separation: float = 0.1
    separation_cap: float | None = 4.0
    together: bool = False
    last_learns: bool = False
    frozen: bool = False


def prototype_settings(
    variant: Literal["near_code", "near_paper"], per_class: int
) -> PrototypeSettings:
    """Return the settings of a variant.

    ``near_code``: an encoder that goes on learning; k-means for each class; a last layer that stays
    the identity, so that its off-class weights cost nothing; squared distances count up to 4 for
    the separation. ``near_paper`` (appendix A.1): the task model's encoder, frozen as in the
    Composite method; k-means on all latents; a last layer that learns; separation without a cap.
    """
    if variant == "near_code":
        return PrototypeSettings(per_class)
    return PrototypeSettings(
        per_class, separation_cap=None, together=True, last_learns=True, frozen=True
    )


class PrototypeNetwork(nn.Module):
    """Computes scores of two classes from the similarity to their prototypes.

    A class's activation is the similarity to the class's most similar prototype. The last
    layer, of 2 × 2 weights without a bias, begins as the identity.

    Parameters
    ----------
    encoder
        From inputs, (n, …), to features, (n, features).
    features
        Number of features.
    per_class
        Prototypes of each class; the negative class's come first.
    latent
        Dimensions of the latent space of the prototypes.
    """

    prototype_classes: Tensor

    def __init__(self, encoder: nn.Module, features: int, per_class: int, latent: int = 16) -> None:
        super().__init__()
        self.encoder = encoder
        self.reduced = nn.Linear(features, latent)
        of_class = torch.arange(CLASSES).repeat_interleave(per_class)
        self.register_buffer("prototype_classes", of_class)
        self.prototypes = nn.Parameter(torch.rand(len(of_class), latent))
        self.last = nn.Linear(CLASSES, CLASSES, bias=False)
        nn.init.eye_(self.last.weight)

    def latents(self, inputs: Tensor) -> Tensor:
        """Return the latents of inputs, (n, latent), 0…1."""
        return torch.sigmoid(self.reduced(self.encoder(inputs)))

    def distances(self, latents: Tensor) -> Tensor:
        """Return ‖z − p‖² of latents and prototypes, (n, prototypes)."""
        squares = latents.square().sum(dim=1)[:, None] + self.prototypes.square().sum(dim=1)
        return (squares - 2 * latents @ self.prototypes.T).clamp(min=0)

    def likeness(self, inputs: Tensor) -> Tensor:
        """Return exp(−‖z − p‖²) of inputs and prototypes, (n, prototypes), 0…1."""
        return torch.exp(-self.distances(self.latents(inputs)))

    def scores(self, likeness: Tensor) -> Tensor:
        """Return scores of the classes, (n, 2), of likeness, (n, prototypes)."""
        return self.last(likeness.unflatten(1, (CLASSES, -1)).amax(dim=2))

    def forward(self, inputs: Tensor) -> Tensor:
        """Return scores of the classes, (n, 2)."""
        return self.scores(self.likeness(inputs))


def prototype_loss(
    network: PrototypeNetwork, inputs: Tensor, labels: Tensor, settings: PrototypeSettings
) -> Tensor:
    """Return the loss: cross entropy, off-class weights and separation.

    Parameters
    ----------
    inputs
        (n, …), as the encoder reads them.
    labels
        int64 (n,): 0 for the negative class, 1 for the positive one.
    """
    distances = network.distances(network.latents(inputs))
    scores = network.scores(torch.exp(-distances))
    return (
        functional.cross_entropy(scores, labels)
        + settings.off_class_l1 * off_class_l1(network.last.weight)
        + settings.separation
        * separation(distances, own_class(labels, network.prototype_classes), settings)
    )


def off_class_l1(weights: Tensor) -> Tensor:
    """Return Σ |w(k, j)| of the last layer, (2, 2), over k ≠ j."""
    return weights.abs()[wrong_class(CLASSES, torch.arange(CLASSES))].sum()


def separation(distances: Tensor, own: Tensor, settings: PrototypeSettings) -> Tensor:
    """Return minus the mean squared distance to the nearest prototype of the other class.

    Parameters
    ----------
    distances
        ‖z − p‖², (n, prototypes).
    own
        bool (n, prototypes): is a prototype of an input's class?
    """
    if settings.separation_cap is not None:
        distances = distances.clamp(max=settings.separation_cap)
    return separation_cost(distances, own)

"""How alike latent patches and prototypes are, and what training keeps small."""

import torch
from torch import Tensor
from torch.nn import functional


def squared_distances(latent: Tensor, prototypes: Tensor) -> Tensor:
    """Return ‖z − p‖² of every latent patch and prototype.

    As ‖z‖² − 2 z·p + ‖p‖², where z·p is a convolution of the latent maps with the
    prototypes. What rounding takes below zero is zero.

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
    own = prototypes.square().sum(dim=1)[None, :, None, None]
    products = functional.conv2d(latent, prototypes[:, :, None, None])
    return torch.relu(patches - 2 * products + own)


def similarity(distances: Tensor, epsilon: float) -> Tensor:
    """Return log((d² + 1) / (d² + ε)) of squared distances: above 0, the nearer the larger."""
    return torch.log((distances + 1) / (distances + epsilon))


def nearest(distances: Tensor) -> Tensor:
    """Return each prototype's smallest squared distance (n, m) of distances (n, m, h, w)."""
    return distances.amin(dim=(2, 3))


def own_class(labels: Tensor, prototype_classes: Tensor) -> Tensor:
    """Return bool (n, m): is a prototype (m,) of a picture's class (n,)?"""
    return labels[:, None] == prototype_classes[None, :]


def cluster_cost(nearest: Tensor, own: Tensor) -> Tensor:
    """Return Clst: the mean squared distance to the nearest prototype of the own class.

    Every picture is to have some patch near one of its class's prototypes.

    Parameters
    ----------
    nearest
        (n, m): each prototype's smallest squared distance in each picture.
    own
        bool (n, m), see `own_class`.
    """
    return _smallest(nearest, own).mean()


def separation_cost(nearest: Tensor, own: Tensor) -> Tensor:
    """Return Sep: minus the mean squared distance to the nearest prototype of other classes.

    Every patch of a picture is to stay away from other classes' prototypes. Arguments are
    those of `cluster_cost`.
    """
    return -_smallest(nearest, ~own).mean()


def wrong_class(classes: int, prototype_classes: Tensor) -> Tensor:
    """Return bool (K, m): is a prototype of another class than k?"""
    numbers = torch.arange(classes, device=prototype_classes.device)
    return ~own_class(numbers, prototype_classes)


def _smallest(nearest: Tensor, chosen: Tensor) -> Tensor:
    return torch.where(chosen, nearest, torch.inf).amin(dim=1)

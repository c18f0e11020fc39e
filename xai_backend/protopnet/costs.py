"""What a ProtoPNet's training keeps small, beside the cross entropy (section 2.2)."""

import torch
from torch import Tensor


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

"""How alike latent patches and prototypes are."""

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

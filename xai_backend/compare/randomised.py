"""The sanity check of Adebayo et al. 2018: does a map change when the network's weights do?"""

import copy

import torch
from torch import Tensor

from stimuli.io.canonical import seed_of
from xai_backend.models.image_model import ImageModel


def with_shuffled_weights(model: ImageModel) -> ImageModel:
    """Return a copy of a network whose weights are shuffled within each tensor.

    Adebayo et al. (section 3) draw weights anew. Shuffling them leaves the size of a layer's
    answers as it is, for any network; what the network has learned is gone as well. Means and
    variances that normalisation layers keep are left alone.
    """
    other = copy.deepcopy(model)
    with torch.no_grad():
        for name, weights in other.named_parameters():
            weights.copy_(_shuffled(weights, name))
    return other.eval()


def _shuffled(weights: Tensor, name: str) -> Tensor:
    generator = torch.Generator().manual_seed(seed_of("shuffled weights", name) % 2**63)
    order = torch.randperm(weights.numel(), generator=generator).to(weights.device)
    return weights.flatten()[order].view_as(weights)

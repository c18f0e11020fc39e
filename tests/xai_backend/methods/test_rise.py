"""RISE's masks, and that it finds the only pixels that a network looks at."""

import numpy as np
import pytest
import torch
from torch import nn

from xai_backend.methods.rise import Rise
from xai_backend.models.frame import Normalise
from xai_backend.models.image_model import ImageModel


def drawn(count, size, **settings):
    return Rise(**settings).drawn(np.random.default_rng(3), count, size)


@pytest.mark.parametrize(("size", "cells"), [((56, 56), 7), ((50, 33), 7), ((12, 12), 12)])
def test_masks_show_their_share_everywhere_and_no_two_are_alike(size, cells):
    masks = drawn(3000, size, cells=cells, shown=0.3)
    assert masks.shape == (3000, *size)
    assert float(masks.min()) == 0.0
    assert float(masks.max()) == 1.0
    # A pixel's mean over 3,000 masks; of a cell alone its SD would be .0084.
    assert (masks.mean(dim=0) - 0.3).abs().max() < 0.045
    assert len(masks[:200].flatten(1).unique(dim=0)) == 200


def test_neighbours_in_a_cell_are_shown_together_and_distant_pixels_independently():
    masks = drawn(4000, (56, 56)).flatten(1)
    together = np.corrcoef(masks[:, [28 * 56 + 28, 28 * 56 + 30, 8 * 56 + 48]].T)
    assert together[0, 1] > 0.8
    assert abs(together[0, 2]) < 0.08


class Corner(nn.Module):
    """Says class 1 if the upper left corner is bright."""

    def forward(self, x):
        bright = x[:, :, :8, :8].mean(dim=(1, 2, 3))
        return torch.stack([0 * bright, 6 * bright], dim=1)


def test_what_the_network_looks_at_is_most_relevant():
    model = ImageModel(Normalise((0.0,) * 3, (1.0,) * 3), Corner())
    model.device_holder = nn.Parameter(torch.zeros(1))
    found = Rise(masks=2000).explain(model, torch.ones(1, 3, 56, 56), torch.tensor([1]))[0]
    corner, rest = found[:8, :8], found[16:, 16:]
    assert corner.min() > rest.max()
    assert abs(float(rest.mean())) < 0.05 * float(corner.mean())

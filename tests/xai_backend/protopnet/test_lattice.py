"""Where cells look: computed from the layers, compared with what moves each cell."""

import numpy as np
import pytest
import torch
from torch import nn

from xai_backend.determinism import deterministic
from xai_backend.models.picture_cnn import LAST_FEATURES, picture_cnn
from xai_backend.models.torchvision_models import last_features, untrained
from xai_backend.protopnet.backbone import Lattice, Trunk, enlarged, lattice_of

HALVES = Lattice(3.5, 8.0)
"""Cells of 8 pixels each of which looks at its own block."""


class Ways(nn.Module):
    """Two ways that meet, one gated by what the whole picture says."""

    def __init__(self):
        super().__init__()
        self.long = nn.Sequential(nn.Conv2d(4, 4, 3, 2, 1), nn.ReLU(), nn.Conv2d(4, 4, 3, 1, 1))
        self.short = nn.Conv2d(4, 4, 1, 2)
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(4, 4, 1), nn.Sigmoid())

    def forward(self, x):
        return self.gate(x) * 0 + self.long(x) + self.short(x)


TRUNKS = {
    "one convolution": (lambda: nn.Conv2d(3, 4, 5, stride=4), Lattice(2, 4)),
    "padded, odd": (
        lambda: nn.Sequential(nn.Conv2d(3, 4, 7, 2, 3), nn.AvgPool2d(3, 2, 1)),
        Lattice(0, 4),
    ),
    "blocks": (
        lambda: nn.Sequential(nn.Conv2d(3, 4, 3, padding="same"), nn.AvgPool2d(2), nn.MaxPool2d(4)),
        HALVES,
    ),
    "dilated": (lambda: nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1, dilation=3)), Lattice(2, 2)),
    "ways that meet": (lambda: nn.Sequential(nn.Conv2d(3, 4, 3, 1, 0), Ways()), Lattice(1, 2)),
    "the small network": (
        lambda: Trunk(picture_cnn(2).network.eval(), LAST_FEATURES),
        Lattice(0, 8),
    ),
}


def middle_of_what_moves(trunk, row, column, side=64):
    """Middle of the pixels on which a cell's value hangs, by its gradient."""
    image = torch.rand(1, 3, side, side, requires_grad=True)
    trunk(image)[0, :, row, column].sum().backward()
    rows, columns = np.nonzero(image.grad.abs().sum(dim=(0, 1)).numpy())
    return (rows.min() + rows.max()) / 2, (columns.min() + columns.max()) / 2


@pytest.mark.parametrize("name", TRUNKS)
def test_cells_look_where_their_values_come_from(name):
    make, expected = TRUNKS[name]
    with deterministic(seed=4):
        trunk = make().eval()
        found = lattice_of(trunk)
        assert found == expected
        if name in ("blocks", "ways that meet"):  # maxima, a gate on all: supports aren't windows
            return
        for cell in ((3, 4), (4, 3)):  # far from the edge, which would cut their windows
            middle = middle_of_what_moves(trunk, *cell)
            assert middle == pytest.approx([found.first_px + k * found.step_px for k in cell])


@pytest.mark.parametrize(
    ("architecture", "expected"),
    [
        ("resnet18", Lattice(0, 32)),
        ("vgg11", Lattice(15.5, 32)),
        ("squeezenet1_1", Lattice(15, 16)),
        ("mobilenet_v3_small", Lattice(0, 32)),
        pytest.param("efficientnet_b0", Lattice(0, 32), marks=pytest.mark.slow),
        pytest.param("densenet121", Lattice(14, 32), marks=pytest.mark.slow),
        ("convnext_tiny", Lattice(15.5, 32)),
        pytest.param("shufflenet_v2_x0_5", Lattice(0, 32), marks=pytest.mark.slow),
        pytest.param("googlenet", Lattice(22, 32), marks=pytest.mark.slow),
    ],
)
def test_torchvision_s_networks_have_a_lattice(architecture, expected):
    """Added up by hand: a window moves the middle by (k − 1) / 2 − p of its input's steps."""
    with torch.device("meta"):
        trunk = Trunk(untrained(architecture).eval(), last_features(architecture))
    assert lattice_of(trunk) == expected


def test_what_sees_the_whole_picture_has_none():
    with pytest.raises(ValueError, match="no cells that look at parts"):
        lattice_of(nn.Sequential(nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(7)))


@pytest.mark.parametrize("lattice", [Lattice(0, 8), Lattice(2, 4), HALVES])
def test_an_enlarged_map_is_bilinear_between_cells_middles(lattice):
    cells = np.random.Generator(np.random.PCG64(5)).random((2, 4, 3), dtype=np.float32)
    fine = enlarged(torch.from_numpy(cells), (30, 26), lattice).numpy()
    down, across = (lattice.first_px + lattice.step_px * np.arange(k) for k in (4, 3))
    for one, large in zip(cells, fine, strict=True):
        columns = np.stack([np.interp(np.arange(26), across, line) for line in one])
        slow = np.stack([np.interp(np.arange(30), down, line) for line in columns.T], axis=1)
        np.testing.assert_allclose(large, slow, atol=1e-6)

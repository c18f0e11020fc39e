"""What becomes of answers and maps if images change: against captum, and slow definitions."""

import numpy as np
import pytest
import torch
from captum.metrics import infidelity as captums_infidelity
from torch import nn

from xai_backend.metrics import perturbation
from xai_backend.metrics.perturbation import (
    KEPT,
    blackened,
    comprehensiveness,
    imputed,
    infidelity,
    max_sensitivity,
    road,
    sufficiency,
)
from xai_backend.models.image_model import ImageModel

SIDE = 16
TARGET = 1


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    layers = nn.Conv2d(3, 4, 3, 2), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 49, 3)
    return ImageModel(nn.Identity(), nn.Sequential(*layers).eval()).requires_grad_(False)


@pytest.fixture(scope="module")
def image():
    return torch.rand(3, SIDE, SIDE, generator=torch.Generator().manual_seed(2))


@pytest.fixture(scope="module")
def values():
    return np.random.default_rng(3).normal(size=(SIDE, SIDE)).astype(np.float32)


def share(model, image):
    return float(model(image[None]).double().softmax(dim=1)[0, TARGET])


def test_infidelity_is_captums(model, image, values):
    squares = torch.from_numpy(perturbation._parts((SIDE, SIDE))).float()
    assert squares.sum(dim=(1, 2)).unique().tolist() == [(SIDE / 4) ** 2]

    def perturb(inputs):
        masks = squares[:, None].expand(-1, 3, -1, -1)
        return masks, inputs * (1 - masks)

    theirs = captums_infidelity(
        lambda images: model(images).softmax(dim=1)[:, TARGET], perturb, image[None],
        torch.from_numpy(values)[None, None].expand(1, 3, -1, -1) / 3,
        n_perturb_samples=len(squares), normalize=True,
    )  # fmt: skip
    answer = blackened(model, image, TARGET)
    for times in (1, 7):
        assert infidelity(answer, times * values) == pytest.approx(float(theirs), rel=1e-4)
    assert infidelity(answer, 0 * values) > float(theirs)


def test_comprehensiveness_and_sufficiency_follow_their_definition(model, image, values):
    order = np.argsort(-values, axis=None)
    falls = {True: [], False: []}
    for part in KEPT:
        top = np.zeros(SIDE * SIDE, bool)
        top[order[: max(1, round(part * SIDE * SIDE))]] = True
        for kept in (True, False):
            mask = torch.from_numpy((top == kept).reshape(SIDE, SIDE))
            falls[kept].append(share(model, image) - share(model, image * mask))
    found = comprehensiveness(blackened(model, image, TARGET), values)
    assert found == pytest.approx(np.mean(falls[False]), abs=1e-6)
    assert sufficiency(blackened(model, image, TARGET), values) == pytest.approx(
        np.mean(falls[True]), abs=1e-6
    )


def test_imputed_pixels_are_weighted_means_of_their_neighbours(image, monkeypatch):
    """By dense equations, pixel by pixel, without the noise."""
    monkeypatch.setattr(perturbation, "NOISE", 0)
    removed = np.random.default_rng(4).random((SIDE, SIDE)) < 0.6
    removed[:3, :3] = True
    found = imputed(image, removed).numpy()
    np.testing.assert_array_equal(found[:, ~removed], image.numpy()[:, ~removed])
    for row, column in np.argwhere(removed):
        weights, mean = 0.0, np.zeros(3)
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                there = row + down, column + right
                if (down or right) and all(0 <= one < SIDE for one in there):
                    weight = 1 / 6 if not (down and right) else 1 / 12
                    weights += weight
                    mean += weight * found[:, *there]
        np.testing.assert_allclose(found[:, row, column], mean / weights, atol=1e-5)


def test_road_is_high_for_the_pixels_that_matter(image):
    """Only the left half counts, by its variation, which imputation takes away."""

    class Left(nn.Module):
        def forward(self, images):
            rough = (images[:, :, :, :7] - images[:, :, :, 1:8]).abs().mean(dim=(1, 2, 3))
            return torch.stack([torch.zeros_like(rough), 20 * rough], dim=1)

    model = ImageModel(nn.Identity(), Left())
    left = np.tile(np.arange(SIDE)[::-1], (SIDE, 1)).astype(np.float32)
    good, bad = road(model, image, TARGET, left), road(model, image, TARGET, -left)
    assert good > 0.1
    assert bad == pytest.approx(-good, abs=0.02)


def test_maximal_sensitivity_is_the_largest_change_of_a_map(image):
    """Of maps whose change is known: the image's own codes, and those at a threshold."""
    assert max_sensitivity(lambda images, _: torch.ones_like(images[:, 0]), image, TARGET) == 0
    found = max_sensitivity(lambda images, _: images[:, 0], image, TARGET)
    most = perturbation.RADIUS * SIDE / float(image[0].norm())
    assert 0.3 * most < found < most

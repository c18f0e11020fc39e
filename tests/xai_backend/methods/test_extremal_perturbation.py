import math

import pytest
import torch
from scipy.ndimage import gaussian_filter
from torch import nn

from xai_backend.methods.extremal_perturbation import (
    ExtremalPerturbation,
    SmoothMask,
    blurred,
    preserved,
)
from xai_backend.models.image_model import ImageModel

CPU = torch.device("cpu")


def smooth_max(values):
    weights = [math.exp(value * 20) for value in values]
    return sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)


def test_masks_are_the_smooth_max_convolution():
    """Loop by loop over the grid; between grid points bilinear."""
    generate = SmoothMask((20, 27), 5, 12.0, CPU)
    values = torch.rand(2, *generate.grid, generator=torch.Generator().manual_seed(1))
    masks = generate(values)
    assert masks.shape == (2, 20, 27)
    reach = int(4 * 4.0 // 5)

    def kernel(down, across):
        z = math.hypot(down, across) * 5 / 4.0
        return math.exp(-(max(0.0, z - 1) ** 2) / 4) if z <= 4 else 0.0

    offsets = [(i, j) for i in range(-reach, reach + 1) for j in range(-reach, reach + 1)]
    highest = smooth_max([kernel(i, j) for i, j in offsets])

    def at_grid(k, row, column):
        near = [
            values[k, row + reach + i, column + reach + j].item() * kernel(i, j) for i, j in offsets
        ]
        return smooth_max(near) / highest

    for k, y, x in [(0, 0, 0), (1, 19, 26), (0, 7, 13), (1, 10, 15), (0, 3, 24)]:
        (row, down), (column, across) = divmod(y, 5), divmod(x, 5)
        corners = [
            (at_grid(k, row + i, column + j), abs(1 - i - down / 5) * abs(1 - j - across / 5))
            for i in (0, 1)
            for j in (0, 1)
        ]
        slow = min(1.0, sum(value * share for value, share in corners))
        assert masks[k, y, x].item() == pytest.approx(slow, abs=1e-5)


def test_blur_is_scipy_s():
    images = torch.rand(2, 3, 20, 17, generator=torch.Generator().manual_seed(2))
    ours = blurred(images, 2.0)
    for k in range(2):
        for c in range(3):
            theirs = gaussian_filter(images[k, c].numpy(), 2.0, mode="nearest", truncate=3.0)
            assert abs(ours[k, c].numpy() - theirs).max() <= 1e-5


def test_a_mask_chooses_the_blur_at_each_pixel(photos):
    """One: the image; zero: the most blurred; between two levels their mixture."""
    pyramid = ExtremalPerturbation(blur_levels=3, blur_px=4.0).pyramid(photos)
    masks = torch.rand(3, 2, 24, 24, generator=torch.Generator().manual_seed(3))
    masks[0, 0], masks[0, 1] = 1.0, 0.0
    kept = preserved(pyramid, pyramid.diff(dim=1), masks)
    assert kept.shape == (3, 2, 3, 24, 24)
    assert torch.equal(kept[0, 0], photos[0])
    assert torch.allclose(kept[0, 1], pyramid[0, 2], atol=1e-6)
    level, share = divmod((1 - masks[2, 1, 5, 6].item()) * 2, 1)
    near = pyramid[2, int(level) : int(level) + 2, :, 5, 6]
    slow = (1 - share) * near[0] + share * near[1]
    assert torch.allclose(kept[2, 1, :, 5, 6], slow, atol=1e-6)


@pytest.fixture(scope="module")
def found():
    """Masks of a network that sees fine grain, on an image with grain in a disc alone."""
    filters = nn.Conv2d(3, 2, 2, bias=False)
    grain = torch.tensor([[1.0, -1.0], [-1.0, 1.0]]).expand(3, 2, 2)
    filters.weight.data = torch.stack([grain, -grain]).clone()
    head = nn.Linear(2 * 47 * 47, 2, bias=False)
    head.weight.data = torch.full((2, 2 * 47 * 47), 0.003)
    model = ImageModel(nn.Identity(), nn.Sequential(filters, nn.ReLU(), nn.Flatten(), head))
    at = torch.arange(48)
    disc = (at[:, None] - 18).square() + (at - 30).square() < 12**2
    noise = torch.rand(1, 3, 48, 48, generator=torch.Generator().manual_seed(6))
    image = torch.where(disc, noise, 0.5)
    method = ExtremalPerturbation(
        areas=(0.05, 0.12), iterations=150, step_px=2, sigma_px=5.0, variant="suite"
    )
    return method, method.masks(model, image, torch.tensor([0])), disc


def published_by_hand(model, image, target, area, settings):
    """One mask of an image by its definition: loops over the kernel, and torch's own descent."""
    height, width, step_px = *image.shape[1:], settings.step_px
    unit = settings.sigma_px / 3
    reach = int(4 * unit // step_px)
    rows, columns = (-(-side // step_px) + 1 for side in (height, width))
    values = torch.ones(rows, columns, requires_grad=True)
    offsets = [(i, j) for i in range(-reach, reach + 1) for j in range(-reach, reach + 1)]
    distances = [math.hypot(i, j) * step_px / unit for i, j in offsets]
    kernel = [math.exp(-(max(0.0, z - 1) ** 2) / 4) if z <= 4 else 0.0 for z in distances]

    def mask():
        padded = nn.functional.pad(values, (reach,) * 4)
        near = torch.stack(
            [
                weight * padded[reach + i : reach + i + rows, reach + j : reach + j + columns]
                for weight, (i, j) in zip(kernel, offsets, strict=True)
            ]
        )
        coarse = (near * torch.softmax(20 * near, dim=0)).sum(dim=0) / smooth_max(kernel)
        size = ((rows - 1) * step_px + 1, (columns - 1) * step_px + 1)
        fine = nn.functional.interpolate(coarse[None, None], size, None, "bilinear", True)
        return fine[0, 0, :height, :width]

    pyramid = settings.pyramid(image[None])[0]
    wanted = torch.arange(height * width) >= height * width - round(area * height * width)
    descent = torch.optim.SGD([values], lr=settings.learning_rate, momentum=0.9, dampening=0.9)
    for step in range(settings.iterations):
        at = (1 - mask()) * (len(pyramid) - 1)
        level = at.detach().floor().long().clamp(0, len(pyramid) - 2)
        sharp, soft = (pyramid.gather(0, k.expand(1, 3, -1, -1))[0] for k in (level, level + 1))
        kept = sharp + (at - level) * (soft - sharp)
        seen = kept.flip(-1) if step % 2 else kept
        off = (mask().flatten().sort(stable=True).values - wanted.float()).square().mean()
        descent.zero_grad()
        (300 * 1.0035**step * off - model(seen[None])[0, target]).backward()
        descent.step()
        values.data.clamp_(0, 1)
    return mask().detach().clamp(max=1)


def test_the_published_variant_is_as_the_authors_ran_it(small_model, photos):
    method = ExtremalPerturbation(
        areas=(0.1,),
        iterations=12,
        step_px=4,
        sigma_px=9.0,
        learning_rate=0.02,
        variant="published",
    )
    (mask,) = method.masks(small_model, photos, torch.tensor([1, 2, 3]))[1]
    slow = published_by_hand(small_model, photos[1], 2, 0.1, method)
    assert (mask - slow).abs().max() <= 1e-5
    assert mask.min() < 0.5 < mask.max() <= 1


def test_masks_lie_on_what_matters(found):
    _, masks, disc = found
    for mask in masks[0]:
        assert mask[disc].sum() > 0.8 * mask.sum()
        assert mask.max() > 0.9


def test_masks_have_the_asked_areas(found):
    method, masks, _ = found
    for area, mask in zip(method.areas, masks[0], strict=True):
        assert float(mask.mean()) == pytest.approx(area, abs=1e-4)


def test_the_map_is_the_smoothed_sum_of_the_masks(small_model, photos):
    method = ExtremalPerturbation(iterations=10, step_px=4, sigma_px=9.0)
    targets = torch.tensor([1, 2, 3])
    maps = method.explain(small_model, photos, targets)
    total = method.masks(small_model, photos, targets).sum(dim=1)[0].numpy()
    slow = gaussian_filter(total, 0.09 * 24, mode="nearest", radius=round(3 * 0.09 * 24))
    assert abs(maps[0].numpy() - slow).max() <= 1e-5

from itertools import combinations
from math import comb, factorial

import numpy as np
import pytest
import torch
from captum.attr import KernelShap as CaptumKernelShap

from xai_backend.methods.kernel_shap import KernelShap, kernel_of_sizes, shapley_values

TARGETS = torch.tensor([3, 0, 4])


def exact_values(worth, count):
    """Shapley values from their definition: marginal gains over all orders."""
    values = np.zeros(count)
    for player in range(count):
        others = [other for other in range(count) if other != player]
        for size in range(count):
            weight = factorial(size) * factorial(count - size - 1) / factorial(count)
            for subset in combinations(others, size):
                values[player] += weight * (worth({*subset, player}) - worth(set(subset)))
    return values


def test_all_coalitions_give_the_exact_shapley_values(small_model, photos):
    """Four patches: the values from all orders of arrival, straight from the definition."""
    maps = KernelShap(patch_px=12, samples=14).explain(small_model, photos[:1], TARGETS[:1])

    def worth(present):
        image = torch.zeros_like(photos[0])
        for patch in present:
            rows = slice(patch // 2 * 12, patch // 2 * 12 + 12)
            columns = slice(patch % 2 * 12, patch % 2 * 12 + 12)
            image[:, rows, columns] = photos[0][:, rows, columns]
        return small_model(image[None])[0, 3].item()

    values = exact_values(worth, 4)
    by_patch = maps[0].reshape(2, 12, 2, 12).sum(dim=(1, 3)).flatten().numpy()
    assert np.abs(by_patch - values).max() <= 1e-5 * np.abs(values).max()


def test_sampled_values_are_near_the_exact_ones():
    generator = np.random.Generator(np.random.PCG64(4))
    single, pair = generator.normal(size=8), generator.normal(size=(8, 8)) / 4
    gain = lambda rows: rows @ single + np.einsum("mi,ij,mj->m", rows, pair, rows)  # noqa: E731
    exact = single + np.diag(pair) + (pair + pair.T - 2 * np.diag(np.diag(pair))).sum(axis=1) / 2
    rows, weights = KernelShap(samples=200).coalitions(8, generator)
    assert len(rows) == 200
    plain = rows.astype(np.float64)
    values = shapley_values(rows, weights, gain(plain), float(gain(np.ones((1, 8)))[0]))
    # Pairs of complements make a game of pairs exact (Covert & Lee 2021, section 4.2).
    assert np.abs(values - exact).max() <= 1e-9


def test_the_kernel_is_lundberg_and_lee_s():
    """Theorem 2: (M − 1) / (C(M, s) s (M − s)) a coalition, so many coalitions a size."""
    per_coalition = [6 / (comb(7, size) * size * (7 - size)) for size in range(1, 7)]
    total = sum(
        comb(7, size) * weight for size, weight in zip(range(1, 7), per_coalition, strict=True)
    )
    rows, weights = KernelShap(samples=126).coalitions(7, np.random.default_rng(0))
    assert len({tuple(row) for row in rows}) == 126
    for row, weight in zip(rows, weights, strict=True):
        assert weight == pytest.approx(per_coalition[row.sum() - 1] / total)
    assert kernel_of_sizes(7).sum() == pytest.approx(1)


def test_maps_sum_to_the_logit_s_change_whatever_the_patches(small_model, photos):
    """Also where the last patches are cut by the edge."""
    change = small_model(photos) - small_model(torch.zeros_like(photos))
    wanted = change.gather(1, TARGETS[:, None])[:, 0]
    for patch_px in (5, 7, 24):
        maps = KernelShap(patch_px, samples=60).explain(small_model, photos, TARGETS)
        assert torch.allclose(maps.sum(dim=(1, 2)), wanted, atol=1e-4)


def test_values_tend_to_captum_s(small_model, photos):
    patches = torch.arange(24) // 8
    mask = (patches[:, None] * 3 + patches).expand(1, 3, 24, 24)
    torch.manual_seed(0)
    oracle = CaptumKernelShap(small_model).attribute(
        photos[:1], target=3, feature_mask=mask, n_samples=1000, perturbations_per_eval=100
    )[0, 0]
    maps = KernelShap(patch_px=8, samples=600).explain(small_model, photos[:1], TARGETS[:1])
    assert (maps[0] * 64 - oracle).abs().max() <= 0.05 * oracle.abs().max()

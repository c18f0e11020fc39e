"""The last layer's optimisation against the conditions of a convex problem's optimum."""

import pytest
import torch
from torch.nn import functional

from xai_backend.protopnet.network import wrong_class
from xai_backend.protopnet.training import fitted_weights

CLASSES = torch.tensor([0, 0, 1, 1, 2, 2])
START = torch.where(wrong_class(3, CLASSES), -0.5, 1.0).double()


@pytest.fixture(scope="module")
def scores():
    """Similarities that tell classes apart, but not without errors."""
    generator = torch.Generator().manual_seed(1)
    labels = torch.randint(3, (120,), generator=generator)
    values = torch.rand(120, 6, generator=generator, dtype=torch.float64) * 3
    return values + (CLASSES[None] == labels[:, None]) * 0.8, labels


def objective(weights, scores, l1):
    values, labels = scores
    loss = functional.cross_entropy(values @ weights.T, labels)
    return float(loss + l1 * weights[wrong_class(3, CLASSES)].abs().sum())


def fitted(scores, l1, iterations=2000):
    return fitted_weights(*scores, START, CLASSES, l1, iterations)


@pytest.mark.parametrize("l1", [1e-3, 0.02, 0.1])
def test_the_optimum_meets_its_conditions(scores, l1):
    """Slope 0 where |w| has none; −λ·sign(w) where w ≠ 0; within ±λ where w = 0."""
    weights = fitted(scores, l1).requires_grad_()
    values, labels = scores
    loss = functional.cross_entropy(values @ weights.T, labels)
    (slope,) = torch.autograd.grad(loss, weights)
    wrong = wrong_class(3, CLASSES)
    at_kink = wrong & (weights == 0)
    beside = wrong & (weights != 0)
    near = 2e-4
    assert slope[~wrong].abs().max() < near
    assert (slope[at_kink].abs() <= l1 + near).all()
    assert (slope[beside] + l1 * weights[beside].sign()).abs().max() < near if beside.any() else 1


def test_a_larger_weight_of_l1_makes_more_connections_exactly_zero(scores):
    wrong = wrong_class(3, CLASSES)
    zeros = [int((fitted(scores, l1)[wrong] == 0).sum()) for l1 in (0.0, 0.02, 0.5)]
    assert zeros[0] == 0 < zeros[1] < zeros[2] == int(wrong.sum())


def test_few_iterations_are_never_worse_than_the_start_and_none_leave_it(scores):
    values = [objective(fitted(scores, 0.02, n), scores, 0.02) for n in (0, 1, 5, 50)]
    assert values == sorted(values, reverse=True)
    assert torch.equal(fitted(scores, 0.02, 0), START)

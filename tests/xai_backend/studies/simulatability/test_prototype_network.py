from dataclasses import replace
from itertools import permutations
from math import exp, log

import pytest
import torch
from torch import nn

from stimuli.errors import UserError
from xai_backend.determinism import deterministic
from xai_backend.studies.simulatability.prototype_training import (
    Examples,
    PrototypeNetwork,
    Start,
    TrainingSplits,
    accuracy,
    prototype_loss,
    prototype_settings,
    push,
    train_prototypes,
)

CODE, PAPER = (
    prototype_settings("near_code", per_class=3),
    prototype_settings("near_paper", per_class=3),
)
QUICK = {"batch": 40, "epochs": 20, "push_after": 10}


def examples(count, seed):
    """Points in a plane whose class is on which side of a circle they lie."""
    points = torch.rand(count, 2, generator=torch.Generator().manual_seed(seed)) * 2 - 1
    return Examples(points, (points.square().sum(1) > 0.64).long())


def encoder(seed=2):
    with deterministic(seed):
        return nn.Sequential(nn.Linear(2, 12), nn.ReLU(), nn.Linear(12, 12), nn.ReLU())


def task_encoder(train):
    """An encoder that a task model was trained with."""
    with deterministic(6):
        model = nn.Sequential(encoder(), nn.Linear(12, 2))
        steps = adam(model.parameters())
        for _ in range(300):
            steps.zero_grad()
            nn.functional.cross_entropy(model(train.inputs), train.labels).backward()
            steps.step()
    return model[0]


def adam(parameters):
    return torch.optim.Adam(parameters, lr=0.01)


@pytest.fixture
def network():
    with deterministic(5):
        network = PrototypeNetwork(encoder(), 12, per_class=3, latent=4).double()
        network.last.weight.data += torch.rand(2, 2, dtype=torch.float64) - 0.5
        network.prototypes.data *= 3
    return network


def slow_squared_distances(network, point):
    z = network.latents(point[None])[0].tolist()
    prototypes = network.prototypes.tolist()
    return [sum((a - b) ** 2 for a, b in zip(z, p, strict=True)) for p in prototypes]


def slow_loss(network, batch, settings):
    """Return the loss straight from its definition: section 3.3 and appendix A.1."""
    weights = network.last.weight.tolist()
    entropy = apart = 0.0
    for point, label in zip(batch.inputs, batch.labels.tolist(), strict=True):
        squared = slow_squared_distances(network, point)
        most = [max(exp(-d) for d in squared[3 * k : 3 * k + 3]) for k in range(2)]
        scores = [sum(w * a for w, a in zip(row, most, strict=True)) for row in weights]
        entropy += log(sum(exp(score) for score in scores)) - scores[label]
        nearest = min(squared[3 * (1 - label) : 3 * (1 - label) + 3])
        apart += nearest if settings.separation_cap is None else min(nearest, 4)
    off_class = abs(weights[0][1]) + abs(weights[1][0])
    return (entropy - 0.1 * apart) / len(batch.labels) + 0.1 * off_class


@pytest.mark.parametrize("settings", [CODE, PAPER])
def test_the_loss_is_that_of_the_definition(network, settings):
    batch = examples(20, 7)
    batch = Examples(batch.inputs.double(), batch.labels)
    far = [max(slow_squared_distances(network, point)) for point in batch.inputs]
    assert max(far) > 4  # the cap matters
    loss = prototype_loss(network, batch.inputs, batch.labels, settings)
    assert loss.item() == pytest.approx(slow_loss(network, batch, settings), abs=1e-12)


def test_a_push_takes_different_examples_of_the_class_that_are_nearest_in_sum(network):
    train = examples(24, 11)
    train = Examples(train.inputs.double(), train.labels)
    candidates = torch.arange(0, 24, 2)
    expected = []
    for number in range(2):
        mine = [row for row in candidates.tolist() if train.labels[row] == number]
        squared = {row: slow_squared_distances(network, train.inputs[row]) for row in mine}
        expected += min(
            permutations(mine, 3),
            key=lambda rows, k=number: sum(squared[row][3 * k + j] for j, row in enumerate(rows)),
        )
    rows = push(network, train, candidates)
    assert rows.tolist() == expected
    assert torch.equal(network.prototypes, network.latents(train.inputs[rows]))


@pytest.mark.parametrize("settings", [CODE, PAPER])
def test_trained_prototypes_are_training_examples_of_their_class(settings):
    settings, train = replace(settings, **QUICK), examples(400, 1)
    given = task_encoder(train) if settings.frozen else encoder()
    how = (Start(given, 12), TrainingSplits(train, examples(100, 2)), settings)
    found = train_prototypes(*how, seed=3, optimiser=adam)
    network, rows = found.network, found.rows
    assert len(set(rows.tolist())) == 6
    assert torch.equal(train.labels[rows], network.prototype_classes)
    likeness = network.likeness(train.inputs[rows].double())
    torch.testing.assert_close(likeness.diag(), torch.ones(6, dtype=torch.float64))
    test = examples(300, 4)
    assert accuracy(network, Examples(test.inputs.double(), test.labels)) > 0.8
    same = train_prototypes(*how, seed=3, optimiser=adam)
    for name, value in network.state_dict().items():
        assert torch.equal(value, same.network.state_dict()[name]), name


def test_only_the_papers_variant_keeps_the_encoder_and_lets_the_last_layer_learn():
    for settings in (CODE, PAPER):
        settings, given = replace(settings, **QUICK), encoder()
        splits = TrainingSplits(examples(80, 1), examples(40, 2))
        network = train_prototypes(Start(given, 12), splits, settings, 3).network
        kept = torch.equal(network.encoder[0].weight, given[0].weight.double())
        identity = torch.equal(network.last.weight, torch.eye(2, dtype=torch.float64))
        assert (kept, identity) == ((False, True) if settings.separation_cap else (True, False))


def test_a_class_with_fewer_examples_than_prototypes_is_refused():
    train = examples(40, 1)
    few = torch.cat([(train.labels == 0).nonzero()[:2, 0], (train.labels == 1).nonzero()[:, 0]])
    with pytest.raises(UserError, match="2 different training examples, but its 3 prototypes"):
        train_prototypes(Start(encoder(), 12), TrainingSplits(train, train, few), CODE, 3)

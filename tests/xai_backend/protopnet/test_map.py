"""ProtoPNet's map: the activation map of the prototype that it says, enlarged."""

import numpy as np
import pytest
import torch

from stimuli.errors import UserError
from xai_backend.methods import Execution, method_of

TARGETS = torch.tensor([3, 0, 4])
STEP_PX = 2
"""The small network's cells look around every second pixel, from the first."""


def slow_map(model, image, target, reading):
    """One image, prototype by prototype: the winner and its map."""
    network = model.network
    with torch.no_grad():
        maps = network.activations(model.normalise(image[None]))[0]
    best, winner = -float("inf"), None
    for j, activation in enumerate(maps):
        of_class = int(network.prototype_classes[j]) == target
        value = float(activation.max())
        if reading == "contribution":
            value *= float(network.last.weight[target, j])
        if (of_class or reading == "any") and value > best:
            best, winner = value, j
    height, width = image.shape[1:]
    cells = maps[winner].numpy()
    middles = STEP_PX * np.arange(len(cells))
    columns = np.array([np.interp(np.arange(width), middles, row) for row in cells])
    fine = np.array([np.interp(np.arange(height), middles, one) for one in columns.T]).T
    return winner, torch.from_numpy(fine).float()


@pytest.mark.parametrize("reading", ["class", "contribution", "any"])
def test_the_map_is_the_winner_s_activation_enlarged(small_protopnet, photos, reading):
    method = method_of("protopnet", {"reading": reading})
    maps = method.explain(small_protopnet, photos, TARGETS)
    winners = method.winners(small_protopnet, photos, TARGETS)
    for k, target in enumerate(TARGETS.tolist()):
        winner, slow = slow_map(small_protopnet, photos[k], target, reading)
        assert winners[k] == winner
        assert torch.allclose(maps[k], slow, atol=1e-5)
    assert (maps > 0).all()


def test_the_winner_doesn_t_depend_on_how_many_go_at_once(small_protopnet, photos):
    method = method_of("protopnet", {})
    usual = method.winners(small_protopnet, photos, TARGETS)
    assert usual == method.winners(small_protopnet, photos, TARGETS, Execution(at_once=1))


def test_other_networks_and_readings_are_one_line(small_model, photos):
    with pytest.raises(UserError, match="protopnet: explains a ProtoPNet only"):
        method_of("protopnet", {}).explain(small_model, photos, TARGETS)
    with pytest.raises(UserError, match="method protopnet: reading is 'best', must be one of"):
        method_of("protopnet", {"reading": "best"})


def test_lrp_refuses_a_prototype_layer(small_protopnet, photos):
    with pytest.raises(UserError, match="lrp: no rules for a layer of prototypes"):
        method_of("lrp", {}).explain(small_protopnet, photos, TARGETS)

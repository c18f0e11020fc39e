"""Metrics of maps: what their definitions give, and kept so that nothing is computed twice."""

import numpy as np
import pytest
import torch
from torch import nn

from xai_backend.explain import metrics as module
from xai_backend.explain.answering import Network
from xai_backend.explain.metrics import metrics_of_maps
from xai_backend.explain.precompute import Picture, Precompute
from xai_backend.store import opened_store

SIDE = 10


class Sum(nn.Module):
    """Two classes: the logit of the second is the picture's sum."""

    device = torch.device("cpu")

    def forward(self, images):
        total = images.sum(dim=(1, 2, 3))
        return torch.stack([torch.zeros_like(total), total], dim=1)


def test_metrics_follow_from_the_network_and_are_computed_once(tmp_path, monkeypatch):
    codes = np.zeros((SIDE, SIDE, 3), dtype=np.uint8)
    codes[2, 3] = 255
    values = np.zeros((SIDE, SIDE), dtype=np.float32)
    values[2, 3] = 1
    calls = []

    def at_hand(*network):
        calls.append(network)
        return type("Classifier", (), {"model": Sum()})

    monkeypatch.setattr(module, "classifier_at_hand", at_hand)
    with opened_store(tmp_path) as store:
        work = Precompute(Network("sum", None, "cpu", "0" * 64), {}, store)
        picture = Picture.of("one", codes)
        found = metrics_of_maps(work, [picture], [1], {"one": values})["one"]
        assert metrics_of_maps(work, [picture], [1], {"one": values}) == {"one": found}
        assert metrics_of_maps(work, [picture], [1], {}) == {}
        assert len(calls) == 1
    # All of the logit, 3, is in the pixel that the map names.
    fall = 1 / (1 + np.exp(-3)) - 0.5
    assert found["comprehensiveness"] == pytest.approx(fall, abs=1e-6)
    assert found["sufficiency"] == pytest.approx(0, abs=1e-6)
    assert found["infidelity"] == pytest.approx(0, abs=1e-6)

"""Inputs at once by memory, and graphics cards' layout: on a CPU, with a pretended reading."""

from dataclasses import dataclass, field

import numpy as np
import pytest
import torch
from torch import nn

from tests.xai_backend.networks import small_network
from xai_backend.explain import answering
from xai_backend.explain.answering import (
    MOST,
    SHARE,
    Batch,
    Network,
    answer,
    channels_last,
    inputs_that_fit,
)
from xai_backend.methods import method_of
from xai_backend.methods.method import Execution
from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import InputFrame
from xai_backend.models.image_model import ImageModel


@dataclass
class Pretended:
    """Memory of which a network takes ``once``, and each input ``each``."""

    model: ImageModel
    available: int
    once: int
    each: int
    most: int = MOST
    seen: list[int] = field(default_factory=list)

    def free(self):
        return self.available

    def peak(self, action):
        counts = []
        handle = self.model.register_forward_pre_hook(lambda _, given: counts.append(len(given[0])))
        action()
        handle.remove()
        self.seen += counts
        if counts[0] > self.most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return self.once + self.each * counts[0]


@pytest.mark.parametrize(
    ("each", "available"), [(1, 100), (7, 3_000), (300, 40_000), (5_000, 100), (1, 10**6)]
)
def test_as_many_inputs_fit_as_their_memory_says(small_model, photos, available, each):
    memory = Pretended(small_model, available, once=50, each=each)
    chosen = inputs_that_fit(small_model, photos[:1], memory)
    assert memory.seen == [1, 2]
    assert 50 + each * chosen <= SHARE * available or chosen == 1
    assert chosen == MOST or 50 + each * 2 * chosen > SHARE * available
    assert chosen & (chosen - 1) == 0


@pytest.mark.parametrize(("asked", "expected"), [(None, 8), (3, 3)])
def test_a_worker_takes_what_fits_unless_it_is_told(monkeypatch, small_model, asked, expected):
    taken = []

    @dataclass(frozen=True)
    class Noting:
        name: str = "noting"
        version: int = 1

        def explain(self, model, inputs, targets, execution=Execution()):
            taken.append(execution.at_once)
            return torch.zeros(len(inputs), 24, 24)

    found = Classifier("small", small_model, InputFrame(24, 24), (), "0" * 64, {})
    loaded = answering._Loaded(found, runs_channels_last=False, is_channels_last=False)
    monkeypatch.setattr(answering, "_at_hand", lambda *named: loaded)
    memory = Pretended(small_model, 2_000, 100, 100)
    monkeypatch.setattr(answering, "memory_of", lambda device: memory)
    codes = np.zeros((2, 24, 24, 3), np.uint8)
    network = Network("small", None, "cpu", "0" * 64)
    for key in "ab":
        answer(Batch(network, Noting(), (key, f"{key}{key}"), codes, (0, 1), asked))
    assert taken == [expected, expected]


@pytest.mark.parametrize("method", ["lrp", "gradcam", "occlusion", "integrated_gradients"])
@pytest.mark.parametrize("family", ["resnet", "vgg_bn"])
def test_channels_last_changes_rounding_alone(family, method):
    """In float64: rounding in float32 can make another pixel the maximum of a pooling window."""

    settings = {
        "occlusion": {"patch_px": 16, "stride_px": 16},
        "integrated_gradients": {"steps": 3},
    }
    how = method_of(method, settings.get(method, {}))
    images = torch.rand(2, 3, 48, 48, generator=torch.Generator().manual_seed(3)).double()
    maps = []
    for lay_out in (lambda network: None, channels_last):
        network = small_network(family)
        lay_out(network)
        last = {"resnet": "layer4", "vgg_bn": "0"}[family]
        model = ImageModel(nn.Identity(), network, last_features=last).double()
        maps.append(how.explain(model, images, torch.tensor([1, 4])))
    assert (maps[1] - maps[0]).abs().max() <= 1e-6 * maps[0].abs().max()

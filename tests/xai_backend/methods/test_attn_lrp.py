"""AttnLRP against relevance that is passed down by hand, and zennit's γ rule."""

import pytest
import torch
from torch import nn
from torchvision.models.convnext import CNBlockConfig, ConvNeXt
from zennit.composites import LayerMapComposite
from zennit.rules import Gamma

from stimuli.errors import UserError
from tests.xai_backend import transformers_by_hand as by_hand
from tests.xai_backend.methods.test_attention import (
    CLASSES,
    MAKERS,
    TARGETS,
    lively,
    model_of,
    of_transformers,
    off,
    photos,
    torchvisions,
)
from xai_backend.methods import method_of
from xai_backend.methods.attn_lrp import AttnLrp, Rules

GAMMAS = ({}, {"gamma": 1.0, "gamma_conv": 100.0})
"""With γ = 0, families are explained by their definition; see `test_families.py`."""


@pytest.mark.parametrize(
    ("library", "gammas"),
    [*(("torchvision", gammas) for gammas in GAMMAS), ("transformers, eager", {})],
)
def test_maps_are_relevance_passed_down_rule_by_rule(library, gammas):
    make, weights = MAKERS[library]
    network = lively(make)
    model, vit = model_of(network), weights(network)
    method = AttnLrp(**gammas)
    found = method.explain(model, photos()[:1], TARGETS[:1])[0]
    picture = model.normalise(photos()[:1])[0]
    wanted = by_hand.attn_lrp(vit, picture, int(TARGETS[0]), method.gamma, method.gamma_conv)
    # Transformers takes its softmax in float32 in the open; maps are float32.
    assert off(found, wanted) <= (1e-3 if "eager" in library else 1e-5)


@pytest.mark.parametrize("kind", ["Beit", "Siglip", "Dinov2"])
def test_fused_and_open_attention_have_the_same_relevance(kind):
    network = lively(lambda: of_transformers(kind, "eager"))
    fused = lively(lambda: of_transformers(kind, "sdpa"))
    fused.load_state_dict(network.state_dict())
    maps = [AttnLrp().explain(model_of(one), photos(), TARGETS) for one in (network, fused)]
    assert maps[0].std() > 0
    assert off(maps[1], maps[0]) <= 1e-3


def test_the_rule_of_layers_is_zennits():
    torch.manual_seed(2)
    network = nn.Sequential(
        nn.Conv2d(3, 6, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(6, 4, 3), nn.ReLU(),
        nn.Flatten(), nn.Linear(4 * 14 * 14, 5),
    ).double()  # fmt: skip
    signal = torch.randn(2, 3, 32, 32, dtype=torch.float64, requires_grad=True)
    with Rules(0.3, 0.7):
        logits = network(signal)
    (slope,) = torch.autograd.grad(logits[:, 1].sum(), signal)
    rules = [(nn.Linear, Gamma(0.3)), (nn.Conv2d, Gamma(0.7))]
    with LayerMapComposite(rules).context(network) as changed:
        logits = changed(signal)
        start = torch.zeros_like(logits)
        start[:, 1] = logits[:, 1].detach()
        (wanted,) = torch.autograd.grad(logits, signal, grad_outputs=start)
    assert off(signal * slope, wanted) <= 1e-4  # zennit adds 1e-6 to what it divides by


def test_the_network_answers_as_before():
    network = lively(torchvisions)
    signal = model_of(network).normalise(photos()).requires_grad_()
    with Rules(0.05, 0.25):
        found = network(signal)
    assert torch.allclose(found, network(signal), rtol=1e-12)


def test_without_biases_and_attention_all_relevance_arrives():
    def small():
        return ConvNeXt([CNBlockConfig(8, 16, 1), CNBlockConfig(16, None, 1)], num_classes=CLASSES)

    network = lively(small)
    with torch.no_grad():
        for name, values in network.named_parameters():
            values.mul_(0.0 if "bias" in name else 1.0)
    model = model_of(network)
    found = AttnLrp().explain(model, photos(), TARGETS).sum(dim=(1, 2))
    logits = model(photos()).gather(1, TARGETS[:, None])[:, 0]
    assert torch.allclose(found.double(), logits, rtol=1e-4)


ACTIVATIONS = (
    nn.CELU(), nn.ELU(), nn.GELU(), nn.Hardsigmoid(inplace=True), nn.Hardswish(inplace=True),
    nn.Hardtanh(), nn.LeakyReLU(), nn.LogSigmoid(), nn.Mish(inplace=True), nn.ReLU(inplace=True),
    nn.ReLU6(inplace=True), nn.SELU(), nn.SiLU(inplace=True), nn.Softplus(), nn.Tanh(),
)  # fmt: skip


@pytest.mark.parametrize("activation", ACTIVATIONS, ids=lambda one: type(one).__name__)
def test_activation_functions_pass_all_relevance_also_in_an_exported_program(activation):
    network = nn.Sequential(nn.Linear(6, 8, bias=False), activation, nn.Linear(8, 3, bias=False))
    network = network.double().eval().requires_grad_(False)
    signal = 3 * torch.randn(4, 6, dtype=torch.float64)
    program = torch.export.export(network, (signal,)).module(check_guards=False)
    for one in (network, program):
        point = signal.clone().requires_grad_()
        with Rules(0.0, 0.0):
            logits = one(point)
        (slope,) = torch.autograd.grad(logits[:, 1].sum(), point)
        assert torch.allclose((point * slope).sum(dim=1), logits[:, 1])


class Divided(nn.Module):
    """What is shared by operations that have several names: norms and products by hand."""

    def __init__(self):
        super().__init__()
        self.one, self.other = (nn.Linear(6, 6, bias=False) for _ in range(2))

    def forward(self, x):
        x = x / x.norm(dim=1, keepdim=True)
        x = x * (1 / x.std(dim=1, keepdim=True))
        return torch.einsum("ni,ni->ni", self.one(x), self.other(x))


def test_norms_and_products_by_hand_pass_all_relevance():
    network = Divided().double().requires_grad_(False)
    point = torch.randn(4, 6, dtype=torch.float64, requires_grad=True)
    with Rules(0.0, 0.0):
        logits = network(point)
    (slope,) = torch.autograd.grad(logits[:, 1].sum(), point)
    assert torch.allclose((point * slope).sum(dim=1), logits[:, 1])


def test_what_has_no_rule_is_refused():
    network = nn.Sequential(nn.Conv2d(3, 4, 8, stride=8), nn.GroupNorm(2, 4), nn.Flatten())
    with pytest.raises(UserError, match="attn_lrp: no rule for group_norm; take gradcam"):
        method_of("attn_lrp", {}).explain(model_of(network.double()), photos(), TARGETS)
    with pytest.raises(UserError, match="method attn_lrp: gamma is -1, must be 0 or more"):
        method_of("attn_lrp", {"gamma": -1})

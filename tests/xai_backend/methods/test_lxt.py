"""AttnLRP against ``lxt``, its authors' library; skipped where it isn't installed.

``lxt`` changes methods of a library's classes. Its efficient form needs nothing of the network but
that; the γ rule is zennit's, in what ``lxt`` makes of it.
"""

import contextlib
import sys
from importlib import import_module
from types import ModuleType

import pytest
import torch
from torch import nn
from zennit.composites import LayerMapComposite
from zennit.core import BasicHook
from zennit.rules import Gamma

from tests.xai_backend.methods.test_attention import SIDE_PX, lively, off, transformers
from xai_backend.methods.attn_lrp import Rules

GAMMAS = ((0.0, 0.0), (0.05, 0.25), (1.0, 100.0))
IDS = torch.tensor([[5, 7, 9, 3, 4, 8]])
SIZE = {"vocab_size": 50, "num_labels": 3, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
        "attn_implementation": "eager"}  # fmt: skip
BLOCKS = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
          "intermediate_size": 64}  # fmt: skip
TEXTS = {
    "Bert": BLOCKS,
    "Llama": {**BLOCKS, "num_key_value_heads": 2},
    "GPT2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_inner": 64},
}


@pytest.fixture
def changed(monkeypatch):
    """Change Transformers as ``lxt`` does, until the test ends."""
    pytest.importorskip("lxt")
    library = pytest.importorskip("transformers")
    models = {kind: _module(library, kind) for kind in ("bert", "gpt2", "llama", "vit")}
    # lxt's own BERT needs an older Transformers: its rules are set on the installed one below.
    stub = ModuleType("lxt.efficient.models.bert")
    stub.modeling_bert, stub.attnLRP = models["bert"], {}
    monkeypatch.setitem(sys.modules, stub.__name__, stub)
    efficient, patches, gpt2, llama = (
        import_module(f"lxt.efficient{part}")
        for part in ("", ".patches", ".models.gpt2", ".models.llama")
    )
    activation, plain = patches.non_linear_forward, models["llama"]
    forwards = {
        nn.LayerNorm: patches.layer_norm_forward,
        nn.Tanh: activation,
        library.activations.GELUActivation: activation,
        plain.LlamaMLP: patches.gated_mlp_forward,
        plain.LlamaRMSNorm: patches.rms_norm_forward,
        models["gpt2"].GPT2MLP: gpt2.mlp_forward,
    }
    for own in (llama, gpt2):
        assert set(own.attnLRP) - {nn.Dropout, *models.values()} <= set(forwards)

    def apply():
        for kind, forward in forwards.items():
            monkeypatch.setattr(kind, "original_forward", kind.forward, raising=False)
            monkeypatch.setattr(kind, "forward", forward)
        for module in models.values():
            attention = patches.wrap_attention_forward(module.eager_attention_forward)
            monkeypatch.setattr(module, "eager_attention_forward", attention)
        for name in ("forward", "backward"):
            monkeypatch.setattr(BasicHook, name, getattr(BasicHook, name))
        efficient.monkey_patch_zennit()

    return apply


def _module(library, kind):
    return getattr(getattr(library.models, kind), f"modeling_{kind}")


def relevance(rules, answer, signal):
    """Return the input times the gradient that rules make of an answer."""
    point = signal.clone().requires_grad_()
    with rules:
        (slope,) = torch.autograd.grad(answer(point).logits[:, 1].sum(), point)
    return point.detach() * slope


def test_of_a_vision_transformer(changed):
    network = lively(lambda: transformers(attn_implementation="eager"))
    signal = torch.randn(2, 3, SIDE_PX, SIDE_PX, dtype=torch.float64)
    found = {gammas: relevance(Rules(*gammas), network, signal) for gammas in GAMMAS}
    changed()
    for (linear, conv), own in found.items():
        layers = ((nn.Linear, linear), (nn.Conv2d, conv))
        rules = [(kind, Gamma(gamma, stabilizer=1e-12)) for kind, gamma in layers]
        with LayerMapComposite(rules).context(network) as whole:
            wanted = relevance(contextlib.nullcontext(), whole, signal)
        assert wanted.std() > 0
        assert off(own, wanted) <= 1e-7


@pytest.mark.parametrize("kind", TEXTS)
def test_of_transformers_of_texts(changed, kind):
    library = pytest.importorskip("transformers")
    config = getattr(library, f"{kind}Config")(**SIZE, **TEXTS[kind])
    network = lively(lambda: getattr(library, f"{kind}ForSequenceClassification")(config))
    words = network.get_input_embeddings()(IDS)

    def answer(vectors):
        return network(inputs_embeds=vectors, attention_mask=torch.ones_like(IDS))

    found = relevance(Rules(0.0, 0.0), answer, words)
    changed()
    wanted = relevance(contextlib.nullcontext(), answer, words)
    assert wanted.std() > 0
    assert off(found, wanted) <= 1e-7

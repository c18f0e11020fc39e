"""Modern networks: every method is right on a family, or refuses it in one line with a way out.

What came out is a table in docs/methods.md. Where it changed, the failing test says what to write.
"""

from copy import copy, deepcopy
from functools import cache, partial
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from stimuli.errors import UserError
from tests.xai_backend import transformers_by_hand as by_hand
from xai_backend.methods import METHODS, method_of, torchvision_fix
from xai_backend.methods.method import generator_for
from xai_backend.models.classifier import hookable
from xai_backend.models.frame import Normalise
from xai_backend.models.image_model import ImageModel
from xai_backend.models.torchvision_models import last_features

assert torchvision_fix
from torchvision.models import (  # noqa: E402 - after the fix
    ConvNeXt,
    EfficientNet,
    SwinTransformer,
    VisionTransformer,
)
from torchvision.models.convnext import CNBlockConfig  # noqa: E402
from torchvision.models.efficientnet import MBConvConfig  # noqa: E402
from torchvision.models.swin_transformer import ShiftedWindowAttention  # noqa: E402
from torchvision.ops import SqueezeExcitation  # noqa: E402

PAGE = Path(__file__).parents[3] / "docs/methods.md"
BEGIN, END = "<!-- families: checked by tests -->\n", "<!-- /families -->\n"
CLASSES, SIDE_PX, TARGET = 5, 32, 3
SEED = 9
"""With it GradCAM finds something that speaks for the target in each of the networks."""
SETTINGS = {
    "patch_px": 16,
    "stride_px": 8,
    "iterations": 6,
    "steps": 6,
    "samples": 14,
    "step_px": 4,
    "sigma_px": 9.0,
    "masks": 12,
    "gamma": 0.0,
    "gamma_conv": 0.0,
}

FAMILIES = {
    "ViT": ("vit_b_16", lambda: VisionTransformer(SIDE_PX, 8, 2, 2, 16, 32, num_classes=CLASSES)),
    "Swin": (
        "swin_t",
        lambda: SwinTransformer([4, 4], 8, [2, 1], [2, 4], [4, 4], num_classes=CLASSES),
    ),
    "ConvNeXt": (
        "convnext_tiny",
        lambda: ConvNeXt(
            [CNBlockConfig(8, 16, 1), CNBlockConfig(16, None, 1)], num_classes=CLASSES
        ),
    ),
    "EfficientNet": (
        "efficientnet_b0",
        lambda: EfficientNet(
            [MBConvConfig(1, 3, 1, 8, 8, 1, 1, 1), MBConvConfig(4, 3, 2, 8, 16, 2, 1, 1)],
            dropout=0.0,
            num_classes=CLASSES,
        ),
    ),
}


@cache
def model_of(family):
    """A small member of a family, with random weights everywhere."""
    torch.manual_seed(SEED)
    name, make = FAMILIES[family]
    network = make()
    with torch.no_grad():
        for values in network.parameters():
            values.add_(torch.randn_like(values) * 0.1)
    model = ImageModel(
        Normalise((0.5,) * 3, (0.25,) * 3), hookable(network), last_features=last_features(name)
    )
    return model.eval().requires_grad_(False)


def photo_of():
    return torch.rand(3, SIDE_PX, SIDE_PX, generator=torch.Generator().manual_seed(9))


def logit(model, image):
    return float(model(image[None])[0, TARGET])


def gradient(model, image):
    point = image.clone().requires_grad_()
    model(point[None])[0, TARGET].backward()
    return point.grad


def occlusion(model, photo, method):
    total, count = torch.zeros(SIDE_PX, SIDE_PX), torch.zeros(SIDE_PX, SIDE_PX)
    for row in range(0, SIDE_PX - 15, 8):
        for column in range(0, SIDE_PX - 15, 8):
            place = (slice(row, row + 16), slice(column, column + 16))
            black = photo.clone()
            black[:, *place] = 0
            total[place] += logit(model, photo) - logit(model, black)
            count[place] += 1
    return 3 * total / count


def kernel_shap(model, photo, method):
    """Shapley values of four squares by all orders in which they can come."""
    places = [(slice(r, r + 16), slice(c, c + 16)) for r in (0, 16) for c in (0, 16)]
    values = torch.zeros(SIDE_PX, SIDE_PX)
    orders = list(permutations(places))
    for order in orders:
        shown, before = torch.zeros_like(photo), logit(model, torch.zeros_like(photo))
        for place in order:
            shown[:, *place] = photo[:, *place]
            after = logit(model, shown)
            values[place] += (after - before) / len(orders) / 256
            before = after
    return values


def integrated_gradients(model, photo, method):
    nodes, weights = np.polynomial.legendre.leggauss(method.steps)
    points = zip((nodes + 1) / 2, weights / 2, strict=True)
    total = sum(weight * gradient(model, float(node) * photo) for node, weight in points)
    return (total * photo).sum(dim=0).float()


def smoothgrad(model, photo, method):
    copies = method.noisy_copies(photo, TARGET)
    return (sum(gradient(model, copy) for copy in copies) / len(copies)).abs().sum(dim=0)


def gradient_shap(model, photo, method):
    greys, shares = (part.tolist() for part in method.draws(photo, TARGET))
    total = torch.zeros_like(photo)
    for grey, share in zip(greys, shares, strict=True):
        total += (photo - grey) * gradient(model, grey + share * (photo - grey))
    return total.sum(dim=0) / len(greys)


def last_maps(model, photo):
    """Each network's last feature maps (C, h, w) by its own code, and the gradients at them."""
    network, signal = model.network, model.normalise(photo[None])
    if isinstance(network, VisionTransformer):
        trace = by_hand.explained(by_hand.of_torchvision(network), signal[0], TARGET)
        read = trace.read[-1]
        return tuple(one[1:].T.unflatten(1, (4, 4)) for one in (read.detach(), read.grad))
    features = network.features(signal)
    if isinstance(network, SwinTransformer):  # its features' channels come last
        features = network.norm(features).permute(0, 3, 1, 2)
    features = features.detach().requires_grad_()
    if isinstance(network, SwinTransformer):
        network.head(features.mean(dim=(2, 3)))[0, TARGET].backward()
    elif isinstance(network, ConvNeXt):
        network.classifier(features.mean(dim=(2, 3), keepdim=True))[0, TARGET].backward()
    else:
        network.classifier(features.mean(dim=(2, 3)))[0, TARGET].backward()
    return features.detach()[0], features.grad[0]


def enlarged(coarse):
    return functional.interpolate(coarse[None, None], (SIDE_PX, SIDE_PX), mode="bilinear")[0, 0]


def cam(weighted):
    fine = enlarged(sum(weighted).clamp(min=0))
    return fine / fine.max()


def gradcam(model, photo, method):
    maps, slopes = last_maps(model, photo)
    return cam(slope.mean() * one for one, slope in zip(maps, slopes, strict=True))


def layer_cam(model, photo, method):
    maps, slopes = last_maps(model, photo)
    return cam(slope.clamp(min=0) * one for one, slope in zip(maps, slopes, strict=True))


def score_cam(model, photo, method):
    maps, scores = last_maps(model, photo)[0], []
    for one in maps:
        mask = enlarged(one)
        whole = mask.max() - mask.min()
        scores.append(logit(model, photo * (mask - mask.min()) / whole if whole > 0 else 0 * photo))
    weights = torch.tensor(scores).exp() / torch.tensor(scores).exp().sum()
    return cam(weight * one for weight, one in zip(weights, maps, strict=True))


def rise(model, photo, method):
    masks = method.drawn(generator_for("rise", photo, TARGET), method.masks, (SIDE_PX, SIDE_PX))
    total = torch.zeros(SIDE_PX, SIDE_PX)
    for mask in masks:
        answers = model((photo * mask)[None])[0].exp()
        total += answers[TARGET] / answers.sum() * (mask / method.shown - 1)
    return total / method.masks


def halves(one, other):
    """A product of which each factor gets half the gradient."""
    return (one @ other.detach() + one.detach() @ other) / 2


def of_window(block, tokens, region):
    """Attention among a window's tokens (16, C) that lie in the same region, written out."""
    heads, mixed = block.num_heads, []
    parts = (part.chunk(heads, dim=1) for part in block.qkv(tokens).chunk(3, dim=1))
    bias = block.get_relative_position_bias()[0]
    for k, (query, key, value) in enumerate(zip(*parts, strict=True)):
        scores = halves(query / query.shape[1] ** 0.5, key.T) + bias[k]
        scores = scores - 100 * (region[:, None] != region[None])
        mixed.append(halves(scores.softmax(dim=1), value))
    return block.proj(torch.cat(mixed, dim=1))


def of_windows(block, x):
    side, (size, _) = x.shape[1], block.window_size
    shift = block.shift_size[0] if size < side else 0
    x = torch.roll(x, (-shift, -shift), (1, 2))
    place = torch.arange(side)
    band = (place >= side - size).int() + (place >= side - shift).int() * (shift > 0)
    region = 3 * band[:, None] + band[None]
    out = torch.zeros_like(x)
    for row in range(0, side, size):
        for column in range(0, side, size):
            window = (slice(row, row + size), slice(column, column + size))
            tokens = x[0][window].reshape(size * size, -1)
            own = of_window(block, tokens, region[window].flatten())
            out[0][window] = own.reshape(size, size, -1)
    return torch.roll(out, (shift, shift), (1, 2))


def of_norm(layer, x):
    """A layer norm whose standard deviation is a constant."""
    axes = (1,) if type(layer).__name__ == "LayerNorm2d" else (-1,)
    spread = (x.var(dim=axes, unbiased=False, keepdim=True) + layer.eps).sqrt().detach()
    shape = (-1, 1, 1) if axes == (1,) else (-1,)
    x = (x - x.mean(dim=axes, keepdim=True)) / spread
    return x * layer.weight.view(shape) + layer.bias.view(shape)


def of_gate(layer, x):
    """An activation as a factor that doesn't depend on what it is given."""
    return x * (layer(x.clone()) / x).detach()


def of_squeeze(layer, x):
    scale = layer._scale(x)
    return (scale * x.detach() + scale.detach() * x) / 2


def attn_lrp(model, photo, method):
    """With γ = 0: the gradient of a network in which the rules' constants are constants."""
    signal = model.normalise(photo[None])
    if isinstance(model.network, VisionTransformer):
        vit = by_hand.of_torchvision(model.network)
        return by_hand.attn_lrp(vit, signal[0], TARGET, method.gamma, method.gamma_conv)
    network, signal = deepcopy(model.network), signal.requires_grad_()
    rules = {
        nn.LayerNorm: of_norm, nn.GELU: of_gate, nn.SiLU: of_gate, nn.Sigmoid: of_gate,
        nn.ReLU: of_gate, ShiftedWindowAttention: of_windows, SqueezeExcitation: of_squeeze,
    }  # fmt: skip
    for layer in list(network.modules()):
        rule = next((rule for kind, rule in rules.items() if isinstance(layer, kind)), None)
        if rule is not None:
            layer.forward = partial(rule, copy(layer) if rule is of_gate else layer)
    network(signal)[0, TARGET].backward()
    return (signal * signal.grad)[0].sum(dim=0).detach()


def of_attention(slow):
    def explain(model, photo, method):
        vit = by_hand.of_torchvision(model.network)
        trace = by_hand.explained(vit, model.normalise(photo[None])[0], TARGET)
        return by_hand.over_the_picture(slow(trace), SIDE_PX).detach()

    return explain


def of_a_plain_function(model, photo, method):
    """What a method gives that sees no more of a network than its answers."""

    class Hidden(nn.Module):
        def forward(self, signal):
            return model.network(signal)

    hidden = ImageModel(model.normalise, Hidden())
    hidden.device_holder = nn.Parameter(torch.zeros(1))
    return method.explain(hidden, photo[None], torch.tensor([TARGET]))[0]


BY_DEFINITION = {
    "occlusion": occlusion,
    "kernel_shap": kernel_shap,
    "integrated_gradients": integrated_gradients,
    "smoothgrad": smoothgrad,
    "gradient_shap": gradient_shap,
    "gradcam": gradcam,
    "layer_cam": layer_cam,
    "score_cam": score_cam,
    "rise": rise,
    "attn_lrp": attn_lrp,
    "attention_rollout": of_attention(by_hand.rollout),
    "attention_relevance": of_attention(by_hand.relevance),
    # These are tried against their definitions on networks of one layer; here, that they see
    # nothing of a network but its answers.
    "extremal_perturbation": of_a_plain_function,
    "saliency_sod": of_a_plain_function,
}


@cache
def explained_or_refused(name, family):
    """Return a map, or a refusal's words."""
    try:
        photo, model = photo_of(), model_of(family)
        return method_of(name, SETTINGS).explain(model, photo[None], torch.tensor([TARGET]))[0]
    except UserError as refused:
        return str(refused)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_method_is_right_on_a_family_or_refuses_it_with_what_to_take(name, family):
    found, model, photo = explained_or_refused(name, family), model_of(family), photo_of()
    if isinstance(found, str):
        assert "\n" not in found
        assert found.startswith(f"{name}: ")
        assert "take gradcam" in found
        return
    wanted = BY_DEFINITION[name](model, photo, method_of(name, SETTINGS))
    assert wanted.std() > 0
    assert (found - wanted).abs().max() <= 1e-4 * wanted.abs().max()


def table(words, families):
    """Write what came out, by method and family, and the words of refusals."""
    lines = [
        "| method | " + " | ".join(families) + " |",
        "| --- |" + " --- |" * len(families),
    ]
    said = []
    for name in METHODS:
        cells = []
        for family in families:
            told = words.get((name, family))
            if told is not None and told not in said:
                said.append(told)
            cells.append("yes" if told is None else f"no ({said.index(told) + 1})")
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *(f"{k}. {told}" for k, told in enumerate(said, 1))]) + "\n"


def test_the_page_s_table_is_what_came_out():
    words = {}
    for family in FAMILIES:
        for name in METHODS:
            found = explained_or_refused(name, family)
            if isinstance(found, str):
                words[name, family] = found
    page = PAGE.read_text(encoding="utf-8")
    assert page.split(BEGIN)[1].split(END)[0] == table(words, FAMILIES)

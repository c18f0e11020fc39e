"""Attention rollout, Chefer's relevance and GradCAM on tokens, against blocks written by hand."""

import pytest
import torch
from torch import nn
from torchvision.models import VisionTransformer, vit_b_16

from stimuli.errors import UserError
from tests.xai_backend import transformers_by_hand as by_hand
from xai_backend.methods import method_of
from xai_backend.methods.attention import run
from xai_backend.models.frame import Normalise
from xai_backend.models.image_model import ImageModel
from xai_backend.models.transformers_models import Logits

CLASSES, SIDE_PX = 5, 32
SEED = 4
TARGETS = torch.tensor([1, 3])
ON_TOKENS = ("attention_rollout", "attention_relevance", "gradcam")
BY_HAND = {
    "attention_rollout": by_hand.rollout,
    "attention_relevance": by_hand.relevance,
    "gradcam": by_hand.gradcam,
}


def lively(make):
    """Random weights everywhere: what libraries leave at 0 or 1 would hide mistakes."""
    torch.manual_seed(SEED)  # before the network is made: libraries draw their own weights
    network = make()
    with torch.no_grad():
        for values in network.parameters():
            values.add_(torch.randn_like(values) * 0.2)
    return network.double().eval().requires_grad_(False)


def torchvisions():
    return VisionTransformer(SIDE_PX, 8, 2, 4, 16, 32, num_classes=CLASSES)


def timms(**options):
    timm = pytest.importorskip("timm")
    return timm.models.VisionTransformer(
        SIDE_PX, 8, num_classes=CLASSES, embed_dim=16, depth=2, num_heads=4, mlp_ratio=2, **options
    )


def transformers(**options):
    library = pytest.importorskip("transformers")
    config = library.ViTConfig(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=32,
        image_size=SIDE_PX, patch_size=8, num_labels=CLASSES, **options,
    )  # fmt: skip
    return library.ViTForImageClassification(config)


def transformers_in_the_open():
    return transformers(attn_implementation="eager")


MAKERS = {
    "torchvision": (torchvisions, by_hand.of_torchvision),
    "timm": (timms, by_hand.of_timm),
    "transformers": (transformers, by_hand.of_transformers),
    "transformers, eager": (transformers_in_the_open, by_hand.of_transformers),
}


IN_FLOAT32 = "transformers, eager"
"""It takes its softmax in float32 whatever the weights are."""


def model_of(network):
    whole = Logits(network) if hasattr(network, "config") else network
    return ImageModel(Normalise((0.5,) * 3, (0.25,) * 3), whole).double().eval()


def photos(side=SIDE_PX):
    generator = torch.Generator().manual_seed(3)
    return torch.rand(2, 3, side, side, generator=generator, dtype=torch.float64)


def off(found, wanted):
    """Largest difference as a share of the largest value."""
    return float((found - wanted).detach().abs().max() / wanted.detach().abs().max())


@pytest.mark.parametrize("library", MAKERS)
def test_maps_are_their_authors_definitions(library):
    make, weights = MAKERS[library]
    network = lively(make)
    model, vit = model_of(network), weights(network)
    maps = {name: method_of(name, {}).explain(model, photos(), TARGETS) for name in ON_TOKENS}
    for k, target in enumerate(TARGETS.tolist()):
        trace = by_hand.explained(vit, model.normalise(photos()[k : k + 1])[0], target)
        rounded = library == IN_FLOAT32
        assert torch.allclose(trace.logits, model(photos())[k], atol=1e-5 if rounded else 1e-10)
        for name, slow in BY_HAND.items():
            wanted = by_hand.over_the_picture(slow(trace), SIDE_PX)
            wanted = wanted / wanted.max() if name == "gradcam" else wanted
            assert wanted.std() > 0
            # Maps are float32; what is before them, float64.
            assert off(maps[name][k], wanted) <= (1e-4 if rounded else 1e-6), name


@pytest.mark.slow
def test_vit_b_16_is_explained_as_its_definition_says():
    torch.manual_seed(0)
    network = vit_b_16(weights=None).eval().requires_grad_(False)
    nn.init.normal_(network.heads.head.weight, std=0.05)
    model = ImageModel(Normalise((0.5,) * 3, (0.25,) * 3), network)
    images, target = photos(224)[:1].float(), 7
    trace = by_hand.explained(by_hand.of_torchvision(network), model.normalise(images)[0], target)
    for name, slow in BY_HAND.items():
        found = method_of(name, {}).explain(model, images, torch.tensor([target]))[0]
        wanted = by_hand.over_the_picture(slow(trace), 224)
        wanted = wanted / wanted.max() if name == "gradcam" else wanted
        assert off(found, wanted) <= 1e-4, name


@pytest.mark.slow
def test_an_exported_transformer_has_the_same_maps():
    network = lively(torchvisions)
    several = torch.export.Dim("pictures", min=1, max=64)
    signal = torch.zeros(2, 3, SIDE_PX, SIDE_PX, dtype=torch.float64)
    program = torch.export.export(network, (signal,), dynamic_shapes=({0: several},))
    exported = program.module(check_guards=False)
    exported.train = exported.eval = lambda *_: exported
    for name in (*ON_TOKENS, "attn_lrp"):
        maps = [
            method_of(name, {}).explain(model_of(one), photos(), TARGETS)
            for one in (network, exported)
        ]
        assert off(maps[1], maps[0]) <= 1e-6


class Pooled(nn.Module):
    """A transformer whose answer is the mean of all tokens."""

    def __init__(self):
        super().__init__()
        self.vit, self.head = torchvisions(), nn.Linear(16, CLASSES)

    def forward(self, x):
        tokens = self.vit._process_input(x)
        first = self.vit.class_token.expand(len(x), -1, -1)
        return self.head(self.vit.encoder(torch.cat([first, tokens], dim=1)).mean(dim=1))


class Beside(nn.Module):
    """Two layers of attention that read the same tokens."""

    def __init__(self):
        super().__init__()
        self.patches, self.head = nn.Conv2d(3, 16, 8, stride=8), nn.Linear(16, CLASSES)
        self.first = nn.MultiheadAttention(16, 2, batch_first=True)
        self.second = nn.MultiheadAttention(16, 2, batch_first=True)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([x.mean(dim=1, keepdim=True), x], dim=1)
        return self.head((x + self.first(x, x, x)[0] + self.second(x, x, x)[0])[:, 0])


class Crossing(Beside):
    """The class token alone asks."""

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        return self.head(self.first(x[:, :1], x, x)[0][:, 0])


class Halved(Beside):
    """The left half of the patches alone."""

    def forward(self, x):
        x = self.patches(x)[..., :2].flatten(2).transpose(1, 2)
        return self.head(self.first(x, x, x)[0].mean(dim=1))


class Probed(Beside):
    """A token that is none of the patches asks them all, as SigLIP's pooling head does."""

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = x + self.first(x, x, x)[0]
        probe = self.head.weight[:1, :].expand(len(x), -1, -1)
        return self.head(self.second(probe, x, x)[0][:, 0])


@pytest.mark.parametrize("name", ["attention_rollout", "attention_relevance"])
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Beside, "parallel attention layers"),
        (Crossing, "attention that does not connect all tokens"),
        (Halved, "attention over parts of the image"),
        (lambda: nn.Sequential(nn.Flatten(), nn.Linear(3072, 5)), "has no self-attention"),
    ],
)
def test_attention_that_cant_be_followed_is_refused_with_what_to_take(name, make, said):
    with pytest.raises(UserError, match=said) as refused:
        method_of(name, {}).explain(model_of(lively(make)), photos(), TARGETS)
    assert "\n" not in str(refused.value)
    assert "take gradcam, occlusion or integrated_gradients" in str(refused.value)


ViT = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "image_size": SIDE_PX,
       "patch_size": 8}  # fmt: skip
FOLDERS = {
    "Beit": {"intermediate_size": 64, "use_relative_position_bias": True},
    "Siglip": {"intermediate_size": 64},
    "DeiT": {"intermediate_size": 64},
    "Dinov2": {"mlp_ratio": 2},
    "Dinov2WithRegisters": {"mlp_ratio": 2},
}
ANSWERING = {
    "Beit": slice(1, None), "DeiT": slice(2), "Dinov2WithRegisters": [0, *range(5, 21)],
}  # fmt: skip
"""Rows of the tokens that the answer is read from, where these aren't all."""


def of_transformers(kind, attention):
    library = pytest.importorskip("transformers")
    own = {**ViT, **FOLDERS[kind]}
    own = {"vision_config": own} if kind == "Siglip" else own
    config = getattr(library, f"{kind}Config")(
        **own, num_labels=CLASSES, attn_implementation=attention
    )
    teacher = "WithTeacher" if kind == "DeiT" else ""
    return getattr(library, f"{kind}ForImageClassification{teacher}")(config)


@pytest.mark.parametrize("kind", FOLDERS)
def test_answers_of_several_tokens_are_followed_through_the_matrices_that_a_library_returns(kind):
    network = lively(lambda: of_transformers(kind, "eager"))
    fused = lively(lambda: of_transformers(kind, "sdpa"))
    fused.load_state_dict(network.state_dict())
    signal = model_of(network).normalise(photos()).requires_grad_()
    out = network(pixel_values=signal, output_attentions=True)
    rows, target = ANSWERING.get(kind, slice(None)), out.logits.gather(1, TARGETS[:, None]).sum()
    gradients = torch.autograd.grad(target, out.attentions)
    tokens = out.attentions[0].shape[-1]
    reached = relevance = torch.eye(tokens, dtype=torch.float64).expand(2, -1, -1)
    for matrix, gradient in zip(out.attentions, gradients, strict=True):
        reached = (0.5 * matrix.mean(dim=1) + 0.5 * torch.eye(tokens)) @ reached
        relevance = relevance + (matrix * gradient).clamp(min=0).mean(dim=1) @ relevance
    for name, found in (("attention_rollout", reached), ("attention_relevance", relevance)):
        maps = method_of(name, {}).explain(model_of(fused), photos(), TARGETS)
        for k in range(2):
            wanted = by_hand.over_the_picture(found[k, rows, -16:].mean(dim=0), SIDE_PX)
            assert wanted.detach().std() > 0
            assert off(maps[k], wanted) <= 1e-4, name


def test_a_pool_of_attention_reads_what_the_layers_reached():
    network = lively(Probed)
    x = network.patches(model_of(network).normalise(photos())).flatten(2).transpose(1, 2)
    mixed, own = network.first(x, x, x, average_attn_weights=False)
    probe, x = network.head.weight[:1].expand(2, -1, -1), (x + mixed).requires_grad_()
    _, pool = network.second(probe, x, x, average_attn_weights=False)
    rollout = pool.mean(dim=1) @ (0.5 * own.mean(dim=1) + 0.5 * torch.eye(16))
    found = method_of("attention_rollout", {}).explain(model_of(network), photos(), TARGETS)
    for k in range(2):
        wanted = by_hand.over_the_picture(rollout[k, 0], SIDE_PX)
        assert off(found[k], wanted) <= 1e-6
    relevance = method_of("attention_relevance", {})
    maps = [relevance.explain(model_of(network), photos(), to) for to in (TARGETS, TARGETS.flip(0))]
    assert (maps[0] >= 0).all()
    assert off(*maps) > 0.01  # unlike rollout's, they depend on the class


def test_gradcam_takes_tokens_by_name_and_refuses_those_that_dont_matter():
    model = model_of(lively(torchvisions))
    usual = method_of("gradcam", {}).explain(model, photos(), TARGETS)
    last = method_of("gradcam", {"layer": "encoder.layers.encoder_layer_1.ln_1"})
    assert torch.equal(last.explain(model, photos(), TARGETS), usual)
    earlier = method_of("gradcam", {"layer": "encoder.layers.encoder_layer_0"})
    assert not torch.equal(earlier.explain(model, photos(), TARGETS), usual)
    for layer, said in (
        ("encoder.ln", "after 'encoder.ln' only the class token affects"),
        ("heads.head", "'heads.head' is not a feature map"),
    ):
        with pytest.raises(UserError, match=said):
            method_of("gradcam", {"layer": layer}).explain(model, photos(), TARGETS)


def test_gradcam_takes_the_tokens_of_networks_that_attention_isnt_followed_in():
    model = model_of(lively(Pooled))
    maps = method_of("gradcam", {"layer": "vit.encoder.ln"}).explain(model, photos(), TARGETS)
    assert float(maps.max()) == 1.0
    with pytest.raises(UserError, match="no layer of feature maps is known"):
        method_of("gradcam", {}).explain(model_of(lively(Halved)), photos(), TARGETS)


def test_nothing_stays_of_a_watch():
    """Afterwards calls aren't looked at: a mode that stayed would slow all networks down."""
    model = model_of(lively(torchvisions))
    watch = run(model, photos(), TARGETS).watch
    count = len(watch.attentions)
    model(photos())
    assert len(watch.attentions) == count == 2

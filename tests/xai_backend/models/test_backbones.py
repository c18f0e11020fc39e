"""Backbones of 2022 to 2025 from folders and files: every method explains them, or says why not.

Weights are random. What came out is a table in docs/models.md: where it changed, the failing test
says what to write.
"""

from functools import cache
from pathlib import Path

import pytest
import torch

from stimuli.errors import UserError
from tests.xai_backend.methods.test_families import table
from tests.xai_backend.studies.simulatability.own_models import tokenizer_of_news
from xai_backend.methods import METHODS, method_of, torchvision_fix
from xai_backend.networks import load_network

assert torchvision_fix
PAGE = Path(__file__).parents[3] / "docs/models.md"
BEGIN, END = "<!-- backbones: checked by tests -->\n", "<!-- /backbones -->\n"
CLASSES, SIDE_PX = 5, 64
VIT = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "image_size": SIDE_PX,
       "patch_size": 8}  # fmt: skip
STAGES = {"depths": [1, 1, 2, 1], "image_size": SIDE_PX}
FOLDERS = {
    "DINOv2 with registers": ("Dinov2WithRegisters", {**VIT, "mlp_ratio": 2}),
    "SigLIP 2": ("Siglip", {"vision_config": {**VIT, "intermediate_size": 64}}),
    "ConvNeXt V2": ("ConvNextV2", {**STAGES, "hidden_sizes": [16, 16, 32, 32]}),
    "Hiera": (
        "Hiera",
        {**STAGES, "image_size": [SIDE_PX] * 2, "embed_dim": 16, "num_heads": [1, 2, 4, 8]},
    ),
    "Swin V2": (
        "Swinv2",
        {
            "image_size": SIDE_PX, "embed_dim": 16, "depths": [2, 2, 2], "num_heads": [2, 2, 4],
            "window_size": 4,
        },
    ),
}  # fmt: skip
"""Classes of Transformers and their settings; SigLIP 2 of a fixed size has SigLIP's class."""
OF_TIMM = {
    "EVA-02": "eva02_tiny_patch14_224",
    "EfficientNetV2": "efficientnetv2_rw_t",
    "DINOv3": "vit_small_patch16_dinov3",
}
BACKBONES = (*FOLDERS, *OF_TIMM)


def lively(network, seed):
    torch.manual_seed(seed)
    with torch.no_grad():
        for values in network.parameters():
            values.add_(torch.randn_like(values) * 0.1)
    return network.eval()


@pytest.fixture(scope="module")
def model_of(tmp_path_factory):
    """A backbone by its name, read as a lab would read it."""
    folder = tmp_path_factory.mktemp("backbones")
    transformers, timm = map(pytest.importorskip, ("transformers", "timm"))

    @cache
    def model(name):
        torch.manual_seed(0)
        if name in OF_TIMM:
            network = timm.create_model(OF_TIMM[name], num_classes=CLASSES)
            torch.save(lively(network, 1).state_dict(), folder / "net.pt")
            return load_network(f"timm:{OF_TIMM[name]}", str(folder / "net.pt")).model
        kind, own = FOLDERS[name]
        config = getattr(transformers, f"{kind}Config")(**own, num_labels=CLASSES)
        network = getattr(transformers, f"{kind}ForImageClassification")(config)
        lively(network, 1).save_pretrained(folder / kind)
        size = {"height": SIDE_PX, "width": SIDE_PX}
        transformers.ViTImageProcessor(size=size).save_pretrained(folder / kind)
        return load_network(f"hf:{folder / kind}").model

    return model


def explained_or_refused(name, model, side):
    """Return a map of a class that the method finds something for, or a refusal's words."""
    coarse = {"patch_px": side // 2, "stride_px": side // 2, "step_px": side // 4}
    few = {"iterations": 4, "steps": 4, "samples": 14, "sigma_px": side / 4, "masks": 12}
    photo = torch.rand(1, 3, side, side, generator=torch.Generator().manual_seed(9))
    try:
        for target in range(CLASSES):
            method = method_of(name, {**coarse, **few})
            found = method.explain(model, photo, torch.tensor([target]))[0]
            if found.std() > 0:
                break
    except UserError as refused:
        return str(refused)
    return found


@pytest.mark.slow
def test_the_page_s_table_of_backbones_is_what_came_out(model_of):
    words = {}
    for backbone in BACKBONES:
        side = {"DINOv3": 256}.get(backbone, 224 if backbone in OF_TIMM else SIDE_PX)
        for name in METHODS:
            found = explained_or_refused(name, model_of(backbone), side)
            if isinstance(found, str):
                words[name, backbone] = found
                assert "\n" not in found
            else:
                assert found.shape == (side, side)
                assert torch.isfinite(found).all()
                assert found.std() > 0, (name, backbone)
    page = PAGE.read_text(encoding="utf-8")
    assert page.split(BEGIN)[1].split(END)[0] == table(words, BACKBONES)


def test_merged_patches_are_feature_maps_as_the_library_lays_them_out(model_of):
    """GradCAM of Hiera, whose tokens are kept by blocks: at the last norm, in rows and columns."""
    model = model_of("Hiera")
    network = model.network.network
    photo = torch.rand(1, 3, SIDE_PX, SIDE_PX, generator=torch.Generator().manual_seed(9))
    kept = []
    hook = network.hiera.pooler.register_forward_hook(lambda _, given, out: kept.append(given[0]))
    ran = network(pixel_values=model.normalise(photo), output_hidden_states=True)
    hook.remove()
    laid = ran.reshaped_hidden_states[-1]
    assert laid.shape[1:3] == (2, 2)
    assert torch.equal(laid.flatten(1, 2), kept[0])


def write_modern_bert(folder, pooling):
    transformers = pytest.importorskip("transformers")
    tokenizer = tokenizer_of_news()
    config = transformers.ModernBertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=24, num_labels=3, pad_token_id=0,
        cls_token_id=2, sep_token_id=3, bos_token_id=2, eos_token_id=3,
        classifier_pooling=pooling,
    )  # fmt: skip
    torch.manual_seed(0)
    network = transformers.ModernBertForSequenceClassification(config)
    lively(network, 1).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return f"hf:{folder}"


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_modern_bert_is_explained_unless_it_answers_from_all_words(tmp_path, pooling):
    """Its attention methods read the first token's row, which says nothing of a mean's answer."""
    from types import SimpleNamespace

    from stimuli.studies.simulatability.protocol import OF_INSIDE, OF_LEAVING_OUT
    from stimuli.studies.simulatability.stimulus import TextInput
    from xai_backend.studies.simulatability.explaining import why_not
    from xai_backend.studies.simulatability.methods import weights
    from xai_backend.studies.simulatability.own_model import OwnModel, texts_of

    classes = ("politics", "sports", "weather")
    name = write_modern_bert(tmp_path / "bert", pooling)
    model = OwnModel(name, "text", classes, (0, 1, 2), texts_of)
    domain = SimpleNamespace(model=model, classes=classes, domain="text", space=(), prototypes=None)
    given = TextInput(tokens=("the", "coach", "left"))
    for method in (*OF_INSIDE, *OF_LEAVING_OUT):
        reason = why_not(method, domain)
        if pooling == "mean" and method.startswith("attention"):
            assert reason == "text: the model doesn't read its answer from a class token"
        else:
            assert reason is None
        if reason is None and method in OF_INSIDE:
            assert getattr(weights, method)(domain, given, 3).terms

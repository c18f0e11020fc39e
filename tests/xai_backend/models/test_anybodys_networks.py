"""Networks from elsewhere: the same network by three ways, and what is refused in one line."""

import shutil
import sys

import pytest
import torch
from torch import nn

from stimuli.errors import UserError
from xai_backend.explain.answering import classifier_at_hand
from xai_backend.methods import METHODS, method_of
from xai_backend.methods.method import Method
from xai_backend.models.classifier import state_sha256
from xai_backend.models.torchvision_models import untrained
from xai_backend.networks import load_network
from xai_backend.own_code import refuse_code

CLASSES, SIDE_PX = 7, 64
SETTINGS = f"""\
side_px = {SIDE_PX}
resize_px = 72
interpolation = "bicubic"
mean = [0.5, 0.5, 0.5]
std = [0.25, 0.25, 0.25]
classes = ["a", "b", "c", "d", "e", "f", "g"]
"""
OWN = """\
from pathlib import Path
import torch
from xai_backend.models.torchvision_models import untrained

class Made(Exception):
    pass

def network():
    made = untrained("squeezenet1_1", num_classes=7)
    made.load_state_dict(torch.load(Path(__file__).with_name("net.pt"), weights_only=True))
    return made

def drawn():
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 64 * 64, 7))

class Mean(torch.nn.Module):
    def __init__(self, sign):
        super().__init__()
        self.sign = sign

    def forward(self, images):
        return self.sign * images.mean(dim=(2, 3)).repeat(1, 3)[:, :7]

def light():
    return Mean(1)

def dark():
    return Mean(-1)

def fails():
    raise Made("no weights on a Monday")

def number():
    return 3

def features():
    return torch.nn.Conv2d(3, 7, 1)

class Viewing(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(3, 8, 3, stride=8)
        self.last = torch.nn.Linear(8 * 8 * 8, 7)

    def forward(self, images):
        maps = self.first(images).relu()
        return self.last(maps.view(maps.size(0), -1))

def viewing():
    torch.manual_seed(1)
    return Viewing()

def for_other_sizes():
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 32 * 32, 7))
"""


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    """A folder with one network in all forms, and settings beside each."""
    folder = tmp_path_factory.mktemp("forms")
    torch.manual_seed(0)
    network = untrained("squeezenet1_1", num_classes=CLASSES).eval()
    torch.save(network.state_dict(), folder / "net.pt")
    several = torch.export.Dim("pictures", min=1, max=256)
    pictures = torch.zeros(2, 3, SIDE_PX, SIDE_PX)
    program = torch.export.export(network, (pictures,), dynamic_shapes=({0: several},))
    torch.export.save(program, folder / "net.pt2")
    (folder / "own_networks.py").write_text(OWN)
    for name in ("net", "own_networks"):
        (folder / f"{name}.toml").write_text(SETTINGS)
    return folder


@pytest.fixture
def place(forms, tmp_path, monkeypatch):
    """A working folder with a copy of all that."""
    shutil.copytree(forms, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.delitem(sys.modules, "own_networks", raising=False)
    return tmp_path


def pictures():
    return torch.rand(2, 3, SIDE_PX, SIDE_PX, generator=torch.Generator().manual_seed(1))


WAYS = {
    "torchvision": ("squeezenet1_1", "net.pt"),
    "exported": ("net.pt2", None),
    "own": ("own_networks:network", None),
}


def test_one_network_gives_the_same_maps_whichever_way_it_is_named(place):
    how, targets = method_of("integrated_gradients", {"steps": 5}), torch.tensor([1, 4])
    maps = {
        way: how.explain(load_network(*named).model, pictures(), targets)
        for way, named in WAYS.items()
    }
    largest = maps["torchvision"].abs().max()
    for way in ("exported", "own"):
        assert (maps[way] - maps["torchvision"]).abs().max() < 1e-4 * largest, way


def test_a_network_that_flattens_by_a_view_keeps_its_layout_and_others_dont(place):
    """`view` refuses feature maps whose channels come last."""
    kept, changed = (
        classifier_at_hand(f"own_networks:{name}", None, "cpu").model
        for name in ("viewing", "network")
    )
    assert kept.network.first.weight.is_contiguous()
    assert not changed.network.features[0].weight.is_contiguous()
    how, targets = method_of("integrated_gradients", {"steps": 5}), torch.tensor([1, 4])
    plain = load_network("own_networks:viewing").model
    found, wanted = (how.explain(model, pictures(), targets) for model in (kept, plain))
    assert torch.equal(found, wanted)


@pytest.mark.parametrize("way", WAYS)
def test_settings_beside_a_network_are_taken(place, way):
    found = load_network(*WAYS[way])
    assert (found.frame.crop_px, found.frame.resize_px) == (SIDE_PX, 72)
    assert found.frame.interpolation == "bicubic"
    assert found.categories == tuple("abcdefg")
    assert found.preprocessing["mean"] == [0.5, 0.5, 0.5]


def test_a_line_that_the_settings_leave_out_is_the_networks_usual(place):
    """A file that only states a mean took torchvision's classes and its resizing away."""
    untrained_weights = untrained("squeezenet1_1").state_dict()
    torch.save(untrained_weights, place / "whole.pt")
    usual = load_network("squeezenet1_1", "whole.pt")
    (place / "whole.toml").write_text("mean = [0.5, 0.5, 0.5]")
    stated = load_network("squeezenet1_1", "whole.pt")
    assert (stated.frame, stated.categories) == (usual.frame, usual.categories)
    assert stated.preprocessing == {**usual.preprocessing, "mean": [0.5] * 3}
    assert stated.model.last_features == usual.model.last_features
    (place / "whole.toml").write_text("side_px = 288")
    assert load_network("squeezenet1_1", "whole.pt").frame.resize_px == 288


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("side_px = 4", "side_px: must be 8 or more"),
        ("std = [0, 1, 1]", "std.1: must be above 0"),
        ("colour = 3", "colour: unknown key; known: side_px"),
        ("side_px = ", "is not valid TOML"),
        (SETTINGS.replace('"g"', '"g", "h"'), "has 7 outputs, but its settings name 8 classes"),
    ],
)
def test_settings_that_cant_be_right_are_one_line(place, text, said):
    (place / "net.toml").write_text(text)
    with pytest.raises(UserError, match=said) as refused:
        load_network("squeezenet1_1", "net.pt")
    assert "\n" not in str(refused.value)


def test_weights_that_torch_draws_are_the_same_at_each_call_and_code_is_in_the_hash(place):
    first = load_network("own_networks:drawn")
    again = load_network("own_networks:drawn")
    assert state_sha256(first.model) == state_sha256(again.model)
    assert first.weights_sha256 == again.weights_sha256
    (place / "own_networks.py").write_text(OWN + "\n# another thought\n")
    assert load_network("own_networks:drawn").weights_sha256 != first.weights_sha256


def test_functions_of_one_file_are_different_networks(place):
    """Their answers would be taken for each other's where neither has weights."""
    hashes = {load_network(f"own_networks:{name}").weights_sha256 for name in ("light", "dark")}
    assert len(hashes) == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("own_networks:fails", "the function fails .Made: no weights on a Monday"),
        ("own_networks:number", "returns int, not a torch.nn.Module"),
        ("own_networks:nothing", "own_networks has no function nothing"),
        ("own_networks:features", "gives .2, 7, 64, 64. for 2 pictures, not logits"),
        ("own_networks:for_other_sizes", "doesn't take 2 pictures of 64 × 64 px"),
        ("no_such_module:network", "no_such_module can't be imported"),
        ("nowhere.pt2", "there is no such file"),
        ("own_networks.pt2", "is not an exported program"),
        ("hf:nowhere", "no such folder with a config.json"),
    ],
)
def test_what_is_no_network_is_one_line(place, name, said):
    (place / "own_networks.pt2").write_text(OWN)
    with pytest.raises(UserError, match=said) as refused:
        load_network(name)
    assert "\n" not in str(refused.value)


def test_a_name_in_a_protocol_never_runs_python():
    with pytest.raises(UserError, match=r"run only where --model own:make"):
        refuse_code("own:make", "study.toml: system.network")
    refuse_code("resnet50", "study.toml: system.network")
    refuse_code("timm:resnet10t", "study.toml: system.network")


def test_lrp_refuses_a_network_in_which_relevance_counts_twice(place):
    class Added(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Conv2d(3, 3, 1), nn.Conv2d(3, 3, 1)
            self.last = nn.Linear(3, CLASSES)

        def forward(self, x):
            x = self.first(x).relu()
            x = x + torch.tanh(self.second(x))
            return self.last(x.mean((2, 3)))

    from xai_backend.models.frame import Normalise
    from xai_backend.models.image_model import ImageModel

    torch.manual_seed(3)
    model = ImageModel(Normalise((0.5,) * 3, (0.25,) * 3), Added())
    with pytest.raises(UserError, match="its rules don't fit this network"):
        method_of("lrp", {}).explain(model, pictures(), torch.tensor([1, 4]))


SLOW_METHODS = {"extremal_perturbation", "kernel_shap", "human", "protopnet", "saliency_sod"}


def explains_or_refuses(method: Method, model):
    try:
        maps = method.explain(model, pictures(), torch.tensor([1, 4]))
    except UserError as refused:
        return "refused" if "\n" not in str(refused) else "refused in several lines"
    assert maps.shape == (2, SIDE_PX, SIDE_PX)
    assert torch.isfinite(maps).all()
    return "explained"


def test_a_network_of_timms_is_explained_or_refused_by_every_method(place):
    timm = pytest.importorskip("timm")
    torch.manual_seed(0)
    torch.save(timm.create_model("resnet10t", num_classes=CLASSES).state_dict(), place / "net.pt")
    model = load_network("timm:resnet10t", "net.pt").model
    found = {
        name: explains_or_refuses(METHODS[name](), model) for name in METHODS.keys() - SLOW_METHODS
    }
    refused = {name for name, said in found.items() if said == "refused"}
    assert refused - {"lrp"} == {"attention_rollout", "attention_relevance"}


@pytest.mark.slow
def test_a_vision_transformer_is_explained_or_refused_by_every_method(place):
    transformers = pytest.importorskip("transformers")
    config = transformers.ViTConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        image_size=SIDE_PX, patch_size=16, id2label={n: f"class {n}" for n in range(CLASSES)},
    )  # fmt: skip
    transformers.ViTForImageClassification(config).save_pretrained(place / "vit")
    size = {"height": SIDE_PX, "width": SIDE_PX}
    transformers.ViTImageProcessor(size=size).save_pretrained(place / "vit")
    found = load_network(f"hf:{place / 'vit'}")
    assert found.frame.crop_px == SIDE_PX
    assert found.categories[2] == "class 2"
    said = {
        name: explains_or_refuses(METHODS[name](), found.model)
        for name in METHODS.keys() - SLOW_METHODS
    }
    assert {name for name, one in said.items() if one == "refused"} == {"lrp"}

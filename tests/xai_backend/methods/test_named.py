"""Methods by name: captum's and the user's own, beside slow references, and what is refused."""

import sys
from importlib.metadata import EntryPoint

import pytest
import torch
from torch import nn

from stimuli.errors import UserError
from xai_backend.methods import identity_of, named_method
from xai_backend.methods.method import Execution
from xai_backend.methods.of_captum import attributions
from xai_backend.models.image_model import ImageModel

SIDE_PX = 16
OWN = """\
import random
import numpy as np
import torch

def gradient(model, inputs, targets, power=1.0):
    inputs = inputs.clone().requires_grad_()
    score = model(inputs).gather(1, targets[:, None]).sum()
    return (torch.autograd.grad(score, inputs)[0] * inputs).sum(dim=1).abs() ** power

def noise(model, inputs, targets):
    height, width = inputs.shape[2:]
    return np.random.rand(height, width) + random.random() + torch.rand(1).item()

def channels(model, inputs, targets):
    return inputs[0]

def small(model, inputs, targets):
    return inputs[:, 0, :4, :4]

def words(model, inputs, targets):
    return "here"

def holes(model, inputs, targets):
    return inputs[0, 0] / 0

def fails(model, inputs, targets):
    raise KeyError("layer4")

def few(model, inputs):
    return inputs

def needy(model, inputs, targets, strength):
    return inputs[0]

not_a_function = 3
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A working folder with methods of the user's own."""
    (tmp_path / "own_methods.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.delitem(sys.modules, "own_methods", raising=False)
    return tmp_path


@pytest.fixture(scope="module")
def model():
    """A small network whose every layer captum's attributions can take."""
    torch.manual_seed(3)
    network = nn.Sequential(
        nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(), nn.AvgPool2d(4), nn.Flatten(), nn.Linear(96, 4)
    )
    with torch.no_grad():
        network[-1].weight *= 30  # captum's Lime takes a lasso, which leaves small effects out
    return ImageModel(nn.Identity(), network, "0").eval()


def images(count=2):
    return torch.rand(count, 3, SIDE_PX, SIDE_PX, generator=torch.Generator().manual_seed(1))


def explained(method, model, count=2, execution=Execution()):
    return method.explain(model, images(count), torch.tensor([1, 3])[:count], execution)


@pytest.mark.parametrize("name", attributions())
def test_each_attribution_of_captum_makes_maps_of_single_images(name, model):
    texts = ["n_samples=20"] if name in ("Lime", "KernelShap") else []
    texts += ["n_samples=3"] if name == "ShapleyValueSampling" else []
    if name in ("Lime", "KernelShap", "ShapleyValueSampling", "FeatureAblation", "Occlusion"):
        texts.append("patch_px=4")
    if name == "Occlusion":
        texts.append("stride_px=4")
    method = named_method(f"captum:{name}", texts)
    maps = explained(method, model)
    assert maps.shape == (2, SIDE_PX, SIDE_PX)
    assert maps.dtype == torch.float32
    assert bool(torch.isfinite(maps).all())
    assert float(maps.abs().max()) > 0
    again = torch.stack(
        [
            method.explain(model, image[None], torch.tensor([target]))[0]
            for image, target in zip(images(), (1, 3), strict=True)
        ]
    )
    assert torch.equal(maps, again)


def test_occlusion_of_captum_is_the_fall_of_the_logit(model):
    method = named_method("captum:Occlusion", ["patch_px=4", "stride_px=4"])
    (found,) = explained(method, model, 1)
    image = images(1)
    with torch.no_grad():
        whole = model(image)[0, 1]
        for row in range(0, SIDE_PX, 4):
            for column in range(0, SIDE_PX, 4):
                hidden = image.clone()
                hidden[:, :, row : row + 4, column : column + 4] = 0
                fall = whole - model(hidden)[0, 1]
                # captum gives each of the three channels the fall; the map sums them.
                patch = found[row : row + 4, column : column + 4]
                assert torch.allclose(patch, 3 * fall.expand(4, 4), atol=1e-5)


def test_a_function_of_ones_own_explains(own, model):
    maps = explained(named_method("own_methods:gradient", ["power=2"]), model)
    points = images().requires_grad_()
    score = model(points)[torch.arange(2), torch.tensor([1, 3])].sum()
    (gradients,) = torch.autograd.grad(score, points)
    wanted = (gradients * points).sum(dim=1).abs() ** 2
    assert torch.allclose(maps, wanted.detach(), atol=1e-6)


def test_chance_comes_from_the_image(own, model):
    method = named_method("own_methods:noise")
    both = explained(method, model)
    second = method.explain(model, images()[1:], torch.tensor([3]))
    assert torch.equal(both[1:], second)
    assert not torch.equal(both[0], both[1])


def test_other_code_is_another_method(own, model):
    before = named_method("own_methods:channels")
    (own / "own_methods.py").write_text(OWN + "\n# changed\n")
    assert identity_of(named_method("own_methods:channels")) != identity_of(before)
    with pytest.raises(UserError, match="changed after the job began"):
        explained(before, model)


def test_an_installed_package_registers_a_method(own, monkeypatch, model):
    entry = EntryPoint("mine", "own_methods:channels", "plainsight.methods")
    monkeypatch.setattr(
        "xai_backend.methods.of_users.entry_points",
        lambda group, name: [entry] if (group, name) == (entry.group, entry.name) else [],
    )
    assert named_method("mine").name == "own_methods:channels"


@pytest.mark.parametrize(
    ("name", "texts", "words"),
    [
        ("captum:Occlusionn", [], "captum has no such attribution"),
        ("captum:LayerGradCam", [], "captum has no such attribution"),
        ("captum:Saliency", ["abs=2"], "such as true, the default"),
        ("captum:Lime", ["samples=2"], "no setting 'samples'; did you mean n_samples"),
        ("captum:Lime", ["target=2"], "no setting 'target'"),
        ("nowhere:method", [], "nowhere can't be imported (ModuleNotFoundError"),
        ("own_methods:nothing", [], "own_methods has no function nothing"),
        ("own_methods:not_a_function", [], "has no function not_a_function"),
        ("own_methods:few", [], "must take model, inputs, targets"),
        ("own_methods:needy", [], "further arguments with defaults only"),
        ("own_methods:gradient", ["power=high"], "such as 1.0, the default"),
        ("own_methods:gradient", ["strength=1"], "no setting 'strength'"),
        ("magic", [], "captum:NAME or module:function"),
    ],
)
def test_a_name_that_cannot_be_is_refused_in_one_line(own, name, texts, words):
    with pytest.raises(UserError) as refused:
        named_method(name, texts)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("small", "returns (1, 4, 4) for an image of 16 × 16"),
        ("words", "returns str, not numbers"),
        ("holes", "are infinite"),
        ("fails", "the function fails (KeyError: 'layer4')"),
    ],
)
def test_what_is_no_map_is_refused_in_one_line(own, model, function, words):
    with pytest.raises(UserError) as refused:
        explained(named_method(f"own_methods:{function}"), model)
    assert words in str(refused.value)


def test_captums_refusal_is_one_line(model):
    method = named_method("captum:GuidedGradCam", ["layer=nowhere"])
    with pytest.raises(ValueError, match="no layer 'nowhere'"):
        explained(method, model)

    class Odd(nn.Module):
        def forward(self, pictures):
            if len(pictures) > 1:
                raise RuntimeError("one picture\nat a time")
            return pictures.flatten(1)[:, :4]

    odd = ImageModel(nn.Identity(), nn.Sequential(Odd(), nn.Linear(4, 4)))
    with pytest.raises(ValueError, match=r"can't explain this network so \(one picture") as refused:
        explained(named_method("captum:DeepLiftShap"), odd)
    assert "\n" not in str(refused.value)

"""A graphics card's maps are the CPU's: every method, networks of all kinds, and its memory."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr
from torch import nn

from stimuli.studies.simulatability.stimulus import TextInput
from tests.xai_backend.networks import MAKERS, small_network
from tests.xai_backend.studies.simulatability.own_models import write_bert, write_masked
from xai_backend.explain.answering import CardMemory, channels_last, inputs_that_fit, with_halving
from xai_backend.methods import METHODS, Execution, method_of
from xai_backend.methods.extremal_perturbation import ExtremalPerturbation
from xai_backend.methods.pgd import Pgd
from xai_backend.models.classifier import hookable
from xai_backend.models.frame import IMAGENET_MEAN, IMAGENET_STD, Normalise
from xai_backend.models.image_model import ImageModel
from xai_backend.studies.simulatability.masked_words import masked_model
from xai_backend.studies.simulatability.methods.weights import (
    attention_rollout,
    integrated_gradients,
)
from xai_backend.studies.simulatability.own_model import OwnModel, texts_of

if not torch.cuda.is_available():
    pytest.skip("there is no graphics card that torch can use", allow_module_level=True)

TARGETS = torch.tensor([3, 0, 4])
OF_ATTENTION = ("attention_rollout", "attention_relevance")
SETTINGS = {
    "patch_px": 8, "stride_px": 4, "iterations": 12, "steps": 9, "samples": 40, "step_px": 4,
    "sigma_px": 9.0,
}  # fmt: skip
TOLERANCE = 1e-2
"""Of a map's norm, in float32: rounding can tip a rectifier, and a gradient jumps there."""
ENLARGED = 5e-2
"""The steps of extremal perturbation enlarge what rounding begins."""
FAMILIES_METHODS = ("gradcam", "lrp", "occlusion", "integrated_gradients", "smoothgrad")
GIVEN = TextInput(
    tokens=("the", "minister", "left", "(", "in", "winter", ")", "."), glued=(4, 6, 7)
)


def on(device, model):
    """The model on a device, as `explain` has it there."""
    hookable(model.network)
    moved = model.to(device)
    if device == "cuda":
        channels_last(moved.network)
    return moved


def assert_alike(one, other, tolerance=TOLERANCE):
    assert one.device.type == other.device.type == "cpu"
    for ours, theirs in zip(one.flatten(1), other.flatten(1), strict=True):
        assert (ours - theirs).norm() <= tolerance * ours.norm()
        assert spearmanr(ours, theirs)[0] > 0.99


@pytest.mark.parametrize("name", sorted(METHODS))
def test_each_method_gives_the_cpus_map_and_the_same_bits_again(
    name, small_model, small_protopnet, small_vit, photos
):
    method = method_of(name, SETTINGS)
    own = {"protopnet": small_protopnet} | dict.fromkeys(OF_ATTENTION, small_vit)
    model = own.get(name, small_model)
    ours = method.explain(on("cpu", model), photos, TARGETS)
    theirs = [method.explain(on("cuda", model), photos, TARGETS) for _ in range(2)]
    assert torch.equal(*theirs)
    assert_alike(ours, theirs[0], ENLARGED if name == "extremal_perturbation" else TOLERANCE)


@pytest.mark.parametrize("name", FAMILIES_METHODS)
@pytest.mark.parametrize("family", MAKERS)
def test_each_family_of_networks_is_explained_alike(family, name):
    """In float64, where rounding tips no rectifier."""
    last = {"resnet": "layer4", "bottlenecks": "layer4", "vgg": "0", "vgg_bn": "0"}
    model = ImageModel(nn.Identity(), small_network(family), last.get(family, "features"))
    images = torch.rand(2, 3, 48, 48, generator=torch.Generator().manual_seed(3)).double()
    method, targets = method_of(name, SETTINGS), torch.tensor([1, 4])
    ours = method.explain(on("cpu", model), images, targets)
    theirs = [method.explain(on("cuda", model), images, targets) for _ in range(2)]
    assert torch.equal(*theirs)
    assert (ours - theirs[0]).abs().max() <= 1e-6 * ours.abs().max()


def test_the_published_variant_is_alike_too(small_model, photos):
    method = ExtremalPerturbation(
        iterations=12, step_px=4, sigma_px=9.0, variant="published", smoothing=0.0
    )
    ours = method.masks(on("cpu", small_model), photos, TARGETS)
    theirs = method.masks(on("cuda", small_model), photos, TARGETS)
    assert (ours - theirs).abs().mean() <= ENLARGED


def test_convolutions_are_as_exact_as_float32():
    """TF32, torch's default for convolutions on a card, misses by 1e-3."""
    network = nn.Sequential(nn.Conv2d(64, 64, 3), nn.Flatten(), nn.LazyLinear(5))
    images = torch.rand(2, 3, 24, 24, generator=torch.Generator().manual_seed(1))
    front = nn.Conv2d(3, 64, 1)
    model = ImageModel(front, network)
    model(images)
    method = method_of("integrated_gradients", {"steps": 3})
    exact = method.explain(model.double(), images.double(), torch.tensor([1, 4]))
    found = method.explain(model.float().cuda(), images, torch.tensor([1, 4]))
    assert (found - exact).abs().max() <= 1e-5 * exact.abs().max()


def test_attacks_stay_in_reach_and_mislead_alike(small_model, photos):
    attack = Pgd(steps=5, random_start=True)
    labels = on("cpu", small_model)(photos).argmax(dim=1)
    ours = attack.attack(small_model, photos, labels)
    theirs = attack.attack(on("cuda", small_model), photos, labels)
    assert (theirs - photos).abs().max() <= attack.epsilon + 1e-6
    assert (ours - theirs).abs().mean() < 1e-3


def test_half_precision_is_near_float32(small_model, photos):
    exact = method_of("occlusion", SETTINGS).explain(on("cuda", small_model), photos, TARGETS)
    for precision in ("bfloat16", "float16"):
        method = method_of("occlusion", SETTINGS | {"precision": precision})
        found = method.explain(on("cuda", small_model), photos, TARGETS)
        assert 0 < (found - exact).abs().max() <= 0.1 * exact.abs().max()


@pytest.fixture
def small_card():
    """A share of the card's memory, so that a lack of it comes soon."""
    torch.cuda.empty_cache()
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(2**30 / total)
    yield 2**30
    torch.cuda.set_per_process_memory_fraction(1.0)
    torch.cuda.empty_cache()


def test_where_memory_runs_out_half_as_many_inputs_are_taken(small_card):
    model = on("cuda", ImageModel(nn.Identity(), small_network("resnet").float(), "layer4"))
    images, said = torch.rand(4, 3, 224, 224), []
    method, targets = method_of("gradcam", {}), torch.arange(4)
    found, used = with_halving(
        lambda how: method.explain(model, images, targets, how), Execution(1024), said.append
    )
    assert 1 <= used.at_once < 1024
    assert said[-1] == f"out of memory: continuing with {used.at_once} at once"
    again = method.explain(model, images, targets, Execution(4))
    assert_alike(again, found)


def test_as_many_inputs_are_planned_as_half_of_the_memory_holds(small_card):
    model = on("cuda", ImageModel(nn.Identity(), small_network("vgg").float()))
    image, memory = torch.rand(1, 3, 64, 64, device="cuda"), CardMemory(torch.device("cuda"))
    count = inputs_that_fit(model, image, memory)
    assert 1 <= count <= 64
    free = memory.free()
    assert 0 < free <= torch.cuda.mem_get_info()[1]


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    """The names of a small BERT and of a masked one."""
    folder = tmp_path_factory.mktemp("news")
    return f"hf:{write_bert(folder / 'bert')}", f"hf:{write_masked(folder / 'masked')}"


def test_weights_of_words_are_alike(news):
    classes = ("politics", "sports", "weather")

    def domain(device):
        model = OwnModel(news[0], "text", classes, (0, 1, 2), texts_of, device)
        return SimpleNamespace(model=model, classes=classes)

    here, there = domain("cpu"), domain("cuda")
    np.testing.assert_allclose(
        there.model.scores([GIVEN, GIVEN]), here.model.scores([GIVEN, GIVEN]), atol=1e-5
    )
    for explain in (integrated_gradients, attention_rollout):
        ours, theirs = (explain(one, GIVEN, 8) for one in (here, there))
        weights = [{term.places: term.weight for term in one.terms} for one in (ours, theirs)]
        assert weights[0] == pytest.approx(weights[1], abs=1e-4)


def test_masked_words_are_alike(news):
    texts = ["the [MASK] left in winter .", "the minister [MASK] in winter ."]
    ours, theirs = (masked_model(news[1], device).chances(texts) for device in ("cpu", "cuda"))
    np.testing.assert_allclose(theirs, ours, atol=1e-5)


def test_the_front_of_imagenet_is_alike(photos):
    front = Normalise(IMAGENET_MEAN, IMAGENET_STD)
    assert torch.allclose(front(photos), front.to("cuda")(photos.cuda()).cpu(), atol=1e-6)

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torchvision import models

from tests.xai_backend.networks import MAKERS, pictures, small_network
from xai_backend.fast.graph import steps_of
from xai_backend.fast.occlusion import Patches, narrowed, occluded_logits, wider_partners
from xai_backend.fast.rewriting import rewritten
from xai_backend.methods.occlusion import Batch, Occlusion, plain_logits
from xai_backend.models.image_model import ImageModel


def covered_by_hand(network, signal, cover, patches):
    """The whole network on each covered image, one by one, without and then with patches."""
    logits = [network(signal)[0]]
    for row in patches.rows:
        for column in patches.columns:
            down = slice(row, row + patches.side_px)
            across = slice(column, column + patches.side_px)
            image = signal.clone()
            image[..., down, across] = cover[..., down, across]
            logits.append(network(image)[0])
    return torch.stack(logits)


def furthest(found, expected):
    """The largest difference as a share of the largest fall."""
    return float((found - expected).abs().max() / (expected - expected[0]).abs().max())


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_reuse_changes_nothing(name):
    """Patches at all edges and within, the last ones running over; one, some and all at once."""
    network, signal, cover = small_network(name), pictures(1, 72, 80), pictures(1, 72, 80, seed=6)
    patches = Patches((0, 27, 64), (0, 20, 45, 75), 10)
    slow = covered_by_hand(network, signal, cover, patches)[:, 4]
    steps = rewritten(narrowed(steps_of(network), 4))
    for at_once in (1, 5, 64):
        fast = occluded_logits(steps, signal, cover, patches, at_once)
        assert fast.dtype == torch.float64
        assert furthest(fast, slow) <= 1e-10


def test_a_pointwise_branch_takes_the_region_of_the_wider_one_that_it_is_joined_with():
    steps = rewritten(narrowed(steps_of(models.squeezenet1_1(weights=None).eval()), 3))
    partners = wider_partners(steps)
    assert len(partners) == 3
    for narrow, wide in partners.items():
        kernels = [steps[number - 1].operation.frame.kernel for number in (narrow, wide)]
        assert kernels == [(1, 1), (3, 3)]
    assert wider_partners(steps_of(models.resnet18(weights=None).eval())) == {}


windows = st.tuples(
    st.integers(1, 4), st.integers(1, 3), st.integers(0, 2), st.integers(1, 2)
).filter(lambda window: window[2] <= window[0] // 2)
layers = st.lists(
    st.tuples(st.sampled_from(["convolution", "max", "max_ceil", "average"]), windows, windows),
    min_size=1,
    max_size=4,
)


def layer(kind, down, across, channels):
    kernel, stride, padding, dilation = zip(down, across, strict=True)
    if kind == "convolution":
        return nn.Conv2d(channels, 2, kernel, stride, padding, dilation)
    if kind == "average":
        return nn.AvgPool2d(kernel, stride, padding)
    return nn.MaxPool2d(kernel, stride, padding, dilation, ceil_mode=kind == "max_ceil")


@settings(max_examples=15)
@given(layers, st.integers(1, 9), st.lists(st.integers(0, 22), min_size=1, max_size=4, unique=True))
def test_reuse_is_exact_for_any_window(kinds, side_px, starts):
    """Any kernel, stride, padding and dilation, rows unlike columns, any patches."""
    torch.manual_seed(1)
    made = [layer(*kind, channels=3 if not k else 2) for k, kind in enumerate(kinds)]
    if not isinstance(made[0], nn.Conv2d):
        made.insert(0, nn.Conv2d(3, 2, 1))
    network = nn.Sequential(*made, nn.ReLU()).double().eval().requires_grad_(False)
    signal, cover = pictures(1, 27, 23), pictures(1, 27, 23, seed=8)
    patches = Patches(tuple(sorted(starts)), tuple(sorted(starts)), side_px)
    try:
        network(signal)
    except RuntimeError:  # the map became smaller than a window
        return
    network.append(nn.Flatten())
    slow = covered_by_hand(network, signal, cover, patches)[:, 0]
    fast = occluded_logits(narrowed(steps_of(network), 0), signal, cover, patches, 6)
    assert (fast - slow).abs().max() <= 1e-10 * max(1.0, slow.abs().max())


def test_less_is_computed(monkeypatch):
    """Cells that convolutions compute for a small patch, against those of whole maps."""
    network, signal = small_network("resnet"), pictures(1, 128, 128)
    steps = narrowed(steps_of(network), 0)
    cells = []
    genuine = nn.functional.conv2d

    def counted(x, *arguments):
        found = genuine(x, *arguments)
        cells.append(found.numel() / len(found))
        return found

    monkeypatch.setattr("xai_backend.fast.operations.functional.conv2d", counted)
    occluded_logits(steps, signal, signal, Patches((60,), (60,), 4), 1)
    convolutions = len(cells) // 2
    assert sum(cells[convolutions:]) < 0.2 * sum(cells[:convolutions])


def test_networks_that_cannot_be_read_are_run_whole(photos, small_model):
    class Unread(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = small_model.network

        def forward(self, x):
            return self.inner(x) * 1.0

    model = ImageModel(small_model.normalise, Unread()).eval()
    targets = torch.tensor([3, 0, 4])
    assert model.derived(steps_of) is None
    fast = Occlusion(8, 4).explain(small_model, photos, targets)
    plain = Occlusion(8, 4).explain(model, photos, targets)
    assert (fast - plain).abs().max() <= 1e-4 * plain.abs().max()


@pytest.mark.parametrize(("precision", "furthest_off"), [("bfloat16", 0.1), ("float16", 0.01)])
def test_half_precision_gives_nearly_the_same_map(photos, small_model, precision, furthest_off):
    targets = torch.tensor([3, 0, 4])
    full = Occlusion(8, 4).explain(small_model, photos, targets)
    coarse = Occlusion(8, 4, precision).explain(small_model, photos, targets)
    assert not torch.equal(full, coarse)
    assert (full - coarse).abs().max() <= furthest_off * full.abs().max()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["squeezenet1_1", "resnet18", "resnet34", "resnet50", "vgg16", "mobilenet_v2"]
)
def test_reuse_changes_nothing_in_torchvision_s_networks(name):
    """Real frames, float64, a ninth of the windows."""
    torch.manual_seed(3)
    network = models.get_model(name, weights=None).double().eval().requires_grad_(False)
    signal, cover = pictures(1, 224, 224), torch.full((1, 3, 224, 224), -2.0).double()
    patches = Patches((0, 56, 104, 192), (0, 96, 192), 32)
    slow = plain_logits(network, signal, cover, 5, patches, Batch(4))
    steps = rewritten(narrowed(steps_of(network), 5))
    fast = occluded_logits(steps, signal, cover, patches, 9)
    assert furthest(fast, slow) <= 1e-10

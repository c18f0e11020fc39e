"""What every method by name promises."""

import pytest
import torch

from stimuli.errors import UserError
from xai_backend.methods import METHODS, Execution, method_of
from xai_backend.models.image_model import ImageModel
from xai_backend.models.plate_cnn import LAST_FEATURES, WIDTHS
from xai_backend.protopnet import ProtoPNet
from xai_backend.protopnet.backbone import Trunk
from xai_backend.protopnet.network import ProtoPNetSettings

TARGETS = torch.tensor([3, 0, 4])
OF_ATTENTION = ("attention_rollout", "attention_relevance")
SHARES = [0.05804071, 0.85760856, 0.49086374, 0.87997860]
SETTINGS = {
    "patch_px": 8,
    "stride_px": 4,
    "iterations": 5,
    "steps": 9,
    "samples": 40,
    "masks": 64,
    "step_px": 4,
    "sigma_px": 9.0,
}


@pytest.fixture(params=sorted(METHODS))
def method(request):
    return method_of(request.param, SETTINGS)


@pytest.fixture
def explained(method, small_model, small_protopnet, small_vit):
    """A network that the method explains."""
    own = {"protopnet": small_protopnet} | dict.fromkeys(OF_ATTENTION, small_vit)
    return own.get(method.name, small_model)


def test_maps_are_finite_float32_on_the_cpu_and_the_network_stays(method, explained, photos):
    before = {name: value.clone() for name, value in explained.state_dict().items()}
    maps = method.explain(explained, photos, TARGETS)
    assert maps.shape == (3, 24, 24)
    assert maps.dtype == torch.float32
    assert maps.device.type == "cpu"
    assert not maps.requires_grad
    assert torch.isfinite(maps).all()
    assert maps.std() > 0
    after = explained.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert not any(module._forward_hooks for module in explained.modules())
    assert not torch.are_deterministic_algorithms_enabled()


def test_a_map_depends_on_no_other_image_no_order_and_not_on_torch_s_generator(
    method, explained, photos
):
    together = method.explain(explained, photos, TARGETS)
    torch.manual_seed(2)
    before = torch.get_rng_state()
    alone = method.explain(explained, photos[1:2], TARGETS[1:2])
    assert torch.equal(before, torch.get_rng_state())
    backwards = method.explain(explained, photos.flip(0), TARGETS.flip(0))
    assert torch.equal(together[1], alone[0])
    assert torch.equal(together, backwards.flip(0))


def test_how_many_go_at_once_changes_no_more_than_rounding(method, explained, photos):
    usual, one, five = (
        method.explain(explained, photos, TARGETS, Execution(at_once=at_once))
        for at_once in (None, 1, 5)
    )
    for other in (one, five):
        assert (usual - other).abs().max() <= 1e-4 * usual.abs().max()


def test_a_plate_network_can_be_explained_by_all(method, model, images):
    if method.name in OF_ATTENTION:
        pytest.skip("it has no attention")
    if method.name == "protopnet":
        trunk = Trunk(model.network, LAST_FEATURES)
        network = ProtoPNet(trunk, WIDTHS[-1], 10, ProtoPNetSettings(2, 6))
        model = ImageModel(model.normalise, network).eval().requires_grad_(False)
    maps = method.explain(model, images, TARGETS)
    assert maps.shape == (3, 48, 48)
    assert torch.isfinite(maps).all()


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("integrated_gradients", {"steps": 0}),
        ("smoothgrad", {"noise": -1.0}),
        ("smoothgrad", {"samples": 0}),
        ("gradient_shap", {"baselines": ()}),
        ("gradient_shap", {"baselines": (2.0,)}),
        ("kernel_shap", {"patch_px": 0}),
        ("kernel_shap", {"samples": 1}),
        ("extremal_perturbation", {"areas": (0.0,)}),
        ("extremal_perturbation", {"iterations": 0}),
        ("saliency_sod", {"provider": "poolnet"}),
        ("rise", {"masks": 0}),
        ("rise", {"shown": 1.0}),
        ("protopnet", {"reading": "best"}),
    ],
)
def test_impossible_settings_are_one_line(name, setting):
    with pytest.raises(UserError, match=f"method {name}: "):
        method_of(name, setting)


def test_draws_follow_from_the_image_s_content_alone():
    """Golden draws: the same in every process, on every machine."""
    image = torch.linspace(0, 1, 48).view(3, 4, 4)
    greys, shares = method_of("gradient_shap", {"samples": 4}).draws(image, 1)
    assert greys.tolist() == [0, 0, 1, 1]
    assert shares.tolist() == pytest.approx(SHARES, abs=1e-6)
    _, others = method_of("gradient_shap", {"samples": 4}).draws(image, 2)
    assert shares.tolist() != others.tolist()

"""GradCAM, integrated gradients, SmoothGrad and gradient SHAP against definition and captum."""

import numpy as np
import pytest
import torch
from captum.attr import GradientShap as CaptumGradientShap
from captum.attr import IntegratedGradients as CaptumIntegratedGradients
from captum.attr import NoiseTunnel, Saliency
from torch import nn

from stimuli.errors import UserError
from xai_backend.methods.gradcam import GradCam
from xai_backend.methods.gradients import GradientShap, IntegratedGradients, SmoothGrad
from xai_backend.models.image_model import ImageModel

TARGETS = torch.tensor([3, 0, 4])


def gradient(model, image, target):
    point = image.clone().requires_grad_()
    model(point[None])[0, target].backward()
    return point.grad


def off(maps, oracle):
    """Largest difference as a share of the largest value."""
    return float((maps - oracle).abs().max() / oracle.abs().max())


def test_gradcam_is_zero_where_nothing_speaks_for_the_class(photos):
    network = nn.Sequential(nn.Conv2d(3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(1152, 2))
    nn.init.constant_(network[0].weight, 1.0)
    nn.init.constant_(network[3].weight, -1.0)
    model = ImageModel(nn.Identity(), network, last_features="1")
    assert not GradCam().explain(model, photos, torch.zeros(3, dtype=torch.int64)).any()


def test_gradcam_takes_a_named_layer_and_refuses_what_is_none(small_model, photos):
    other = GradCam(layer="1").explain(small_model, photos, TARGETS)
    assert not torch.equal(other, GradCam().explain(small_model, photos, TARGETS))
    with pytest.raises(UserError, match="no layer 'nowhere'"):
        GradCam(layer="nowhere").explain(small_model, photos, TARGETS)
    with pytest.raises(UserError, match="'6' is not a feature map"):
        GradCam(layer="6").explain(small_model, photos, TARGETS)
    bare = ImageModel(small_model.normalise, small_model.network)
    found = GradCam().explain(bare, photos, TARGETS)  # the last maps of the last convolution's size
    assert torch.equal(found, GradCam().explain(small_model, photos, TARGETS))
    flat = nn.Sequential(nn.Flatten(), nn.Linear(photos[0].numel(), 10))
    with pytest.raises(UserError, match="no layer of feature maps is known"):
        GradCam().explain(ImageModel(nn.Identity(), flat), photos, TARGETS)


class ChannelsLast(nn.Module):
    def forward(self, features):
        return features.permute(0, 2, 3, 1)


def test_features_whose_channels_come_last_have_the_map_of_those_whose_come_first(photos):
    """As Swin's do: read the other way, a map would lie nowhere."""
    torch.manual_seed(6)
    network = nn.Sequential(
        nn.Conv2d(3, 16, 4, stride=4), ChannelsLast(), nn.Flatten(), nn.Linear(16 * 36, 5)
    )
    model = ImageModel(nn.Identity(), network, last_features="1")
    last, first = (GradCam(layer).explain(model, photos, TARGETS) for layer in ("", "0"))
    assert first.std() > 0
    assert off(last, first) <= 1e-6


def test_features_that_lie_over_no_picture_are_refused(photos):
    network = nn.Sequential(
        nn.Conv2d(3, 16, (4, 12), stride=(4, 12)), nn.Flatten(), nn.Linear(16 * 12, 5)
    )
    with pytest.raises(UserError, match=r"isn't shaped as the image .16 × 6 × 2 for 24 × 24"):
        GradCam("0").explain(ImageModel(nn.Identity(), network), photos, TARGETS)


@pytest.mark.parametrize("absolute", [True, False])
def test_smoothgrad_is_the_mean_gradient_of_its_copies(small_model, photos, absolute):
    method = SmoothGrad(samples=11, absolute=absolute)
    maps = method.explain(small_model, photos, TARGETS)
    for k, target in enumerate(TARGETS.tolist()):
        copies = method.noisy_copies(photos[k], target)
        assert copies.shape == (11, 3, 24, 24)
        slow = sum(gradient(small_model, copy, target) for copy in copies) / 11
        assert off(maps[k], (slow.abs() if absolute else slow).sum(dim=0)) <= 1e-5


def test_smoothgrad_s_noise_has_the_asked_size(photos):
    image = photos[0]
    noise = SmoothGrad(samples=200, noise=0.3).noisy_copies(image, 0) - image
    assert noise.std() == pytest.approx(0.3 * float(image.max() - image.min()), rel=0.01)
    assert abs(float(noise.mean())) < 0.002


def test_integrated_gradients_are_captum_s_in_one_batch(small_model, photos):
    oracle = CaptumIntegratedGradients(small_model).attribute(
        photos, baselines=0, target=TARGETS, n_steps=30, method="gausslegendre"
    )
    maps = IntegratedGradients(steps=30).explain(small_model, photos, TARGETS)
    assert off(maps, oracle.sum(dim=1)) <= 1e-5


def test_smoothgrad_tends_to_captum_s(small_model, photos):
    image, spread = photos[:1], float(photos[0].max() - photos[0].min())
    torch.manual_seed(0)
    oracle = NoiseTunnel(Saliency(small_model)).attribute(
        image, nt_samples=1500, nt_samples_batch_size=100, stdevs=0.15 * spread, target=3, abs=False
    )
    maps = SmoothGrad(samples=1500, absolute=False).explain(small_model, image, TARGETS[:1])
    assert off(maps[0], oracle[0].sum(dim=0)) <= 0.05


def test_gradient_shap_tends_to_captum_s(small_model, photos):
    image = photos[:1]
    ends = torch.stack([torch.zeros_like(photos[0]), torch.ones_like(photos[0])])
    torch.manual_seed(0)
    np.random.seed(0)
    oracle = CaptumGradientShap(small_model)
    # Captum takes all draws at once: many would need much memory.
    parts = [
        oracle.attribute(image, baselines=ends, n_samples=100, stdevs=0.0, target=3)
        for _ in range(15)
    ]
    maps = GradientShap(samples=500).explain(small_model, image, TARGETS[:1])
    assert off(maps[0], torch.cat(parts).mean(dim=0).sum(dim=0)) <= 0.05

"""The scores of --compare beside Quantus 0.6, on real photographs: where definitions match.

Quantus isn't part of the suite: these tests need it, photographs and weights
(docs/methods.md, Evidence). Quantus flips single features, so that the pictures have one channel
here, which the network sees as grey.
"""

import numpy as np
import pytest
import torch
from torch import nn
from torchvision.models import resnet18

from tests.xai_backend.given import real_data
from xai_backend.compare.scores import STEPS
from xai_backend.methods import method_of
from xai_backend.methods.extremal_perturbation import blurred
from xai_backend.metrics.faithfulness import BLUR_PX, deletion, insertion
from xai_backend.metrics.localisation import box_masks, pointing_game
from xai_backend.metrics.maps import gini, spearman
from xai_backend.models.frame import read_photo
from xai_backend.models.image_model import ImageModel
from xai_backend.models.torchvision_models import load_classifier

quantus = pytest.importorskip("quantus")
pytestmark = pytest.mark.slow

PHOTOS = 4
METHODS = {"lrp": {}, "gradcam": {}, "integrated_gradients": {"steps": 10}}
QUIET = {"disable_warnings": True, "display_progressbar": False}


class Grey(nn.Module):
    """A network that sees one channel as grey."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, images):
        return self.network(images.expand(-1, 3, -1, -1))


class Case:
    """A network, grey photographs (n, 1, H, W), their classes, and maps (n, H, W) by method."""

    def __init__(self, place):
        weights = place / "weights" / "squeezenet1_1_torchvision_fp32.pt"
        self.whole = load_classifier("squeezenet1_1", str(weights))
        paths = sorted((place / "imagenet" / "sample_orig").iterdir())[:: 60 // PHOTOS][:PHOTOS]
        frame = self.whole.frame
        grey = [np.asarray(frame.picture(read_photo(path).convert("L"))) for path in paths]
        self.images = torch.from_numpy(np.stack(grey)[:, None] / 255).float()
        self.model = ImageModel(nn.Identity(), Grey(self.whole.model)).eval()
        with torch.no_grad():
            self.targets = self.model(self.images).argmax(dim=1)
        self.maps = {name: self.explained(name, self.whole.model) for name in METHODS}

    def explained(self, method, model):
        how = method_of(method, METHODS[method])
        return how.explain(model, self.images.expand(-1, 3, -1, -1), self.targets).numpy()

    def asked(self, values):
        return {
            "model": self.model,
            "x_batch": self.images.numpy().copy(),
            "y_batch": self.targets.numpy(),
            "a_batch": values[:, None].copy(),
            "channel_first": True,
            "device": "cpu",
            "batch_size": PHOTOS,
        }


@pytest.fixture(scope="module")
def case():
    return Case(real_data("imagenet/sample_orig"))


def distinct(maps):
    """Maps without ties, which each breaks in its own way."""
    chance = np.random.default_rng(0).permuted(
        np.tile(np.linspace(0, 1e-4, maps[0].size), (len(maps), 1)), axis=1
    )
    largest = np.abs(maps).max(axis=(1, 2), keepdims=True)
    return maps.astype(np.float64) / largest + chance.reshape(maps.shape)


@pytest.mark.parametrize("method", METHODS)
def test_deletion_is_pixel_flipping(case, method, record_property):
    values = distinct(case.maps[method])
    pixels = values[0].size
    flipped = quantus.PixelFlipping(
        features_in_step=pixels // STEPS, perturb_baseline=0.0, normalise=False, **QUIET
    )
    theirs = np.array(flipped(**case.asked(values), softmax=True))
    ours = deletion(case.model, case.images, case.targets, values, STEPS)
    difference = np.abs(ours.probability[:, 1:] - theirs).max()
    record_property("largest difference", difference)
    print(f"{method}: deletion, largest difference of a probability {difference:.1e}")
    assert difference < 1e-5


@pytest.mark.parametrize("method", METHODS)
def test_insertion_is_pixel_flipping_from_the_blurred_image_to_the_image(case, method):
    values = distinct(case.maps[method])
    whole = case.images.numpy().reshape(PHOTOS, -1)

    def restored(arr, indices, **_):
        changed = arr.copy()
        rows = np.arange(len(arr))[:, None]
        changed[rows, indices] = whole[rows, indices]
        return changed

    flipped = quantus.PixelFlipping(
        features_in_step=values[0].size // STEPS, perturb_func=restored, normalise=False, **QUIET
    )
    asked = case.asked(values) | {"x_batch": blurred(case.images, BLUR_PX).numpy()}
    theirs = np.array(flipped(**asked, softmax=True))
    ours = insertion(case.model, case.images, case.targets, values, STEPS)
    difference = np.abs(ours.probability[:, 1:] - theirs).max()
    print(f"{method}: insertion, largest difference of a probability {difference:.1e}")
    assert difference < 1e-5


@pytest.mark.parametrize("method", METHODS)
def test_the_pointing_game_without_tolerance_is_theirs(case, method):
    values = distinct(case.maps[method])
    side = values.shape[1]
    for box in ((0, 0, 112, 112), (56, 56, 168, 168), (112, 0, 224, 224)):
        there = box_masks([[box]] * PHOTOS, side, side)
        game = quantus.PointingGame(**QUIET)
        theirs = game(**case.asked(values) | {"s_batch": there[:, None]})
        ours = pointing_game(values, there, tolerance_px=0)
        assert np.array_equal(ours, np.array(theirs, dtype=float))


@pytest.mark.parametrize("method", METHODS)
def test_sparseness_is_theirs(case, method):
    """Quantus adds 1e-7 to each pixel of a map that is divided by its maximum."""
    theirs = np.array(quantus.Sparseness(**QUIET)(**case.asked(case.maps[method])))
    difference = np.abs(gini(case.maps[method]) - theirs).max()
    print(f"{method}: sparseness, largest difference {difference:.1e}")
    assert difference < 1e-4


@pytest.mark.parametrize(
    ("method", "settings"), [("smoothgrad", {"samples": 5}), ("integrated_gradients", {"steps": 5})]
)
def test_the_rank_correlation_with_a_network_of_new_weights_is_theirs(method, settings):
    """On Quantus' own network of new weights; `--compare` shuffles them instead.

    It is a ResNet-18, whose normalisation keeps answers at their size. SqueezeNet with torch's
    usual new weights answers 0 to everything, so that there are no maps to compare.
    """
    torch.manual_seed(5)
    model = ImageModel(nn.Identity(), resnet18(num_classes=10), "layer4").eval()
    images, targets = torch.rand(PHOTOS, 3, 64, 64), torch.arange(PHOTOS)

    def explained(model, *_, **__):
        return method_of(method, settings).explain(model, images, targets).numpy()[:, None]

    own = explained(model)
    check = quantus.MPRT(
        skip_layers=True, return_last_correlation=True, seed=0, normalise=False, **QUIET
    )
    theirs = check(
        model=model,
        x_batch=images.numpy(),
        y_batch=targets.numpy(),
        a_batch=own.copy(),
        explain_func=explained,
        channel_first=True,
        device="cpu",
        batch_size=PHOTOS,
    )
    interface = quantus.helpers.model.pytorch_model.PyTorchModel(model)
    *_, (_, renewed) = interface.get_random_layer_generator(order="top_down", seed=0)
    ours = spearman(np.abs(own[:, 0]), np.abs(explained(renewed)[:, 0]))
    print(f"{method}: rank correlation, largest difference {np.abs(ours - theirs).max():.1e}")
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert np.abs(ours).max() < 0.9

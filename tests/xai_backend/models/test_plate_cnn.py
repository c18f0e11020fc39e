import numpy as np
import torch

from stimuli.plates.masks import digit_mask
from stimuli.plates.plate import make_plate
from tests.xai_backend.conftest import COARSE
from xai_backend.determinism import deterministic
from xai_backend.models.image_model import as_images, batches, logits_of
from xai_backend.models.plate_cnn import PlateContrast, RedGreen
from xai_backend.models.plate_reading import pictures_of


def test_the_front_by_table_is_the_front():
    codes = torch.arange(256, dtype=torch.uint8).repeat(3, 1).T.reshape(1, 16, 16, 3)
    front = RedGreen(COARSE)
    assert torch.allclose(front.of_codes(codes), front(as_images(codes)), atol=1e-6)


def test_the_front_is_pointwise_and_black_says_nothing(images):
    front = RedGreen(COARSE)
    changed = images.clone()
    changed[:, :, 10, 20] = 0
    there = front(changed) != front(images)
    assert there.sum() == 3
    assert there[:, 0, 10, 20].all()
    assert front(changed)[:, 0, 10, 20].abs().max() < 1e-6


def test_figure_dots_are_above_zero_on_both_axes_and_ground_below(digits):
    mask = digit_mask(digits.images[1], COARSE)
    plate = make_plate(mask, 1, 1, COARSE)
    for axis in ("deutan", "protan"):
        codes = torch.from_numpy(pictures_of(plate, [(axis, 0.06)], COARSE, 112))
        signal = RedGreen(COARSE).of_codes(codes)[0, 0].numpy()
        at = [
            np.clip(((v + 1) / 2 * 112).astype(int), 0, 111)
            for v in (-plate.packing.y, plate.packing.x)
        ]
        signs = signal[at[0], at[1]] > 0
        assert (signs == plate.figure).mean() > 0.97


def test_contrast_is_scaled_away_but_rounding_noise_is_not_blown_up():
    signal = torch.randn(2, 1, 32, 32, generator=torch.Generator().manual_seed(0))
    scale = PlateContrast()
    assert torch.allclose(scale(0.1 * signal), scale(0.2 * signal), atol=5e-3)
    assert scale(1e-4 * signal).abs().max() < 0.1


def test_logits_do_not_depend_on_how_many_images_there_are(model, images):
    with deterministic():
        assert torch.equal(logits_of(model, images)[2:], logits_of(model, images[2:]))
    assert [count for _, count in batches(torch.arange(10), 4)] == [4, 4, 2]

from dataclasses import replace

import numpy as np

from stimuli.plates.masks import digit_mask
from stimuli.plates.packing import pack_dots
from stimuli.plates.plate import Plate
from stimuli.plates.render import render
from stimuli.plates.spec import neutral_lms
from tests.xai_backend.conftest import COARSE, stream_settings
from xai_backend.models.plate_stream import PlateStream, _turned

PLAIN = {
    "cutout_share": 0.0,
    "rotation_sd": 0.0,
    "shear_sd": 0.0,
    "log_scale_sd": 0.0,
    "shift_sd": 0.0,
}


def test_a_batch_depends_on_its_number_and_the_seed_alone(digits):
    codes, labels = PlateStream(stream_settings(), digits, 1).batch(5, 12)
    stream = PlateStream(stream_settings(), digits, 1)
    stream.batch(4, 12)
    again, labels_again = stream.batch(5, 12)
    assert np.array_equal(codes, again)
    assert np.array_equal(labels, labels_again)
    assert not np.array_equal(codes, PlateStream(stream_settings(), digits, 2).batch(5, 12)[0])


def test_held_out_digits_are_never_looked_at(digits):
    images = digits.images.copy()
    images[digits.held_out_indices] = np.nan
    labels = digits.labels.copy()
    labels[digits.held_out_indices] = 99
    blind = replace(digits, images=images, labels=labels)
    settings = stream_settings(digits_most=10**6)
    same = (
        PlateStream(settings, digits, 1).batch(0, 40),
        PlateStream(settings, blind, 1).batch(0, 40),
    )
    assert np.array_equal(same[0][0], same[1][0])
    assert same[1][1].max() <= 9


def test_a_packing_that_was_turned_is_drawn_as_its_picture_turned():
    packing = pack_dots(3, COARSE)
    rng = np.random.default_rng(0)
    lms = neutral_lms(len(packing), rng, COARSE)
    figure = rng.random(len(packing)) < 0.3
    for turns, mirrored in [(0, True), (1, False), (3, True)]:
        turned = Plate(_turned(packing, turns, mirrored), figure, lms)
        drawn = render(turned, "deutan", 0.06, 64, spec=COARSE).astype(int)
        picture = render(Plate(packing, figure, lms), "deutan", 0.06, 64, spec=COARSE)
        picture = np.rot90(picture[:, ::-1] if mirrored else picture, turns).astype(int)
        # Scanlines run along rows: turned by a quarter, edges differ by a few codes.
        assert np.abs(drawn - picture).mean() < 2


def test_plates_are_those_of_the_generator(digits):
    """Without variation a training plate's digit stands where people's plates have it."""
    settings = stream_settings(**PLAIN, no_numeral_share=0.0, digits_most=25)
    stream = PlateStream(settings, digits, 1)
    codes, labels = stream.batch(0, 12)
    masks = {int(index): digit_mask(digits.images[index], COARSE) for index in stream._indices}
    redness = codes[..., 0].astype(float) - codes[..., 1]
    for picture, label in zip(redness, labels, strict=True):
        overlaps = {index: _contrast(picture, mask) for index, mask in masks.items()}
        best = max(overlaps, key=overlaps.__getitem__)
        assert digits.labels[best] == label


def _contrast(picture, mask):
    rows = (np.arange(48) + 0.5) / 48 * len(mask)
    at = mask[np.ix_(rows.astype(int), rows.astype(int))]
    return picture[at].mean() - picture[~at].mean()

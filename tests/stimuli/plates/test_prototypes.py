"""What observers know of digits: exemplars of a few, prototypes of many."""

import numpy as np
import pytest

from stimuli.images.digits import load_digits
from stimuli.plates.masks import digit_mask
from stimuli.plates.observer import Observer, log_posterior
from stimuli.plates.packing import pack_dots
from stimuli.plates.spec import PlateSpec
from stimuli.plates.templates import (
    TEMPLATE_PX,
    DigitTemplates,
    digits_in_mind,
    prototypes,
    templates_bytes,
    templates_from_bytes,
)

SPEC = PlateSpec()
UCI = load_digits("uci")
TRAIN = UCI.train_indices


@pytest.fixture(scope="module")
def few():
    return prototypes(UCI.images[TRAIN], UCI.labels[TRAIN], count=6, of=40)


def test_a_source_with_few_images_is_known_by_exemplars():
    known = digits_in_mind(UCI)
    exemplars = DigitTemplates.from_images(UCI.images[TRAIN], UCI.labels[TRAIN])
    assert known.pieces == 1
    assert (known.ink == exemplars.ink).all()


def test_a_prototype_is_the_mean_of_the_masks_nearest_to_its_centre(few):
    """Counted one by one; the blur and the digit's own mean are small."""
    rng = np.random.Generator(np.random.PCG64(0))
    drawn = rng.choice(TRAIN[UCI.labels[TRAIN] == 0], 40, replace=False)
    masks = [digit_mask(UCI.images[index], SPEC, TEMPLATE_PX) for index in drawn]
    own = {centre: [] for centre in range(6)}
    for mask in masks:
        own[min(range(6), key=lambda centre: (mask != masks[centre]).sum())].append(mask)
    for centre, members in own.items():
        plain = np.mean(members, axis=0)
        made = few.ink[:, centre].reshape(TEMPLATE_PX, TEMPLATE_PX)
        assert np.abs(made - plain).mean() < 0.1
        assert np.corrcoef(made.ravel(), plain.ravel())[0, 1] > 0.93


def test_ink_of_a_prototype_is_a_probability(few):
    """The posterior is that of dots which are figure with the chance that the ink states."""
    packing, observer = pack_dots(1, SPEC), Observer()
    ratio = np.random.default_rng(2).normal(0, 1.5, (len(packing), 3))
    ink = few.at_dots(packing).astype(float)
    low, high = observer.template_false, observer.template_hit
    chance = low + (high - low) * ink
    exact = np.log(chance[..., None] * np.exp(ratio)[:, None] + 1 - chance[..., None]).sum(axis=0)
    none = np.log(low * np.exp(ratio) + 1 - low).sum(axis=0)
    slow = np.array([*few.pooled(exact), none])
    slow -= np.log(np.exp(slow - slow.max(axis=0)).sum(axis=0)) + slow.max(axis=0)
    fast = log_posterior(observer, few, packing, ratio)
    likely = np.exp(slow) > 0.01
    assert np.abs(np.exp(fast.T) - np.exp(slow))[likely].max() < 0.2
    assert (fast.argmax(axis=1) == slow.argmax(axis=0)).all()


def test_packs_carry_prototypes(few):
    again = templates_from_bytes(templates_bytes(few))
    assert again.pieces == few.pieces
    assert (again.labels == few.labels).all()
    assert np.abs(again.ink - few.ink).max() <= 1 / 255

"""Bars 2 and 4 in small: plates hide from networks and eyes, and leaky ones would be caught."""

import numpy as np
import pytest
from numpy.random import PCG64, Generator

from bench.parts.classifiers import (
    EPOCHS,
    HIDDEN,
    VIEWS,
    answers,
    pack_blind,
    pictures_of,
    plate_of,
)
from bench.parts.reading import Question, learn, read
from bench.parts.respecting import pack_respecting
from stimuli.images.digits import load_digits
from stimuli.plates.masks import MASK_PX, digit_mask, pixel_columns, pixel_rows
from stimuli.plates.observer import Observer
from stimuli.plates.spec import PlateSpec

COARSE = PlateSpec(dot_radius_min=0.03, dot_radius_max=0.06, density=0.5, min_stroke_dots=1.5)
UCI = load_digits("uci")
SIZE_PX = 32
TRAIN, TEST = 420, 250


def _made(pack, views, spec=COARSE, size_px=SIZE_PX, train=TRAIN, test=TEST):
    """Return pictures (n, views, h, w) and labels, of training and of held-out digits."""
    made = []
    for part, (indices, count) in enumerate(
        ((UCI.train_indices, train), (UCI.held_out_indices, test))
    ):
        order = Generator(PCG64(part)).permutation(indices)
        chosen = [int(order[number % len(order)]) for number in range(count)]
        plates = [
            plate_of(UCI, index, part * 10**6 + number, spec, pack)
            for number, index in enumerate(chosen)
        ]
        shown = np.stack([pictures_of(plate, views, size_px, spec) for plate in plates])
        made.append((shown, UCI.labels[chosen]))
    return made


def _rate(train, test, view, epochs=22):
    given = answers(train[0][:, view], train[1], test[0][:, view], epochs)
    return float((given == test[1]).mean())


@pytest.mark.slow
@pytest.mark.parametrize("name", HIDDEN)
def test_a_network_reads_nothing_by_geometry_or_by_the_eyes_own_luminance(name):
    """250 answers at a rate of .1: .18 lies four standard errors above it."""
    views = [view for view in VIEWS if view.name == name]
    assert _rate(*_made(pack_blind, views), 0) < 0.18


@pytest.mark.slow
def test_the_same_network_learns_to_read_digits_that_are_not_hidden():
    images = np.kron(UCI.images, np.ones((1, 4, 4), dtype=np.float32)).astype(np.float16)
    train, test = UCI.train_indices[:TRAIN], UCI.held_out_indices[:TEST]
    given = answers(images[train], UCI.labels[train], images[test], 8)
    assert (given == UCI.labels[test]).mean() > 0.5


@pytest.mark.slow
def test_the_same_network_reads_plates_whose_packing_knows_the_digit():
    views = [view for view in VIEWS if view.respecting]
    assert _rate(*_made(pack_respecting, views), 0) > 0.5


def test_a_respecting_packing_crosses_no_outline_and_is_otherwise_like_ours():
    mask = digit_mask(UCI.images[3])
    packing = pack_respecting(mask, 1)
    angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    # A pixel of the mask narrower: the outline is known to a pixel only.
    radius = (packing.radius - 2 / MASK_PX)[:, None]
    x, y = packing.x[:, None] + radius * np.cos(angle), packing.y[:, None] + radius * np.sin(angle)
    inside = mask[pixel_rows(y, MASK_PX), pixel_columns(x, MASK_PX)]
    assert (inside.all(axis=1) | ~inside.any(axis=1)).all()
    assert inside.all(axis=1).sum() > 100
    gaps = np.hypot(*(v[:, None] - v for v in (packing.x, packing.y)))
    gaps -= packing.radius[:, None] + packing.radius
    np.fill_diagonal(gaps, 1)
    assert gaps.min() >= PlateSpec().dot_gap - 1e-6
    assert (np.hypot(packing.x, packing.y) + packing.radius).max() <= 1 + 1e-6


def test_observers_read_displayed_plates_in_the_order_of_their_eyes():
    """The reader of the bench: a normal reads, a mild anomal less, the dichromat nothing."""
    questions = [
        Question(Observer("deutan", 0.0), "deutan", 0.04, at_s=3.0),
        Question(Observer("deutan", 0.8), "deutan", 0.04, at_s=3.0),
        Question(Observer("deutan", 1.0, efficiency=1.0), "deutan", 0.097),
    ]
    asked = [(question, learn(question)) for question in questions]
    readings = read("uci", asked, 33)
    normal, mild, blind = (readings.rate(number).estimate for number in range(3))
    assert readings.ceiling_rate >= normal > 0.8
    assert normal - mild > 0.3
    assert blind < 0.2


def test_a_plate_shown_to_the_wrong_dichromat_is_read():
    """Negative control of bar 2's reading: a protanope reads plates on the deutan line."""
    question = Question(Observer("protan", 1.0, efficiency=1.0), "deutan", 0.04)
    asked = [(question, learn(question))]
    assert read("uci", asked, 30).rate(0).estimate > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("name", HIDDEN)
def test_bar_4_at_full_size_on_uci(name):
    from analysis.statistics.proportions import Count, wilson

    views = [view for view in VIEWS if view.name == name]
    train, test = _made(pack_blind, views, PlateSpec(), 64, 3000, 4000)
    right = round(_rate(train, test, 0, EPOCHS) * 4000)
    assert wilson(Count(right, 4000)).ci_high <= 0.13


@pytest.mark.slow
def test_bar_4s_positive_control_at_full_size_on_uci():
    views = [view for view in VIEWS if view.respecting]
    assert _rate(*_made(pack_respecting, views, PlateSpec(), 64, 3000, 1000), 0, EPOCHS) > 0.5

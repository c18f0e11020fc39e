"""The model observer: it reads, its matching dichromat doesn't, attention helps honestly."""

import numpy as np
import pytest

from stimuli.colour.spaces import AXES
from stimuli.images.digits import load_digits
from stimuli.plates import observer as observing
from stimuli.plates.masks import digit_mask, no_numeral_mask
from stimuli.plates.observer import (
    NO_NUMERAL,
    DigitTemplates,
    Observer,
    ShownPlate,
    attention,
    forced_choice,
    read_over_time,
    reading_rate,
)
from stimuli.plates.packing import pack_dots
from stimuli.plates.plate import dress
from stimuli.plates.spec import PlateSpec, spec_for_axis
from tests.stimuli.plates.contrasts import contrast_ladder

SPEC = PlateSpec()
UCI = load_digits("uci")
LEAD = Observer("deutan", 0.65)
LEAD_CONTRAST = contrast_ladder()[2]


@pytest.fixture(scope="module")
def templates():
    train = UCI.train_indices
    return DigitTemplates.from_images(UCI.images[train], UCI.labels[train], seed=1)


@pytest.fixture(scope="module")
def plates():
    packings = [pack_dots(seed, SPEC) for seed in range(12)]
    chosen = np.random.default_rng(5).choice(UCI.held_out_indices, 240, replace=False)
    return [
        (dress(packings[i % 12], digit_mask(UCI.images[i], SPEC), int(i)), int(UCI.labels[i]))
        for i in chosen
    ]


def _rate(observer, templates, plates, contrast, at_s, axis="deutan"):
    rng = np.random.default_rng(11)
    shown = [(ShownPlate(plate, axis, contrast), digit) for plate, digit in plates]
    return reading_rate(observer, templates, shown, at_s, rng)


@pytest.mark.parametrize("axis", AXES)
def test_the_matching_dichromat_has_no_evidence_at_all(templates, axis):
    spec = spec_for_axis(axis)
    packing = pack_dots(1, spec)
    plate = dress(packing, digit_mask(UCI.images[8], spec), 1, spec)
    times, rng = np.array([3.0, 30.0]), np.random.default_rng(0)
    belief = read_over_time(
        Observer(axis, 1.0),
        templates,
        ShownPlate(plate, axis, 0.05, spec),
        times,
        rng,
        plate.figure,
    )
    assert np.allclose(belief, -np.log(11), atol=1e-6)


@pytest.mark.parametrize(
    "strengths",
    [
        (0.0, 0.7, 0.9),
        pytest.param((0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0), marks=pytest.mark.slow),
    ],
)
def test_reading_falls_with_the_strength_of_the_anomaly(templates, plates, strengths):
    """Bar 3: monotone over v, and at least .3 lower at .7 than at 0, in 3 s at .040."""
    rates = [_rate(Observer("deutan", v), templates, plates[:120], 0.040, 3.0) for v in strengths]
    assert all(np.diff(rates) < 0.02)
    assert rates[0] - rates[strengths.index(0.7)] >= 0.3


@pytest.mark.parametrize("step", [3, pytest.param(2, marks=pytest.mark.slow)])
def test_reading_rises_with_contrast(templates, plates, step):
    rates = [_rate(LEAD, templates, plates[:120], c, 3.0) for c in contrast_ladder()[::step]]
    assert all(np.diff(rates) > 0)


def test_a_slight_deficit_reads_a_third_in_3_s_and_nearly_all_in_30(templates, plates):
    """The titration's two conditions, met by one strength on one rung of the ladder."""
    assert 0.25 <= _rate(LEAD, templates, plates, LEAD_CONTRAST, 3.0) <= 0.45
    assert _rate(LEAD, templates, plates, LEAD_CONTRAST, 30.0) >= 0.88


def _rate_with(observer, templates, plates, region_of, at_s=3.0):
    rng = np.random.default_rng(17)
    right = 0
    for plate, label in plates:
        belief = read_over_time(
            observer,
            templates,
            ShownPlate(plate, "deutan", LEAD_CONTRAST),
            np.array([at_s]),
            rng,
            region_of(plate),
        )
        right += forced_choice(belief[-1], rng) == label
    return right / len(plates)


def _near_the_digit(plate):
    """Return what an expert's painting covers: the digit and a little around it."""
    x, y = plate.packing.x, plate.packing.y
    on = np.flatnonzero(plate.figure)
    return (np.hypot(x[:, None] - x[on], y[:, None] - y[on]) < 0.05).any(axis=1)


def _as_many_elsewhere(plate):
    """Return as many dots as near the digit, those farthest from it."""
    x, y = plate.packing.x, plate.packing.y
    on = np.flatnonzero(plate.figure)
    far = np.hypot(x[:, None] - x[on], y[:, None] - y[on]).min(axis=1)
    chosen = np.zeros(len(x), bool)
    chosen[np.argsort(-far, kind="stable")[: _near_the_digit(plate).sum()]] = True
    return chosen


def test_a_good_region_helps_the_slight_deficit_and_more_than_one_elsewhere(templates, plates):
    plates = plates[:80]
    without = _rate_with(LEAD, templates, plates, lambda plate: None)
    good = _rate_with(LEAD, templates, plates, _near_the_digit)
    elsewhere = _rate_with(LEAD, templates, plates, _as_many_elsewhere)
    assert good > without + 0.12
    assert elsewhere < good - 0.05


def test_attention_spreads_over_what_it_is_given():
    """In sum it depends on neither the region's size nor its place; unguided it is even."""
    small, large = np.arange(100) < 10, np.arange(100) >= 40
    assert attention(LEAD, small, 100).sum() == pytest.approx(attention(LEAD, large, 100).sum())
    assert attention(LEAD, small, 100)[0] > attention(LEAD, large, 100)[99] > 1
    assert attention(LEAD, small, 100)[99] == pytest.approx(1 - LEAD.focus)
    assert np.array_equal(attention(LEAD, np.zeros(100, bool), 100), np.ones(100))
    assert np.array_equal(attention(LEAD, None, 100), np.ones(100))


def test_a_plate_without_a_numeral_is_seen_to_have_none(templates):
    plate = dress(pack_dots(3, SPEC), no_numeral_mask(SPEC), 3)
    shown, rng = ShownPlate(plate, "deutan", 0.06), np.random.default_rng(0)
    belief = read_over_time(Observer(), templates, shown, np.array([10.0]), rng)
    assert belief[-1].argmax() == NO_NUMERAL
    assert np.exp(belief[-1, NO_NUMERAL]) > 0.99


def test_the_ratio_has_the_mean_and_spread_that_the_model_states(plates):
    """Slow reference: a dot's log ratio is normal with mean ± half its own variance.

    Only the red–green channel, which carries no noise of the plate: mean = ½·d²·precision.
    """
    plate, _ = plates[0]
    ratios = []
    for run in range(40):
        rng = np.random.default_rng(run)
        shown = ShownPlate(plate, "deutan", 0.03, SPEC)
        ratios.append(observing.log_ratio(Observer(), shown, np.array([5.0]), rng)[:, 0])
    by_dot = np.array(ratios)
    evidence = observing._evidence(Observer(), "deutan", 0.03, SPEC)
    information = (5.0 - Observer().latency_s) / Observer().reference_s
    d_squared = evidence.difference[1] ** 2 / evidence.own_variance[1] * information
    assert by_dot[:, plate.figure].mean() == pytest.approx(d_squared / 2, rel=0.1)
    assert by_dot[:, ~plate.figure].mean() == pytest.approx(-d_squared / 2, rel=0.1)
    assert by_dot.var(axis=0).mean() == pytest.approx(d_squared, rel=0.1)


def test_a_missing_digit_or_falling_times_are_refused(templates, plates):
    with pytest.raises(ValueError, match="digit 0"):
        DigitTemplates.from_images(np.ones((3, 8, 8)), np.array([1, 2, 3]))
    with pytest.raises(ValueError, match="times_s"):
        read_over_time(
            LEAD,
            templates,
            ShownPlate(plates[0][0], "deutan", 0.04),
            np.array([3.0, 2.0]),
            np.random.default_rng(0),
        )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("axis", "red"),
        ("strength", 1.1),
        ("efficiency", 0),
        ("focus", -0.1),
        ("latency_s", -1),
        ("guidance", 0.5),
        ("template_hit", 1.0),
    ],
)
def test_an_impossible_observer_is_refused_by_name(field, value):
    with pytest.raises(ValueError, match=field):
        Observer(**{field: value})


def test_a_normal_observer_reads_nearly_every_plate(templates, plates):
    assert _rate(Observer(), templates, plates[:100], 0.04, 30.0) >= 0.93


@pytest.mark.parametrize("axis", ["deutan", "protan"])
def test_the_matching_dichromat_is_at_chance(templates, plates, axis):
    """240 forced choices at a rate of .1: .155 is beyond the 99th percentile."""
    rate = _rate(Observer(axis, 1.0), templates, plates, 0.097, 30.0, axis)
    assert 0.05 < rate < 0.155

"""Schedules: a slow reference straight from the rules' words, and what they promise."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stimuli.io.canonical import seed_of
from stimuli.studies.progressive_reveal.reveal import (
    EVERY_RELEVANT,
    TINTED,
    Rule,
    counts,
    order_of,
    resampled,
    schedule,
    shown,
    uncovered,
)

POLARITIES = ("positive", "absolute", "absolute_marked")
# Few values, so that ties, blank maps and maps that run out come often.
MAPS = arrays(
    np.float32,
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
    elements=st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0]),
)
RULES = st.one_of(
    st.just(EVERY_RELEVANT),
    st.builds(Rule, st.sampled_from([0.1, 1 / 6, 0.29, 0.5, 1.0]), st.booleans()),
)


def slow_lots(key: str, pixels: int) -> list[int]:
    """A pixel's lot is the next raw number of the generator that the key seeds."""
    bits = np.random.PCG64(seed_of("reveal", key))
    return [int(bits.random_raw()) for _ in range(pixels)]


def slow_schedule(relevance, rule, steps, key, polarity, reference):
    """Uncover pixel after pixel, each time the one that is left with the most relevance."""
    height, width = relevance.shape
    lots = slow_lots(key, height * width)
    left = {}
    for row in range(height):
        for column in range(width):
            value = float(relevance[row, column])
            strength = value if polarity == "positive" else abs(value)
            if strength > 0:
                left[row, column] = (-strength, lots[row * width + column])
    relevant = len(left)
    if rule.share is None:
        wanted = [math.ceil(Fraction(k * relevant, steps)) for k in range(1, steps + 1)]
    else:
        total = math.floor(Fraction(rule.share).limit_denominator(1000) * height * width)
        wanted = [math.ceil(Fraction(k * total, steps)) for k in range(1, steps + 1)]
        if rule.follows and reference is not None and reference[-1] > total:
            wanted = list(reference)
    step_of = [[0] * width for _ in range(height)]
    pixels, done = [], 0
    for step in range(1, steps + 1):
        while done < wanted[step - 1] and left:
            row, column = min(left, key=left.__getitem__)
            del left[row, column]
            against = polarity == "absolute_marked" and relevance[row, column] < 0
            step_of[row][column] = step + (128 if against else 0)
            done += 1
        pixels.append(done)
    return step_of, tuple(pixels), wanted[-1] > relevant


@settings(max_examples=250, deadline=None)
@given(MAPS, RULES, st.integers(1, 20), st.sampled_from(POLARITIES), st.integers(0, 90), st.data())
def test_a_schedule_is_what_the_rules_words_say(relevance, rule, steps, polarity, total, data):
    reference = data.draw(st.sampled_from([None, tuple(int(n) for n in counts(total, steps))]))
    fast = schedule(relevance, rule, steps=steps, key="k", polarity=polarity, reference=reference)
    slow = slow_schedule(relevance, rule, steps, "k", polarity, reference)
    assert (fast.step_of.tolist(), fast.pixels, fast.ran_out) == slow


@settings(max_examples=100, deadline=None)
@given(MAPS, RULES, st.integers(1, 20), st.sampled_from(POLARITIES))
def test_pixels_only_ever_come_and_are_counted_as_they_come(relevance, rule, steps, polarity):
    plan = schedule(relevance, rule, steps=steps, key="k", polarity=polarity)
    before = np.zeros(relevance.shape, dtype=bool)
    for step in range(1, steps + 1):
        now = uncovered(plan.step_of, step)
        assert (now >= before).all()
        assert now.sum() == plan.pixels[step - 1]
        assert (relevance[now] != 0).all()
        before = now
    assert (plan.step_of % TINTED <= steps).all()


@given(st.integers(0, 70_000), st.integers(1, 127))
def test_counts_are_the_fractions_rounded_up(total, steps):
    exact = [math.ceil(Fraction(k, steps) * total) for k in range(1, steps + 1)]
    assert counts(total, steps).tolist() == exact
    assert exact[-1] == total


def test_the_published_totals_at_the_published_size():
    """10 % and one sixth of 65,536 pixels; the reference's own count where that is more."""
    rng = np.random.default_rng(1)
    relevance = rng.random((256, 256)).astype(np.float32)
    tenth, sixth = Rule(0.10, follows=True), Rule(1 / 6)
    assert schedule(relevance, tenth, steps=15, key="k").pixels[-1] == 6553
    assert schedule(relevance, sixth, steps=15, key="k").pixels[-1] == 10922
    small, large = (tuple(map(int, counts(total, 15))) for total in (6553, 6554))
    for reference, final in ((small, 6553), (large, 6554)):
        followed = schedule(relevance, tenth, steps=15, key="k", reference=reference)
        assert followed.pixels == tuple(map(int, counts(final, 15)))
    assert schedule(relevance, sixth, steps=15, key="k", reference=large).pixels[-1] == 10922


def test_a_share_of_a_whole_number_of_pixels_is_that_number():
    relevance = np.ones((60, 60), dtype=np.float32)
    for part in range(1, 61):
        plan = schedule(relevance, Rule(part / 60), steps=15, key="k")
        assert plan.pixels[-1] == part * 60


def test_the_reference_uncovers_every_pixel_with_a_bubble_and_no_other():
    bubbles = np.zeros((12, 12), dtype=np.float32)
    bubbles[2:7, 3:9] = 1
    bubbles[4:6, 4:8] = 3
    plan = schedule(bubbles, EVERY_RELEVANT, steps=15, key="k")
    assert ((plan.step_of > 0) == (bubbles > 0)).all()
    assert plan.step_of[bubbles == 3].max() <= plan.step_of[bubbles == 1].min()
    assert not plan.ran_out


def test_a_map_that_runs_out_stays_there_and_says_so():
    relevance = np.zeros((10, 10), dtype=np.float32)
    relevance[0, :7] = 1
    plan = schedule(relevance, Rule(0.5), steps=5, key="k")
    assert plan.pixels == (7, 7, 7, 7, 7)
    assert plan.ran_out
    blank = schedule(-relevance, Rule(0.5), steps=5, key="k")
    assert blank.pixels == (0,) * 5
    assert not blank.step_of.any()


def test_equals_come_in_an_order_of_their_key_alone():
    flat = np.ones((8, 8), dtype=np.float32)
    assert (order_of(flat, key="a") == order_of(2 * flat, key="a")).all()
    assert (order_of(flat, key="a") != order_of(flat, key="b")).any()
    first = [order_of(flat, key=str(n))[0] for n in range(200)]
    assert len(set(first)) > 40


def test_a_map_of_7_by_7_grows_bilinearly():
    """Against the definition: the four nearest centres, weighted by nearness."""
    coarse = np.random.default_rng(3).random((7, 7)).astype(np.float32)
    fine = resampled(coarse, 64)
    for row, column in ((0, 0), (10, 50), (31, 32), (63, 20)):
        down, across = ((n + 0.5) * 7 / 64 - 0.5 for n in (row, column))
        down, across = (min(max(at, 0.0), 6.0) for at in (down, across))
        top, left = min(int(down), 5), min(int(across), 5)
        v, u = down - top, across - left
        upper = coarse[top, left] * (1 - u) + coarse[top, left + 1] * u
        lower = coarse[top + 1, left] * (1 - u) + coarse[top + 1, left + 1] * u
        assert fine[row, column] == pytest.approx(upper * (1 - v) + lower * v, rel=1e-6)


@settings(max_examples=20, deadline=None)
@given(arrays(np.float32, (7, 7), elements=st.floats(0, 4, width=32)))
def test_a_7_by_7_map_uncovers_exactly_a_sixth_in_equal_parts(coarse):
    plan = schedule(resampled(coarse, 32), Rule(1 / 6), steps=15, key="k")
    most = min(170, int((resampled(coarse, 32) > 0).sum()))
    assert plan.pixels == tuple(min(math.ceil(k * 170 / 15), most) for k in range(1, 16))


def test_what_is_shown_is_the_image_where_it_is_uncovered_and_black_elsewhere():
    image = np.random.default_rng(2).integers(1, 256, (6, 5, 3), dtype=np.uint8)
    step_of = np.zeros((6, 5), dtype=np.uint8)
    step_of[1, 2], step_of[3, 4] = 1, 2
    assert not shown(image, step_of, 0).any()
    first, second = shown(image, step_of, 1), shown(image, step_of, 2)
    assert (first[1, 2] == image[1, 2]).all()
    assert first.any(axis=2).sum() == 1
    assert (second[3, 4] == image[3, 4]).all()
    assert second.any(axis=2).sum() == 2


def test_what_speaks_against_the_class_comes_as_strength_says_and_is_tinted():
    relevance = np.array([[3.0, -2.0, 1.0, -4.0]], dtype=np.float32)
    image = np.full((1, 4, 3), 100, dtype=np.uint8)
    plain = schedule(relevance, Rule(1.0), steps=4, key="k", polarity="absolute")
    marked = schedule(relevance, Rule(1.0), steps=4, key="k", polarity="absolute_marked")
    assert plain.step_of.tolist() == [[2, 3, 4, 1]]
    assert marked.step_of.tolist() == [[2, TINTED + 3, 4, TINTED + 1]]
    assert (shown(image, plain.step_of, 4) == image).all()
    tinted = shown(image, marked.step_of, 2)
    assert tinted[0].tolist() == [[100] * 3, [0] * 3, [0] * 3, [178, 50, 150]]


@pytest.mark.parametrize("bad", [np.ones(4), np.ones((0, 3)), np.array([[1.0, np.nan]])])
def test_what_is_no_map_is_refused(bad):
    with pytest.raises(ValueError, match="two-dimensional array of finite numbers"):
        order_of(bad, key="k")


@pytest.mark.parametrize("steps", [0, 128])
def test_steps_that_a_byte_cannot_hold_are_refused(steps):
    with pytest.raises(ValueError, match="1 to 127"):
        schedule(np.ones((2, 2)), EVERY_RELEVANT, steps=steps, key="k")

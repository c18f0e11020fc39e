"""Schedules: a slow reference straight from the rules' words, and what they promise."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stimuli.images.filters import resampled
from stimuli.io.canonical import seed_of
from stimuli.studies.progressive_reveal.curves import fragments
from stimuli.studies.progressive_reveal.reveal import (
    EVERY_RELEVANT,
    TINTED,
    Rule,
    counts,
    image_at,
    order_of,
    schedule,
    uncovered,
)

POLARITIES = ("positive", "absolute", "absolute_marked", "negative_beside")
TIES = ("inside_out", "hash")
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


def apart(one, other):
    """How far apart two pixels are, counted along rows, columns and diagonals."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def slow_turns(strength, lots):
    """When each pixel with relevance has its turn (the smallest first), from the rule's words.

    The more relevant first; of equals the one farthest from where relevance falls or the image
    ends, of these the one nearest to a pixel that comes before, be it the very first; then lots.
    """
    height, width = len(strength), len(strength[0])
    places = [(row, column) for row in range(height) for column in range(width)]
    beyond = [(row, column) for row in (-1, height) for column in range(-1, width + 1)]
    beyond += [(row, column) for column in (-1, width) for row in range(height)]

    def of(place):
        return strength[place[0]][place[1]]

    relevant = [place for place in places if of(place) > 0]
    depth = {
        one: min(apart(one, other) for other in
                 [*beyond, *(place for place in places if of(place) < of(one))])
        for one in relevant
    }  # fmt: skip
    lot = {one: lots[one[0] * width + one[1]] for one in relevant}
    level = {one: (-of(one), -depth[one]) for one in relevant}
    first = min(relevant, key=lambda one: (*level[one], lot[one]), default=None)
    turns = {}
    for one in relevant:
        before = [other for other in relevant if level[other] < level[one] or other == first]
        nearness = min((apart(one, other) for other in before), default=0)
        turns[one] = (*level[one], nearness * (one != first), lot[one])
    return turns


def slow_schedule(relevance, rule, steps, key, polarity, ties, reference):
    """Uncover pixel after pixel, each time the one whose turn it is."""
    height, width = relevance.shape
    lots = slow_lots(key, height * width)
    both = polarity.startswith("absolute")
    strength = [[abs(float(v)) if both else max(float(v), 0) for v in row] for row in relevance]
    left = slow_turns(strength, lots)
    if ties == "hash":
        left = {place: (turn[0], turn[-1]) for place, turn in left.items()}
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


@settings(max_examples=50, deadline=None)
@given(
    MAPS,
    RULES,
    st.integers(1, 20),
    st.sampled_from(POLARITIES),
    st.sampled_from(TIES),
    st.integers(0, 90),
    st.data(),
)
def test_a_schedule_is_what_the_rules_words_say(
    relevance, rule, steps, polarity, ties, total, data
):
    reference = data.draw(st.sampled_from([None, tuple(int(n) for n in counts(total, steps))]))
    how = {"steps": steps, "key": "k", "ties": ties}
    fast = schedule(relevance, replace(rule, reference=reference), polarity=polarity, **how)
    slow = slow_schedule(relevance, rule, steps, "k", polarity, ties, reference)
    assert (fast.step_of.tolist(), fast.pixels, fast.ran_out) == slow
    beside = polarity == "negative_beside" and bool((relevance < 0).any())
    assert (fast.against is not None) == beside
    if beside:
        turned = [[-v for v in row] for row in relevance.tolist()]
        own = slow_schedule(np.array(turned), rule, steps, "k", "positive", ties, None)
        if rule.share is not None and not rule.follows:
            assert fast.against.tolist() == own[0]
        assert not (fast.against.astype(bool) & fast.step_of.astype(bool)).any()


@settings(max_examples=50, deadline=None)
@given(MAPS, st.sampled_from(POLARITIES), st.sampled_from(TIES), st.integers(0, 90))
def test_the_first_few_are_those_of_the_whole_order(relevance, polarity, ties, most):
    how = {"key": "k", "polarity": polarity, "ties": ties}
    whole = order_of(relevance, **how)
    assert order_of(relevance, **how, most=most).tolist() == whole[:most].tolist()


@pytest.mark.parametrize("seed", range(2))
def test_wide_plateaus_are_ordered_as_the_rules_words_say(seed):
    """Squares laid over one another, as bubbles are: several plateaus up to eight pixels deep."""
    rng = np.random.default_rng(seed)
    counts_px = np.zeros((26, 26), dtype=np.float32)
    for top, left in rng.integers(0, 20, (4, 2)):
        counts_px[top : top + 15, left : left + 15] += 1
    lots = slow_lots("k", counts_px.size)
    turns = slow_turns(counts_px.tolist(), lots)
    slow = [26 * row + column for row, column in sorted(turns, key=turns.__getitem__)]
    assert order_of(counts_px, key="k").tolist() == slow


@pytest.mark.parametrize("side", [224, 300])
def test_a_plateau_stays_one_where_a_map_is_brought_to_another_size(side):
    """Weights that add up to 1 but for rounding must not break it into dots."""
    coarse = np.zeros((side, side), dtype=np.float32)
    coarse[40:140, 40:180] = 0.3
    fine = resampled(coarse, 256)
    plan = schedule(fine, EVERY_RELEVANT, steps=15, key="k")
    assert max(part.count for part in fragments(plan.step_of, 15)) == 1


def test_a_plateau_is_uncovered_as_one_solid_area_from_its_middle_out():
    """Two bubbles that overlap: the overlap first, then both grow out of it."""
    bubbled = np.zeros((60, 60), dtype=np.float32)
    bubbled[10:28, 10:28] += 1
    bubbled[20:38, 20:38] += 1
    plan = schedule(bubbled, EVERY_RELEVANT, steps=15, key="k")
    assert [part.count for part in fragments(plan.step_of, 15)] == [1] * 15
    assert plan.step_of[23, 23] == 1
    assert min(plan.step_of[10, 10], plan.step_of[37, 37]) >= 13
    alone = schedule(np.minimum(bubbled, 1), EVERY_RELEVANT, steps=15, key="k", ties="hash")
    assert fragments(alone.step_of, 15)[2].small > 10


def test_the_published_totals_at_the_published_size():
    """10 % and one sixth of 65,536 pixels; the reference's own count where that is more."""
    rng = np.random.default_rng(1)
    relevance = rng.random((256, 256)).astype(np.float32)
    tenth, sixth = Rule(0.10, follows=True), Rule(1 / 6)
    assert schedule(relevance, tenth, steps=15, key="k").pixels[-1] == 6553
    assert schedule(relevance, sixth, steps=15, key="k").pixels[-1] == 10922
    small, large = (tuple(map(int, counts(total, 15))) for total in (6553, 6554))
    for reference, final in ((small, 6553), (large, 6554)):
        followed = schedule(relevance, replace(tenth, reference=reference), steps=15, key="k")
        assert followed.pixels == tuple(map(int, counts(final, 15)))
    not_followed = replace(sixth, reference=large)
    assert schedule(relevance, not_followed, steps=15, key="k").pixels[-1] == 10922


def test_a_share_of_a_whole_number_of_pixels_is_that_number():
    relevance = np.ones((60, 60), dtype=np.float32)
    for part in range(1, 61):
        plan = schedule(relevance, Rule(part / 60), steps=15, key="k")
        assert plan.pixels[-1] == part * 60


@pytest.mark.parametrize("ties", TIES)
def test_what_is_equal_in_all_comes_in_an_order_of_the_key_alone(ties):
    flat = np.ones((8, 8), dtype=np.float32)
    one, other = (order_of(flat, key=key, ties=ties) for key in "ab")
    assert (one == order_of(2 * flat, key="a", ties=ties)).all()
    assert (one != other).any()
    first = {order_of(flat, key=str(n), ties=ties)[0] for n in range(200)}
    middle = {27, 28, 35, 36}
    assert first == middle if ties == "inside_out" else len(first) > 40


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


def test_what_is_shown_is_the_image_where_it_is_uncovered_and_black_elsewhere():
    image = np.random.default_rng(2).integers(1, 256, (6, 5, 3), dtype=np.uint8)
    step_of = np.zeros((6, 5), dtype=np.uint8)
    step_of[1, 2], step_of[3, 4] = 1, 2
    assert not image_at(image, step_of, 0).any()
    first, second = image_at(image, step_of, 1), image_at(image, step_of, 2)
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
    assert (image_at(image, plain.step_of, 4) == image).all()
    tinted = image_at(image, marked.step_of, 2)
    assert tinted[0].tolist() == [[100] * 3, [0] * 3, [0] * 3, [178, 50, 150]]


@pytest.mark.parametrize("bad", [np.ones(4), np.ones((0, 3)), np.array([[1.0, np.nan]])])
def test_what_is_no_map_is_refused(bad):
    with pytest.raises(ValueError, match="two-dimensional array of finite numbers"):
        order_of(bad, key="k")


@pytest.mark.parametrize("steps", [0, 128])
def test_steps_that_a_byte_cannot_hold_are_refused(steps):
    with pytest.raises(ValueError, match="1 to 127"):
        schedule(np.ones((2, 2)), EVERY_RELEVANT, steps=steps, key="k")


@settings(max_examples=100, deadline=None)
@given(MAPS, st.sampled_from(POLARITIES))
def test_the_order_is_one_of_all_relevant_pixels_the_more_relevant_first(relevance, polarity):
    orders = [order_of(relevance, key="k", polarity=polarity, ties=ties) for ties in TIES]
    strength = np.abs(relevance) if polarity.startswith("absolute") else relevance
    for order in orders:
        assert sorted(order) == np.flatnonzero(strength.ravel() > 0).tolist()
        assert (np.diff(strength.ravel()[order]) <= 0).all()


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

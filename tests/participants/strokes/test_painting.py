"""Masks from acts: against brute force, and what undo, eraser and clear promise."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from participants.strokes import (
    MASK_PX,
    PAINT_BRUSH,
    RADII,
    SIDE,
    UNITS,
    Act,
    Canvas,
    act_from,
    map_of,
    mask_of,
    mask_sha256,
    painted_area,
)
from stimuli.maps.relevance import area_of, plate_disc

FEW = settings(max_examples=25)
PLACE = st.integers(-60, SIDE + 60)
POINTS = st.lists(st.tuples(st.integers(0, 9000), PLACE, PLACE), min_size=1, max_size=4)
STROKES = st.builds(
    lambda tool, radius, points: Act(tool, points[0][0], radius, tuple(points)),
    st.sampled_from(["brush", "eraser"]),
    st.sampled_from(RADII),
    POINTS,
)
ACTS = st.lists(
    st.one_of(STROKES, STROKES, st.sampled_from([Act("undo", 5), Act("clear", 6)])), max_size=7
)


def distance_to_segment(x, y, one, other):
    """Straight from the definition, in floating point: the nearest point of the segment."""
    (ax, ay), (bx, by) = one, other
    length = (bx - ax) ** 2 + (by - ay) ** 2
    share = 0.0 if length == 0 else ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length
    share = np.clip(share, 0.0, 1.0)
    return np.hypot(x - (ax + share * (bx - ax)), y - (ay + share * (by - ay)))


def slow_mask(acts):
    """The last stroke that still stands and reaches a pixel decides on it."""
    kept = []
    for act in acts:
        kept = kept[:-1] if act.act == "undo" else [*kept, act]
    y, x = (np.indices((MASK_PX, MASK_PX)) + 0.5) * UNITS
    mask = np.zeros((MASK_PX, MASK_PX), dtype=bool)
    close_call = np.zeros_like(mask)
    for act in kept:
        if act.act == "clear":
            mask[:] = False
            continue
        places = [point[1:] for point in act.points]
        pairs = list(itertools.pairwise(places)) or [(places[0], places[0])]
        distance = np.min([distance_to_segment(x, y, *pair) for pair in pairs], axis=0)
        close_call |= np.abs(distance - act.radius) < 1e-6
        mask[distance <= act.radius] = act.act == "brush"
    return mask & plate_disc(MASK_PX), close_call


@FEW
@given(ACTS)
def test_a_mask_is_what_brute_force_makes_of_the_acts(acts):
    expected, close_call = slow_mask(acts)
    assert not ((mask_of(acts) != expected) & ~close_call).any()


@FEW
@given(ACTS)
def test_a_canvas_keeps_up_with_its_acts(acts):
    canvas = Canvas(PAINT_BRUSH)
    for act in acts:
        if act.act in ("undo", "clear"):
            getattr(canvas, act.act)(act.t_ms)
            continue
        canvas.radius = act.radius
        first, *others = act.points
        canvas.begin(act.act, *first)
        for point in others:
            canvas.move(*point)
        canvas.end()
    assert np.array_equal(canvas.values, mask_of(canvas.acts))
    assert mask_sha256(canvas.values) == mask_sha256(mask_of(canvas.acts))


@FEW
@given(POINTS, st.sampled_from(RADII))
def test_a_stroke_is_the_same_drawn_backwards(points, radius):
    there = Act("brush", 0, radius, tuple(points))
    back = Act("brush", 0, radius, tuple(reversed(points)))
    assert np.array_equal(mask_of([there]), mask_of([back]))


@FEW
@given(ACTS)
def test_acts_survive_a_journal(acts):
    lines = json.dumps([act.document() for act in acts])
    assert [act_from(document) for document in json.loads(lines)] == acts


@pytest.mark.parametrize("step", ["undo", "clear"])
def test_what_undo_and_clear_take_is_told_to_the_pixel(step):
    """What lies beyond isn't drawn anew: that of a whole plate takes longer than a frame."""
    canvas = Canvas(PAINT_BRUSH, radius=16)
    for x, y in ((300, 400), (600, 640)):
        canvas.begin("brush", 0, x, y)
    before = canvas.values.copy()
    rows, columns = getattr(canvas, step)(10)
    gone = np.argwhere(before & ~canvas.values)
    assert (rows.start, columns.start) == tuple(gone.min(axis=0))
    assert (rows.stop - 1, columns.stop - 1) == tuple(gone.max(axis=0))


def test_nothing_is_painted_beyond_the_plate():
    corner = Act("brush", 0, 84, ((0, 0, 0), (9, SIDE, SIDE)))
    assert not (mask_of([corner]) & ~plate_disc(MASK_PX)).any()
    assert not mask_of([Act("brush", 0, 12, ((0, -500, -500),))]).any()


def test_undo_and_clear_of_nothing_are_not_kept():
    canvas = Canvas(PAINT_BRUSH)
    assert canvas.undo(1) is None
    assert canvas.clear(2) is None
    assert canvas.acts == ()


def test_a_brush_that_rests_leaves_one_point():
    canvas = Canvas(PAINT_BRUSH)
    canvas.begin("brush", 1500, 400, 400)
    canvas.move(1600, 400, 400)
    canvas.move(1900, 500, 400)
    canvas.end()
    canvas.begin("eraser", 2500, 400, 400)
    canvas.undo(3000)
    assert [len(act.points) for act in canvas.acts] == [2, 1, 0]
    assert [act.t_ms for act in canvas.acts] == [1500, 2500, 3000]


def test_a_map_keeps_the_painted_area():
    mask = mask_of([Act("brush", 0, 64, ((0, 300, 400), (9, 700, 617)))])
    assert map_of(mask).shape == (128, 128)
    assert float(map_of(mask).mean()) == pytest.approx(mask.mean())
    assert area_of(map_of(mask) >= 0.5) == pytest.approx(painted_area(mask), rel=0.03)


def test_sizes_end_at_both_ends():
    assert PAINT_BRUSH.resized(RADII[0], -3) == RADII[0]
    assert PAINT_BRUSH.resized(RADII[0], 99) == RADII[-1]
    assert PAINT_BRUSH.resized(RADII[2], 1) == RADII[3]


@FEW
@given(ACTS, STROKES)
def test_a_stroke_and_its_undo_leave_no_trace(acts, stroke):
    assert np.array_equal(mask_of([*acts, stroke, Act("undo", 1)]), mask_of(acts))


@FEW
@given(ACTS, STROKES)
def test_undo_brings_back_what_was_cleared(acts, stroke):
    assert np.array_equal(
        mask_of([*acts, stroke, Act("clear", 1), Act("undo", 2)]), mask_of([*acts, stroke])
    )


@FEW
@given(ACTS, STROKES)
def test_an_eraser_takes_away_all_that_the_same_stroke_painted(acts, stroke):
    brush = Act("brush", 0, stroke.radius, stroke.points)
    eraser = Act("eraser", 0, stroke.radius, stroke.points)
    before = mask_of(acts)
    after = mask_of([*acts, brush, eraser])
    assert not (after & mask_of([brush])).any()
    assert np.array_equal(after, before & ~mask_of([brush]))

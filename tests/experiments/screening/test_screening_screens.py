"""Where things lie on a screening's screens, and that colours are those of the display."""

import itertools
from functools import cache

import numpy as np
import pytest

from experiments.screening.caps_screen import CapsBoard, disc, held_cap
from experiments.screening.presenter import ScreeningPainter, arrow_areas, arrow_layers, line_layers
from experiments.screens.look import Look
from experiments.screens.trial import stimulus_top
from participants.screening.plan import plan_screening
from participants.screening.trials import Arrangement
from stimuli.colour.display import SRGB, DisplayProfile
from stimuli.errors import UserError
from stimuli.screening.d15 import CAPS, caps_rgb8
from tests.experiments.screening.screening_rehearsal import rehearse_screening
from tests.experiments.screens.laid_out import (  # noqa: F401 - collected here too
    assert_apart,
    box_of,
    each_case,
    test_every_text_is_large_enough,
    test_every_text_stands_within_the_safe_area,
    test_lines_are_short_enough_to_be_read,
    test_no_two_texts_overlap,
)
from tests.participants.screening.screenings import CODE, short_pack

SIZES = [(1280, 720), (1920, 1080), (1024, 768)]
GROUND = (30, 30, 30)
TRAY = tuple(range(1, CAPS + 1))


@cache
def rehearsed(language, size_px):
    return rehearse_screening(short_pack(), language, size_px)


CASES = [("de", SIZES[0]), ("en", SIZES[0]), ("de", SIZES[1])]


case, screens = each_case(rehearsed, (), CASES)


def test_a_break_says_how_far_one_is(screens):
    (shown,) = (screen for screen in screens if screen.name == "break")
    said = [text.text for text in shown.texts if text.line_px is None]
    assert [line for line in said if line.startswith(("1 of at most", "1 von höchstens"))]


@pytest.fixture(params=SIZES[1:])
def look(request):
    return Look(request.param, GROUND)


def apart(one, other):
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_arrows_stand_around_the_plate_and_can_be_told_apart_by_a_click(look):
    side = 2 * round(0.667 * look.size_px[1] / 2)
    areas = arrow_areas(look, side)
    assert set(areas) == {"right", "up", "left", "down"}
    assert all(apart(one, other) for one, other in itertools.combinations(areas.values(), 2))
    left, top = (look.size_px[0] - side) // 2, stimulus_top(look, side)
    for layer in arrow_layers(look, side):
        assert apart(box_of(layer), (left, top, left + side, top + side))
        assert min(box_of(layer)) >= 0
    line = line_layers(look, ("Where is the gap?", "50 % done"))
    assert all(apart(box_of(layer), box_of(line[0])) for layer in arrow_layers(look, side))


def test_arrows_point_where_they_lie(look):
    for layer, gap in zip(arrow_layers(look, 400), ("right", "up", "left", "down"), strict=True):
        rows, columns = np.nonzero((layer.pixels != GROUND).any(axis=2))
        spread = {"right": columns, "left": columns, "up": rows, "down": rows}[gap]
        tip = spread.max() if gap in ("right", "down") else spread.min()
        at_tip = spread == tip
        across = (rows if gap in ("right", "left") else columns)[at_tip]
        assert np.ptp(across) <= len(layer.pixels) / 4


def test_caps_lie_apart_and_on_the_screen(look):
    board = CapsBoard(look, TRAY)
    layers = board.cap_layers([(90, 90, 90)] * 16, Arrangement((3, 1)), None, 5)
    boxes = [box_of(layer) for layer in layers]
    assert len(boxes) == CAPS + 1
    assert_apart(boxes, look.size_px)


def test_a_place_of_the_screen_is_the_nearest_spot(look):
    board = CapsBoard(look, TRAY)
    for spot in [("row", 0), ("row", 15), ("tray", 0), ("tray", 14)]:
        x, y = board.middle(spot)
        assert board.spot_at((x + board.cap_px / 3, y - board.cap_px / 3)) == spot
    assert board.spot_at((look.size_px[0] / 2, 5)) is None


def test_a_cap_is_its_colour_to_the_edge_and_clear_around_it():
    cap = held_cap(40, (120, 90, 60))
    assert (cap[..., :3] == (120, 90, 60)).all()
    assert (cap[20, 20, 3], cap[0, 0, 3]) == (255, 0)
    assert (disc(40, (120, 90, 60), GROUND)[20, 20] == (120, 90, 60)).all()


def test_caps_have_the_displays_own_codes():
    display = DisplayProfile("b", (0.68, 0.31), (0.26, 0.69), (0.15, 0.05), (0.3127, 0.3290))
    painter = ScreeningPainter(short_pack(), short_pack().protocol, display)
    assert painter.caps() == tuple(map(tuple, caps_rgb8(display).tolist()))
    assert painter.caps() != tuple(map(tuple, caps_rgb8(SRGB).tolist()))


def test_a_display_that_can_not_show_the_widest_excursion_is_refused():
    pack = short_pack()
    plan = plan_screening(pack, None, "en", CODE)
    ScreeningPainter(pack, pack.protocol, SRGB).check(plan)
    poor = DisplayProfile("poor", (0.40, 0.34), (0.31, 0.40), (0.25, 0.25), (0.3127, 0.3290))
    with pytest.raises(UserError, match="contrast"):
        ScreeningPainter(pack, pack.protocol, poor).check(plan)

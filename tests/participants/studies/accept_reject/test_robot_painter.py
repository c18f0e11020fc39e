"""An expert robot's strokes: they cover what it wants to paint, at a hand's pace."""

import numpy as np
import pytest
from PIL import Image

from participants.robots.strokes import SAMPLE_MS, strokes_of
from participants.session import StrokeTask
from participants.strokes import MASK_PX, RADII, mask_of
from participants.studies.accept_reject.annotation import plan_annotation
from participants.studies.accept_reject.robots.expert import RobotExpert, paint
from stimuli.images.digits import load_digits
from stimuli.images.sets import NO_SOLUTION
from stimuli.plates.masks import digit_mask
from stimuli.plates.plate import make_plate
from stimuli.plates.spec import PlateSpec
from stimuli.studies.accept_reject.sketch import SketchRates, sketch_tasks
from tests.experiments.conftest import few_digits
from tests.participants.studies.accept_reject.packs import tiny_protocol

SPEC = PlateSpec(density=0.4, dot_radius_min=0.02, dot_radius_max=0.04)


def generator(seed):
    return np.random.Generator(np.random.PCG64(seed))


@pytest.mark.parametrize("index", range(3))
def test_strokes_cover_the_area_and_little_else(index):
    digits = load_digits("uci")
    plate = make_plate(digit_mask(digits.images[index], SPEC), index, index + 1, SPEC)
    area = paint(plate, generator(index)) > 0
    strokes = strokes_of(area, generator(index))
    wanted = np.asarray(Image.fromarray(area).resize((MASK_PX, MASK_PX)))
    painted = mask_of(strokes)
    assert (wanted & painted).sum() / (wanted | painted).sum() > 0.75
    assert {stroke.radius for stroke in strokes} <= set(RADII)


def test_a_hand_reports_where_it_is_at_a_mouses_rate_and_lifts_between_strokes():
    area = np.zeros((112, 112), dtype=bool)
    area[20:90, 20:32] = area[20:90, 70:82] = True
    strokes = strokes_of(area, generator(1), begins_ms=500)
    assert len(strokes) == 2
    assert strokes[0].t_ms == 500
    assert strokes[1].t_ms > strokes[0].points[-1][0]
    for stroke in strokes:
        steps = np.diff([t_ms for t_ms, _, _ in stroke.points])
        assert (steps >= 0).all()
        assert steps.max() <= SAMPLE_MS + 1


def test_the_smallest_area_is_painted_too():
    area = np.zeros((112, 112), dtype=bool)
    area[50, 50] = True
    (stroke,) = strokes_of(area, generator(1))
    assert stroke.radius == RADII[0]
    assert mask_of([stroke]).any()


@pytest.mark.slow
def test_a_robot_intends_the_same_whenever_it_is_asked_and_each_robot_its_own():
    pack, _ = sketch_tasks(tiny_protocol(), [("deutan", 2)], SketchRates(), few_digits())
    steps = plan_annotation(pack, None, "en", "AAAAA").steps
    tasks = [step for step in steps if isinstance(step, StrokeTask)][:6]
    one, other = (RobotExpert.of(pack, code, 1) for code in ("AAAAA", "BBBBB"))
    intents = [one.intend(task) for task in tasks]
    assert [one.intend(task).acts for task in tasks] == [intent.acts for intent in intents]
    assert [one.reads(task) for task in tasks] == [intent.answer for intent in intents]
    assert [other.intend(task).acts for task in tasks] != [intent.acts for intent in intents]
    for intent in intents:
        assert bool(intent.acts) == (intent.answer != NO_SOLUTION)
        times = [act.t_ms for act in intent.acts]
        assert times == sorted(times)
        assert all(t_ms > intent.answer_s * 1000 for t_ms in times)
        assert intent.done_ms > max(times, default=0)

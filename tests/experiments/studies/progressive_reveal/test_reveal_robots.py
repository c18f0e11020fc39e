"""What a viewer's script becomes as keys and clicks, and what is drawn of an image at a step."""

import io
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from experiments.robot_input.input_events import Move, Stroke
from experiments.studies.progressive_reveal.actor import ViewerActor, events_of, text_of
from experiments.studies.progressive_reveal.painter import RevealPainter
from experiments.study import screens_of
from participants.lists import Assignment
from participants.studies.progressive_reveal.plan import ORDER, plan_session
from participants.studies.progressive_reveal.robots.typists import KeyPress
from participants.studies.progressive_reveal.robots.viewers import Typing
from participants.studies.progressive_reveal.rounds import CopyTask
from stimuli.colour.display import SRGB, DisplayProfile
from stimuli.errors import UserError
from stimuli.protocol import load_protocol
from stimuli.studies.progressive_reveal.sketch import sketch
from stimuli.studies.progressive_reveal.tables import LISTS

CHANGES = {
    "images": {"classes": 2, "images_per_class": 2, "size_px": 32},
    "reveal": {"steps": 5, "step_s": 1.0},
    "session": {
        "sittings": 1, "rounds_per_sitting": 4, "practice_rounds": 1, "catch_rounds": 0,
        "orders_per_rotation": 1,
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def pack():
    return sketch(load_protocol("progressive_reveal", None, CHANGES))


@pytest.fixture(scope="module")
def plan(pack):
    list_id = min(str(row["list"]) for row in pack.table(LISTS))
    return plan_session(pack, Assignment(list_id, ORDER), "en", "AAAAA")


def keys_of(word, every_s=0.2):
    names = {" ": "space"}
    return tuple(
        KeyPress(every_s if at else 0.0, names.get(sign, sign), sign)
        for at, sign in enumerate(word)
    )


def typing(word, confirm="return", start_s=1.0):
    return Typing(start_s, keys_of(word), confirm, 0.5, "c1")


def test_letters_go_down_at_their_times_and_up_before_the_next():
    *letters, confirm = events_of([typing("aa b")], lambda typed, class_id: None)
    assert [stroke.key for stroke in letters] == ["a", "a", "space", "b"]
    assert [stroke.at_s for stroke in letters] == pytest.approx([1.0, 1.2, 1.4, 1.6])
    for stroke, later in zip(letters, (*letters[1:], confirm), strict=True):
        assert stroke.at_s + stroke.hold_s < later.at_s
    assert (confirm.key, confirm.at_s) == ("return", pytest.approx(2.1))


def test_a_suggestion_is_clicked_where_it_will_stand():
    asked = []

    def line_px(typed, class_id):
        asked.append((typed, class_id))
        return 900, 400

    *_, move, click = events_of([typing("li", "click")], line_px)
    assert asked == [("li", "c1")]
    assert (move.x_px, move.y_px) == (900, 400)
    assert move.at_s < click.at_s == pytest.approx(1.7)
    assert (click.key, click.device) == ("left", "mouse")


@given(st.lists(st.sampled_from(["a", "b", "backspace", "down"]), max_size=12))
def test_what_stands_in_the_field_follows_every_key(names):
    keys = [KeyPress(0.1, name, name if len(name) == 1 else "") for name in names]
    text = ""
    for name in names:
        if name == "backspace":
            text = text[:-1]
        elif len(name) == 1:
            text += name
    assert text_of(keys) == text


class Hand:
    """Takes what it is told."""

    def __init__(self):
        self.done, self.learnt = [], ""

    def prepare(self, events):
        self.prepared = list(events)

    def begin(self, onset_s):
        self.done += [replace(act, at_s=onset_s + act.at_s) for act in self.prepared]

    def learn(self, letters):
        self.learnt = "".join(letters)

    def reports(self):
        return []


def test_a_viewer_types_its_script_from_the_onset_on_and_nothing_after_the_round(plan):
    script = (typing("lion"), typing("tench", start_s=4.7))
    copying = SimpleNamespace(
        target="lion", keys=keys_of("lion"), times_s=(0.3, 0.5, 0.7, 0.9), done_s=1.2
    )
    viewer = SimpleNamespace(
        script=lambda presentation: script, copy_words=lambda words: [copying], choose=None
    )
    (task,) = (step for step in plan.steps if isinstance(step, CopyTask))
    assert task.words
    hand = Hand()
    actor = ViewerActor(viewer, hand, plan)
    actor.expect(plan.trials[0], lambda typed, class_id: None)
    actor.onset(100.0)
    assert [act.key for act in hand.done] == [*"lion", "return", "t", "e"]
    assert all(100 < act.at_s < 105 for act in hand.done)
    hand.done.clear()
    actor.expect("lion")
    actor.onset(200.0)
    assert [act.at_s for act in hand.done] == pytest.approx([200.3, 200.5, 200.7, 200.9, 201.2])
    assert all(isinstance(act, Stroke) and not isinstance(act, Move) for act in hand.done)
    assert set(hand.learnt) == set("lion")


def painter_of(pack, display=SRGB):
    painter = screens_of(pack).load_parts().painter(pack, pack.protocol, display)
    assert isinstance(painter, RevealPainter)
    return painter


def picture(pack, file, mode):
    return np.asarray(Image.open(io.BytesIO(pack.asset(file))).convert(mode))


def test_every_step_shows_the_image_where_it_is_uncovered_and_black_elsewhere(pack, plan):
    painter = painter_of(pack)
    for step in plan.trials:
        image = picture(pack, step.image_file, "RGB")
        step_of = picture(pack, step.steps_file, "L")
        shown = list(painter.steps(step))
        assert len(shown) == step.steps == 5
        for number, (pixels, count) in enumerate(zip(shown, step.pixels, strict=True), start=1):
            seen = (step_of > 0) & (step_of <= number)
            assert np.array_equal(pixels, np.where(seen[..., None], image, 0))
            assert seen.sum() == count
        assert np.array_equal(painter.whole(step), image)


def test_a_measured_display_gets_codes_of_its_own_and_black_stays_black(pack, plan):
    linear = DisplayProfile(
        name="linear", calibrated=True, red_xy=SRGB.red_xy, green_xy=SRGB.green_xy,
        blue_xy=SRGB.blue_xy, white_xy=SRGB.white_xy, gamma=(1.0, 1.0, 1.0),
    )  # fmt: skip
    step = plan.trials[0]
    usual = next(iter(painter_of(pack).steps(step))) / 255
    own = next(iter(painter_of(pack, linear).steps(step))) / 255
    light = np.where(usual <= 0.04045, usual / 12.92, ((usual + 0.055) / 1.055) ** 2.4)
    assert np.abs(own - light).max() < 1.5 / 255
    assert (own[(usual == 0).all(axis=2)] == 0).all()


@given(st.floats(1, 3000), st.floats(32, 3000))
def test_the_side_on_screen_is_the_multiple_next_to_the_wanted_that_fits(wanted_px, most_px):
    pack = SimpleNamespace()
    protocol = SimpleNamespace(images=SimpleNamespace(size_px=32, size_deg=12.0))
    side = RevealPainter(pack, protocol, SRGB).side_px(wanted_px, most_px)
    assert side % 32 == 0
    assert 32 <= side <= most_px
    fitting = [n * 32 for n in range(1, 100) if n * 32 <= most_px]
    assert abs(side - wanted_px) == pytest.approx(min(abs(n - wanted_px) for n in fitting))


def test_an_image_of_more_pixels_than_the_screen_has_is_refused():
    protocol = SimpleNamespace(images=SimpleNamespace(size_px=1024, size_deg=12.0))
    with pytest.raises(UserError, match="1024"):
        RevealPainter(SimpleNamespace(), protocol, SRGB).side_px(480, 547)


def test_where_no_list_shows_it_return_confirms():
    *_, confirm = events_of([typing("li", "click")], lambda typed, class_id: None)
    assert (confirm.key, confirm.device) == ("return", "keyboard")

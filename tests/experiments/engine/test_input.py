import time
from dataclasses import dataclass

import pytest

from experiments.engine.clock import StimulusClock
from experiments.engine.input import Keyboard


@dataclass
class FakeKey:
    name: str
    tDown: float  # noqa: N815 - PsychoPy's spelling
    duration: float | None = None


class FakeKeyboard:
    """PsychoPy's semantics: a press is listed while down, and listed again when released."""

    def __init__(self):
        self.responses = []

    def press(self, name, t_s):
        key = FakeKey(name, t_s)
        self.responses.append(key)
        return key

    def release(self, key, t_s):
        key.duration = t_s - key.tDown
        if not any(other is key for other in self.responses):
            self.responses.append(key)

    def getKeys(self, *, waitRelease, clear):
        found = [key for key in self.responses if (key.duration is not None) == waitRelease]
        self.responses = [key for key in self.responses if not any(key is one for one in found)]
        return found


@pytest.fixture
def fake():
    return FakeKeyboard()


@pytest.fixture
def keyboard(fake):
    return Keyboard(fake, lambda: 0.0, StimulusClock(time.perf_counter, "same"))


def names(presses):
    return [press.key for press in presses]


def test_a_press_shorter_than_a_poll_is_taken_once(fake, keyboard):
    fake.release(fake.press("f", 1.0), 1.002)
    assert names(keyboard.poll()) == ["f"]
    assert keyboard.poll() == ()


def test_a_press_is_taken_when_it_goes_down_and_not_again_when_it_comes_up(fake, keyboard):
    key = fake.press("f", 1.0)
    assert names(keyboard.poll()) == ["f"]
    fake.release(key, 1.5)
    assert keyboard.poll() == ()


def test_a_release_between_the_two_questions_is_not_a_second_press(fake, keyboard):
    key = fake.press("f", 1.0)
    ask = fake.getKeys

    def slow(**how):
        found = ask(**how)
        if not how["waitRelease"]:
            fake.release(key, 1.001)
        return found

    fake.getKeys = slow
    assert names(keyboard.poll()) == ["f"]


def test_two_keys_in_one_poll_come_in_the_order_in_which_they_went_down(fake, keyboard):
    fake.press("j", 1.003)
    fake.release(fake.press("f", 1.001), 1.002)
    assert names(keyboard.poll()) == ["f", "j"]


def test_a_key_held_from_before_gives_no_press(fake, keyboard):
    key = fake.press("f", 1.0)
    keyboard.poll()
    fake.release(key, 2.0)
    assert keyboard.poll() == ()


def test_a_key_pressed_twice_is_two_presses(fake, keyboard):
    fake.release(fake.press("f", 1.0), 1.01)
    fake.release(fake.press("f", 1.02), 1.03)
    assert names(keyboard.poll()) == ["f", "f"]


def test_ctrl_and_shift_held_make_a_chord_also_if_all_was_over_before_the_poll(fake, keyboard):
    held = [fake.press("lctrl", 1.0), fake.press("rshift", 1.01)]
    fake.release(fake.press("q", 1.02), 1.03)
    for key in held:
        fake.release(key, 1.04)
    assert [press.chord for press in keyboard.poll() if press.key == "q"] == [True]


@pytest.mark.parametrize("modifier", ["lctrl", "lshift"])
def test_one_of_the_two_makes_no_chord(fake, keyboard, modifier):
    fake.press(modifier, 1.0)
    fake.press("q", 1.02)
    assert [press.chord for press in keyboard.poll() if press.key == "q"] == [False]


def test_a_modifier_let_go_before_makes_no_chord(fake, keyboard):
    fake.press("lctrl", 1.0)
    shift = fake.press("lshift", 1.0)
    keyboard.poll()
    fake.release(shift, 1.01)
    fake.press("q", 1.02)
    assert [press.chord for press in keyboard.poll()] == [False]


def test_a_key_is_down_from_its_press_to_its_release(fake, keyboard):
    key = fake.press("return", 1.0)
    keyboard.poll()
    assert keyboard.is_down("return")
    fake.release(key, 1.1)
    keyboard.poll()
    assert not keyboard.is_down("return")

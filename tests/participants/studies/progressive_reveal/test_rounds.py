"""How a round is scored: against a slow reference straight from the words of the rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from participants.session import Presented
from participants.session.typed_line import Keystroke
from participants.studies.progressive_reveal.plan import guess_rate
from participants.studies.progressive_reveal.rounds import (
    Attempt,
    CopyResult,
    RevealRound,
    RoundResult,
    letter_s,
    score,
)

MS = 1000


def a_round(pixels, tries=None) -> RevealRound:
    return RevealRound(
        step="trial-0001", trial=1, phase="main", sitting=1, position=1, presentation="p",
        image_file="i.png", steps_file="s.png", prototype_file=None, right_class="bear",
        pixels=tuple(pixels), step_s=4.0, fixation_s=0.5, feedback_s=1.0, tries=tries, done=0,
        total=1,
    )  # fmt: skip


def attempt_at(begun_ms, confirmed_ms, right) -> Attempt:
    name = "bear" if right else "cat"
    return Attempt(confirmed_ms / MS, begun_ms / MS, name, name, right, "keyboard")


def a_result(onsets_ms, attempts=(), left=False) -> RoundResult:
    return RoundResult(
        keystrokes=(), attempts=tuple(attempts),
        step_onsets_s=tuple(onset / MS for onset in onsets_ms), left=left,
        presented=Presented(100.0, None, 1, 0, 0.0, False),
    )  # fmt: skip


def in_force(onsets_ms, t_ms):
    """Return the step in force: the last whose onset <= t. Tried one by one, from the last."""
    for number in range(len(onsets_ms), 0, -1):
        if onsets_ms[number - 1] <= t_ms:
            return number
    return 0


def expected(step, onsets_ms, attempts_ms, left):
    """Score in whole milliseconds: (recognised, step, pixels, first step, first pixels)."""
    uncovered = {0: 0} | {number: step.pixels[number - 1] for number in range(1, step.steps + 1)}
    for begun_ms, confirmed_ms, right in attempts_ms:
        if right:
            at, first = in_force(onsets_ms, confirmed_ms), in_force(onsets_ms, begun_ms)
            return True, at, uncovered[at], first, uncovered[first]
    used_up = step.tries is not None and len(attempts_ms) == step.tries
    whole = list(range(1, len(onsets_ms) + 1))
    if (left or used_up) and whole:
        whole.pop()
    last = whole[-1] if whole else 0
    return False, last, uncovered[last], last, uncovered[last]


@st.composite
def rounds(draw):
    """A round that may be named, left, run out of tries or of time; stamps to a millisecond."""
    steps = draw(st.integers(1, 15))
    pixels = sorted(draw(st.lists(st.integers(1, 65536), min_size=steps, max_size=steps)))
    tries = draw(st.none() | st.integers(1, 3))
    wrong = draw(st.integers(0, 3 if tries is None else tries))
    step_ms = draw(st.integers(50, 5000))
    stamps = sorted(
        draw(st.lists(st.integers(0, steps * step_ms), min_size=2 * wrong + 2,
                      max_size=2 * wrong + 2))
    )  # fmt: skip
    named = draw(st.booleans()) and (tries is None or wrong < tries)
    attempts = [(stamps[2 * nth], stamps[2 * nth + 1], False) for nth in range(wrong)]
    attempts += [(stamps[-2], stamps[-1], True)] if named else []
    used_up = tries is not None and len(attempts) == tries
    left = not named and not used_up and draw(st.booleans())
    end_ms = steps * step_ms
    if named or used_up:
        end_ms = attempts[-1][1]
    elif left:
        end_ms = draw(st.integers(attempts[-1][1] if attempts else 0, steps * step_ms - 1))
    onsets = [number * step_ms for number in range(steps) if number * step_ms <= end_ms]
    return a_round(pixels, tries), onsets, attempts, left


@given(rounds())
def test_a_score_is_what_its_words_say(drawn):
    step, onsets, attempts, left = drawn
    found = score(step, a_result(onsets, [attempt_at(*one) for one in attempts], left))
    got = (
        found.recognised, found.step, found.pixels, found.step_first_key, found.pixels_first_key,
    )  # fmt: skip
    assert got == expected(step, onsets, attempts, left)
    assert found.step_first_key <= found.step <= step.steps
    assert found.pixels_first_key <= found.pixels <= step.pixels[-1]


def test_late_onsets_count_as_they_were_and_not_as_planned():
    """The third step came 10 ms late: a press in between saw the second."""
    result = a_result([0, 4000, 8010], [attempt_at(7000, 8005, True)])
    assert score(a_round(range(100, 1600, 100)), result).pixels == 200


def copied(word, begun_s, done_s):
    return CopyResult(word, 10.0, (Keystroke(begun_s, word[0], word[0], word[0], 1),), done_s)


def test_a_letter_takes_the_median_words_time_from_first_key_to_enter():
    words = [copied("bear", 1.0, 2.0), copied("horse", 1.0, 3.5), copied("ox", 0.5, 1.3)]
    assert letter_s(words) == pytest.approx(0.4)
    assert letter_s([]) is None
    assert letter_s([CopyResult("bear", 1.0, (), 2.0)]) is None


def test_guessing_is_right_once_in_as_many_as_there_are_classes():
    assert guess_rate(17) == pytest.approx(1 / 17)
    with pytest.raises(ValueError, match="0 classes"):
        guess_rate(0)


@pytest.mark.parametrize(("t_ms", "step"), [(0, 1), (3999, 1), (4000, 2), (4001, 2), (59_999, 15)])
def test_a_press_at_a_steps_onset_belongs_to_that_step(t_ms, step):
    onsets = range(0, 60_000, 4000)
    result = a_result(onsets, [attempt_at(0, t_ms, True)])
    assert score(a_round(range(100, 1600, 100)), result).step == step


def test_typing_across_a_step_is_told_by_the_first_key():
    result = a_result([0, 4000, 8000], [attempt_at(3900, 8100, True)])
    found = score(a_round(range(100, 1600, 100)), result)
    assert (found.step, found.pixels, found.step_first_key, found.pixels_first_key) == (
        3, 300, 1, 100,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("came", "left", "attempts", "tries", "seen"),
    [
        (15, False, 0, None, 15),
        (15, False, 5, None, 15),
        (15, True, 0, None, 14),
        (1, True, 0, None, 0),
        (0, True, 0, None, 0),
        (4, False, 2, 2, 3),
        (15, False, 1, 2, 15),
    ],
)
def test_unnamed_rounds_are_censored_at_the_last_step_seen_out(came, left, attempts, tries, seen):
    onsets = [4000 * number for number in range(came)]
    wrong = [attempt_at(1000 * nth, 1000 * nth + 500, False) for nth in range(attempts)]
    found = score(a_round(range(100, 1600, 100), tries), a_result(onsets, wrong, left))
    assert (found.recognised, found.step, found.pixels) == (False, seen, 100 * seen)

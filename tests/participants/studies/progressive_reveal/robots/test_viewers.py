"""Viewers: what they do follows from known functions, and what is expected of them from both."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from participants.robots.choosing import ExGaussian
from participants.studies.progressive_reveal.robots.typists import Typist
from participants.studies.progressive_reveal.robots.viewers import (
    VIEWERS,
    Psychometric,
    RoundView,
    ViewerParticipant,
)
from participants.studies.progressive_reveal.simulated import played_script
from stimuli.studies.progressive_reveal.classes import Classes, ClassName
from tests.participants.studies.progressive_reveal.robots.viewer_truth import (
    Expected,
    ViewerTruth,
    done_by,
    expected_by,
    recognised_by,
)

NAMES = (
    "bald eagle", "beer bottle", "Bär", "great white shark", "horse", "school bus", "sports car",
    "water jug", "water tower", "ferret",
)  # fmt: skip
CLASSES = Classes(tuple(ClassName(name.replace(" ", "_"), name) for name in sorted(NAMES)))
SHARES = tuple(np.linspace(0.0, 0.8, 15).tolist())


def view_of(name="round", item="item", method="lrp", right="horse", **changes):
    view = RoundView(name, item, method, SHARES, 4.0, right, CLASSES, 5)
    return replace(view, **changes)


def robot_of(kind, participant, view, seed=3):
    return ViewerParticipant.among({view.presentation: view}, kind, participant, seed)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def test_the_chance_of_recognition_is_the_share_of_rounds_in_which_it_came():
    sight, rng = Psychometric(), np.random.default_rng(1)
    draws = 6000
    steps = [sight.step_of(SHARES, 0.2, rng) for _ in range(draws)]
    by_step = recognised_by(sight, SHARES, 0.2)
    for step, chance in enumerate(by_step, start=1):
        found = np.mean([at is not None and at <= step for at in steps])
        assert abs(found - chance) <= 4 * np.sqrt(0.25 / draws)


def test_what_is_expected_over_people_is_the_integral_over_their_effects():
    """Against scipy's adaptive quadrature of the definition."""
    sight = Psychometric()
    for item_effect, sd in (
        (0.4, np.hypot(0.25, 0.15)),
        (None, np.sqrt(0.25**2 + 0.15**2 + 0.3**2)),
    ):
        expected = expected_by(sight, SHARES, item_effect)
        assert expected[0] == 0.0
        for share, value in list(zip(SHARES, expected, strict=True))[1::4]:

            def chance(effect, share=share, mean=item_effect or 0.0, sd=sd):
                reached = logistic((np.log(share / sight.threshold) - effect) / sight.spread)
                return (1 - sight.lapse) * reached * norm.pdf(effect, mean, sd)

            assert value == pytest.approx(quad(chance, -5, 5, epsabs=1e-10)[0], abs=1e-6)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20).map(sorted), st.floats(-3, 3))
@settings(max_examples=60, deadline=None)
def test_recognition_never_falls_and_leaves_room_for_lapses(shares, effect):
    sight = Psychometric()
    for chances in (recognised_by(sight, shares, effect), expected_by(sight, shares, effect)):
        assert (np.diff(chances) >= -1e-12).all()
        assert (chances >= 0).all()
        assert (chances <= 1 - sight.lapse + 1e-12).all()


def test_effects_belong_to_person_item_and_method():
    sight = Psychometric()
    people = [sight.people_effect(1, f"P{n}", "lrp") for n in range(2000)]
    items = [sight.item_effect(1, f"i{n}") for n in range(2000)]
    assert np.std(people) == pytest.approx(np.hypot(0.25, 0.15), rel=0.08)
    assert np.std(items) == pytest.approx(0.30, rel=0.08)
    other = [sight.people_effect(1, f"P{n}", "human") for n in range(2000)]
    wanted = 0.25**2 / (0.25**2 + 0.15**2)
    assert np.corrcoef(people, other)[0, 1] == pytest.approx(wanted, abs=0.06)
    assert sight.item_effect(1, "i1") != sight.item_effect(2, "i1")


def test_the_chance_to_be_done_by_a_time_is_that_of_the_draws():
    times, rng = ExGaussian(0.65, 0.12, 0.30), np.random.default_rng(5)
    drawn = np.array([times.draw(rng) for _ in range(8000)])
    for at_s in (0.1, 0.5, 0.8, 1.5):
        found = float(done_by(times, np.array([at_s]))[0])
        assert abs((drawn < at_s).mean() - found) <= 4 * np.sqrt(0.25 / 8000)


def test_letters_come_at_the_words_per_minute_of_the_typist():
    rng = np.random.default_rng(2)
    typed = Typist(words_per_min=45.0, slips=0.0).copy("e" * 4000, rng)
    letters_s = sum(key.delay_s for key in typed.keys) / (len(typed.keys) - 1)
    assert letters_s == pytest.approx(60 / (45 * 5), rel=0.04)


def test_a_slip_is_taken_back_by_backspace():
    typed = Typist(slips=1.0).copy("bus", np.random.default_rng(1))
    assert [key.key for key in typed.keys[1::3]] == ["backspace"] * 3
    assert [key.text for key in typed.keys[2::3]] == list("bus")
    assert typed.keys[0].delay_s == 0.0
    assert typed.opening_s == sum(key.delay_s for key in typed.keys[:3])


@pytest.mark.parametrize(("kind", "lines"), [("viewer", 5), ("guesser", 1), ("slow_typist", 8)])
def test_what_is_typed_confirms_the_class_that_was_meant(kind, lines):
    """Whatever the way: whole name, arrow and Return, click; through the field of people."""
    confirms = set()
    for number in range(40):
        view = view_of(right=CLASSES.names[number % 10].class_id, suggestions_most=lines)
        script = robot_of(kind, f"P{number}", view).script("round")
        played = played_script(script, view, limit_s=1e9)
        assert [one.class_id for one in played.attempts] == [one.target for one in script]
        assert [one.t_s for one in played.attempts] == [one.done_s for one in script]
        confirms |= {typing.confirm for typing in script}
    assert confirms == {"return", "click"}


def test_without_a_list_whole_names_are_typed():
    view = view_of(suggestions_most=0)
    for number in range(40):
        for typing in robot_of("viewer", f"P{number}", view).script("round"):
            assert typing.confirm == "return"
            kept = [key.text for key in typing.keys]
            assert len(kept) >= len("horse") or typing.target != "horse"


@pytest.mark.parametrize("kind", list(VIEWERS))
def test_typings_follow_one_another_and_only_the_last_can_be_right(kind):
    for number in range(30):
        view = view_of(name=f"r{number}")
        robot = robot_of(kind, "P", view)
        script = robot.script(view.presentation)
        assert script == robot.script(view.presentation)
        for one, other in pairwise(script):
            assert one.done_s < other.start_s
            assert one.target != view.right_class
        for typing in script:
            assert typing.start_s == typing.times_s[0]
            assert list(typing.times_s) == sorted(typing.times_s)
        assert len({typing.target for typing in script}) == len(script)


def test_nobody_names_what_they_have_not_seen_unless_they_guess():
    dark = view_of(object_shares=(0.0,) * 15)
    scripts = {
        kind: [robot_of(kind, f"P{n}", dark).script("round") for n in range(60)] for kind in VIEWERS
    }
    assert not any(scripts["viewer"] + scripts["slow_typist"] + scripts["idle"])
    assert sum(map(bool, scripts["guesser"])) > 50


def test_walkers_go_through_the_table_of_classes_from_its_top():
    view = view_of(object_shares=(0.0,) * 15)
    order = [one.class_id for one in CLASSES.names]
    steps = []
    for number in range(20):
        named = [typing.target for typing in robot_of("walker", f"P{number}", view).script("round")]
        places = [order.index(name) for name in named]
        steps += [later - sooner for sooner, later in pairwise(places)]
        assert view.right_class not in named[:-1]
    assert min(steps) > 0
    # A class whose name can't be typed in time is passed over.
    assert np.mean(np.array(steps) == 1) > 0.5


def test_mistaken_robots_answer_wrongly_alone():
    view = view_of(object_shares=(1.0,) * 15)
    scripts = [robot_of("mistaken", f"P{number}", view).script("round") for number in range(20)]
    named = [typing.target for script in scripts for typing in script]
    assert len(named) > 20
    assert view.right_class not in named


def test_copied_words_are_typed_as_they_stand():
    (one, two) = robot_of("viewer", "P", view_of()).copy_words(["Bär", "sports car"])
    assert (one.target, two.target) == ("Bär", "sports car")
    assert one.done_s > one.times_s[-1] > one.start_s


def compared(kind, people, view, seed=3):
    """What people of a kind really do in a round, beside what is expected of them."""
    truth = ViewerTruth.of(VIEWERS[kind], view).expected(view, seed)
    whole_s = view.steps * view.step_s
    first, confirmed, attempts = [], [], []
    for number in range(people):
        robot = robot_of(kind, f"P{number}", view, seed)
        played = played_script(robot.script(view.presentation), view, whole_s)
        right = next((one for one in played.attempts if one.right), None)
        first.append(whole_s * 2 if right is None else right.first_key_s)
        confirmed.append(whole_s * 2 if right is None else right.t_s)
        attempts.append(len(played.attempts))
    ends_s = view.step_s * np.arange(1, view.steps + 1)
    by_first, by_confirmed = (
        (np.array(times_s)[:, None] < ends_s).mean(axis=0) for times_s in (first, confirmed)
    )
    return truth, by_first, by_confirmed, np.array(attempts)


def assert_as_expected(kind, people, view):
    truth, by_first, by_confirmed, attempts = compared(kind, people, view)
    error = 4 * np.sqrt(0.25 / people) + 0.004
    assert np.abs(by_first - truth.first_key_by).max() <= error
    assert np.abs(by_confirmed - truth.confirmed_by).max() <= error
    assert attempts.mean() == pytest.approx(
        truth.attempts, abs=4 * attempts.std() / np.sqrt(people) + 0.01
    )


@pytest.mark.slow
def test_what_is_expected_is_what_people_do_on_average():
    assert_as_expected("viewer", 300, view_of())


# The truth takes blind tries in random order.
IN_ANY_ORDER = [name for name, kind in VIEWERS.items() if not kind.in_order]


@pytest.mark.slow
@pytest.mark.parametrize("kind", IN_ANY_ORDER)
@pytest.mark.parametrize("step_s", [0.4, 1.5, 4.0])
def test_what_is_expected_is_what_very_many_people_do(kind, step_s):
    assert_as_expected(kind, 12_000, view_of(step_s=step_s, right="great_white_shark"))


def test_expected_pixels_are_those_of_both_readings():
    """By hand: half recognise at step 1, a quarter at step 3, a quarter never."""
    by_step = np.array([0.5, 0.5, 0.75])
    known = Expected(by_step, by_step, by_step, 1.0)
    assert known.pixels_if_recognised([10, 20, 40]) == 0.5 * 10 + 0.25 * 40
    assert known.pixels_of_all([10, 20, 40]) == 0.5 * 10 + 0.25 * 40 + 0.25 * 40


@pytest.mark.slow
@pytest.mark.parametrize("kind", IN_ANY_ORDER)
def test_what_is_expected_is_what_many_people_do(kind):
    assert_as_expected(kind, 500, view_of())

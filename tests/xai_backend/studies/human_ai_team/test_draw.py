"""Which images are drawn: hand-worked bins, nobody sees an image again, lacks are told by count."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.errors import UserError
from stimuli.protocol import load_protocol
from stimuli.studies.human_ai_team.tables import NATURAL_BINS
from xai_backend.studies.human_ai_team.draw import Judged, Obvious, binned, check, draw


def protocol_of(per_bin, validation=4, practice=2, seed=1):
    right = validation // 2
    return load_protocol(
        "human_ai_team",
        None,
        {
            "seed": seed,
            "bins": {"per_bin": per_bin, "adversarial_per_level": 0, "trials_per_sheet": 6},
            "validation": {"trials": validation, "right_trials": right, "pass_right": validation},
            "session": {"practice_trials": practice},
        },
    )


def judged_of(*answers):
    """Images by confidence and whether the AI is right, of two labels."""
    return [
        Judged(f"i{number}", "cat", "cat" if right else "dog", confidence)
        for number, (confidence, right) in enumerate(answers)
    ]


def anything(one):
    return True


def swapped(one):
    yield replace(one, label="bus", confidence=0.001, swapped=True)


OBVIOUS = Obvious(lambda one: 0.0, swapped)


def many(each):
    rows = [(0.9, True), (0.5, True), (0.2, True), (0.9, False), (0.5, False), (0.2, False)]
    return judged_of(*(row for row in rows for _ in range(each)))


@settings(max_examples=30, deadline=None)
@given(each=st.integers(2, 9), per_bin=st.integers(1, 6), seed=st.integers(0, 5))
def test_bins_are_filled_alike_and_nobody_sees_an_image_again(each, per_bin, seed):
    protocol, judged = protocol_of(per_bin, seed=seed), many(each)
    drawn = draw(judged, protocol, anything, OBVIOUS)
    items = [one.item for one in drawn.all]
    assert len(items) == len(set(items))
    sizes = {name: len(own) for name, own in binned(drawn.main, protocol).items()}
    assert sizes == dict.fromkeys(NATURAL_BINS, min(each, per_bin))
    backwards = draw(judged[::-1], protocol, anything, OBVIOUS)
    assert backwards == drawn
    enough = each >= per_bin + 4 or (each > per_bin and 6 * (each - per_bin) >= 6 + 4)
    if each < per_bin:
        with pytest.raises(UserError, match=f"right_easy {each}, .* --per-bin {each}"):
            check(drawn, binned(judged, protocol), anything, protocol)
    elif enough:
        assert len(drawn.validation) == 4
        assert len(drawn.practice) == 2


def errors_of(*answers):
    """Errors of the AI by true label, label and confidence."""
    return [Judged(f"e{n}", *one) for n, one in enumerate(answers)]


def test_validation_shows_right_labels_and_errors_of_the_ai_of_many_classes():
    """The surest right labels, errors of 18 to 31 %, and no class twice while there are others."""
    classes = ("cat", "dog", "cow", "bus")
    right = [
        Judged(f"{label}{k}", label, label, 0.99 - k / 1000) for label in classes for k in range(9)
    ]
    errors = errors_of(
        ("cat", "dog", 0.20), ("cat", "dog", 0.21), ("dog", "cat", 0.31), ("cow", "bus", 0.25),
        ("cow", "bus", 0.33), ("bus", "cow", 0.85), ("cat", "cow", 0.17),
    )  # fmt: skip
    protocol = protocol_of(1, validation=6)
    drawn = draw([*right, *errors], protocol, anything, OBVIOUS)
    kept = [one for one in drawn.validation if one.right]
    assert {one.label for one in kept} <= set(classes)
    assert len({one.label for one in kept}) == 3
    assert all(one.confidence >= 0.96 for one in kept)
    shown = [one for one in drawn.validation if not one.right]
    assert not set(shown) - set(errors)
    main = {one.item for one in drawn.main}
    within = [one for one in errors if 0.18 <= one.confidence <= 0.31 and one.item not in main]
    assert [one for one in shown if one in within] == shown[: min(3, len(within))]
    assert {one.label for one in shown} >= {"bus"} | ({"dog"} & {one.label for one in within})


def test_of_errors_those_come_first_that_the_ai_hardly_ever_makes():
    errors = errors_of(*(("cat", label, 0.25) for label in ("dog", "cow", "bus", "car")))
    often = {"dog": 0.3, "cow": 0.01, "bus": 0.2, "car": 0.0}
    protocol = protocol_of(1, validation=4).model_copy(deep=True)
    drawn = draw(errors[1:], protocol, anything, Obvious(lambda one: often[one.label], swapped))
    main = {one.label for one in drawn.main}
    wanted = [label for label in ("car", "cow", "bus") if label not in main]
    assert [one.label for one in drawn.validation] == wanted[:2]


def test_with_too_few_errors_others_follow_and_then_swapped_labels():
    """The nearest to the wanted confidence first; the confidence is that in the shown label."""
    sure = judged_of(*((0.97 + k / 1000, True) for k in range(12)))
    errors = errors_of(("cat", "dog", 0.70), ("cat", "dog", 0.65), ("cat", "dog", 0.33))
    drawn = draw([*sure, *errors], protocol_of(1, validation=10), anything, OBVIOUS)
    wrong = [one for one in drawn.validation if not one.right]
    assert [one.confidence for one in wrong] == [0.33, 0.65, 0.70, 0.001, 0.001]
    assert [one.swapped for one in wrong] == [False] * 3 + [True] * 2
    assert not any(one.swapped for one in (*drawn.main, *drawn.practice))


def test_a_lack_is_told_by_what_is_found_and_what_can_be_shown():
    judged = many(3)
    barred = {judged[15].item}  # one of the three wrong and easy ones
    drawn = draw(judged, protocol_of(3), lambda one: one.item not in barred, OBVIOUS)
    with pytest.raises(UserError) as refused:
        check(drawn, binned(judged, protocol_of(3)), lambda one: one.item not in barred,
              protocol_of(3))  # fmt: skip
    said = str(refused.value)
    assert said.startswith("images by bin, 3 wanted in each: right_easy 3, ")
    assert "wrong_easy 2 (of 3 found)" in said
    assert said.endswith("add images, or lower it with --per-bin 2")
    assert Counter(said)["\n"] == 0

"""Which images are drawn: hand-worked bins, nobody sees an image again, lacks are told by count."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.errors import UserError
from stimuli.protocol import load_protocol
from stimuli.studies.human_ai_team.tables import NATURAL_BINS
from xai_backend.studies.human_ai_team.draw import Judged, binned, check, draw


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


def dog(one):
    return "dog"


@pytest.mark.parametrize(
    ("confidence", "right", "name"),
    [
        (1.0, True, "right_easy"), (0.8, True, "right_easy"), (0.799999, True, None),
        (0.6, True, None), (0.599999, True, "right_medium"), (0.4, True, "right_medium"),
        (0.399999, True, None), (0.3, True, None), (0.299999, True, "right_hard"),
        (0.8, False, "wrong_hard"), (0.5, False, "wrong_medium"), (0.1, False, "wrong_easy"),
    ],
)  # fmt: skip
def test_bins_are_the_published_ones(confidence, right, name):
    found = binned(judged_of((confidence, right)), protocol_of(1))
    assert list(found) == ([name] if name else [])


def many(each):
    rows = [(0.9, True), (0.5, True), (0.2, True), (0.9, False), (0.5, False), (0.2, False)]
    return judged_of(*(row for row in rows for _ in range(each)))


@settings(max_examples=30, deadline=None)
@given(each=st.integers(2, 9), per_bin=st.integers(1, 6), seed=st.integers(0, 5))
def test_bins_are_filled_alike_and_nobody_sees_an_image_again(each, per_bin, seed):
    protocol, judged = protocol_of(per_bin, seed=seed), many(each)
    drawn = draw(judged, protocol, anything, dog)
    items = [one.item for one in drawn.all]
    assert len(items) == len(set(items))
    sizes = {name: len(own) for name, own in binned(drawn.main, protocol).items()}
    assert sizes == dict.fromkeys(NATURAL_BINS, min(each, per_bin))
    backwards = draw(judged[::-1], protocol, anything, dog)
    assert backwards == drawn
    enough = each >= per_bin + 4 or (each > per_bin and 6 * (each - per_bin) >= 6 + 4)
    if each < per_bin:
        with pytest.raises(UserError, match=f"right_easy {each}, .* --per-bin {each}"):
            check(drawn, binned(judged, protocol), anything, protocol)
    elif enough:
        assert len(drawn.validation) == 4
        assert len(drawn.practice) == 2


def test_validation_shows_the_surest_images_half_of_them_with_a_wrong_label():
    sure = [(0.9 + k / 100, True) for k in range(9)]
    judged = judged_of(*sure, (0.5, True), (0.2, True), (0.95, False), (0.5, False), (0.2, False))
    drawn = draw(judged, protocol_of(1), anything, dog)
    shown = {one.item for one in drawn.main}
    left = [one.item for one in judged[8::-1] if one.item not in shown]
    assert [one.item for one in drawn.validation] == left[:4]
    assert [one.right for one in drawn.validation] == [True, False, True, False]
    assert {one.label for one in drawn.validation if not one.right} == {"dog"}


def test_practice_shows_right_and_wrong_in_turn():
    drawn = draw(many(6), protocol_of(2, practice=5), anything, dog)
    assert [one.right for one in drawn.practice] == [True, False, True, False, True]


def test_a_lack_is_told_by_what_is_found_and_what_can_be_shown():
    judged = many(3)
    barred = {judged[15].item}  # one of the three wrong and easy ones
    drawn = draw(judged, protocol_of(3), lambda one: one.item not in barred, dog)
    with pytest.raises(UserError) as refused:
        check(drawn, binned(judged, protocol_of(3)), lambda one: one.item not in barred,
              protocol_of(3))  # fmt: skip
    said = str(refused.value)
    assert said.startswith("images by bin, 3 wanted in each: right_easy 3, ")
    assert "wrong_easy 2 (of 3 found)" in said
    assert said.endswith("add images, or lower it with --per-bin 2")
    assert Counter(said)["\n"] == 0

"""How leaves are turned, against a reader who turns them one by one."""

import pytest
from hypothesis import strategies as st

from experiments.screens.foot import Place
from experiments.studies.simulatability.cases import AtHand, Leaf, choice_of, deck_of
from tests.experiments.examples import given
from tests.experiments.studies.simulatability.laid import screens_at
from tests.experiments.studies.simulatability.made_cases import case, looked_at, predicted, rated

counts = st.integers(1, 6)
KEYS = ("right", "left", "pagedown", "pageup", "space", "l", "x")


def pages(count):
    return [() for _ in range(count)]


def examples(count):
    return AtHand(tuple(Leaf((), Place(at, count), at_hand=True) for at in range(count)), "l")


@given(counts, st.integers(0, 4), st.lists(st.sampled_from(KEYS), max_size=40))
def test_an_answer_counts_once_all_pages_were_seen_and_with_the_question_in_sight(
    count, beside, keys
):
    """The reader knows a page, whether it looks at an example, and which pages it has seen."""
    deck = deck_of(pages(count), examples(beside))
    leaf, page, example, seen = 0, 0, None, {0}
    for key in keys:
        leaf = deck.turns.get((leaf, key), leaf)
        ready = len(seen) == count
        if example is not None:
            onward = {"right": 1, "pagedown": 1, "left": -1, "pageup": -1}.get(key, 0)
            example = min(max(example + onward, 0), beside - 1)
            if key == "l":
                example, page = None, 0
        elif key == "l" and ready and beside:
            example = 0
        elif key in ("right", "pagedown") or (key == "space" and not ready):
            page = min(page + 1, count - 1)
        elif key in ("left", "pageup"):
            page = max(page - 1, 0)
        seen.add(page)
        shown = deck.leaves[leaf]
        assert shown.at_hand is (example is not None)
        assert shown.place.page == (page if example is None else example)
        ready = len(seen) == count
        assert (leaf in deck.answered) is (ready and example is None)
        assert shown.place.ready is (ready or example is not None)


@given(counts)
def test_where_a_mouse_answers_its_buttons_turn_no_page(count):
    deck = deck_of(pages(count), examples(2), arrows=False)
    assert not {key for _, key in deck.turns} & {"left", "right"}


@pytest.mark.parametrize("size_px", [(1280, 720), (1920, 1080)])
@pytest.mark.parametrize("language", ["en", "de"])
def test_what_is_clicked_lies_apart_and_within_the_screen(size_px, language):
    at = screens_at(size_px, language)
    beside = (case("text", "lime"), case("text", "composite"))
    shown = predicted(case("text", "composite", changed=True), learning=beside, learning_key="l")
    for task in (looked_at(case("text", None)), rated(case("text", "lime")), shown):
        deck = at.deck(task, at.at_hand(task) if task is shown else AtHand())
        areas = at.areas(task, deck)
        assert set(choice_of(task, deck).options) & set(areas)
        boxes = list(areas.values())
        for number, (left, top, right, bottom) in enumerate(boxes):
            assert 0 <= left < right <= size_px[0]
            assert 0 <= top < bottom <= size_px[1]
            for other in boxes[:number]:
                across = min(right, other[2]) - max(left, other[0])
                down = min(bottom, other[3]) - max(top, other[1])
                assert across <= 0 or down <= 0


def test_examples_at_hand_are_all_there_in_their_order():
    at = screens_at((1280, 720))
    shown = predicted(
        case("text", None, told=False),
        learning=tuple(case("text", method) for method in ("lime", "composite", "anchor")),
        learning_key="l",
    )
    told = [leaf.place.label for leaf in at.at_hand(shown).leaves]
    assert list(dict.fromkeys(told)) == [f"Example {number} of 3" for number in (1, 2, 3)]
    assert told == sorted(told)

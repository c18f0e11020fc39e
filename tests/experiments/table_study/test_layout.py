"""The screen of an item: nothing covers a picture, and nothing moves when the advice appears."""

import numpy as np
import pytest

from experiments.screens.foot import body_area
from experiments.screens.look import Look
from experiments.table_study.layout import Content, arranged, item_layers
from stimuli.errors import UserError

GROUND, SHOWN, ADVISED = (64, 64, 64), (150, 10, 200), (10, 200, 10)
TEXT = "A **marked** word in a sentence that is long enough for more than a single line of text."


def composed(look, layers):
    """Return the screen that layers make, in their order."""
    width, height = look.size_px
    screen = np.full((height, width, 3), look.background, dtype=np.uint8)
    for layer in layers:
        rows, columns = layer.pixels.shape[:2]
        bottom, right = layer.top_px + rows, layer.left_px + columns
        assert min(layer.top_px, layer.left_px, height - bottom, width - right) >= 0
        screen[layer.top_px : bottom, layer.left_px : right] = layer.pixels
    return screen


def paint(file, side_px):
    """Return a picture twice as wide as high; of the advice, another one."""
    colour = ADVISED if file == "advice.png" else SHOWN
    return np.broadcast_to(np.array(colour, dtype=np.uint8), (side_px // 2, side_px, 3))


def drawn(look, content, *, advised):
    sizes = arranged(look, content, round(0.5 * look.size_px[1]))
    return composed(look, item_layers(look, content, sizes, paint, advised=advised)), sizes


@pytest.mark.parametrize("size", [(1920, 1080), (1024, 768)])
@pytest.mark.parametrize("pictures", [0, 1, 3])
@pytest.mark.parametrize("picture_too", [False, True])
def test_nothing_moves_when_the_advice_appears(size, pictures, picture_too):
    look = Look(size, GROUND)
    advice_picture = "advice.png" if picture_too else ""
    content = Content("a", "", ("a.png",) * pictures, TEXT, f"**The AI says: wolf**\n\n{TEXT}",
                      advice_picture)  # fmt: skip
    before, sizes = drawn(look, content, advised=False)
    after, _ = drawn(look, content, advised=True)
    shown = (before != GROUND).any(axis=2)
    assert np.array_equal(before[shown], after[shown])
    assert (before != after).any()
    assert (after == SHOWN).all(axis=2).sum() == pictures * sizes.side_px * (sizes.side_px // 2)
    (rows, _) = np.nonzero((after != GROUND).any(axis=2))
    _, top, _, bottom = body_area(look, "ask")
    assert top <= rows.min()
    assert rows.max() < bottom


@pytest.mark.parametrize("text", ["Broke after {} days.", f"{{}} {TEXT}"])
def test_marked_words_look_otherwise_than_the_rest(text):
    look = Look((1024, 768), GROUND)
    marked, plain = (
        drawn(look, Content("a", "", (), text.format(word), "", ""), advised=False)[0]
        for word in ("**two**", "two")
    )
    assert not np.array_equal(marked, plain)


@pytest.mark.parametrize(("text", "above"), [("", ""), ("A dog.", "What is it?")])
def test_a_question_alone_stands_in_the_middle(text, above):
    item = dict.fromkeys(["picture", "left_picture", "right_picture", "advice"])
    item |= {"presentation": "a", "question": "What is it?", "text": text}
    item |= dict.fromkeys(["advice_text", "advice_picture"])
    content = Content.of(item, str, advised=False)
    assert (content.question, content.text) == (above, text or "What is it?")


def test_a_text_that_has_no_room_is_refused_in_one_line():
    look = Look((1024, 768), GROUND)
    with pytest.raises(UserError, match=r"^item a: its text doesn't fit on this screen"):
        arranged(look, Content("a", "", ("a.png",), TEXT * 12, "", ""), 400)

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.screens.fitting import LEAST_LAST, LONELY, breaks
from experiments.screens.look import Look
from experiments.screens.markdown import blocks_of
from experiments.screens.typeset import height_of, paginate, set_blocks
from participants.texts import load_words
from stimuli.errors import UserError

LOOK = Look((1280, 720), (30, 30, 30))

words = st.text("abcdefgh", min_size=1, max_size=14)
paragraphs = st.lists(words, min_size=1, max_size=60).map(" ".join)
texts = st.lists(paragraphs, min_size=1, max_size=8).map("\n\n".join)


def text_of(lines):
    return " ".join(piece.text for line in lines for piece in line.pieces)


@settings(max_examples=25, deadline=None)
@given(texts, st.integers(300, 1000))
def test_every_word_is_set_once_in_order_and_within_the_column(text, width_px):
    lines = set_blocks(LOOK, blocks_of(text), width_px)
    assert text_of(lines).split() == text.split()
    for line in lines:
        assert all(piece.left_px + piece.width_px <= width_px + 0.5 for piece in line.pieces)


@settings(max_examples=25, deadline=None)
@given(texts, st.integers(100, 900))
def test_pages_hold_every_line_once_in_order_and_none_is_too_high(text, height_px):
    lines = set_blocks(LOOK, blocks_of(text), 600)
    pages = paginate(lines, height_px)
    assert [line for page in pages for line in page] == lines
    assert all(height_of(page) <= height_px or len(page) == 1 for page in pages)


def test_a_page_never_ends_with_a_heading_and_no_paragraph_is_cut_needlessly():
    text = "\n\n".join(["# Heading", "word " * 60, "## Lesser", "word " * 60, "word " * 30])
    lines = set_blocks(LOOK, blocks_of(text), 700)
    for page in paginate(lines, 330):
        assert page[-1].kind == "paragraph"
    for page, following in zip(paginate(lines, 330), paginate(lines, 330)[1:], strict=False):
        assert page[-1].block != following[0].block


def test_a_page_never_ends_with_a_colon():
    """What a colon announces stands on the same page."""
    text = "\n\n".join(["word " * 60, "word " * 30, "as follows:", "- one", "- two", "- three"])
    lines = set_blocks(LOOK, blocks_of(text), 700)
    for height_px in range(200, 700, 20):
        for page in paginate(lines, height_px)[:-1]:
            assert not text_of(page).endswith(":")


def test_bold_words_keep_their_punctuation_without_a_space():
    lines = set_blocks(LOOK, blocks_of("press **accept**, then wait"), 800)
    accept, comma = lines[0].pieces[1], lines[0].pieces[2]
    assert (accept.text, accept.weight, comma.text) == ("accept", "bold", ",")
    assert comma.left_px == pytest.approx(accept.left_px + accept.width_px)


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_line_ends_within_the_name_of_a_key(language):
    """ "the F key" at the end of a line was read as "the", and a letter below it."""
    key = load_words("accept_reject", language).key("f")
    text = f"- To **accept** the solution, if you can see it yourself: {key}\n"
    for width_px in range(150, 900, 25):
        lines = set_blocks(LOOK, blocks_of(text), width_px)
        assert sum(piece.text == key for line in lines for piece in line.pieces) == 1


def test_lists_have_markers_left_of_their_words():
    lines = set_blocks(LOOK, blocks_of("- one\n- two\n\n1. first\n2. second"), 800)
    assert [line.pieces[0].text for line in lines] == ["•", "•", "1.", "2."]
    assert all(line.pieces[0].left_px < line.pieces[1].left_px for line in lines)


@pytest.mark.parametrize("text", ["![a](b.png)", "```\ncode\n```", "> quoted"])
def test_what_a_screen_cannot_show_is_refused(text):
    with pytest.raises(UserError, match="can't show"):
        blocks_of(text)


def test_html_is_text_and_nothing_else():
    assert text_of(set_blocks(LOOK, blocks_of("a <b>c</b>"), 800)) == "a <b>c</b>"


def every_way(widths, space, width):
    """Yield all breakings of some words into lines that fit."""
    if not widths:
        yield []
    for end in range(1, len(widths) + 1):
        if end == 1 or sum(widths[:end]) + space * (end - 1) <= width:
            for rest in every_way(widths[end:], space, width):
                yield [widths[:end], *rest]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(10, 70), min_size=1, max_size=9), st.booleans())
def test_lines_are_broken_as_the_best_of_all_ways(lengths, balanced):
    def badness(rows):
        rests = [max(0.0, 1 - (sum(row) + 5 * (len(row) - 1)) / 100) for row in rows]
        cost = sum(rest**2 for rest in (rests if balanced else rests[:-1]))
        if not balanced and len(rows) > 1:
            cost += LONELY * max(0.0, rests[-1] - (1 - LEAST_LAST)) ** 2
        return len(rows), cost

    best = min(badness(rows) for rows in every_way(lengths, 5, 100))
    found = [
        lengths[first:end]
        for first, end in breaks(lengths, [5] * len(lengths), 100, balanced=balanced)
    ]
    assert [length for row in found for length in row] == lengths
    assert badness(found) == pytest.approx(best)


def test_a_paragraph_does_not_end_in_a_lonely_word():
    text = "Decide as soon as you are sure. From time to time you can take a break."
    last = set_blocks(LOOK, blocks_of(text), 800)[-1]
    assert len(last.pieces) > 1


def test_a_list_stays_on_one_page_if_that_costs_no_page():
    text = "\n\n".join(["word " * 60, "as follows:", *["- one"] * 6, "word " * 30])
    lines = set_blocks(LOOK, blocks_of(text), 700)
    for height_px in range(440, 560, 20):
        pages = paginate(lines, height_px)
        assert len(pages) == 2
        listing = [page for page in pages if any(line.kind == "item" for line in page)]
        assert len(listing) == 1

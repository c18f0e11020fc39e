import numpy as np
import pytest
from PIL import ImageChops, ImageFont

from experiments.screens.look import Look
from experiments.screens.page import figure_px, page_layers, rest_layers, sheets_of
from experiments.screens.parts import FOOTER, Footer, Option
from experiments.screens.trial import (
    KeyHint,
    TrialScreen,
    feedback_layers,
    fixation_layers,
    stimulus_layers,
)
from participants.texts import load_question, load_text, load_words
from stimuli.typeface import font_file, missing_signs
from tests.experiments.composing import composed

BACKGROUND = (30, 30, 30)
SIZES = [
    *(pytest.param(size, marks=pytest.mark.slow) for size in ((1280, 720), (1920, 1080))),
    (1024, 768),
]
TEXTS = ["consent", "instructions", "run_with"]
VALUES = {
    "minutes": "60",
    "seconds": "2.5",
    "limit_seconds": "30",
    "institution": "this laboratory",
    "contact": "the experimenter",
    "terms": "**Contact:** this laboratory, the experimenter",
    "accept_key": "the F key",
    "reject_key": "the J key",
    "label": "7",
}


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def look(request):
    return Look(request.param, BACKGROUND)


def drawn(look, layers):
    return (composed(layers, look.size_px, BACKGROUND) != np.array(BACKGROUND)).any(axis=2)


@pytest.mark.parametrize(
    "ends", [(0, 0, 0, 0), (70, 40, 70, 40), (0, 12, 70, 12), (9, 0, 9, 40), (13, 7, 52, 30)]
)
def test_what_was_drawn_is_cut_to_where_it_differs_from_the_ground(ends):
    look = Look((71, 41), BACKGROUND)
    canvas = look.canvas()
    assert look.layers(canvas) == ()
    for end in (ends[:2], ends[2:]):
        canvas.putpixel(end, (30, 31, 30))
    box = ImageChops.difference(canvas, look.canvas()).getbbox()
    (layer,) = look.layers(canvas)
    assert (layer.left_px, layer.top_px, layer.scale) == (*box[:2], 1)
    assert np.array_equal(layer.pixels, np.asarray(canvas.crop(box)))


@pytest.mark.parametrize("name", TEXTS)
def test_every_text_stands_clear_of_the_edges_and_of_the_hints(look, name):
    markdown = load_text("accept_reject", "de", name).filled(VALUES).markdown
    options = [Option("1", "I agree"), Option("2", "I do not agree")]
    for sheet in sheets_of(look, markdown, options if "consent" in name else ()):
        ink = drawn(look, page_layers(look, sheet, Footer()))
        margin = look.px(0.03)
        assert ink.any()
        assert not ink[:margin].any()
        assert not ink[-look.px(FOOTER) :].any()
        assert not ink[:, :margin].any()
        assert not ink[:, -margin:].any()


def test_answers_stand_on_the_last_sheet_and_the_chosen_one_is_seen(look):
    question = load_question("accept_reject", "de", "source_guess")
    options = [Option(str(n), words) for n, words in enumerate(question.choices.values(), 1)]
    *_, last = sheets_of(look, f"## {question.text}", options)
    pictures = [
        composed(page_layers(look, last, Footer(), chosen=chosen), look.size_px, BACKGROUND)
        for chosen in (None, 0, 1, 2, 3)
    ]
    assert len({picture.tobytes() for picture in pictures}) == 5


def test_a_figure_stands_beside_its_text_and_does_not_touch_it(look):
    figure = np.full((figure_px(look), figure_px(look), 3), 200, np.uint8)
    markdown = load_text("accept_reject", "de", "example_accept").filled(VALUES).markdown
    sheets = sheets_of(look, markdown, figure=True)
    assert len(sheets) == 1
    columns = drawn(look, page_layers(look, sheets[0], Footer(), figure=figure)).any(axis=0)
    edges = np.flatnonzero(np.diff(columns.astype(int)))
    assert edges[0] + 1 >= look.px(0.03)
    assert edges[1] - edges[0] == figure_px(look)
    assert edges[2] - edges[1] >= look.px(0.03)


def screen(solution="3", left="accept"):
    accept, reject = KeyHint("Accept", "F"), KeyHint("Reject", "J")
    hints = (accept, reject) if left == "accept" else (reject, accept)
    return TrialScreen(solution, "Solution", *hints)


@pytest.mark.parametrize("solution", ["3", "keine Lösung"])
def test_the_solution_stands_beside_the_plate_and_within_the_screen(look, solution):
    side = look.px(0.667)
    plate = np.full((side, side, 3), 90, np.uint8)
    layers = stimulus_layers(look, plate, screen(solution))
    boxes = [(layer.left_px, layer.top_px, *reversed(layer.pixels.shape[:2])) for layer in layers]
    width, height = look.size_px
    for left, top, wide, high in boxes:
        assert left >= 0
        assert top >= 0
        assert left + wide <= width
        assert top + high <= height
    for number, (left, top, wide, high) in enumerate(boxes):
        for left2, top2, wide2, high2 in boxes[number + 1 :]:
            apart = (
                left + wide <= left2
                or left2 + wide2 <= left
                or top + high <= top2
                or top2 + high2 <= top
            )
            assert apart


def test_fixation_marks_the_plates_centre(look):
    plate = np.full((400, 400, 3), 90, np.uint8)
    (cross,) = fixation_layers(look)
    first = stimulus_layers(look, plate, screen())[0]
    for axis, place in ((1, "left_px"), (0, "top_px")):
        middle = getattr(cross, place) + cross.pixels.shape[axis] / 2
        assert abs(middle - getattr(first, place) - 200) <= 1


def test_keys_change_sides_and_nothing_else_changes():
    look = Look((1280, 720), BACKGROUND)
    plate = np.full((400, 400, 3), 90, np.uint8)
    one, other = (stimulus_layers(look, plate, screen(left=left)) for left in ("accept", "reject"))
    for first, second in zip(one[:2], other[:2], strict=True):
        assert np.array_equal(first.pixels, second.pixels)
    assert not np.array_equal(one[2].pixels, other[2].pixels)


def test_notices_are_told_apart_without_colour():
    look = Look((1280, 720), BACKGROUND)
    for sign in "✓✗…":
        pixels = composed(feedback_layers(look, sign, "words"), look.size_px, BACKGROUND)
        assert (pixels.max(axis=2) == pixels.min(axis=2)).all()


def test_progress_fills_its_bar():
    look = Look((1280, 720), BACKGROUND)
    bright = [
        (composed(rest_layers(look, "# Rest", Footer(), share=share), look.size_px, BACKGROUND)
         > 200).sum()
        for share in (0.1, 0.5, 1.0)
    ]  # fmt: skip
    assert bright == sorted(set(bright))


def test_lines_of_right_to_left_languages_begin_on_the_right():
    markdown = "# אבג\n\nדהו זחט"
    look = Look((1280, 720), BACKGROUND, "he")
    (sheet,) = sheets_of(look, markdown)
    columns = np.flatnonzero(drawn(look, page_layers(look, sheet, Footer())).any(axis=0))
    assert columns.min() > 640


@pytest.mark.parametrize("text", ["", "AVATAR", "שלום"])
def test_a_font_measures_as_pillow_does_however_often_it_is_asked(text):
    own = Look((1280, 720), BACKGROUND).font(30, "bold")
    pillows = ImageFont.truetype(font_file("bold"), 30, layout_engine=own.layout_engine)
    assert own.getlength(text) == own.getlength(text) == pillows.getlength(text)
    assert own.getlength(text, direction="ltr") == pillows.getlength(text, direction="ltr")


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_typeface_has_every_sign_of_the_words(language):
    words = load_words("accept_reject", language)
    assert missing_signs("".join([*words.words.values(), *words.keys.values()])) == ""
    assert missing_signs("a漢b漢") == "漢"

"""The answer field and the table of classes as they are laid out, in pixels."""

from types import MappingProxyType

import numpy as np
import pytest

from experiments.screens.answer_field import FieldPainter, FieldSizes, Suggested
from experiments.screens.look import Look
from experiments.studies.progressive_reveal.answer_field import answer_words, suggested
from experiments.studies.progressive_reveal.places import RoundPlaces
from experiments.studies.progressive_reveal.presenter import class_table_layers
from participants.texts import load_words
from stimuli.errors import UserError
from stimuli.studies.progressive_reveal.classes import ClassName
from stimuli.typed_text import runs_leftwards
from tests.experiments.rehearsal import noted_texts

SIZES = {(1280, 720): 512, (1920, 1080): 768}
GROUND = (58, 58, 58)
MOST = 8
GERMAN = (
    "Krankenwagen", "Braunbär", "Schulbus", "Schiff", "Schloss", "Auto", "Autoschlitten",
    "Französisches Horn", "Sennenhund", "Kassettenrekorder", "Golfball", "Zapfsäule",
    "Fallschirm", "Müllwagen", "Kettensäge", "Schleie", "Kirche", "Wasserflugzeug",
    "Lokomotive", "Feuerwehrauto", "Kühlschrank", "Waschmaschine", "Schildkröte", "Panda",
    "Eichhörnchen", "Papagei", "Teekanne", "Regenschirm", "Schreibmaschine", "Flugzeugträger",
    "Segelboot", "Trompete", "Violine", "Banane", "Erdbeere", "Zitrone", "Pfau", "Strauß",
    "Zebra", "Nilpferd",
)  # fmt: skip


@pytest.fixture(params=[(1280, 720), (1920, 1080)], ids=lambda size: f"{size[0]}x{size[1]}")
def size_px(request):
    return request.param


def painter_of(look, width_px=309, messages=MappingProxyType({})):
    sizes = FieldSizes.of(look, MOST)
    return FieldPainter(look, width_px, sizes, "Tippen Sie, was Sie sehen", messages, ())


def inside(box, size_px):
    return (
        box.left_px >= 0
        and box.top_px >= 0
        and (box.left_px + box.width_px <= size_px[0] and box.top_px + box.height_px <= size_px[1])
    )


def apart(one, other):
    across = min(one.left_px + one.width_px, other.left_px + other.width_px) - max(
        one.left_px, other.left_px
    )
    down = min(one.top_px + one.height_px, other.top_px + other.height_px) - max(
        one.top_px, other.top_px
    )
    return across <= 0 or down <= 0


@pytest.mark.parametrize("language", ["de", "he"])
@pytest.mark.parametrize("count", [1, 10, 17, 40])
def test_image_field_prototype_and_table_lie_on_the_screen_and_apart(size_px, count, language):
    places = RoundPlaces.of(Look(size_px, GROUND, language), SIZES[size_px], GERMAN[:count], MOST)
    boxes = [places.image, places.field, places.prototype, *places.tables]
    assert all(inside(box, size_px) for box in boxes)
    for number, one in enumerate(boxes):
        assert all(apart(one, other) for other in boxes[number + 1 :])
    assert places.image.width_px == places.image.height_px == SIZES[size_px]
    assert places.prototype.width_px >= 0.1 * size_px[1]
    assert places.rows * len(places.tables) >= count


@pytest.mark.parametrize("count", [17, 40])
def test_every_class_stands_in_the_table_once_and_within_its_column(size_px, count):
    names = GERMAN[:count]
    look = Look(size_px, GROUND, "de")
    places = RoundPlaces.of(look, SIZES[size_px], names, MOST)
    texts = []
    with noted_texts(texts):
        class_table_layers(look, places, names)
    assert len(texts) == count
    for name, text in zip(names, texts, strict=True):
        assert text.text == name or text.text.endswith("…")
        assert text.text[:5] == name[:5]
        box = next(box for box in places.tables if abs(box.left_px - text.box[0]) < look.px(0.01))
        assert text.box[2] <= box.left_px + box.width_px + 1
        assert box.top_px <= text.box[1]
        assert text.box[3] <= box.top_px + box.height_px
    if count == 17:
        assert [text.text for text in texts] == list(names)


def test_a_table_that_does_not_fit_is_refused_in_one_line(size_px):
    names = [f"Klasse Nummer {number}" for number in range(90)]
    with pytest.raises(UserError, match="90 classes don't fit"):
        RoundPlaces.of(Look(size_px, GROUND, "de"), SIZES[size_px], names, MOST)


def ink(pixels, ground):
    return (np.abs(pixels.astype(int) - np.asarray(ground)).max(axis=2) > 60).any(axis=0)


def test_the_caret_stands_after_the_letters_before_it():
    look = Look((1280, 720), GROUND, "de")
    painter = painter_of(look)
    at = [np.flatnonzero(ink(painter.line("", 0)[12:-12], look.surface))[0]]
    for caret in range(1, 6):
        before, after = (painter.line("Kirche", place) for place in (caret - 1, caret))
        changed = np.flatnonzero((before != after).any(axis=(0, 2)))
        at.append(changed.max())
    assert at == sorted(at)
    assert at[-1] - at[0] > 30


@pytest.mark.parametrize("language", ["en", "he"])
@pytest.mark.parametrize("height_px", [720, 1080])
def test_the_caret_keeps_clear_of_the_placeholder(height_px, language):
    """Half the height of its letters: as far as one letter stands from another and more."""
    look = Look((1280, height_px), GROUND, language)
    painter = FieldPainter(look, 400, FieldSizes.of(look, 0), "Hmm", {})
    line = painter.line("", 0)
    middle = line[len(line) // 2 - 2 : len(line) // 2 + 2, 10:-10]
    columns = np.flatnonzero((middle != look.surface).any(axis=(0, 2)))
    columns = columns if language == "en" else -columns[::-1]
    caret_px = look.px(0.0028)
    assert np.array_equal(np.diff(columns[:caret_px]), np.ones(caret_px - 1))
    assert columns[caret_px] - columns[caret_px - 1] > 0.25 * look.hint_px


def test_a_long_line_shows_its_caret_wherever_that_stands():
    look = Look((1280, 720), GROUND, "de")
    painter = painter_of(look)
    text = "Wasserflugzeugträgerkapitänsmütze"
    shown = [painter.line(text, caret) for caret in range(len(text) + 1)]
    for line in shown:
        # The caret is higher than any letter: in a row above them there is only itself.
        height = line.shape[0]
        row = line[round(height / 2 - 0.6 * look.body_px)]
        assert (row[4:-4] == look.strong).all(axis=1).sum() >= look.px(0.0028)


@pytest.mark.parametrize(
    ("language", "text"), [("de", "Schulbus"), ("he", "אוטובוס"), ("he", "Schulbus")]
)
def test_what_was_typed_is_underlined_in_its_suggestion_and_nothing_else(language, text):
    look = Look((1280, 720), GROUND, language)
    painter = painter_of(look)
    plain = painter.row(Suggested(text, 0, 0, False))
    marked = painter.row(Suggested(text, 2, 5, False))
    columns = np.flatnonzero((plain != marked).any(axis=(0, 2)))
    width_px = look.font(look.hint_px).getlength
    assert abs(columns.max() - columns.min() + 1 - width_px(text[2:5])) <= 3
    begin = look.px(0.018)
    if language == "he":
        begin = 309 - look.px(0.018) - width_px(text)
    before = width_px(text[5:] if runs_leftwards(text) else text[:2])
    assert abs(columns.min() - begin - before) <= 3


@pytest.mark.parametrize(("language", "text"), [("de", "Haus"), ("he", "בית"), ("he", "Haus")])
def test_the_caret_goes_the_way_the_letters_go(language, text):
    look = Look((1280, 720), GROUND, language)
    painter = painter_of(look)
    height = painter.sizes.line_px
    above = round(height / 2 - 0.6 * look.body_px)
    row = [painter.line(text, caret)[above] for caret in range(len(text) + 1)]
    places = [int(np.flatnonzero((one[4:-4] == look.strong).all(axis=1))[0]) for one in row]
    assert places == sorted(places, reverse=runs_leftwards(text))
    assert (places[0] < 309 / 2) == (language == "de")


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_message_has_room_beside_the_image(size_px, language):
    look = Look(size_px, GROUND, language)
    width_px = RoundPlaces.of(look, SIZES[size_px], GERMAN[:17], MOST).field.width_px
    words = answer_words(load_words("progressive_reveal", language, None))
    painter = painter_of(look, width_px, words.messages)
    texts = []
    with noted_texts(texts):
        painter.message(None)
    for message in words.messages.values():
        rows = [text for text in texts if text.text and text.text in message]
        assert " ".join(text.text for text in reversed(rows)) == message
        assert all(text.box[1] >= 0 and text.box[2] <= width_px for text in rows)
    assert look.font(look.hint_px).getlength(words.placeholder) < width_px - 3 * look.px(0.018)


@pytest.mark.parametrize(
    ("typed", "text", "part"),
    [
        ("bra", "Braunbär", "Bra"),
        ("baer", "Braunbär (Bär)", "Bär"),
        ("Bar", "Braunbär (Bär)", "Bär"),
        ("brau n", "Braunbär", ""),
    ],
)
def test_a_suggestion_marks_the_letters_that_were_typed(typed, text, part):
    bear = ClassName("bear", "Braunbär", ("Bär",))
    found = suggested(bear, typed, chosen=False)
    assert found.text == text
    assert found.text[found.start : found.end] == part


def test_a_chosen_suggestion_stands_out_by_its_ground():
    painter = painter_of(Look((1280, 720), GROUND, "de"))
    one, chosen = (painter.row(Suggested("Schiff", 0, 3, state)) for state in (False, True))
    assert one[20, 200].max() < 80
    assert chosen[20, 200].min() > 180

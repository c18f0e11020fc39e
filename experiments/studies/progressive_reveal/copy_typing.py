"""The copy-typing block: words shown one by one, to be typed as they stand.

How fast somebody types is wanted beside how soon an image was recognised.
"""

from collections.abc import Sequence
from typing import Final

from experiments.engine.picture import Layer, Picture
from experiments.engine.stage import held_garbage
from experiments.engine.text import TextInput
from experiments.pages.context import SessionContext
from experiments.pages.line_field import FieldTexts, LineField, WithField
from experiments.pages.settings import Painter, ScreenSettings
from experiments.pages.waiting import Waiting
from experiments.screens.answer_field import Box, FieldSizes
from experiments.screens.look import Look
from participants.session.typed_line import Keystroke
from participants.studies.progressive_reveal.entry import CopyEntry
from participants.studies.progressive_reveal.rounds import CopyResult, CopyTask
from participants.texts import Words

FIELD_WIDTH: Final = 0.62
"""Width of the field, as a share of the screen's height."""
PROMPT, WORD, FIELD = 0.20, 0.30, 0.52
"""Vertical positions as shares of the screen's height: middles of the words; the field's line."""


def copy_words(
    context: SessionContext,
    settings: ScreenSettings[Painter],
    typing: TextInput,
    waiting: Waiting,
    task: CopyTask,
) -> tuple[CopyResult, ...]:
    """Let the person copy each word and confirm it by Enter; case doesn't matter.

    If a chord to end or another window interrupts a word, it starts again if the session continues.

    Parameters
    ----------
    context, settings
        As in a presenter.
    typing
        Listens to what is typed.
    waiting
        Handles the chords that pause and end the session.
    task
        The words.
    """
    look, words = settings.look, settings.words
    messages = {"empty": words["copy_word"], "differs": words["field_differs"]}
    field = LineField(context.stage, look, field_box(look), FieldTexts("", messages))
    prompt = words["copy_word"]
    try:
        return tuple(
            _copied(context, typing, waiting, field, word, word_layers(look, prompt, word, place))
            for word, place in zip(task.words, _places(words, len(task.words)), strict=True)
        )
    finally:
        field.free()


def field_box(look: Look) -> Box:
    """Return the field's box: in the middle, below the word."""
    sizes = FieldSizes.of(look, most=0)
    width_px = look.px(FIELD_WIDTH)
    top = look.px(FIELD) - sizes.line_px // 2 - sizes.message_px
    return Box((look.size_px[0] - width_px) // 2, top, width_px, sizes.height_px)


def word_layers(look: Look, prompt: str, word: str, place: str) -> tuple[Layer, ...]:
    """Return all but the field: the prompt, the word, and the word's number."""
    canvas, draw = look.drawing()
    middle = look.size_px[0] / 2
    body, heading = look.font(look.body_px), look.font(look.heading_px, "bold")
    hint = look.font(look.hint_px)
    draw.text((middle, look.px(PROMPT)), prompt, fill=look.text, font=body, anchor="mm")
    draw.text((middle, look.px(WORD)), word, fill=look.strong, font=heading, anchor="mm")
    below = field_box(look).top_px + field_box(look).height_px + look.px(0.05)
    draw.text((middle, below), place, fill=look.quiet, font=hint, anchor="mm")
    return look.layers(canvas)


def _places(words: Words, count: int) -> list[str]:
    """Return the texts below each word: how many words are done."""
    return [words.filled("copied", done=str(done), total=str(count)) for done in range(count)]


def _copied(
    context: SessionContext,
    typing: TextInput,
    waiting: Waiting,
    field: LineField,
    word: str,
    layers: Sequence[Layer],
) -> CopyResult:
    picture = context.stage.picture(layers)
    try:
        while True:
            waiting.between()
            context.actor.expect(word)
            result = _attempt(context, typing, waiting, field, word, picture)
            if result is not None:
                return result
    finally:
        picture.free()


def _attempt(
    context: SessionContext,
    typing: TextInput,
    waiting: Waiting,
    field: LineField,
    word: str,
    picture: Picture,
) -> CopyResult | None:
    """Show a word until it is copied; None if a chord to end or another window interrupts."""
    stage, frame = context.stage, WithField(picture, field)
    field.begin(CopyEntry(word))
    context.album.keep("copy", stage, frame)
    if waiting.note_all(typing.forget()):
        return None
    keystrokes: list[Keystroke] = []
    with held_garbage():
        onset_s = stage.frame(frame)
        field.onset(onset_s)
        context.actor.onset(onset_s)
        while True:
            heard = typing.poll()
            typed, done = field.take(heard.typed)
            keystrokes += typed
            ending = waiting.note_all(heard.presses)
            if done:
                return CopyResult(word, onset_s, tuple(keystrokes), keystrokes[-1].t_s)
            if ending or waiting.lost_focus:
                return None
            _check_patience(context, word, onset_s)
            stage.frame(frame)


def _check_patience(context: SessionContext, word: str, onset_s: float) -> None:
    patience_s = context.actor.patience_s
    if patience_s is not None and context.stage.now_s() - onset_s > patience_s:
        raise RuntimeError(f"the robot never copied the word {word!r}")

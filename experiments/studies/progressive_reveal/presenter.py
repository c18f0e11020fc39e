"""Study progressive_reveal on a screen: images uncovered step by step, and their names typed."""

from collections.abc import Iterator, Sequence
from itertools import repeat

from experiments.engine.picture import Layer, Layers, Pixels
from experiments.engine.present import Unseen
from experiments.engine.window_events import pointer_shown
from experiments.pages.context import Stamped, presented, record_moments
from experiments.pages.line_field import FieldPicture
from experiments.pages.presenting import WindowPresenter
from experiments.screens.look import Look, shortened
from experiments.screens.parts import Hint
from experiments.screens.strokes import ToolHint
from experiments.screens.trial import RIGHT, fixation_layers
from experiments.studies.progressive_reveal.answer_field import (
    AnswerField,
    answer_texts,
    answer_words,
)
from experiments.studies.progressive_reveal.copy_typing import copy_words
from experiments.studies.progressive_reveal.painter import RevealPainter
from experiments.studies.progressive_reveal.places import (
    RoundEnd,
    RoundPlaces,
    caption_layers,
    columns_of,
    image_layers,
    prototype_layers,
    revealed_layers,
    window_layers,
)
from experiments.studies.progressive_reveal.round import (
    RoundDesk,
    RoundFrame,
    RoundPictures,
    Uncovered,
    uncover,
)
from participants.session import SessionPlan
from participants.studies.progressive_reveal.rounds import (
    CopyResult,
    CopyTask,
    RevealRound,
    RoundResult,
)
from participants.texts import Words
from stimuli.io.canonical import sha256_hex
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.tables import CLASSES


def round_keys(plan: SessionPlan, words: Words) -> tuple[ToolHint, ...]:
    """Return what keys do while an image is revealed."""
    return (
        Hint(("A … Z",), words["type_here"]),
        Hint((words.cap("up"), words.cap("down")), words["key_select"]),
        Hint((words.cap("return"),), words["key_answer"]),
    )


class RevealPresenter(WindowPresenter[RevealPainter]):
    """A presenter of rounds and of copied words with a real window."""

    def _prepare(self, plan: SessionPlan) -> None:
        look, protocol = self._look, self._painter.protocol
        self._classes = Classes.of(
            self._painter.pack.table(CLASSES),
            plan.language,
            aliases=protocol.answering.accept_aliases,
        )
        self._names = {name.class_id: name.name for name in self._classes.names}
        names = tuple(self._names.values())
        most = protocol.session.suggestions_most
        self._places = RoundPlaces.of(look, self._settings.stimulus_px(), names, most)
        self._fixation = self._stage.picture(fixation_layers(look))
        self._standing = self._stage.picture(class_table_layers(look, self._places, names))
        self._typing = self._context.typing(self._stage)
        texts = answer_texts(self._classes, answer_words(self._words), most)
        field = FieldPicture(self._stage, look, self._places.field, texts)
        self._field = AnswerField(field, self._classes)
        self._pictures: RoundPictures | None = None

    def reveal(self, step: RevealRound) -> RoundResult:
        """Run a round; run it again if it was interrupted before its image came."""
        self._begin(step.sitting)
        self._waiting.between()
        while isinstance(seen := self._round(step), Unseen):
            self._waiting.between()
        self._record(step, seen)
        return _result(seen, disturbed=self._waiting.disturbed())

    def reveal_feedback(self, step: RevealRound, result: RoundResult) -> None:
        """Show the whole image, the right word and how many rounds are done.

        After a round that the person left, ask whether to end the session.
        """
        pictures, self._pictures = self._pictures, None
        assert pictures is not None
        try:
            if result.left:
                self._waiting.between()
                return
            kinds = {"revealed-named": pictures.named, "revealed-missed": pictures.missed}
            for name, picture in kinds.items():
                self._context.album.keep(name, self._stage, picture)
            name = "revealed-missed" if result.answer is None else "revealed-named"
            self._waiting.keep_up(name, kinds[name], step.feedback_s)
        finally:
            pictures.free()

    def copy(self, task: CopyTask) -> tuple[CopyResult, ...]:
        """Let the person copy words, one by one."""
        return copy_words(self._context, self._settings, self._typing, self._waiting, task)

    def _round(self, step: RevealRound) -> Uncovered | Unseen:
        """Upload what a round shows, record that it begins, and run it."""
        whole = self._painter.whole(step)
        pictures = self._pictures_of(step, whole)
        self._context.album.keep("fixation", self._stage, self._fixation)
        self._context.album.keep("round", self._stage, RoundFrame(pictures, self._field))
        self._context.actor.expect(step, self._field.line_px)
        step.record_start(self._context.recorder, sha256_hex(whole.tobytes()))
        with pointer_shown(self._stage.window):
            seen = uncover(
                RoundDesk(self._stage, self._typing, self._field),
                step,
                pictures,
                is_interrupt=self._waiting.note,
                watch=self._context.actor.onset,
            )
        self._context.actor.broken_off()
        if isinstance(seen, Unseen):
            pictures.free()
        else:
            self._pictures = pictures
        return seen

    def _pictures_of(self, step: RevealRound, whole: Pixels) -> RoundPictures:
        words, name = self._words, self._names[step.right_class]
        caption = words.filled(
            _progress(step),
            done=str(step.done + 1),
            total=str(step.total),
            sitting=str(step.sitting),
            sittings=str(step.sittings),
        )
        progress = (step.done + 1) / step.total, caption
        named, missed = (
            self._stage.picture(
                revealed_layers(self._look, self._places, whole, RoundEnd(sign, text, *progress))
            )
            for sign, text in (
                (RIGHT, words.filled("feedback_named", name=name)),
                ("", words.filled("feedback_missed", name=name)),
            )
        )
        return RoundPictures(
            fixation=self._fixation,
            standing=self._standing,
            beside=self._stage.picture(self._beside(step)),
            steps=tuple(map(self._stage.picture, self._steps(step))),
            named=named,
            missed=missed,
        )

    def _beside(self, step: RevealRound) -> Layers:
        """Return the parts beside the image that don't change during this round."""
        words, prototype = self._words, self._painter.prototype(step)
        if prototype is not None:
            return prototype_layers(self._look, self._places, prototype, words["beside"])
        if self._painter.against(step) is not None:
            return caption_layers(self._look, self._places, words["against"])
        return ()

    def _steps(self, step: RevealRound) -> Iterator[Layers]:
        """Yield what each step shows: the image, and the window beside it if there is one."""
        windows = self._painter.against(step) or repeat(None, step.steps)
        for image, window in zip(self._painter.steps(step), windows, strict=True):
            beside = () if window is None else window_layers(self._places, window)
            yield (*image_layers(self._places, image), *beside)

    def _record(self, step: RevealRound, result: Uncovered) -> None:
        moments: list[Stamped] = [
            (press.t_s, "response", {"device": press.device, "key": press.key})
            for press in result.confirmed
        ]
        steps = zip(result.steps_s, result.step_frames, strict=True)
        for number, (flip_s, frame) in enumerate(steps, start=1):
            change = "image_on" if number == 1 else "step"
            moments.append((flip_s, "flip", {"what": change, "frame": frame, "step": number}))
        off = {"what": "image_off", "frame": result.frames.shown, "step": None}
        moments.append((result.offset_s, "flip", off))
        record_moments(self._context, step.trial, moments)


def _progress(step: RevealRound) -> str:
    """Return the word that says how far the practice, or the sitting, is."""
    if step.phase == "practice":
        return "progress_practice"
    return "progress_of_sitting" if step.sittings > 1 else "progress"


def _result(result: Uncovered, *, disturbed: bool) -> RoundResult:
    return RoundResult(
        keystrokes=result.keystrokes,
        attempts=result.attempts,
        step_onsets_s=tuple(flip_s - result.onset_s for flip_s in result.steps_s),
        left=result.end == "left",
        presented=presented(
            result.onset_s, result.frames, clock_stepped=result.clock_stepped, disturbed=disturbed
        ),
    )


def class_table_layers(look: Look, places: RoundPlaces, names: Sequence[str]) -> tuple[Layer, ...]:
    """Return the table; its columns are filled one after another.

    Parameters
    ----------
    look, places
        Of the screen.
    names
        Of the classes, in the order in which they are read.
    """
    font = look.font(look.hint_px)
    canvas, draw = look.drawing()
    columns = columns_of(names, len(places.tables), places.rows)
    for box, column in zip(places.tables, columns, strict=True):
        pitch_px = box.height_px / places.rows
        left, anchor = box.left_px, "ls"
        if look.right_to_left:
            left, anchor = box.left_px + box.width_px, "rs"
        for row, name in enumerate(column):
            baseline = box.top_px + row * pitch_px + (pitch_px + 0.72 * look.hint_px) / 2
            text = shortened(name, font, box.width_px)
            draw.text((left, baseline), text, fill=look.text, font=font, anchor=anchor)
    return look.layers(canvas)

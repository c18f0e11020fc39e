"""Study progressive_reveal on a screen: images uncovered step by step, and their names typed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NoReturn

from experiments.engine.clock import Moment
from experiments.engine.picture import Pixels
from experiments.engine.present import Unseen
from experiments.engine.stage import Stage
from experiments.engine.text import TextInput
from experiments.pages.context import SessionContext
from experiments.pages.records import Stamped, record_moments, record_triggers
from experiments.pages.settings import ScreenSettings
from experiments.pages.text_pages import TextPages
from experiments.screens.library import Library
from experiments.screens.notices import RIGHT
from experiments.screens.plate import fixation_layers
from experiments.studies.progressive_reveal.answer_field import AnswerField, answer_words
from experiments.studies.progressive_reveal.class_table import class_table_layers
from experiments.studies.progressive_reveal.copy_typing import copy_words
from experiments.studies.progressive_reveal.revealed import (
    RoundEnd,
    image_layers,
    prototype_layers,
    revealed_layers,
)
from experiments.studies.progressive_reveal.round import (
    RoundFrame,
    RoundPictures,
    Uncovered,
    uncover,
)
from experiments.studies.progressive_reveal.round_places import RoundPlaces
from participants.session import (
    Break,
    Check,
    Consent,
    ConsentResult,
    CopyResult,
    CopyTask,
    Page,
    PageResult,
    Question,
    RevealRound,
    RoundResult,
    SessionPlan,
    Stimulus,
    record_round_start,
)
from stimuli.io.canonical import sha256_hex
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.tables import CLASSES


class RevealPresenter:
    """A `participants.session.Presenter` of this study, with a real window.

    Parameters
    ----------
    context, settings, plan, library
        As of a lead's `WindowPresenter`.
    """

    def __init__(
        self, context: SessionContext, settings: ScreenSettings, plan: SessionPlan, library: Library
    ) -> None:
        self._context, self._stage = context, context.stage
        self._settings, self._painter = settings, settings.painter
        self._texts = TextPages(context, settings, plan, library, _no_figure)
        self._waiting = self._texts.waiting
        look, protocol = settings.look, self._painter.protocol
        self._classes = Classes.of(
            self._painter.pack.table(CLASSES),
            plan.language,
            aliases=protocol.answering.accept_aliases,
        )
        self._look = look
        self._names = {one.class_id: one.name for one in self._classes.names}
        names = tuple(self._names.values())
        most = protocol.session.suggestions_most
        self._places = RoundPlaces.of(look, settings.plate_px(), names, most)
        self._fixation = self._stage.picture(fixation_layers(look))
        self._standing = self._stage.picture(class_table_layers(look, self._places, names))
        self._typing = TextInput(self._stage)
        self._field = AnswerField(
            self._stage,
            look,
            self._places.field,
            self._classes,
            answer_words(settings.words),
            most,
        )
        self._sitting = -1
        self._pictures: RoundPictures | None = None
        self.check_clock("start")

    def page(self, page: Page) -> PageResult:
        """Show a page until its reader goes on."""
        return self._texts.page(page)

    def consent(self, consent: Consent) -> ConsentResult:
        """Ask for consent."""
        return self._texts.consent(consent)

    def check(self, check: Check, attempt: int) -> Mapping[str, str]:
        """Ask the check's questions and return the choice of each, by the question's step."""
        return self._texts.check(check)

    def question(self, question: Question) -> str:
        """Ask a question and return the choice."""
        return self._texts.question(question)

    def rest(self, pause: Break) -> PageResult:
        """Show a break, at least for its minimum; one that may be left asks whether to stop."""
        return self._texts.rest(pause)

    def reveal(self, step: RevealRound) -> RoundResult:
        """Run a round; one that a chord ended before its image came runs anew."""
        if step.sitting != self._sitting:
            self._begin_sitting(step.sitting)
        self._waiting.between()
        while isinstance(seen := self._round(step), Unseen):
            self._waiting.confirm_abort()
        self._record(step, seen)
        if seen.interrupt and seen.end != "left":
            self._waiting.ask_to_end_next()
        return _result(seen)

    def reveal_feedback(self, step: RevealRound, result: RoundResult) -> None:
        """Show the whole image, the right word and how many rounds are done.

        After a round that was left it is asked whether the session shall end.
        """
        pictures, self._pictures = self._pictures, None
        assert pictures is not None
        try:
            if result.left:
                self._waiting.confirm_abort()
            elif result.answer is not None:
                self._waiting.keep_up("revealed-named", pictures.named, step.feedback_s)
            else:
                self._waiting.keep_up("revealed-missed", pictures.missed, step.feedback_s)
        finally:
            pictures.free()

    def copy(self, task: CopyTask) -> tuple[CopyResult, ...]:
        """Have words typed as they stand, one by one."""
        return copy_words(self._context, self._settings, self._typing, self._waiting, task)

    def check_clock(self, at: Moment) -> None:
        """Compare the clocks and record their offsets; a step of either is flagged."""
        self._texts.check_clock(at)

    def _begin_sitting(self, sitting: int) -> None:
        self._sitting = sitting
        self.check_clock("block")
        self._stage.triggers.send("block")
        record_triggers(self._context, None)

    def _round(self, step: RevealRound) -> Uncovered | Unseen:
        """Upload what a round shows, record that it begins, and run it."""
        whole = self._painter.whole(step)
        pictures = self._pictures_of(step, whole)
        self._context.album.keep("fixation", self._stage, self._fixation)
        self._context.album.keep("round", self._stage, RoundFrame(pictures, self._field))
        self._context.actor.expect_round(step, self._field.line_px)
        record_round_start(self._context.recorder, step, sha256_hex(whole.tobytes()))
        with pointer_shown(self._stage):
            seen = uncover(
                self._stage,
                self._typing,
                self._field,
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
        prototype = self._painter.prototype(step)
        words, name = self._settings.words, self._names[step.right_class]
        beside = (
            ()
            if prototype is None
            else prototype_layers(self._look, self._places, prototype, words["beside"])
        )
        caption = words.filled(
            "progress_practice" if step.phase == "practice" else "progress",
            done=str(step.done + 1),
            total=str(step.total),
        )
        told = (step.done + 1) / step.total, caption
        named, missed = (
            self._stage.picture(
                revealed_layers(self._look, self._places, whole, RoundEnd(sign, text, *told))
            )
            for sign, text in (
                (RIGHT, words.filled("feedback_named", name=name)),
                ("", words.filled("feedback_missed", name=name)),
            )
        )
        return RoundPictures(
            fixation=self._fixation,
            standing=self._standing,
            beside=self._stage.picture(beside),
            steps=tuple(
                self._stage.picture(image_layers(self._places, pixels))
                for pixels in self._painter.steps(step)
            ),
            named=named,
            missed=missed,
        )

    def _record(self, step: RevealRound, seen: Uncovered) -> None:
        moments: list[Stamped] = [
            (press.t_s, "response", {"device": press.device, "key": press.key})
            for press in seen.confirmed
        ]
        steps = zip(seen.steps_s, seen.step_frames, strict=True)
        for number, (flip_s, frame) in enumerate(steps, start=1):
            what = "image_on" if number == 1 else "step"
            moments.append((flip_s, "flip", {"what": what, "frame": frame, "step": number}))
        off = {"what": "image_off", "frame": seen.frames.shown, "step": None}
        moments.append((seen.offset_s, "flip", off))
        record_moments(self._context, step.trial, moments)


def _result(seen: Uncovered) -> RoundResult:
    frames = seen.frames
    return RoundResult(
        keystrokes=seen.keystrokes,
        attempts=seen.attempts,
        step_onsets_s=tuple(flip_s - seen.onset_s for flip_s in seen.steps_s),
        left=seen.end == "left",
        onset_t_monotonic_s=seen.onset_s,
        frames_planned=frames.planned,
        frames_shown=frames.shown,
        frames_dropped=frames.dropped,
        longest_interval_s=frames.longest_interval_s,
        flagged=frames.dropped > 0 or seen.clock_stepped,
    )


@contextmanager
def pointer_shown(stage: Stage) -> Iterator[None]:
    """Show the system's pointer within the block, so that a suggestion can be clicked."""
    stage.window.show_pointer(True)
    try:
        yield
    finally:
        stage.window.show_pointer(False)


def _no_figure(stimulus: Stimulus) -> NoReturn:
    raise ValueError("this study's pages have no figures")

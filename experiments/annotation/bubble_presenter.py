"""A bubbling session on a screen: images on which people mark what makes them recognisable."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from experiments.annotation.bubble_easel import BubbleEasel, BubbleFrame, bubble_words, strength
from experiments.annotation.bubble_work import NOTHING_MARKED, BubbleWork
from experiments.annotation.easel import PaintedPlate
from experiments.engine.clock import Moment
from experiments.engine.input import CONTROL, Press
from experiments.engine.picture import Pixels
from experiments.engine.pointer import Pointer
from experiments.engine.priority import held_garbage
from experiments.engine.schedule import FrameRecord, frame_record
from experiments.pages.context import SessionContext
from experiments.pages.records import record_shown
from experiments.pages.settings import ScreenSettings
from experiments.pages.text_pages import TextPages
from experiments.screens.codes import display_codes
from experiments.screens.library import Library
from experiments.screens.painting import PlateBox, easel_px
from participants.session import (
    WELCOME_BACK,
    Break,
    BubbleResult,
    BubbleTask,
    Check,
    Consent,
    ConsentResult,
    Page,
    PageResult,
    Question,
    SessionPlan,
    record_bubble_start,
)
from stimuli.images.pictures import pixels_of
from stimuli.io.canonical import sha256_hex


@dataclass(frozen=True, slots=True)
class _Stay:
    """One stay of an image on the screen: its frames, and whether a chord cut it short."""

    frames: FrameRecord
    interrupted: bool


class BubblePresenter:
    """A `participants.session.Presenter` of a bubbling session, with a real window.

    Parameters
    ----------
    context, settings, plan, library
        As of a `WindowPresenter`.
    """

    def __init__(
        self, context: SessionContext, settings: ScreenSettings, plan: SessionPlan, library: Library
    ) -> None:
        self._context, self._stage, self._settings = context, context.stage, settings
        self._texts = TextPages(context, settings, plan, library, _no_figure, "progress_marked")
        self._waiting = self._texts.waiting
        words = bubble_words(settings.words)
        self._box = PlateBox.of(
            settings.look, easel_px(settings.look, settings.stimulus_px(), words)
        )
        names = dict.fromkeys(step.name for step in plan.steps if isinstance(step, BubbleTask))
        messages = {NOTHING_MARKED: settings.words[NOTHING_MARKED]}
        self._easel = BubbleEasel(context.stage, settings.look, words, self._box, names, messages)
        self._pointer = Pointer(context.stage.window)
        self.check_clock("start")

    def page(self, page: Page) -> PageResult:
        """Show a page until its reader goes on."""
        own = replace(page, text="bubble_welcome_back") if page.text == WELCOME_BACK else page
        return self._texts.page(own)

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
        """Show a break, at least for its minimum."""
        return self._texts.rest(pause)

    def check_clock(self, at: Moment) -> None:
        """Compare the clocks and record their offsets; a step of either is flagged."""
        self._texts.check_clock(at)

    def bubble(self, task: BubbleTask) -> BubbleResult:
        """Have an image marked; what a chord breaks off goes on where it was."""
        self._waiting.between()
        pixels = self._pixels(task)
        image = self._easel.image(pixels)
        work = BubbleWork(self._box)
        try:
            record_bubble_start(self._context.recorder, task, sha256_hex(pixels.tobytes()))
            self._context.actor.expect_plate(task, self._box)
            steps = self._stage.keyboard.clock.steps
            stays = self._stays(task, work, image)
        finally:
            image.free()
        clock = self._stage.keyboard.clock
        stepped = clock.measure() or clock.steps != steps
        return _result(work, stays, flagged=stepped)

    def _stays(self, task: BubbleTask, work: BubbleWork, image: PaintedPlate) -> list[_Stay]:
        """Show the image as often as it takes to be done."""
        stays = [self._stay(task, work, image)]
        while stays[-1].interrupted:
            self._waiting.confirm_abort()
            stays.append(self._stay(task, work, image))
        return stays

    def _stay(self, task: BubbleTask, work: BubbleWork, image: PaintedPlate) -> _Stay:
        """Show the image until it is done or a chord ends the stay."""
        frame = BubbleFrame(self._easel, image, task.name)
        self._pointer.poll()
        confirmed: list[Press] = []
        with held_garbage():
            self._refresh(frame, work)
            interrupted = False
            onset_s = self._stage.frame(frame, critical=True, mark="onset")
            work.onset_s = work.onset_s or onset_s
            self._context.actor.onset(onset_s)
            count = self._stage.pacing.count_from(onset_s)
            stamps_s, frames = [onset_s], [0]
            while work.done_s is None and not interrupted:
                interrupted = self._take_input(work, onset_s, confirmed)
                self._refresh(frame, work)
                stamps_s.append(self._stage.frame(frame, critical=True))
                frames.append(count(stamps_s[-1]))
            work.let_go()
            stamps_s.append(self._stage.frame(None, mark="offset"))
            frames.append(count(stamps_s[-1]))
        if interrupted and work.done_s is not None:
            # The chord met the confirming press: the image is done, and whether to end comes next.
            self._waiting.ask_to_end_next()
            interrupted = False
        name = "image-interrupted" if interrupted else "image-marked"
        self._context.album.keep(name, self._stage, frame)
        record = frame_record(np.array(stamps_s), self._stage.period_s, None, np.array(frames))
        span_s = (stamps_s[0], stamps_s[-1])
        record_shown(self._context, task.trial, span_s, record.shown, confirmed)
        return _Stay(record, interrupted)

    def _take_input(self, work: BubbleWork, onset_s: float, confirmed: list[Press]) -> bool:
        """Give what was pressed and pointed at to the work; return whether a chord came."""
        interrupted = False
        for press in self._stage.presses():
            if self._waiting.note(press):
                interrupted = True
            elif press.t_s > onset_s and not interrupted:
                control = any(self._stage.keyboard.is_down(key) for key in CONTROL)
                if work.press(press, control=control):
                    confirmed.append(press)
        now_s = time.perf_counter()
        for event in self._pointer.poll():
            work.pointer(event, now_s)
        return interrupted

    def _refresh(self, frame: BubbleFrame, work: BubbleWork) -> None:
        """Bring what the next frame shows up to date."""
        for box in work.take_changes():
            work.shown[box] = strength(work.canvas.counts[box])
            frame.image.update(work.shown, box)
        if work.message is not None and work.message != frame.message:
            frame.message = work.message
            self._context.album.keep(f"image-{work.message}", self._stage, frame)
        frame.message = work.message
        frame.at_px = (self._pointer.x_px, self._pointer.y_px)

    def _pixels(self, task: BubbleTask) -> Pixels:
        """Return an image as large as it is shown."""
        stored = pixels_of(self._settings.painter.pack.asset(task.image_file), task.image_file)
        side = (self._box.side_px, self._box.side_px)
        scaled = Image.fromarray(stored).resize(side, Image.Resampling.LANCZOS)
        codes = display_codes(np.asarray(scaled), self._settings.rig.colours)
        return np.ascontiguousarray(codes)


def _no_figure(stimulus: object) -> Pixels:
    raise ValueError(f"pages of a bubbling session show no figure, so not {stimulus!r}")


def _result(work: BubbleWork, stays: list[_Stay], *, flagged: bool) -> BubbleResult:
    assert work.done_s is not None
    return BubbleResult(
        acts=work.acts,
        done_s=work.done_s - work.onset_s,
        interruptions=len(stays) - 1,
        onset_t_monotonic_s=work.onset_s,
        frames_shown=sum(stay.frames.shown for stay in stays),
        frames_dropped=sum(stay.frames.dropped for stay in stays),
        longest_interval_s=max(stay.frames.longest_interval_s for stay in stays),
        flagged=flagged,
    )

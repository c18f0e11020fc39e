"""An expert's session on a screen: plates to read and to paint."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from PIL import Image

from experiments.annotation.easel import Easel, EaselFrame, PaintedPlate
from experiments.annotation.work import (
    CLEAR_KEY,
    ERASER_KEY,
    LARGER_KEY,
    NO_SOLUTION_KEY,
    SMALLER_KEY,
    UNDO_KEY,
    PlateWork,
)
from experiments.engine.clock import Moment
from experiments.engine.fixation import fixate
from experiments.engine.input import CONTROL, Press
from experiments.engine.picture import Pixels
from experiments.engine.pointer import Pointer
from experiments.engine.priority import held_garbage
from experiments.engine.schedule import FrameRecord, frame_record
from experiments.pages.context import SessionContext
from experiments.pages.records import record_shown
from experiments.pages.settings import ScreenSettings
from experiments.pages.text_pages import TextPages
from experiments.screens.library import Library
from experiments.screens.notices import RIGHT, WRONG, feedback_layers
from experiments.screens.page import figure_px
from experiments.screens.painting import VEIL_SRGB, EaselWords, MouseHint, PlateBox, easel_px
from experiments.screens.parts import Hint
from experiments.screens.plate import fixation_layers
from participants.session import (
    WELCOME_BACK,
    Break,
    Check,
    Consent,
    ConsentResult,
    Page,
    PageResult,
    PaintResult,
    PaintTask,
    PlateStimulus,
    Question,
    SessionPlan,
    record_paint_start,
)
from participants.strokes.painting import FIRST_RADIUS
from participants.studies.accept_reject.robots.expert import figure_area
from participants.texts import Words
from stimuli.images.predictions import NO_SOLUTION
from stimuli.io.canonical import sha256_hex
from stimuli.maps.relevance import plate_disc
from stimuli.plates.plate import Plate, plate_from_bytes
from stimuli.plates.render import render
from stimuli.studies.accept_reject.tasks import plate_spec

NOT_YET: Final = ""
"""Id of the answer that isn't given yet."""
MESSAGES: Final = ("no_answer", "nothing_painted", "painted_without_solution")


@dataclass(frozen=True, slots=True)
class _Stay:
    """One stay of a plate on the screen: its frames, and whether a chord cut it short."""

    frames: FrameRecord
    interrupted: bool


class ExpertPresenter:
    """A `participants.session.Presenter` of an expert's session, with a real window.

    Parameters
    ----------
    context, settings, plan, library
        As of a `WindowPresenter`.
    """

    def __init__(
        self, context: SessionContext, settings: ScreenSettings, plan: SessionPlan, library: Library
    ) -> None:
        self._context, self._stage = context, context.stage
        self._settings = settings
        self._texts = TextPages(context, settings, plan, library, self._figure)
        self._waiting = self._texts.waiting
        self._fixation = context.stage.picture(fixation_layers(settings.look))
        words = easel_words(settings.words)
        side_px = easel_px(settings.look, settings.stimulus_px(), words)
        self._box = PlateBox.of(settings.look, side_px)
        answers = {NOT_YET: "?", NO_SOLUTION: settings.words["no_solution"]}
        answers |= {str(digit): str(digit) for digit in range(10)}
        messages = {name: settings.words[name] for name in MESSAGES}
        self._easel = Easel(context.stage, settings.look, words, self._box, answers, messages)
        self._pointer = Pointer(context.stage.window)
        self._radius = FIRST_RADIUS
        self.check_clock("start")

    def page(self, page: Page) -> PageResult:
        """Show a page until its reader goes on."""
        own = replace(page, text="expert_welcome_back") if page.text == WELCOME_BACK else page
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

    def paint(self, task: PaintTask) -> PaintResult:
        """Have a plate read and painted; what a chord breaks off goes on where it was."""
        self._waiting.between()
        plate = plate_from_bytes(self._settings.painter.pack.asset(task.plate_file))
        pixels = self._rendered(plate, task, self._box.side_px)
        painted = self._easel.plate(*pixels)
        work = PlateWork(self._box, self._radius)
        try:
            record_paint_start(self._context.recorder, task, sha256_hex(pixels[0].tobytes()))
            self._context.actor.expect_plate(task, self._box)
            steps = self._stage.keyboard.clock.steps
            stays = self._stays(task, work, painted)
        finally:
            painted.free()
        clock = self._stage.keyboard.clock
        stepped = clock.measure() or clock.steps != steps
        self._radius = work.radius
        return _result(work, stays, flagged=stepped)

    def paint_feedback(self, task: PaintTask, label: str) -> None:
        """Tell whether the answer to a plate was right."""
        words, right = self._settings.words, task.right_label
        if label == right:
            name, sign, text = "right", RIGHT, words["feedback_right"]
        elif right == NO_SOLUTION:
            name, sign, text = "blank", WRONG, words["feedback_blank"]
        else:
            text = words.filled("feedback_label", label=str(right))
            name, sign = "wrong", WRONG
        layers = feedback_layers(self._settings.look, sign, text)
        self._waiting.notice(f"feedback-{name}", layers, task.feedback_s)

    def check_clock(self, at: Moment) -> None:
        """Compare the clocks and record their offsets; a step of either is flagged."""
        self._texts.check_clock(at)

    def _stays(self, task: PaintTask, work: PlateWork, painted: PaintedPlate) -> list[_Stay]:
        """Show the plate as often as it takes to be done; a fixation that a chord cuts is none."""
        stays: list[_Stay] = []
        while True:
            stay = self._stay(task, work, painted, first=not stays)
            if stay is not None:
                stays.append(stay)
                if not stay.interrupted:
                    return stays
            self._waiting.confirm_abort()

    def _stay(
        self, task: PaintTask, work: PlateWork, painted: PaintedPlate, *, first: bool
    ) -> _Stay | None:
        """Show the plate until the answer is confirmed or a chord ends the stay.

        None if the chord came before the plate, which then isn't shown.
        """
        frame = EaselFrame(self._easel, painted, work.label or NOT_YET)
        self._refresh(frame, work)
        answers: list[Press] = []
        with held_garbage():
            if self._fixate(task.fixation_s):
                return None
            interrupted = False
            onset_s = self._stage.frame(frame, critical=True, mark="onset")
            if first:
                work.onset_s = onset_s
            self._context.actor.onset(onset_s)
            count = self._stage.pacing.count_from(onset_s)
            stamps_s, frames = [onset_s], [0]
            while work.done_s is None and not interrupted:
                interrupted = self._take_input(work, onset_s, answers)
                self._refresh(frame, work)
                stamps_s.append(self._stage.frame(frame, critical=True))
                frames.append(count(stamps_s[-1]))
            work.let_go()
            stamps_s.append(self._stage.frame(None, mark="offset"))
            frames.append(count(stamps_s[-1]))
        if interrupted and work.done_s is not None:
            # The chord met the answer: this plate is done, and whether to end is asked next.
            self._waiting.ask_to_end_next()
            interrupted = False
        self._context.album.keep(_screen_name(work, interrupted=interrupted), self._stage, frame)
        record = frame_record(np.array(stamps_s), self._stage.period_s, None, np.array(frames))
        record_shown(self._context, task.trial, (stamps_s[0], stamps_s[-1]), record.shown, answers)
        return _Stay(record, interrupted)

    def _fixate(self, fixation_s: float) -> bool:
        """Show the fixation mark; return whether the chord that ends came meanwhile."""
        ending = fixate(self._stage, self._fixation, fixation_s, self._noted)
        self._pointer.poll()
        return ending

    def _noted(self) -> bool:
        """Take note of all presses since the last time; return whether one is to end."""
        # All of them: a pause may be asked for as well.
        chords = [self._waiting.note(press) for press in self._stage.presses()]
        return any(chords)

    def _take_input(self, work: PlateWork, onset_s: float, answers: list[Press]) -> bool:
        """Give what was pressed and pointed at to the work; return whether a chord came."""
        interrupted = False
        for press in self._stage.presses():
            if self._waiting.note(press):
                interrupted = True
            elif press.t_s > onset_s and not interrupted:
                control = any(self._stage.keyboard.is_down(key) for key in CONTROL)
                if work.press(press, control=control):
                    answers.append(press)
        now_s = time.perf_counter()
        for event in self._pointer.poll():
            work.pointer(event, now_s)
        return interrupted

    def _refresh(self, frame: EaselFrame, work: PlateWork) -> None:
        """Bring what the next frame shows up to date."""
        for box in work.take_changes():
            frame.plate.update(work.canvas.mask, box)
        frame.answer = work.label or NOT_YET
        if work.message is not None and work.message != frame.message:
            frame.message = work.message
            self._context.album.keep(f"plate-{work.message}", self._stage, frame)
        frame.message = work.message
        frame.tool, frame.radius = work.shown_tool, work.radius
        frame.at_px = (self._pointer.x_px, self._pointer.y_px)

    def _rendered(
        self, plate: Plate, shown: PaintTask | PlateStimulus, side_px: int
    ) -> tuple[Pixels, Pixels]:
        """Return a plate's pixels, and those on the ground of what is painted."""
        painter = self._settings.painter
        spec = plate_spec(painter.protocol.plates)
        plain, veiled = (
            render(plate, shown.axis, shown.contrast, side_px, painter.display, own)
            for own in (spec, replace(spec, ground_srgb=VEIL_SRGB))
        )
        return np.ascontiguousarray(plain), np.ascontiguousarray(veiled)

    def _figure(self, stimulus: PlateStimulus) -> Pixels:
        """Return a plate as it should be painted."""
        side_px = figure_px(self._settings.look)
        plate = plate_from_bytes(self._settings.painter.pack.asset(stimulus.plate_file))
        plain, veiled = self._rendered(plate, stimulus, side_px)
        area = Image.fromarray(figure_area(plate).astype(np.float32))
        cover = np.asarray(area.resize((side_px, side_px), Image.Resampling.BICUBIC))
        painted = (cover > 0.5) & plate_disc(side_px)
        return np.where(painted[..., None], veiled, plain)


def easel_words(words: Words) -> EaselWords:
    """Return what stands beside a plate, in words."""
    cap = words.cap
    return EaselWords(
        tools=(
            MouseHint("left", words["paint"]),
            MouseHint("right", words["erase"]),
            MouseHint("wheel", words["brush_size"]),
            Hint((cap(LARGER_KEY), cap(SMALLER_KEY)), words["brush_size"]),
            Hint((cap(ERASER_KEY),), words["eraser_on_off"]),
            Hint((cap(UNDO_KEY),), words["undo"]),
            Hint((cap(CLEAR_KEY),), words["clear"]),
        ),
        answers=(
            Hint(("0 … 9",), words["numeral"]),
            Hint((cap(NO_SOLUTION_KEY),), words["none_seen"]),
            Hint((cap("return"),), words["done"]),
        ),
        caption=words["your_answer"],
    )


def _screen_name(work: PlateWork, *, interrupted: bool) -> str:
    if interrupted:
        return "plate-interrupted"
    return "plate-no-solution" if work.label == NO_SOLUTION else "plate-painted"


def _result(work: PlateWork, stays: list[_Stay], *, flagged: bool) -> PaintResult:
    assert work.label is not None
    assert work.done_s is not None
    return PaintResult(
        label=work.label,
        rt_s=work.label_s - work.onset_s,
        acts=work.acts,
        done_s=work.done_s - work.onset_s,
        interruptions=len(stays) - 1,
        onset_t_monotonic_s=work.onset_s,
        frames_shown=sum(stay.frames.shown for stay in stays),
        frames_dropped=sum(stay.frames.dropped for stay in stays),
        longest_interval_s=max(stay.frames.longest_interval_s for stay in stays),
        flagged=flagged,
    )

"""Stroke tasks on a screen: pictures to answer by key and to paint or mark with a mouse.

`StrokeWork` holds a picture's answer and strokes while somebody works on them. Keys and the pointer
change them.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from experiments.engine.input import Press
from experiments.engine.pacing import FrameRecord, frame_record
from experiments.engine.picture import Picture
from experiments.engine.present import fixate
from experiments.engine.stage import held_garbage
from experiments.engine.window_events import PointerEvent
from experiments.pages.context import SessionContext, Stay, record_shown
from experiments.pages.settings import Painter, ScreenSettings
from experiments.pages.waiting import Waiting
from experiments.screens.strokes import PictureBox, easel_px
from experiments.screens.trial import fixation_layers
from experiments.strokes.easel import Easel, PaintedPicture, StrokeFrame, StrokeScreen
from participants.session import Presented, StrokeKind, StrokeResult, StrokeTask
from participants.strokes import Act, Box, Canvas, Tool
from stimuli.io.canonical import sha256_hex

ERASER_KEY: Final = "e"
UNDO_KEY: Final = "backspace"
CLEAR_KEY: Final = "delete"
DONE_KEY: Final = "return"
LARGER_KEY, SMALLER_KEY = "up", "down"
PICTURE: Final = "plate"
"""Name of the picture in ``flip`` events, whatever it shows."""


class StrokeWork:
    """Handles presses and the pointer's events, and knows whether the picture is done.

    Parameters
    ----------
    box
        The picture's position on the screen.
    kind
        Kind of the strokes.
    radius
        Radius of the brush at the beginning; None for the brush's first radius.

    Attributes
    ----------
    canvas
        The canvas with the marks.
    onset_s
        Time of the picture's first onset; set by the code that shows it, 0 before.
    label, label_s
        The current answer, and the time of the press that gave it.
    tool
        Tool of the left button.
    message
        Why the last attempt to go on was refused; None after any other action.
    done_s
        Time of the press that confirmed; None before it.
    """

    def __init__(self, box: PictureBox, kind: StrokeKind, radius: int | None = None) -> None:
        self.canvas = Canvas(kind.brush, radius)
        self.onset_s = 0.0
        self.label: str | None = None
        self.label_s = 0.0
        self.tool: Tool = "brush"
        self.message: str | None = None
        self.done_s: float | None = None
        self._box, self._kind = box, kind
        self._held: str | None = None
        self._changed: list[Box] = []

    @property
    def shown_tool(self) -> Tool:
        """The tool in use, or the one that a button press would use."""
        return "eraser" if self._held == "right" else self.tool

    @property
    def acts(self) -> tuple[Act, ...]:
        """Everything that was done with the brush."""
        return self.canvas.acts

    def press(self, press: Press) -> bool:
        """Handle a key; return whether it is a response.

        A response is an answer or, if no answer is asked for, the press that confirms.
        """
        if press.chord or self.done_s is not None:
            return False
        answers = self._kind.answer_keys
        if press.key == DONE_KEY:
            self._try_to_finish(press.t_s)
            return self.done_s is not None and not answers
        if press.key in answers:
            self.label, self.label_s, self.message = answers[press.key], press.t_s, None
            return True
        self._change(press)
        return False

    def pointer(self, event: PointerEvent, now_s: float) -> None:
        """Handle an event of the pointer since the last frame."""
        if self.done_s is not None:
            return
        x, y = self._box.to_mask(event.x_px, event.y_px)
        at_ms = self._ms(now_s)
        if event.kind == "move":
            self._note(self.canvas.move(at_ms, x, y))
        elif event.kind == "wheel" and event.steps and self._has_sizes:
            self._resize(1 if event.steps > 0 else -1, at_ms, x, y)
        elif event.kind == "down" and self._draws(event.button):
            self._held = event.button
            self.message = None
            self._note(self.canvas.begin(self.shown_tool, at_ms, x, y))
        elif event.kind == "up" and event.button == self._held:
            self.let_go()

    def let_go(self) -> None:
        """End an open stroke, because the picture is removed or the button was released."""
        self._held = None
        self.canvas.end()

    def take_changes(self) -> list[Box]:
        """Return the rows and columns of the canvas that may have changed since the last call."""
        changed, self._changed = self._changed, []
        return changed

    @property
    def _has_eraser(self) -> bool:
        return "eraser" in self._kind.brush.tools

    @property
    def _has_sizes(self) -> bool:
        return len(self._kind.brush.radii) > 1

    def _draws(self, button: str | None) -> bool:
        return button == "left" or (button == "right" and self._has_eraser)

    def _try_to_finish(self, t_s: float) -> None:
        self.let_go()
        self.message = self._kind.refusal(self.label, self.canvas.marked)
        if self.message is None:
            self.done_s = t_s

    def _change(self, press: Press) -> None:
        at_ms = self._ms(press.t_s)
        if press.key == UNDO_KEY:
            self._note(self.canvas.undo(at_ms))
        elif press.key == CLEAR_KEY:
            self._note(self.canvas.clear(at_ms))
        elif press.key == ERASER_KEY and self._has_eraser:
            self.canvas.end()
            self.tool = "brush" if self.tool == "eraser" else "eraser"
        elif press.key in (LARGER_KEY, SMALLER_KEY) and self._has_sizes:
            self.canvas.resize(1 if press.key == LARGER_KEY else -1)
        else:
            return
        self.message = None

    def _resize(self, steps: int, at_ms: int, x: int, y: int) -> None:
        """Change the brush's size; with a button down, the stroke continues in the new size."""
        self.canvas.resize(steps)
        if self._held is not None:
            self._note(self.canvas.begin(self.shown_tool, at_ms, x, y))

    def _note(self, changed: Box | None) -> None:
        if changed is not None:
            self._changed.append(changed)

    def _ms(self, time_s: float) -> int:
        return max(0, round((time_s - self.onset_s) * 1000))


@dataclass(frozen=True, slots=True)
class _Stay:
    """One period of a picture on the screen.

    Attributes
    ----------
    frames
        The period's frames.
    interrupted
        Whether a chord or another window ended it early.
    disturbed
        Whether a pause was requested, or the focus was lost.
    """

    frames: FrameRecord
    interrupted: bool
    disturbed: bool


class StrokePresenter:
    """A `participants.session.strokes.StrokePresenter` with a real window.

    Parameters
    ----------
    context
        The open window, the actor and the recorder.
    settings
        Settings of the screens.
    waiting
        Handles the chords that pause and end the session.
    kind
        Kind of the strokes.
    screen
        Look of the tasks.
    """

    def __init__(
        self,
        context: SessionContext,
        settings: ScreenSettings[Painter],
        waiting: Waiting,
        kind: StrokeKind,
        screen: StrokeScreen,
    ) -> None:
        self._context, self._stage, self._waiting = context, context.stage, waiting
        self._screen = screen
        look = settings.look
        self._fixation = context.stage.picture(fixation_layers(look))
        self._box = PictureBox.of(look, easel_px(look, settings.stimulus_px(), screen.words))
        self._easel = Easel(context.stage, look, self._box, screen, kind.brush)
        self._pointer = context.stage.pointer()
        self._radius: int | None = None

    def strokes(self, task: StrokeTask) -> StrokeResult:
        """Let the person paint or mark a picture; after an interruption the task continues."""
        self._waiting.between()
        plain, marked = self._screen.pixels(task, self._box.side_px)
        picture = self._easel.picture(plain, marked)
        place = self._easel.place(self._screen.place(task))
        work = StrokeWork(self._box, task.kind, self._radius)
        try:
            task.record_start(self._context.recorder, sha256_hex(plain.tobytes()))
            self._context.actor.expect(task, self._box)
            steps = self._stage.keyboard.clock.steps
            stays = self._stays(task, work, picture, place)
        finally:
            picture.free()
            place.free()
        clock = self._stage.keyboard.clock
        stepped = clock.measure() or clock.steps != steps
        self._radius = work.canvas.radius
        return _result(work, stays, flagged=stepped)

    def stroke_feedback(self, task: StrokeTask, result: StrokeResult) -> None:
        """Show whether the answer and the marks were right."""
        assert self._screen.feedback is not None
        name, layers = self._screen.feedback(task, result)
        self._waiting.notice(f"feedback-{name}", layers, task.feedback_s)

    def _stays(
        self, task: StrokeTask, work: StrokeWork, picture: PaintedPicture, place: Picture
    ) -> list[_Stay]:
        """Show the picture until the task is done, again after each interruption."""
        stays: list[_Stay] = []
        while True:
            stay = self._stay(task, work, picture, place)
            if stay is not None:
                stays.append(stay)
                if not stay.interrupted:
                    return stays
            self._waiting.between()

    def _stay(
        self, task: StrokeTask, work: StrokeWork, picture: PaintedPicture, place: Picture
    ) -> _Stay | None:
        """Show the picture until it is confirmed, or a chord or another window interrupts.

        None if the interruption came before the picture, which then isn't shown.
        """
        answer = self._screen.answer(task, work.label)
        frame = StrokeFrame(self._easel, picture, place, answer, work.canvas.radius)
        self._refresh(frame, task, work)
        responses: list[Press] = []
        with held_garbage():
            if fixate(self._stage, self._fixation, task.fixation_s, self._noted):
                return None
            self._pointer.poll()
            frame.at_px = (self._pointer.x_px, self._pointer.y_px)
            interrupted = False
            onset_s = self._stage.frame(frame, critical=True, mark="onset")
            work.onset_s = work.onset_s or onset_s
            self._context.actor.onset(onset_s)
            count = self._stage.pacing.count_from(onset_s)
            stamps_s, frames = [onset_s], [0]
            while work.done_s is None and not interrupted:
                interrupted = self._take_input(work, onset_s, responses)
                self._refresh(frame, task, work)
                stamps_s.append(self._stage.frame(frame, critical=True))
                frames.append(count(stamps_s[-1]))
            work.let_go()
            stamps_s.append(self._stage.frame(None, mark="offset"))
            frames.append(count(stamps_s[-1]))
        # A chord came with the confirming press: the task is done, the question comes next.
        interrupted = interrupted and work.done_s is None
        ended = "interrupted" if interrupted else self._screen.ended(work.label)
        self._context.album.keep(f"{self._screen.name}-{ended}", self._stage, frame)
        record = frame_record(np.array(stamps_s), self._stage.period_s, None, np.array(frames))
        stay = Stay(PICTURE, stamps_s[0], stamps_s[-1], record.shown)
        record_shown(self._context, task.trial, stay, responses)
        return _Stay(record, interrupted, self._waiting.disturbed())

    def _noted(self) -> bool:
        """Remember chords since the last call; return whether something ends the picture."""
        return self._waiting.note_all(self._stage.presses()) or self._waiting.lost_focus

    def _take_input(self, work: StrokeWork, onset_s: float, responses: list[Press]) -> bool:
        """Pass presses and pointer events to the work; return whether something ends this."""
        interrupted = False
        for press in self._stage.presses():
            if self._waiting.note(press):
                interrupted = True
            elif press.t_s > onset_s and not interrupted and work.press(press):
                responses.append(press)
        pointed, now_s = self._pointer.poll(), self._stage.now_s()
        if self._waiting.lost_focus:
            return True
        for event in pointed:
            work.pointer(event, now_s)
        return interrupted

    def _refresh(self, frame: StrokeFrame, task: StrokeTask, work: StrokeWork) -> None:
        """Update the content of the next frame."""
        for box in work.take_changes():
            frame.picture.update(work.canvas.values, box)
        frame.answer = self._screen.answer(task, work.label)
        if work.message is not None and work.message != frame.message:
            frame.message = work.message
            self._context.album.keep(f"{self._screen.name}-{work.message}", self._stage, frame)
        frame.message = work.message
        frame.tool, frame.radius = work.shown_tool, work.canvas.radius
        frame.at_px = (self._pointer.x_px, self._pointer.y_px)


def _result(work: StrokeWork, stays: list[_Stay], *, flagged: bool) -> StrokeResult:
    assert work.done_s is not None
    return StrokeResult(
        label=work.label,
        rt_s=None if work.label is None else work.label_s - work.onset_s,
        acts=work.acts,
        done_s=work.done_s - work.onset_s,
        interruptions=len(stays) - 1,
        presented=Presented(
            onset_t_monotonic_s=work.onset_s,
            frames_planned=None,
            frames_shown=sum(stay.frames.shown for stay in stays),
            frames_dropped=sum(stay.frames.dropped for stay in stays),
            longest_interval_s=max(stay.frames.longest_interval_s for stay in stays),
            flagged=flagged or any(stay.disturbed for stay in stays),
        ),
    )

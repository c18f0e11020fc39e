"""One timed presentation: the fixation mark, the critical stimulus, and the answer to it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from experiments.engine.input import Press
from experiments.engine.pacing import SOONEST, FrameCount, FrameRecord, FrameStamps
from experiments.engine.picture import Drawn, Picture
from experiments.engine.stage import Stage, held_garbage
from stimuli.devices import DeviceName, is_pointing


def fixate(
    stage: Stage, mark: Picture | None, fixation_s: float, ended: Callable[[], bool]
) -> bool:
    """Show a mark so that the next flip comes ``fixation_s`` after the mark's first flip.

    Parameters
    ----------
    stage
        The open stage.
    mark
        The mark to show; None is the empty screen.
    fixation_s
        How long it stays, rounded to whole refreshes; 0 shows no mark.
    ended
        Called before the mark and after each of its frames; returns whether to end it.

    Returns
    -------
    bool
        Whether ``ended`` ended it.
    """
    frames = stage.pacing.frames_of(fixation_s)
    over = ended()
    if over or not frames:
        return over
    flip_s = stage.frame(mark)
    count = stage.pacing.count_from(flip_s)
    over = ended()
    while not over and count(flip_s) + 1 < frames:
        flip_s = stage.frame(mark)
        over = ended()
    return over


SPARE_FRAMES = 64
HEARD_WITHIN_S = 0.003
"""Longest time that the system takes to deliver a press; the last presses are waited for."""

Watch = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Leaves:
    """Pictures between which keys switch, like pages; the first is shown at the onset.

    Attributes
    ----------
    pictures
        All of them.
    turns
        Which picture comes on the next frame, by the current picture and the key.
    answered
        Pictures during which an answer counts; once the stimulus has gone, every answer does.
    """

    pictures: tuple[Picture, ...]
    turns: Mapping[tuple[int, str], int]
    answered: frozenset[int]


@dataclass(frozen=True, slots=True)
class Presentation:
    """What is shown, when, and what ends it.

    Attributes
    ----------
    fixation, stimulus, after
        Pictures: before, during and after the critical part; None is the empty screen.
    fixation_s
        How long the fixation stays.
    limit_s
        Longest time for an answer, from the onset.
    answer_keys
        Keys (or buttons) that answer.
    exposure_s
        How long the stimulus stays; None if only the answer or the limit ends it.
    device
        The device that answers; presses of the other device don't count.
    later, step_s
        Pictures that replace the stimulus one by one, each ``step_s`` after the previous one,
        counted from the onset in whole frames; the last one stays. The photodiode's patch is
        white with the stimulus and with every second picture after it.
    request_keys
        Keys (or buttons) that bring the next of the later pictures, on the next frame. If there
        are any, ``step_s`` is ignored. They are no answers.
    clicked
        Returns the key that a click at a position on the screen stands for, whatever the
        device; None if clicks stand for no keys.
    leaves
        The pictures that keys switch between, the stimulus itself first; None for a single
        picture. With leaves, a mouse answers only by clicks on places.
    heard
        Returns the presses since its last call, for an answer that is typed; None for the stage's.
    """

    fixation: Picture | None
    stimulus: Drawn
    after: Drawn | None
    fixation_s: float
    limit_s: float
    answer_keys: frozenset[str]
    exposure_s: float | None = None
    device: DeviceName = "keyboard"
    later: tuple[Drawn, ...] = ()
    step_s: float = 0.0
    request_keys: frozenset[str] = frozenset()
    clicked: Callable[[tuple[float, float] | None], str | None] | None = None
    leaves: Leaves | None = None
    heard: Callable[[], tuple[Press, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """What happened during a presentation.

    Attributes
    ----------
    onset_s, offset_s
        Times of the flips that brought the stimulus and took it away, monotonic.
    answer
        The first press that answers, if any; its time stamp lies after the onset and within
        the limit.
    interrupt
        The chord that ended it, if one did.
    frames
        Record of the stimulus's frames. ``planned`` is None if the response ended it.
    clock_stepped
        Whether the keyboard's clock was stepped meanwhile.
    steps_s
        Times of the flips that brought the stimulus and each later picture that was shown.
    step_frames
        Frames of these flips, counted from the onset.
    turned
        The leaves that keys switched to: index, time of the flip that brought it, and frame.
    """

    onset_s: float
    offset_s: float
    answer: Press | None
    interrupt: Press | None
    frames: FrameRecord
    clock_stepped: bool
    steps_s: tuple[float, ...] = ()
    step_frames: tuple[int, ...] = ()
    turned: tuple[tuple[int, float, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Unseen:
    """A presentation that ended before its stimulus was shown.

    Attributes
    ----------
    interrupt
        The chord that ended it; None if the window lost the focus.
    """

    interrupt: Press | None


def present(
    stage: Stage,
    presentation: Presentation,
    *,
    is_interrupt: Callable[[Press], bool] = lambda press: False,
    watch: Watch | None = None,
) -> Shown | Unseen:
    """Run one presentation in a frame-locked loop.

    Frames are counted from a flip on an absolute schedule, so one late frame doesn't delay
    later ones. An answer has its own time stamp, not the time at which it was polled.

    Parameters
    ----------
    stage
        The open stage.
    presentation
        What to show.
    is_interrupt
        Called with every press, including those since the last poll before this call; returns
        whether it is a chord that ends the presentation at once. If one comes before the
        stimulus is drawn, the stimulus isn't shown at all; the same holds if another window
        takes the focus by then.
    watch
        Called with the onset's time right after its flip.
    """
    run = _Run(stage, presentation, is_interrupt)
    with held_garbage():
        steps = stage.keyboard.clock.steps
        if run.fixate():
            return Unseen(run.interrupt)
        run.put_on(watch)
        run.keep_on()
        run.take_off()
        run.await_answer()
        run.hear_the_last()
    stepped = stage.keyboard.clock.measure() or stage.keyboard.clock.steps != steps
    return run.result(stepped)


class _Run:
    """The state of one presentation."""

    def __init__(
        self, stage: Stage, presentation: Presentation, is_interrupt: Callable[[Press], bool]
    ) -> None:
        self._stage = stage
        self._losses = stage.focus.losses
        self._presentation = presentation
        self._is_interrupt = is_interrupt
        self._limit_frames = stage.pacing.frames_of(presentation.limit_s)
        self._planned = (
            None
            if presentation.exposure_s is None
            else stage.pacing.frames_of(presentation.exposure_s)
        )
        # A covered window's swaps don't wait: frames may come up to twice as fast.
        self._stamps = FrameStamps(round(self._limit_frames / SOONEST) + SPARE_FRAMES)
        self._pictures = (presentation.stimulus, *presentation.later)
        # No step is shorter than a frame: with a step of 0 s, pictures change on every frame.
        self._step_frames = max(1, stage.pacing.frames_of(presentation.step_s))
        self._steps = FrameStamps(len(self._pictures))
        self._requested = 0
        self._leaf = self._leaf_shown = 0
        self._turned: list[tuple[int, float, int]] = []
        self._has_left = False
        self._answer: Press | None = None
        self._ended_early = False
        self.interrupt: Press | None = None
        # Infinite until the onset, so that no press counts as after it.
        self._onset_s = self._offset_s = math.inf
        self._count: FrameCount

    def fixate(self) -> bool:
        presentation = self._presentation
        return fixate(
            self._stage, presentation.fixation, presentation.fixation_s, self._interrupted
        )

    def put_on(self, watch: Watch | None) -> None:
        self._onset_s = self._stage.frame(self._presentation.stimulus, critical=True, mark="onset")
        self._count = self._stage.pacing.count_from(self._onset_s)
        self._stamps.add(self._onset_s, 0)
        self._steps.add(self._onset_s, 0)
        if watch is not None:
            watch(self._onset_s)

    def keep_on(self) -> None:
        last = self._limit_frames if self._planned is None else self._planned
        at = 0
        self._poll()
        while not self._ended() and (frame := at + 1) < last:
            at = self._next(frame) if self._presentation.leaves is None else self._leaf_on()
            self._poll()

    def _next(self, frame: int) -> int:
        """Show a frame of a stimulus that changes by time or on request; return its number."""
        step = self._step_of(frame)
        mark = "step" if self._steps.count <= step else None
        flip_s = self._stage.frame(self._pictures[step], critical=step % 2 == 0, mark=mark)
        at = self._count(flip_s)
        self._stamps.add(flip_s, at)
        while self._steps.count <= step:
            self._steps.add(flip_s, at)
        return at

    def _leaf_on(self) -> int:
        """Show the current leaf on the next frame; return the frame's number."""
        assert self._presentation.leaves is not None
        leaf, turns = self._leaf, self._leaf != self._leaf_shown
        picture = self._presentation.leaves.pictures[leaf]
        flip_s = self._stage.frame(picture, critical=leaf % 2 == 0, mark="step" if turns else None)
        at = self._count(flip_s)
        self._stamps.add(flip_s, at)
        if turns:
            self._leaf_shown = leaf
            self._turned.append((leaf, flip_s, at))
        return at

    def _step_of(self, frame: int) -> int:
        """Return the index of the picture that a frame shows."""
        if self._presentation.request_keys:
            return min(self._requested, len(self._pictures) - 1)
        return min(frame // self._step_frames, len(self._pictures) - 1)

    def take_off(self) -> None:
        # Evaluated now: an answer after the exposure doesn't end it early, whatever frame was lost.
        self._ended_early = self._ended()
        self._offset_s = self._stage.frame(self._presentation.after, mark="offset")
        self._stamps.add(self._offset_s, self._count(self._offset_s))
        self._has_left = True

    def await_answer(self) -> None:
        """Wait for an answer until the limit, if the stimulus went away without one."""
        flip_s = self._offset_s
        self._poll()
        while not self._ended() and self._count(flip_s) < self._limit_frames:
            flip_s = self._stage.frame(self._presentation.after)
            self._poll()

    def hear_the_last(self) -> None:
        """Take presses that were made within the limit but delivered after it."""
        if not self._ended():
            self._stage.nap(HEARD_WITHIN_S)
            self._poll()

    def _ended(self) -> bool:
        return self._answer is not None or self.interrupt is not None

    def _interrupted(self) -> bool:
        self._poll()
        return self.interrupt is not None or self._stage.focus.losses != self._losses

    def _poll(self) -> None:
        for press in self._presses():
            if self.interrupt is None and self._is_interrupt(press):
                self.interrupt = press
            if self._answer is None and self._answers(press):
                self._answer = press
                self._stage.triggers.send("response")
            if press.key in self._presentation.request_keys and not press.chord:
                self._requested += press.t_s > self._onset_s
            if self._presentation.leaves is not None and not self._ended():
                self._turn(self._presentation.leaves, press)

    def _turn(self, leaves: Leaves, press: Press) -> None:
        meant = not is_pointing(press.device) or press.place_px is not None
        if meant and not press.chord and press.t_s > self._onset_s:
            self._leaf = leaves.turns.get((self._leaf, press.key), self._leaf)

    def _presses(self) -> tuple[Press, ...]:
        """Return the presses since the last call; a click becomes a press of its key."""
        heard = self._presentation.heard
        presses = self._stage.presses() if heard is None else heard()
        clicked = self._presentation.clicked
        if clicked is None or self._stage.clicks is None:
            return presses
        clicks = self._stage.clicks.poll([press for press in presses if is_pointing(press.device)])
        for_window = self._stage.focus.for_window(clicks) if clicks else clicks
        keys = ((click, clicked(click.place_px)) for click in for_window)
        return (*presses, *(replace(click, key=key) for click, key in keys if key is not None))

    def _answers(self, press: Press) -> bool:
        rt_s = press.t_s - self._onset_s
        presentation, leaves = self._presentation, self._presentation.leaves
        meant = press.device == presentation.device or press.place_px is not None
        if leaves is not None:
            # A mouse button also turns pages: its position decides what a click means.
            meant = meant and (not is_pointing(press.device) or press.place_px is not None)
            meant = meant and (self._has_left or self._is_answered(leaves, press))
        wanted = press.key in presentation.answer_keys and meant
        return wanted and not press.chord and 0 < rt_s <= self._presentation.limit_s

    def _is_answered(self, leaves: Leaves, press: Press) -> bool:
        """Return whether a press was made while a leaf on which answers count was visible."""
        seen_since_s = self._turned[-1][1] if self._turned else self._onset_s
        turning = self._leaf != self._leaf_shown
        return self._leaf_shown in leaves.answered and not turning and press.t_s > seen_since_s

    def result(self, clock_stepped: bool) -> Shown:
        return Shown(
            onset_s=self._onset_s,
            offset_s=self._offset_s,
            answer=self._answer,
            interrupt=self.interrupt,
            frames=self._frames(),
            clock_stepped=clock_stepped,
            steps_s=tuple(self._steps.stamps_s.tolist()),
            step_frames=tuple(self._steps.frames.tolist()),
            turned=tuple(self._turned),
        )

    def _frames(self) -> FrameRecord:
        record = self._stamps.record(self._stage.period_s, self._planned)
        cut_short = self._planned is not None and record.shown < self._planned
        return replace(record, planned=None) if cut_short and self._ended_early else record

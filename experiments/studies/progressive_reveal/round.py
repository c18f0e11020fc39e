"""One round in a frame-locked loop: an image is uncovered step by step while its name is typed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from experiments.engine.input import Press
from experiments.engine.pacing import SOONEST, FrameCount, FrameRecord, FrameStamps
from experiments.engine.picture import Picture
from experiments.engine.present import HEARD_WITHIN_S, SPARE_FRAMES, Unseen, Watch, fixate
from experiments.engine.stage import Stage, held_garbage
from experiments.engine.text import TextInput
from experiments.studies.progressive_reveal.answer_field import AnswerField
from participants.session.typed_line import Keystroke
from participants.studies.progressive_reveal.entry import Confirmed
from participants.studies.progressive_reveal.rounds import Attempt, RevealRound

End = Literal["named", "over", "tries", "left"]
"""Why a round ended: the name was right, the last step was over, no tries left, person left."""


@dataclass(frozen=True, slots=True)
class RoundPictures:
    """The pictures of a round, all uploaded to the card before it begins.

    Images are stored at their original size, and the card enlarges them: fifteen steps of
    256 × 256 pixels and the whole image twice take 3.3 MB (4.5 if a card uses four bytes per
    pixel) on a screen of any size. A window beside the image adds its screen pixels, step by
    step.

    Attributes
    ----------
    fixation
        Shown before the image.
    standing
        Parts beside the image in every round.
    beside
        Parts beside the image in this round; may be empty.
    steps
        The image as far as it is uncovered, one picture per step.
    named, missed
        The whole image with its name, after the right answer, and after an end without it.
    """

    fixation: Picture
    standing: Picture
    beside: Picture
    steps: tuple[Picture, ...]
    named: Picture
    missed: Picture

    def free(self) -> None:
        """Free the textures that no other round shows."""
        for picture in (self.beside, *self.steps, self.named, self.missed):
            picture.free()


@dataclass(frozen=True, slots=True)
class Uncovered:
    """Result of a round.

    Attributes
    ----------
    steps_s
        Times of the flips that brought each step, monotonic; the first is the onset.
    step_frames
        Frames of these flips, counted from the onset.
    offset_s
        Time of the flip that took the image away or showed it whole.
    keystrokes, attempts
        Keystrokes and attempts in order; times are from the onset.
    confirmed
        The press that confirmed each attempt.
    end
        Why the round ended.
    interrupt
        Whether a chord asked to end the session.
    frames
        Record of the image's frames; ``planned`` is None unless all steps were to be shown.
    clock_stepped
        Whether the keyboard's clock was stepped meanwhile.
    """

    steps_s: tuple[float, ...]
    step_frames: tuple[int, ...]
    offset_s: float
    keystrokes: tuple[Keystroke, ...]
    attempts: tuple[Attempt, ...]
    confirmed: tuple[Press, ...]
    end: End
    interrupt: bool
    frames: FrameRecord
    clock_stepped: bool

    @property
    def onset_s(self) -> float:
        """Time of the image's first frame."""
        return self.steps_s[0]


@dataclass(frozen=True, slots=True)
class RoundDesk:
    """Equipment of rounds: the stage, the text input and the field."""

    stage: Stage
    typing: TextInput
    field: AnswerField


def uncover(
    desk: RoundDesk,
    reveal_round: RevealRound,
    pictures: RoundPictures,
    *,
    is_interrupt: Callable[[Press], bool] = lambda press: False,
    watch: Watch | None = None,
) -> Uncovered | Unseen:
    """Run one round; its steps come on an absolute schedule, in whole frames from the onset.

    Parameters
    ----------
    desk
        Stage, text input and field.
    reveal_round, pictures
        The round and its pictures.
    is_interrupt
        Called with every press; returns whether it is a chord that ends the round at once. If
        one comes before the image is drawn, the image isn't shown at all; the same holds if
        another window takes the focus by then.
    watch
        Called with the onset's time right after its flip.
    """
    run = _Run(desk, reveal_round, pictures, is_interrupt)
    clock = desk.stage.keyboard.clock
    desk.field.begin()
    with held_garbage():
        steps = clock.steps
        run.forget()
        if fixate(desk.stage, pictures.fixation, reveal_round.fixation_s, run.interrupted):
            return Unseen(run.interrupt)
        run.put_on(watch)
        run.keep_on()
        run.take_off()
        run.hear_the_last()
    stepped = clock.measure() or clock.steps != steps
    return run.result(stepped)


class RoundFrame:
    """The screen of a round; the step changes between frames."""

    def __init__(self, pictures: RoundPictures, field: AnswerField) -> None:
        self._pictures, self._field = pictures, field
        self.step = 0

    def draw(self) -> None:
        """Draw into the back buffer."""
        self._pictures.standing.draw()
        self._pictures.beside.draw()
        self._pictures.steps[self.step].draw()
        self._field.draw()


class _Run:
    """The state of one round."""

    def __init__(
        self,
        desk: RoundDesk,
        reveal_round: RevealRound,
        pictures: RoundPictures,
        is_interrupt: Callable[[Press], bool],
    ) -> None:
        self._stage, self._typing, self._field = desk.stage, desk.typing, desk.field
        stage, field = desk.stage, desk.field
        self._losses = stage.focus.losses
        self._round, self._pictures = reveal_round, pictures
        self._is_interrupt = is_interrupt
        self._frame = RoundFrame(pictures, field)
        self._step_frames = stage.pacing.frames_of(reveal_round.step_s)
        self._last_frame = reveal_round.steps * self._step_frames
        self._limit_s = self._last_frame * stage.period_s
        # A covered window's swaps don't wait: frames may come up to twice as fast.
        self._stamps = FrameStamps(round(self._last_frame / SOONEST) + SPARE_FRAMES)
        self._steps = FrameStamps(reveal_round.steps)
        self._keystrokes: list[Keystroke] = []
        self._attempts: list[Attempt] = []
        self._confirmed: list[Press] = []
        self._onset_s = self._offset_s = 0.0
        self._count: FrameCount
        self._end: End | None = None
        self._over = False
        self.interrupt: Press | None = None

    def forget(self) -> None:
        """Discard what was typed so far, except chords."""
        self._note_chords(self._typing.forget())

    def interrupted(self) -> bool:
        """Check for a chord or a lost focus; discard what is typed before the onset."""
        self._note_chords(self._typing.poll().presses)
        return self.interrupt is not None or self._stage.focus.losses != self._losses

    def put_on(self, watch: Watch | None) -> None:
        self._onset_s = self._stage.frame(self._frame, critical=True, mark="onset")
        self._count = self._stage.pacing.count_from(self._onset_s)
        self._field.onset(self._onset_s)
        self._stamps.add(self._onset_s, 0)
        self._steps.add(self._onset_s, 0)
        if watch is not None:
            watch(self._onset_s)

    def keep_on(self) -> None:
        at = 0
        self._hear()
        while self._end is None and (frame := at + 1) < self._last_frame:
            step = frame // self._step_frames
            self._frame.step = step
            mark = "step" if self._steps.count <= step else None
            flip_s = self._stage.frame(self._frame, critical=step % 2 == 0, mark=mark)
            at = self._count(flip_s)
            self._stamps.add(flip_s, at)
            while self._steps.count <= step:
                self._steps.add(flip_s, at)
            self._hear()

    def take_off(self) -> None:
        self._over = self._end is None
        after = {"left": None, "named": self._pictures.named}
        picture = after.get(self._end, self._pictures.missed)
        self._offset_s = self._stage.frame(picture, mark="offset")
        self._stamps.add(self._offset_s, self._count(self._offset_s))

    def hear_the_last(self) -> None:
        """Take presses that were made in time but delivered late."""
        if self._over:
            self._stage.nap(HEARD_WITHIN_S)
            self._hear()

    def _hear(self) -> None:
        heard = self._typing.poll()
        self._note_chords(heard.presses)
        for entry in self._field.take(heard.typed):
            if self._end is not None or entry.t_s > self._limit_s:
                break
            if isinstance(entry, Keystroke):
                self._keystrokes.append(entry)
            elif isinstance(entry, Confirmed):
                self._judge(entry)
        if self._end is None and self.interrupt is not None and not self._over:
            self._end = "left"

    def _note_chords(self, presses: tuple[Press, ...]) -> None:
        for press in presses:
            if self._is_interrupt(press) and self.interrupt is None:
                self.interrupt = press

    def _judge(self, answer: Confirmed) -> None:
        right = answer.class_id == self._round.right_class
        self._attempts.append(
            Attempt(
                answer.t_s, answer.first_key_s, answer.text, answer.class_id, right, answer.device
            )
        )
        self._confirmed.append(Press(answer.key, self._onset_s + answer.t_s, device=answer.device))
        self._stage.triggers.send("response")
        if right:
            self._end = "named"
        elif len(self._attempts) == self._round.tries:
            self._end = "tries"
        else:
            self._field.say("wrong")

    def result(self, clock_stepped: bool) -> Uncovered:
        frames = self._stamps.record(self._stage.period_s, self._last_frame)
        return Uncovered(
            steps_s=tuple(self._steps.stamps_s.tolist()),
            step_frames=tuple(self._steps.frames.tolist()),
            offset_s=self._offset_s,
            keystrokes=tuple(self._keystrokes),
            attempts=tuple(self._attempts),
            confirmed=tuple(self._confirmed),
            end=self._end or "over",
            interrupt=self.interrupt is not None,
            frames=frames if self._over else replace(frames, planned=None),
            clock_stepped=clock_stepped,
        )

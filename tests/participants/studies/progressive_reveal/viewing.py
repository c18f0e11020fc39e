"""A presenter that goes through rounds by rule, and keeps the journal as a window does."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from participants.session import (
    GO_ON,
    LEAVE,
    THEN,
    ConsentResult,
    PageResult,
    Presented,
    SessionAborted,
)
from participants.session.typed_line import Keystroke
from participants.studies.progressive_reveal.rounds import (
    Attempt,
    CopyResult,
    RevealRound,
    RoundResult,
)
from participants.studies.progressive_reveal.simulated import Habits, attendance

patient = partial(attendance, habits=Habits(break_off=0.0, give_up=0.0, stop_at_break=0.0))
"""The attendance of people who leave only where a sitting ends."""

LETTER_S = 0.25
FRAMES_A_SECOND = 60
Script = Callable[[RevealRound], list[tuple[float, str]]]


def right_after(seconds: float) -> Script:
    """Name the right class at a time."""
    return lambda step: [(seconds, step.right_class)]


def typed(text: str, begun_s: float) -> tuple[Keystroke, ...]:
    return tuple(
        Keystroke(begun_s + place * LETTER_S, sign, sign, text[: place + 1], place + 1)
        for place, sign in enumerate(text)
    )


def result_of(
    step: RevealRound, script: list[tuple[float, str]], left_s: float | None = None
) -> RoundResult:
    """Return what a round gives in which classes are confirmed at these times, or it is left."""
    end_s = step.steps * step.step_s if left_s is None else left_s
    attempts, keystrokes, ended = [], [], False
    for t_s, class_id in script:
        if t_s > end_s or ended:
            break
        begun_s = t_s - LETTER_S * len(class_id)
        right = class_id == step.right_class
        attempts.append(Attempt(t_s, begun_s, class_id, class_id, right, "keyboard"))
        keystrokes += typed(class_id, begun_s)
        keystrokes.append(Keystroke(t_s, "return", "", "", 0))
        ended = right or len(attempts) == step.tries
        end_s = t_s if ended else end_s
    onsets = tuple(
        number * step.step_s
        for number in range(step.steps)
        if number == 0 or number * step.step_s < end_s
    )
    left = left_s is not None and not ended
    return RoundResult(
        keystrokes=tuple(keystrokes),
        attempts=tuple(attempts),
        step_onsets_s=onsets,
        left=left,
        presented=Presented(
            onset_t_monotonic_s=100.0 * step.trial,
            frames_planned=None if ended or left else round(end_s * FRAMES_A_SECOND),
            frames_shown=round(end_s * FRAMES_A_SECOND),
            frames_dropped=0,
            longest_interval_s=1 / FRAMES_A_SECOND,
            flagged=False,
        ),
    )


@dataclass
class ScriptedViewer:
    """Goes through a participant's session; `leaves` names breaks, `walks_out` rounds by time."""

    recorder: object
    script: Script = field(default_factory=lambda: right_after(9.0))
    leaves: frozenset[str] = frozenset()
    walks_out: dict[int, float] = field(default_factory=dict)
    dies_in: int = 0
    ends_before: int = 0
    agrees_again: bool = True
    answers: dict[str, str] = field(default_factory=dict)
    seen: list = field(default_factory=list)
    told: list = field(default_factory=list)

    def page(self, page):
        self.seen.append(page)
        return PageResult(1.0)

    def consent(self, consent):
        self.seen.append(consent)
        return ConsentResult(self.agrees_again or not consent.renewed, "1.0", "0" * 64)

    def check(self, check, attempt):
        self.seen.append(check)
        return check.right

    def question(self, question):
        self.seen.append(question)
        return self.answers.get(question.step, "skip")

    def rest(self, pause):
        self.seen.append(pause)
        return PageResult(1.0, {THEN: LEAVE if pause.step in self.leaves else GO_ON})

    def copy(self, task):
        self.seen.append(task)
        return tuple(
            CopyResult(word, 50.0, typed(word, 1.0), 1.0 + LETTER_S * len(word))
            for word in task.words
        )

    def reveal(self, step):
        step.record_start(self.recorder, "")
        if step.trial == self.ends_before:
            raise SessionAborted("chord")
        self.seen.append(step)
        if step.trial == self.dies_in:
            raise KeyboardInterrupt
        result = result_of(step, self.script(step), self.walks_out.get(step.trial))
        self._record(step, result)
        return result

    def reveal_feedback(self, step, result):
        if result.left:
            raise SessionAborted("chord")
        self.told.append(step.trial)

    def _record(self, step, result):
        for number, onset_s in enumerate(result.step_onsets_s, start=1):
            what, frame = ("step" if number > 1 else "image_on"), round(onset_s * FRAMES_A_SECOND)
            self.recorder.append("flip", what=what, trial=step.trial, frame=frame, step=number)
        for attempt in result.attempts:
            self.recorder.append("response", trial=step.trial, device=attempt.device, key="return")
        frames = result.presented.frames_shown
        self.recorder.append("flip", what="image_off", trial=step.trial, frame=frames, step=None)

    @property
    def rounds(self):
        return [step for step in self.seen if isinstance(step, RevealRound)]

    @property
    def steps(self):
        return [step.step for step in self.seen]

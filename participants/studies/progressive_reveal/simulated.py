"""A robot in rounds, without a window: the same events, with computed times.

Simulated people may stop for the day or leave. In the published experiment people finished about
half of the rounds on average (Dawoud et al. 2023, section IV). Here far fewer give up, so that
small datasets are enough.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Final

import numpy as np

from participants import session
from participants.journal import Journal, Recorder
from participants.session.typed_line import Entered, Keystroke
from participants.simulate.presenters import REFRESH_HZ, VirtualClock
from participants.studies.progressive_reveal.entry import AnswerEntry, Confirmed, CopyEntry
from participants.studies.progressive_reveal.robots.typists import KeyPress
from participants.studies.progressive_reveal.robots.viewers import (
    RoundView,
    Typing,
    ViewerParticipant,
    viewers,
)
from participants.studies.progressive_reveal.rounds import (
    Attempt,
    CopyResult,
    CopyTask,
    RevealRound,
    RoundResult,
)
from participants.study import Attendance, Robots
from stimuli.devices import is_pointing
from stimuli.io.canonical import seed_of
from stimuli.studies.progressive_reveal.sketch import sketch


@dataclass(frozen=True, slots=True)
class Habits:
    """How often people leave.

    Attributes
    ----------
    break_off
        Share of people who leave once in the middle of a round and come back another day.
    give_up
        Share of people who leave the study in the middle of a round, and let their data be used.
    stop_at_break
        Chance of stopping for the day at each break that offers it.
    """

    break_off: float = 0.15
    give_up: float = 0.10
    stop_at_break: float = 0.10


EARLY: Final = 0.4
"""People leave within this share of a round's time, when most haven't named its image yet."""
USUAL: Final = Habits()


@dataclass(frozen=True, slots=True)
class Leaving:
    """When one person leaves.

    Attributes
    ----------
    trial
        Number of the round in which they leave; None if in none.
    after
        Time into that round, as a share of all its steps' time; a person who has named the image by
        then stays.
    for_good
        Whether they leave the study then.
    stops_at
        The breaks at which they stop for the day, by the ids of their steps.
    """

    trial: int | None
    after: float
    for_good: bool
    stops_at: frozenset[str]

    @classmethod
    def of(
        cls, habits: Habits, plan: session.SessionPlan, seed: int, participant: str
    ) -> "Leaving":
        """Return when a person leaves a session."""
        rng = np.random.Generator(np.random.PCG64(seed_of("leaving", seed, participant)))
        lot, after = rng.random(), rng.random()
        rounds = [task.trial for task in plan.trials if task.phase == "main"]
        chosen = rounds[int(rng.integers(len(rounds)))] if rounds else None
        leaves = lot < habits.give_up + habits.break_off
        breaks = [
            step.step for step in plan.steps if isinstance(step, session.Break) and step.may_leave
        ]
        stops = rng.random(len(breaks)) < habits.stop_at_break
        return cls(
            trial=chosen if leaves else None,
            after=EARLY * float(after),
            for_good=leaves and lot < habits.give_up,
            stops_at=frozenset(name for name, stop in zip(breaks, stops, strict=True) if stop),
        )

    def is_over(self, journal: Journal) -> bool:
        """Return whether a journal holds all that this person ever does."""
        return journal.complete or session.has_left(journal.events)


def attendance(
    plan: session.SessionPlan, seed: int, participant: str, habits: Habits = USUAL
) -> Attendance:
    """Return when a person with some habits comes and leaves."""
    leaving = Leaving.of(habits, plan, seed, participant)
    return Attendance(leaving.is_over, leaving.stops_at, leaving)


BETWEEN_WORDS_S = 0.5
CLICK, LEFT_BUTTON, RETURN = "click", "left", "return"


@dataclass(frozen=True, slots=True)
class Played:
    """The result of a script in the answer field, and the time of its end since the onset."""

    keystrokes: tuple[Keystroke, ...]
    attempts: tuple[Attempt, ...]
    over_s: float


@dataclass(frozen=True, slots=True)
class SimulatedParticipant:
    """A presenter of rounds whose participant is a robot.

    Steps begin at exact multiples of their duration; the image leaves with the next frame of a
    display of 60 Hz that drops none. What the robot types goes through the answer field that
    people type into (`participants.studies.progressive_reveal.entry`).

    Attributes
    ----------
    robot
        Who answers.
    leaving
        When the robot leaves.
    clock
        The journal's clock, which the rounds advance.
    recorder
        Records the rounds' events.
    """

    robot: ViewerParticipant
    leaving: Leaving
    clock: VirtualClock
    recorder: Recorder

    def copy(self, task: CopyTask) -> tuple[CopyResult, ...]:
        """Copy words."""
        return tuple(self._copied(copying) for copying in self.robot.copy_words(task.words))

    def reveal(self, step: RevealRound) -> RoundResult:
        """Name an image while it is uncovered."""
        step.record_start(self.recorder, image_sha256="")
        self.clock.advance(step.fixation_s)
        onset_s = self.clock.monotonic_s()
        whole_s = step.steps * step.step_s
        left = step.trial == self.leaving.trial
        limit_s = whole_s * self.leaving.after if left else whole_s
        view = self.robot.views[step.presentation]
        played = played_script(self.robot.script(step.presentation), view, limit_s, step.tries)
        left = left and not any(attempt.right for attempt in played.attempts)
        step_onsets_s = _onsets_s(step, played.over_s)
        frames = ceil(played.over_s * REFRESH_HZ - 1e-9)
        self._record(step, onset_s, step_onsets_s, played.attempts, frames)
        return RoundResult(
            keystrokes=played.keystrokes,
            attempts=played.attempts,
            step_onsets_s=step_onsets_s,
            left=left,
            presented=session.Presented(
                onset_t_monotonic_s=onset_s,
                frames_planned=frames if played.over_s == whole_s else None,
                frames_shown=frames,
                frames_dropped=0,
                longest_interval_s=1 / REFRESH_HZ,
                flagged=False,
            ),
        )

    def reveal_feedback(self, step: RevealRound, result: RoundResult) -> None:
        """Let the feedback's time pass; a robot that left doesn't come back."""
        if result.left:
            raise session.SessionAborted(
                session.LEFT_FOR_GOOD if self.leaving.for_good else session.LEFT
            )
        self.clock.advance(step.feedback_s)

    def _record(
        self,
        step: RevealRound,
        onset_s: float,
        step_onsets_s: tuple[float, ...],
        attempts: tuple[Attempt, ...],
        frames: int,
    ) -> None:
        """Record flips and confirming presses in the order of their times."""
        off_s = frames / REFRESH_HZ
        flips = [
            (at_s, "step" if k > 1 else "image_on", k) for k, at_s in enumerate(step_onsets_s, 1)
        ]
        flip_events = [(at_s, partial(self._flip, step, what, at_s, k)) for at_s, what, k in flips]
        flip_events.append((off_s, partial(self._flip, step, "image_off", off_s, None)))
        pressed = [
            (attempt.t_s, partial(self._press, step, attempt, onset_s)) for attempt in attempts
        ]
        for at_s, record in sorted([*flip_events, *pressed], key=lambda event: event[0]):
            self.clock.advance(max(0.0, onset_s + at_s - self.clock.monotonic_s()))
            record()

    def _flip(self, step: RevealRound, change: str, at_s: float, number: int | None) -> None:
        frame = round(at_s * REFRESH_HZ)
        self.recorder.append("flip", what=change, trial=step.trial, frame=frame, step=number)

    def _press(self, step: RevealRound, attempt: Attempt, onset_s: float) -> None:
        self.recorder.append(
            "response",
            t_monotonic_s=onset_s + attempt.t_s,
            trial=step.trial,
            device=attempt.device,
            key=LEFT_BUTTON if is_pointing(attempt.device) else RETURN,
        )

    def _copied(self, copying: Typing) -> CopyResult:
        onset_s = self.clock.monotonic_s()
        self.clock.advance(copying.done_s + BETWEEN_WORDS_S)
        field = CopyEntry(copying.target)
        keystrokes = tuple(field.take(event)[0] for event in _events((copying,)))
        return CopyResult(copying.target, onset_s, keystrokes, copying.done_s)


def played_script(
    script: tuple[Typing, ...], view: RoundView, limit_s: float, tries: int | None = None
) -> Played:
    """Return the result of typing a script into the answer field.

    Parameters
    ----------
    script
        The robot's script.
    view
        The round, whose classes the field knows.
    limit_s
        When the round is over or left, since its onset.
    tries
        Number of answers after which the round is over; None for any number.
    """
    field = AnswerEntry(view.classes, view.suggestions_most)
    keystrokes: list[Keystroke] = []
    attempts: list[Attempt] = []
    for event in _events(script):
        if event.t_s >= limit_s:
            break
        keystroke, outcome = field.take(event)
        keystrokes.append(keystroke)
        if isinstance(outcome, Confirmed):
            attempts.append(_attempt(outcome, view.right_class))
            if attempts[-1].right or len(attempts) == tries:
                return Played(tuple(keystrokes), tuple(attempts), attempts[-1].t_s)
    return Played(tuple(keystrokes), tuple(attempts), limit_s)


def _events(script: tuple[Typing, ...]) -> Iterator[Entered]:
    for typing in script:
        for at_s, key in zip(typing.times_s, typing.keys, strict=True):
            yield _entered(at_s, key)
        if typing.confirm == CLICK:
            yield Entered(typing.done_s, LEFT_BUTTON, "click", typing.target, "mouse")
        else:
            yield Entered(typing.done_s, RETURN, "edit", RETURN)


def _entered(at_s: float, key: KeyPress) -> Entered:
    return Entered(at_s, key.key, "text" if key.text else "edit", key.text or key.key)


def _attempt(answer: Confirmed, right_class: str) -> Attempt:
    return Attempt(
        t_s=answer.t_s,
        first_key_s=answer.first_key_s,
        text=answer.text,
        class_id=answer.class_id,
        right=answer.class_id == right_class,
        device=answer.device,
    )


def _onsets_s(step: RevealRound, over_s: float) -> tuple[float, ...]:
    """Return the onsets of the steps that came before a round was over."""
    onsets_s = (number * step.step_s for number in range(step.steps))
    return tuple(at_s for at_s in onsets_s if at_s < over_s)


SESSION_ROBOTS: Final = Robots(
    make=viewers, simulated=SimulatedParticipant, sketch=sketch, attendance=attendance
)

"""A robot goes through a session without a window: same events, computed times."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from participants.journal import Recorder
from participants.robots import AnyRobot
from participants.session import (
    Break,
    Check,
    Consent,
    ConsentResult,
    Feedback,
    Page,
    PageResult,
    Question,
    SessionPlan,
    Trial,
    TrialResult,
    record_trial_start,
)
from participants.simulate.clock import VirtualClock
from participants.simulate.reader import Reader

REFRESH_HZ = 60.0


@dataclass(frozen=True, slots=True)
class SimulatedPresenter:
    """A `participants.session.Presenter` whose participant is a robot.

    Plates come and go on the frames of a display of 60 Hz that drops none.

    Attributes
    ----------
    plan
        The session.
    robot
        Who answers.
    clock
        The journal's clock, moved on by what is shown.
    recorder
        Where trials' events go.
    """

    plan: SessionPlan
    robot: AnyRobot
    clock: VirtualClock
    recorder: Recorder

    def page(self, page: Page) -> PageResult:
        """Read a page."""
        return self._reader.page()

    def consent(self, consent: Consent) -> ConsentResult:
        """Agree to the text as the study ships it."""
        return self._reader.consent(consent)

    def check(self, check: Check, attempt: int) -> Mapping[str, str]:
        """Answer rightly."""
        return self._reader.check(check)

    def question(self, question: Question) -> str:
        """Answer a question."""
        return self._reader.question(question)

    def rest(self, pause: Break) -> PageResult:
        """Rest for a while, or for as long as must be."""
        return self._reader.rest(pause)

    def trial(self, trial: Trial) -> TrialResult:
        """Answer a trial."""
        record_trial_start(self.recorder, trial, plate_sha256="")
        self.clock.advance(trial.fixation_s)
        onset_s = self.clock.monotonic_s()
        self._flip("plate_on", trial, 0)
        response = self.robot.answer(trial)
        ended_s = trial.limit_s if response.rt_s is None else response.rt_s
        planned = _planned_frames(trial)
        stays = planned is not None and ended_s > planned / REFRESH_HZ
        frames = planned if stays else ceil(ended_s * REFRESH_HZ)
        if stays:
            self._take_off(trial, onset_s, frames)
        rt_s = None
        if response.rt_s is not None:
            press_s = onset_s + response.rt_s
            rt_s = press_s - onset_s
            self._record_press(trial, response.decision, press_s)
        if stays:
            self.clock.advance(onset_s + ended_s - self.clock.monotonic_s())
        else:
            self._take_off(trial, onset_s, frames)
        return TrialResult(
            decision=response.decision,
            rt_s=rt_s,
            lag_s=0.0,
            onset_t_monotonic_s=onset_s,
            frames_planned=planned if stays else None,
            frames_shown=frames,
            frames_dropped=0,
            longest_interval_s=1 / REFRESH_HZ,
            flagged=False,
        )

    def feedback(self, feedback: Feedback) -> None:
        """Take note."""
        self.clock.advance(feedback.feedback_s)

    @property
    def _reader(self) -> Reader:
        return Reader(self.plan, self.robot.choose, self.clock)

    def _take_off(self, trial: Trial, onset_s: float, frames: int) -> None:
        self.clock.advance(onset_s + frames / REFRESH_HZ - self.clock.monotonic_s())
        self._flip("plate_off", trial, frames)

    def _flip(self, what: str, trial: Trial, frame: int) -> None:
        self.recorder.append("flip", what=what, trial=trial.trial, frame=frame)

    def _record_press(self, trial: Trial, decision: str, press_s: float) -> None:
        key = self.plan.accept_key if decision == "accept" else self.plan.reject_key
        self.recorder.append(
            "response", t_monotonic_s=press_s, trial=trial.trial, device=self.plan.device, key=key
        )


def _planned_frames(trial: Trial) -> int | None:
    return None if trial.exposure_s is None else round(trial.exposure_s * REFRESH_HZ)

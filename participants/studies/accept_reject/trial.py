"""A lead's trial: a timed choice to accept or to reject, judged by the protocol's cutoff."""

import math
from dataclasses import asdict, dataclass
from typing import ClassVar, Literal, Protocol

from participants.journal import Recorder
from participants.session import Choice, TimedChoice, settled_by
from stimuli.studies.accept_reject.assessment import LeadRules
from stimuli.studies.accept_reject.shares import Expectation

Decision = Literal["accept", "reject", "none"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A trial's decision, judged."""

    in_time: bool
    accepted: bool


@dataclass(frozen=True, slots=True)
class Cutoff:
    """The rule by which a decision is judged.

    Attributes
    ----------
    seconds
        The primary decision time.
    visible
        Whether the plate disappears at the cutoff; else late acceptances count as rejections.
    """

    seconds: float
    visible: bool

    @classmethod
    def of(cls, protocol: LeadRules) -> "Cutoff":
        """Return a protocol's cutoff."""
        return cls(protocol.trial.cutoff_s, protocol.trial.cutoff_mode == "visible")

    @property
    def exposure_s(self) -> float | None:
        """Longest time for which the plate stays; None if only the answer ends it."""
        return self.seconds if self.visible else None


@dataclass(frozen=True, slots=True)
class Feedback:
    """The feedback after a practice trial, shown for ``feedback_s`` seconds.

    ``limit_s`` is the time there was to decide.
    """

    decision: str
    expected: Expectation
    feedback_s: float
    limit_s: float

    @property
    def right(self) -> bool:
        """Whether the guidelines allow the decision."""
        return complies(self.decision, self.expected)

    @property
    def if_unseen(self) -> bool:
        """Whether it is right for a person who didn't see the numeral."""
        return (self.decision, self.expected) == ("reject", "as_seen")


def complies(decision: str, expectation: Expectation) -> bool:
    """Return whether a decision is one that the guidelines allow, as far as anyone can know."""
    return decision == expectation or (expectation == "as_seen" and decision != "none")


class LeadPresenter(Protocol):
    """Shows a lead's trials.

    `trial` records ``trial_start``, ``flip`` and ``response`` itself, at their own stamps.
    """

    def trial(self, trial: "Trial") -> Choice:
        """Run a trial."""

    def feedback(self, feedback: Feedback) -> None:
        """Tell whether the decision was right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial(TimedChoice):
    """One trial of a lead.

    Attributes
    ----------
    run
        0 practice; main runs are 1 and 2 in the order in which they are shown. ``position``
        counts within the run.
    cutoff
        The rule by which the decision is judged.
    expected, feedback_s
        The required decision, and the feedback's duration; None and 0 without feedback.
    """

    NAMED_BY: ClassVar = ("trial", "repeat_of", "phase", "run", "position", "presentation")

    run: int
    cutoff: Cutoff
    expected: Expectation | None = None
    feedback_s: float = 0.0

    def perform(self, presenter: LeadPresenter, recorder: Recorder) -> frozenset[str]:
        """Run the trial, record the decision, and give feedback if there is any."""
        chosen = presenter.trial(self)
        answer = chosen.recorded()
        outcome = judge(self.cutoff, chosen.choice, answer["rt_s"])
        recorder.append("trial_end", durable=True, **self.place(), **answer, **asdict(outcome))
        if self.expected is not None:
            presenter.feedback(
                Feedback(chosen.choice, self.expected, self.feedback_s, self.limit_s)
            )
        return settled_by(self.trial, self.repeat_of, flagged=chosen.presented.flagged)

    def record_start(self, recorder: Recorder, plate_sha256: str) -> None:
        """Record that the trial is about to be shown; for presenters, outside timed windows.

        Parameters
        ----------
        recorder
            Keeps what happens.
        plate_sha256
            SHA-256 of the plate's pixels, without its explanation; empty if none were rendered.
        """
        recorder.append(
            "trial_start",
            **self.place(),
            axis=self.stimulus.axis,
            rung=self.stimulus.rung,
            plate_sha256=plate_sha256,
        )


def judge(cutoff: Cutoff, decision: str, rt_s: float | None) -> Outcome:
    """Return a decision's outcome under a cutoff.

    In time is ``rt_s <= cutoff`` on the raw stamps. Under the internal cutoff an
    acceptance that took longer counts as a rejection (Saralajew et al. 2022, section
    2.4); under the visible one the exposure bounds what could be seen, and an acceptance
    counts whenever it is given. The rig's lag changes neither.

    Parameters
    ----------
    cutoff
        The decision time, and whether it is visible.
    decision, rt_s
        The lead's decision, and press minus onset in seconds (None without an answer).

    Raises
    ------
    ValueError
        If there is a decision without a time, a time without a decision, or a time
        that is not a finite number.
    """
    if (decision == "none") != (rt_s is None):
        raise ValueError(f"decision {decision!r} with rt_s {rt_s!r}")
    if rt_s is None:
        return Outcome(in_time=False, accepted=False)
    if not math.isfinite(rt_s):
        raise ValueError(f"rt_s is {rt_s!r}")
    in_time = rt_s <= cutoff.seconds
    return Outcome(in_time, (in_time or cutoff.visible) and decision == "accept")

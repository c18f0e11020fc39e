"""A lead's trial: a timed choice to accept or to reject, judged by the protocol's cutoff.

The events of leads' and experts' sessions are here, too.
"""

import math
from dataclasses import asdict, dataclass
from typing import Annotated, ClassVar, Literal, Protocol

from pydantic import Field

from participants.journal import Recorder
from participants.journal.events import Count, Ordinal, Recorded, Seconds, Sha256
from participants.journal.trials import Chosen, FramesShown, MarkingAct, ShownWhileMarked
from participants.session import Choice, TimedChoice, settled_by
from stimuli.studies.accept_reject.shares import Expectation
from stimuli.studies.accept_reject_accuracy.protocol import Rules


class _OfTrial(Recorded):
    """What both events of a trial begin with."""

    trial: Ordinal = Field(description="Number in the session, from 1, including practice.")
    repeat_of: Ordinal | None = Field(
        description="The trial that this one repeats; null for a planned trial."
    )
    phase: Literal["practice", "main"] = Field(description="Practice with feedback, or a run.")
    run: Count = Field(description="0 for practice, 1 for the first run, 2 for the second.")
    position: Ordinal = Field(description="Number within the run, from 1.")
    presentation: str = Field(min_length=1, description="What is shown, as in items.csv.")


class TrialStart(_OfTrial):
    """A plate, image or text and its solution are about to be shown."""

    durable: ClassVar[bool] = False

    axis: Annotated[str, Field(min_length=1)] | None = Field(
        description="Confusion axis of the plate's colours; null without a plate."
    )
    rung: Ordinal | None = Field(
        description="Rung of the ladder of contrasts; null without a plate."
    )
    plate_sha256: str = Field(
        description="SHA-256 of the plate's or image's pixels, or of the judged text in UTF-8; "
        "empty if not rendered."
    )


class _Decided(Chosen, _OfTrial):
    decision: Literal["accept", "reject", "none"] = Field(description="The lead's decision.")
    in_time: bool = Field(description="Whether rt_s <= the protocol's cutoff_s.")
    accepted: bool = Field(
        description="Whether it counts as accepted: with an internal cutoff if in time, with a "
        "visible one at any time."
    )


class TrialEnd(FramesShown, _Decided):
    """A trial is finished. The trial table is made from these events."""


def lead_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of a lead's session by name."""
    return {"trial_start": TrialStart, "trial_end": TrialEnd}


class _OfPlate(Recorded):
    """What both events of an expert's trial begin with."""

    trial: Ordinal = Field(description="Number in the session, from 1, including practice.")
    phase: Literal["practice", "main"] = Field(description="Practice with feedback, or not.")
    position: Ordinal = Field(description="Number within the phase, from 1.")
    item: str = Field(min_length=1, description="The plate, as in tasks.csv.")


class AnnotationTrialStart(_OfPlate):
    """A plate is about to be shown to an expert."""

    durable: ClassVar[bool] = False

    axis: str = Field(min_length=1, description="Confusion axis of the plate's colours.")
    rung: Count = Field(description="Rung of the ladder of contrasts; 0 lies below it.")
    plate_sha256: str = Field(description="SHA-256 of the plate's pixels; empty if not rendered.")


class _Annotated(_OfPlate):
    label: Annotated[str, Field(pattern=r"^([0-9]|no_solution)$")] = Field(
        description="The digit that the expert read, or no_solution."
    )
    rt_s: Seconds = Field(description="Time from onset to that answer.")
    done_s: Seconds = Field(
        description="Time from onset to the press that confirmed the answer and the painting."
    )
    acts: list[MarkingAct] = Field(
        description="Everything done with brush and eraser, in order: `act` (brush, eraser, "
        "undo, clear), `t_ms` since onset, `radius`, and `points`, a flat list of t_ms, x, y; "
        "coordinates and radii in quarters of a pixel of the 256 × 256 mask, from its top left."
    )
    mask_sha256: Sha256 = Field(
        description="SHA-256 of the painted mask that follows from the acts, as packed bits."
    )
    area: Annotated[float, Field(ge=0, le=1)] = Field(
        description="Painted share of the plate's disc."
    )


class AnnotationTrialEnd(ShownWhileMarked, _Annotated):
    """An expert finished a plate; the annotation table and map set are made from these."""


def annotation_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of an expert's session by name."""
    return {"trial_start": AnnotationTrialStart, "trial_end": AnnotationTrialEnd}


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
    def of(cls, protocol: Rules) -> "Cutoff":
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


def complies(decision: str, asked: Expectation) -> bool:
    """Return whether a decision is one that the guidelines allow, as far as anyone can know."""
    return decision == asked or (asked == "as_seen" and decision != "none")


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

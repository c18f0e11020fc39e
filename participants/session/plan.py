"""The plan of a session: its steps in order, and the rules by which they are judged."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NoReturn

from participants.session.steps import (
    Break,
    Check,
    Consent,
    Decision,
    Page,
    PaintTask,
    Question,
    Trial,
)
from participants.studies.progressive_reveal.bubble_steps import BubbleTask
from participants.studies.progressive_reveal.round_types import (
    CopyTask,
    RevealRound,
    RoundResult,
    Score,
    SittingEnd,
)

Step = (
    Page
    | Consent
    | Question
    | Check
    | Break
    | Trial
    | PaintTask
    | BubbleTask
    | RevealRound
    | CopyTask
    | SittingEnd
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A trial's decision, judged; ``rt_corrected_s`` is the time less the rig's lag."""

    in_time: bool
    accepted: bool
    rt_corrected_s: float | None


Judge = Callable[[Trial, Decision, float | None, float], Outcome]
Scorer = Callable[[RevealRound, RoundResult], Score]


def nothing_to_judge(*judged: object) -> NoReturn:
    """Stand in for a rule that a session has no use for; ValueError if it is asked."""
    raise ValueError(f"this session has no rule to judge {judged[0]!r} by")


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """All that a session shows, in order.

    Attributes
    ----------
    list_id, order, language
        The person's list of the pack, which run comes first, language of the texts.
    device
        What decisions are made with, ``keyboard`` or ``mouse``; rounds take both.
    accept_key, reject_key
        Keys (or ``left``, ``right`` buttons) of the two decisions; empty where there are none.
    steps
        With unique ids.
    judge
        ``judge(trial, decision, rt_s, lag_s)``: the study's rule for decisions.
    texts
        Folder of the texts, where the protocol has its own; else empty.
    score
        ``score(round, result)``: the study's rule for rounds in which an image is uncovered.
    """

    study: str
    pack_id: str
    protocol_hash: str
    list_id: str
    order: str
    language: str
    device: Literal["keyboard", "mouse"]
    accept_key: str
    reject_key: str
    steps: tuple[Step, ...]
    judge: Judge = nothing_to_judge
    texts: str = ""
    score: Scorer = nothing_to_judge

    @property
    def text_folder(self) -> str:
        """Whose texts are read: the study's, unless the protocol has its own."""
        return self.texts or self.study

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The planned trials, practice included, repeats not."""
        return tuple(
            step for step in self.steps if isinstance(step, Trial) and step.repeat_of is None
        )

    @property
    def rounds(self) -> tuple[RevealRound, ...]:
        """The planned rounds, practice included."""
        return tuple(step for step in self.steps if isinstance(step, RevealRound))


def trial_step(trial: int) -> str:
    """Return the step id of a trial's number."""
    return f"trial-{trial:04d}"


def repeat_step(trial: int) -> str:
    """Return the step id of a trial's possible repeat."""
    return f"repeat-{trial:04d}"

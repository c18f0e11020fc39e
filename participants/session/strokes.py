"""A stroke task: a stimulus is painted or marked with a brush, without a time limit."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Protocol

from participants.journal import Recorder
from participants.session.steps import Phase, trial_step
from participants.session.timed_choice import Presented, to_microseconds
from participants.strokes import Act, Brush

AREA_DECIMALS: Final = 6


@dataclass(frozen=True, slots=True)
class StrokeResult:
    """What a person did with a brush; times as stamped.

    Attributes
    ----------
    label, rt_s
        The answer that was typed, and the time of its press since the onset, seconds; None if no
        answer is asked for.
    acts
        Strokes, undos and clears, in order.
    done_s
        Time of the press that confirmed, since the onset, seconds.
    interruptions
        How often a chord or another window hid the stimulus before that.
    presented
        The stimulus's onset and frames, over all its stays on the screen.
    """

    label: str | None
    rt_s: float | None
    acts: tuple[Act, ...]
    done_s: float
    interruptions: int
    presented: Presented


@dataclass(frozen=True, slots=True)
class StrokeKind:
    """A study's use of strokes.

    Attributes
    ----------
    brush
        How they mark the stimulus.
    refusal
        Returns why an answer (None if none was typed) can't be confirmed, given whether anything is
        marked: the id of a message in the study's words. None if it can.
    started
        Returns the study's own fields of ``trial_start`` from a task and the SHA-256 of the
        pixels that are shown.
    ended
        Returns the study's own fields of ``trial_end`` from a result.
    answer_keys
        The answers that can be typed, by key; empty if none is asked for.
    """

    brush: Brush
    refusal: Callable[[str | None, bool], str | None]
    started: Callable[["StrokeTask", str], Mapping[str, Any]]
    ended: Callable[[StrokeResult], Mapping[str, Any]]
    answer_keys: Mapping[str, str] = field(default_factory=dict)


class StrokePresenter(Protocol):
    """Shows stroke tasks; `strokes` records ``trial_start``, ``flip`` and ``response`` itself."""

    def strokes(self, task: "StrokeTask") -> StrokeResult:
        """Let the person paint or mark a stimulus."""

    def stroke_feedback(self, task: "StrokeTask", result: StrokeResult) -> None:
        """Tell whether what was typed and marked was right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StrokeTask:
    """A stimulus to be painted or marked.

    Attributes
    ----------
    trial, phase, position
        Number in the session, from 1, practice included; the position counts within the phase.
    total
        Tasks of the phase.
    item
        The stimulus, as in the pack's table.
    stimulus
        What is shown; the study's presenter draws it.
    kind
        What the strokes are for.
    fixation_s
        Fixation before the stimulus; 0 for none.
    right_label
        The right answer, if feedback follows; else None.
    feedback_s
        Duration of the feedback.
    """

    trial: int
    phase: Phase
    position: int
    total: int
    item: str
    stimulus: Any
    kind: StrokeKind
    fixation_s: float = 0.0
    right_label: str | None = None
    feedback_s: float = 0.0

    @property
    def step(self) -> str:
        """``trial-0001`` and so on."""
        return trial_step(self.trial)

    def perform(self, presenter: StrokePresenter, recorder: Recorder) -> frozenset[str]:
        """Let the person paint or mark the stimulus, record the strokes, and give any feedback."""
        result = presenter.strokes(self)
        recorder.append(
            "trial_end",
            durable=True,
            **self._place(),
            done_s=to_microseconds(result.done_s),
            acts=[act.document() for act in result.acts],
            interruptions=result.interruptions,
            **self.kind.ended(result),
            **asdict(result.presented),
        )
        if self.right_label is not None:
            presenter.stroke_feedback(self, result)
        return frozenset({self.step})

    def record_start(self, recorder: Recorder, pixels_sha256: str) -> None:
        """Record that the stimulus is about to be shown; outside timed windows.

        Parameters
        ----------
        recorder
            Keeps what happens.
        pixels_sha256
            Of the stimulus's pixels; empty if none were rendered.
        """
        fields = self.kind.started(self, pixels_sha256)
        recorder.append("trial_start", **self._place(), **fields)

    def _place(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("trial", "phase", "position", "item")}

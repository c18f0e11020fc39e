"""A timed choice: fixation, then a stimulus until a choice, the end of its exposure or the limit.

Times and frames are given as a journal keeps them. A trial that dropped a frame may be shown again.
Then one of the two showings counts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final

from participants.journal import Event
from participants.session.steps import Phase, Question, part_step, trial_step
from participants.session.typed_line import Keystroke, to_microseconds
from stimuli.devices import DeviceName, is_pointing

NO_CHOICE: Final = "none"
"""The choice of a trial whose limit passed without one."""
RATINGS: Final = ("guess", "unsure", "fairly_sure", "sure")
"""How sure a person is of a choice, from the lowest step."""


@dataclass(frozen=True, slots=True)
class Presented:
    """The onset and the frames of a stimulus, named as in ``trial_end`` events.

    Attributes
    ----------
    onset_t_monotonic_s
        Onset of its first frame, on the journal's clock.
    frames_planned
        None if the answer ends the stimulus.
    frames_shown, frames_dropped, longest_interval_s
        Its frame record, over all its stays on the screen.
    flagged
        Whether a frame was lost, a clock was set, a pause was asked for or the keyboard's focus
        was lost meanwhile.
    """

    onset_t_monotonic_s: float
    frames_planned: int | None
    frames_shown: int
    frames_dropped: int
    longest_interval_s: float
    flagged: bool


@dataclass(frozen=True, slots=True)
class Later:
    """The time at which a further part of a stimulus appears.

    Attributes
    ----------
    after_s
        Seconds after the onset; None if a key asks for the part.
    key
        The key (or mouse button) that asks for the part; None if it appears by itself.
    """

    after_s: float | None = None
    key: str | None = None

    def __post_init__(self) -> None:
        if (self.after_s is None) == (self.key is None):
            raise ValueError(f"a part comes after a time or by a key: {self}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedChoice:
    """A trial in which one of a few options is chosen; a study's trial adds what it needs.

    Attributes
    ----------
    step
        ``trial-0001`` and so on; ``repeat-0001`` of a repeat.
    trial
        Number in the session, from 1, practice included. A repeat's number is its
        original's plus the number of planned trials.
    phase, position
        Practice or main; the position counts within the study's unit (a run, a block), from 1.
    presentation
        Opaque id of what is shown.
    stimulus
        What is shown; the study's presenter draws it.
    options
        The choices by their keys (or ``left`` and ``right`` buttons of the mouse).
    device
        What the choice is made with.
    fixation_s, limit_s
        Fixation before the stimulus, and the longest time for an answer from its onset.
    exposure_s
        How long the stimulus stays at most, from its onset; the answer may follow until
        the limit. None if only the answer or the limit ends it.
    repeat_of
        Number of the trial that this one repeats. A repeat is shown only if that trial was flagged.
    later
        When a further part of the stimulus appears; None if all is there from the onset.
    """

    NAMED_BY: ClassVar[tuple[str, ...]] = ("trial", "phase", "position", "presentation")
    """Fields by which every event of a trial names it (`participants.journal.trials.OfTrial`)."""

    step: str
    trial: int
    phase: Phase
    position: int
    presentation: str
    stimulus: Any
    options: Mapping[str, str]
    device: DeviceName
    fixation_s: float
    limit_s: float
    exposure_s: float | None = None
    repeat_of: int | None = None
    later: Later | None = None

    @property
    def longest_look_s(self) -> float:
        """How long the stimulus can be looked at, from its onset."""
        return self.limit_s if self.exposure_s is None else min(self.exposure_s, self.limit_s)

    @property
    def keys(self) -> frozenset[str]:
        """The keyboard's keys that a person may need for it."""
        asking = self.later.key if self.later is not None else None
        answering = () if is_pointing(self.device) else self.options
        return frozenset(answering) if asking is None else frozenset({*answering, asking})

    @property
    def choices(self) -> tuple[str, ...]:
        """What can be answered."""
        return tuple(self.options.values())

    def place(self) -> dict[str, Any]:
        """Return the fields by which every event of the trial names it."""
        return {name: getattr(self, name) for name in self.NAMED_BY}

    def key_of(self, choice: str) -> str:
        """Return the key or button of a choice."""
        return next(key for key, option in self.options.items() if option == choice)


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice, with times as stamped; nothing is judged.

    Attributes
    ----------
    choice, rt_s
        `NO_CHOICE` and None when the limit passed. ``rt_s`` is the press's stamp minus
        the onset's.
    lag_s
        The rig's constant lag for this device; 0 if it was never measured.
    presented
        The stimulus's onset and frames.
    later_s
        Time of its later part since the onset; None if there was none or it never appeared.
    keystrokes
        What was typed since the onset, where the answer is typed.
    """

    choice: str
    rt_s: float | None
    lag_s: float
    presented: Presented
    later_s: float | None = None
    keystrokes: tuple[Keystroke, ...] = ()

    def recorded(self) -> dict[str, Any]:
        """Return the fields for the trial's ``trial_end`` event.

        These are the fields of `participants.journal.trials.Chosen` and ``FramesShown``.
        """
        rt_s = None if self.rt_s is None else to_microseconds(self.rt_s)
        return {
            "decision": self.choice,
            "rt_s": rt_s,
            "rt_corrected_s": None if rt_s is None else to_microseconds(rt_s - self.lag_s),
            **asdict(self.presented),
        }


def repeat_step(trial: int) -> str:
    """Return the step id of a trial's possible repeat."""
    return part_step("repeat", trial)


def settled_by(trial: int, repeat_of: int | None, *, flagged: bool) -> frozenset[str]:
    """Return the ids of the steps that the end of a trial settles.

    A trial that was not flagged settles its possible repeat too.
    """
    if repeat_of is not None:
        return frozenset({repeat_step(repeat_of)})
    return frozenset({trial_step(trial)} | (set() if flagged else {repeat_step(trial)}))


def settled_choices(events: Iterable[Event]) -> frozenset[str]:
    """Return the ids of the steps that a journal's trials settled, repeats included."""
    return frozenset().union(
        *(
            settled_by(int(end["trial"]), end["repeat_of"], flagged=bool(end["flagged"]))
            for end in events
            if end.event == "trial_end"
        )
    )


def counting_trials(ends: Iterable[Event]) -> frozenset[int]:
    """Return the numbers of the trials that count, one for each stimulus in a section.

    Of a trial and its repeat, the one that isn't flagged counts. If both are flagged, the first
    counts: having seen the stimulus before is the greater fault. A stimulus that a study shows
    again by design, in another section, isn't a repeat.

    Parameters
    ----------
    ends
        The ``trial_end`` events of one session's main trials, in order.
    """
    chosen: dict[object, Event] = {}
    for end in ends:
        presentation = end.fields.get("section"), end.fields.get("presentation", end["trial"])
        if presentation not in chosen or (
            _is_flagged(chosen[presentation]) and not _is_flagged(end)
        ):
            chosen[presentation] = end
    return frozenset(int(end["trial"]) for end in chosen.values())


def _is_flagged(end: Event) -> bool:
    return bool(end.fields.get("flagged"))


def was_answered(end: Mapping[str, Any]) -> bool:
    """Return whether a trial was answered, by the fields of its ``trial_end``."""
    return bool(end["decision"] != NO_CHOICE)


def confidence_step(trial: int) -> str:
    """Return the step id of the question how sure the choice of a trial was."""
    return part_step("confidence", trial)


def confidence_question(trial: int) -> Question:
    """Return the question how sure the choice of a trial was."""
    return Question(confidence_step(trial), "confidence", RATINGS)

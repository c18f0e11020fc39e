"""Rounds in which an image is uncovered step by step while a person types what it shows.

Before the rounds the person copies words, which measures typing speed.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any, Protocol

from participants.journal import Event, Recorder
from participants.session import Phase, Presented, to_microseconds, trial_step
from participants.studies.progressive_reveal.entry import Keystroke


class CopyPresenter(Protocol):
    """Shows words to be copied."""

    def copy(self, task: "CopyTask") -> tuple["CopyResult", ...]:
        """Have words typed as they stand, one by one."""


@dataclass(frozen=True, slots=True)
class CopyTask:
    """Words shown one by one, to be typed as they stand: how fast somebody types."""

    step: str
    words: tuple[str, ...]

    def perform(self, presenter: CopyPresenter, recorder: Recorder) -> frozenset[str]:
        """Have the words copied, and record how."""
        words = [result.kept() for result in presenter.copy(self)]
        recorder.append("copy", durable=True, step=self.step, words=words)
        return frozenset({self.step})


@dataclass(frozen=True, slots=True)
class CopyResult:
    """How one word was copied.

    Attributes
    ----------
    word
        The word.
    onset_t_monotonic_s
        Its onset, on the journal's clock.
    keystrokes
        All of them, in order of their stamps.
    done_s
        The press that confirmed it, since its onset.
    """

    word: str
    onset_t_monotonic_s: float
    keystrokes: tuple[Keystroke, ...]
    done_s: float

    def kept(self) -> dict[str, Any]:
        """Return the result as a journal keeps it."""
        keystrokes = [asdict(keystroke.kept()) for keystroke in self.keystrokes]
        return {**asdict(self), "keystrokes": keystrokes, "done_s": to_microseconds(self.done_s)}


def letter_s(copied: Sequence[CopyResult]) -> float | None:
    """Return the median time per letter when words were copied; None without a word.

    A word takes from its first key to the press that confirms it, which is as many intervals
    as it has letters.
    """
    rates = [
        (one.done_s - one.keystrokes[0].t_s) / len(one.word) for one in copied if one.keystrokes
    ]
    return median(rates) if rates else None


class RoundPresenter(Protocol):
    """Shows a participant's rounds."""

    def reveal(self, step: "RevealRound") -> "RoundResult":
        """Run a round; records its start by `RevealRound.record_start`, and presses and flips.

        Once the image was on screen the round can't be shown again: who leaves then leaves
        with a result. `SessionAborted` may be raised only before the image's onset.
        """

    def reveal_feedback(self, step: "RevealRound", result: "RoundResult") -> None:
        """Show the whole image, the right word and how many rounds are done.

        Comes after the round is on disk. After a round that was left nothing is shown, and
        `SessionAborted` raised unless leaving is taken back.
        """


@dataclass(frozen=True, slots=True)
class RevealRound:
    """One round: an image nearly black at first, uncovered in steps, named by typing.

    Attributes
    ----------
    step
        ``trial-0001`` and so on.
    trial
        Number among all rounds, from 1, practice included.
    phase, sitting, position
        ``practice`` is sitting 0, also where it begins a later one; the position counts within
        the sitting, from 1.
    presentation
        Opaque id of what is shown.
    image_file, steps_file, prototype_file
        Paths in the pack: the image, the step from which each of its pixels is uncovered (0
        for never), and the prototype to show beside it, if any.
    right_class
        Id of the class that is to be named; rounds give feedback, so a session knows it.
    pixels
        How many pixels are uncovered at step 1, 2, ...: one entry a step, never falling.
    step_s
        How long each step lasts; the round lasts all of them unless it is answered rightly.
    fixation_s
        Fixation before the image.
    feedback_s
        How long the whole image and the right word stay afterwards.
    tries
        Wrong answers and a right one that are taken in all; None for any number.
    done, total
        Rounds of the sitting finished before this one, and all of them; practice and what
        warms up count for themselves.
    sittings
        Sittings in all.
    """

    step: str
    trial: int
    phase: Phase
    sitting: int
    position: int
    presentation: str
    image_file: str
    steps_file: str
    prototype_file: str | None
    right_class: str
    pixels: tuple[int, ...]
    step_s: float
    fixation_s: float
    feedback_s: float
    tries: int | None
    done: int
    total: int
    sittings: int = 1

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.pixels)

    def perform(self, presenter: RoundPresenter, recorder: Recorder) -> frozenset[str]:
        """Have the image named, record it with its score, and show what follows it."""
        result = in_microseconds(presenter.reveal(self))
        recorder.append(
            "trial_end",
            durable=True,
            **self._place(),
            keystrokes=[asdict(keystroke) for keystroke in result.keystrokes],
            attempts=[asdict(attempt) for attempt in result.attempts],
            step_onsets_s=list(result.step_onsets_s),
            **asdict(score(self, result)),
            left=result.left,
            **asdict(result.presented),
        )
        presenter.reveal_feedback(self, result)
        return frozenset({self.step})

    def record_start(self, recorder: Recorder, image_sha256: str) -> None:
        """Record that the round is about to be shown; for presenters, before its fixation.

        It is on disk when this returns: an image that was seen is not shown again, even if the
        session is killed in mid-round.

        Parameters
        ----------
        recorder
            Keeps what happens.
        image_sha256
            Of the whole image's pixels as shown; empty where none were rendered.
        """
        recorder.append("trial_start", **self._place(), image_sha256=image_sha256)

    def _place(self) -> dict[str, Any]:
        names = ("trial", "phase", "sitting", "position", "presentation")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Attempt:
    """An answer that was confirmed.

    Attributes
    ----------
    t_s
        The confirming press, since onset.
    first_key_s
        The first key or click of this answer, since onset; later than the last attempt's press.
    text
        The answer's word as it was confirmed.
    class_id, right
        The class that the word names, and whether that is the image's.
    device
        What confirmed it: ``keyboard`` or ``mouse``.
    """

    t_s: float
    first_key_s: float
    text: str
    class_id: str
    right: bool
    device: str


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What happened in a round; times as stamped, nothing judged.

    Attributes
    ----------
    keystrokes, attempts
        All of them, in order of their stamps; only the last attempt can be right.
    step_onsets_s
        Onset of each step that came, since the first one's: begins with 0 unless none came.
    left
        Whether the person left during the round.
    presented
        The image's onset and frames, over all its steps.
    """

    keystrokes: tuple[Keystroke, ...]
    attempts: tuple[Attempt, ...]
    step_onsets_s: tuple[float, ...]
    left: bool
    presented: Presented

    @property
    def answer(self) -> Attempt | None:
        """The right attempt; None if there is none."""
        return next((attempt for attempt in self.attempts if attempt.right), None)


@dataclass(frozen=True, slots=True)
class Score:
    """How far an image was uncovered when it was recognised.

    Attributes
    ----------
    recognised
        Whether an attempt was right; else the round is censored.
    step, pixels
        Step in force at the press that confirmed the right answer, and pixels uncovered then.
        Of a censored round the last step that was seen to its end, 0 if none was.
    step_first_key, pixels_first_key
        The same at the right answer's first key; of a censored round as ``step, pixels``.
    """

    recognised: bool
    step: int
    pixels: int
    step_first_key: int
    pixels_first_key: int


def begun_rounds(events: Iterable[Event]) -> frozenset[str]:
    """Return the ids of rounds whose image may have been seen though no end was recorded.

    A session that was ended from within, before the image's onset, says so by ``abort``; one
    that was killed says nothing, and the round counts as seen.

    Parameters
    ----------
    events
        A journal's events, in order.
    """
    begun: set[str] = set()
    open_step: str | None = None
    for event in events:
        match event.event:
            case "trial_start" if "sitting" in event.fields:
                open_step = trial_step(int(event["trial"]))
                begun.add(open_step)
            case "trial_end" | "session":
                open_step = None
            case "abort" if open_step is not None:
                begun.discard(open_step)
                open_step = None
    return frozenset(begun)


def settled_rounds(events: Sequence[Event]) -> frozenset[str]:
    """Return the ids of the steps that a journal shows to be settled: rounds, and copied words."""
    copied = {str(event["step"]) for event in events if event.event == "copy"}
    return begun_rounds(events) | copied


def score(step: RevealRound, result: RoundResult) -> Score:
    """Return how far the image was uncovered when it was recognised.

    As published (Dawoud et al. 2023, section IV-A) the step that counts is the one in force
    when the right answer was confirmed; beside it stands the one in force at that answer's
    first key, which holds no typing. A round without a right answer is censored at the last
    step that was seen to its end.

    Parameters
    ----------
    step
        The round, with the pixels uncovered at each step.
    result
        What happened, in times since the image's onset.
    """
    answer = result.answer
    if answer is None:
        seen = steps_seen_out(step, result)
        return Score(False, seen, _pixels(step, seen), seen, _pixels(step, seen))
    confirmed = step_at(result.step_onsets_s, answer.t_s)
    begun = step_at(result.step_onsets_s, answer.first_key_s)
    return Score(True, confirmed, _pixels(step, confirmed), begun, _pixels(step, begun))


def step_at(step_onsets_s: Sequence[float], t_s: float) -> int:
    """Return the step in force at a time: the last whose onset has come; 0 before the first."""
    return bisect_right(step_onsets_s, t_s)


def steps_seen_out(step: RevealRound, result: RoundResult) -> int:
    """Return how many steps of a round without a right answer were seen to their end.

    All that came, where the round ran out of time; the step during which somebody left, or
    used up the last try, was cut short.
    """
    came = len(result.step_onsets_s)
    tried_out = step.tries is not None and len(result.attempts) >= step.tries
    return max(0, came - 1) if result.left or tried_out else came


def in_microseconds(result: RoundResult) -> RoundResult:
    """Return a round's result with its times as they are kept and scored.

    Scored are the times that are kept: a score rebuilt from the journal is the same.
    """
    return replace(
        result,
        keystrokes=tuple(keystroke.kept() for keystroke in result.keystrokes),
        attempts=tuple(
            replace(
                attempt,
                t_s=to_microseconds(attempt.t_s),
                first_key_s=to_microseconds(attempt.first_key_s),
            )
            for attempt in result.attempts
        ),
        step_onsets_s=tuple(map(to_microseconds, result.step_onsets_s)),
    )


def _pixels(step: RevealRound, number: int) -> int:
    return step.pixels[number - 1] if number else 0

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
from participants.session.typed_line import Keystroke


class CopyPresenter(Protocol):
    """Shows words to be copied."""

    def copy(self, task: "CopyTask") -> tuple["CopyResult", ...]:
        """Let the person copy words, one by one."""


@dataclass(frozen=True, slots=True)
class CopyTask:
    """Words to copy one by one, which measures typing speed."""

    step: str
    words: tuple[str, ...]

    def perform(self, presenter: CopyPresenter, recorder: Recorder) -> frozenset[str]:
        """Let the person copy the words, and record the results."""
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
        Time of the confirming press since its onset.
    """

    word: str
    onset_t_monotonic_s: float
    keystrokes: tuple[Keystroke, ...]
    done_s: float

    def kept(self) -> dict[str, Any]:
        """Return the result with times rounded as in a journal."""
        keystrokes = [asdict(keystroke.kept()) for keystroke in self.keystrokes]
        return {**asdict(self), "keystrokes": keystrokes, "done_s": to_microseconds(self.done_s)}


def letter_s(copied: Sequence[CopyResult]) -> float | None:
    """Return the median time per letter of copied words; None without a word.

    A word's time is from its first key to the press that confirms it: as many intervals as it has
    letters.
    """
    rates = [
        (result.done_s - result.keystrokes[0].t_s) / len(result.word)
        for result in copied
        if result.keystrokes
    ]
    return median(rates) if rates else None


class RoundPresenter(Protocol):
    """Shows a participant's rounds."""

    def reveal(self, step: "RevealRound") -> "RoundResult":
        """Run a round; records its start by `RevealRound.record_start`, and presses and flips.

        Once the image has been on screen, the round can't be shown again, so a person who leaves
        then still gets a result. `SessionAborted` may be raised only before the image's onset.
        """

    def reveal_feedback(self, step: "RevealRound", result: "RoundResult") -> None:
        """Show the whole image, the right word and how many rounds are done.

        It is called once the round is on disk. After a round that the person left, nothing is
        shown, and `SessionAborted` is raised unless they take leaving back.
        """


@dataclass(frozen=True, slots=True)
class RevealRound:
    """One round: an image, nearly black at first, is uncovered in steps and named by typing.

    Attributes
    ----------
    step
        ``trial-0001`` and so on.
    trial
        Number among all rounds, from 1, practice included.
    phase, sitting, position
        ``practice`` is sitting 0, even at the start of a later sitting; the position counts within
        the sitting, from 1.
    presentation
        Opaque id of what is shown.
    image_file, steps_file, prototype_file
        Paths in the pack: the image, the step from which each of its pixels is uncovered (0
        for never), and the prototype to show beside it, if any.
    right_class
        Id of the class to name; the session knows it, since rounds give feedback.
    pixels
        Number of pixels uncovered at step 1, 2, …: one entry a step, never falling.
    step_s
        Duration of each step; the round lasts for all steps unless it is answered rightly.
    fixation_s
        Fixation before the image.
    feedback_s
        Time for which the whole image and the right word are shown afterwards.
    tries
        Largest number of answers, wrong or right; None for any number.
    done, total
        Rounds of the sitting finished before this one, and its number of rounds; practice and
        warm-up rounds are counted separately.
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
        """Run the round, record it with its score, and show the feedback."""
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

        The event is on disk when this returns, so an image that was seen isn't shown again, even if
        the session is killed during the round.

        Parameters
        ----------
        recorder
            Keeps what happens.
        image_sha256
            SHA-256 of the whole image's pixels as shown; empty if none were rendered.
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
        Time of the confirming press since the onset.
    first_key_s
        Time of this answer's first key or click since the onset; later than the last attempt's
        press.
    text
        The answer's word as it was confirmed.
    class_id, right
        The class that the word names, and whether it is the image's.
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
    """The events of a round, with times as stamped; nothing is judged.

    Attributes
    ----------
    keystrokes, attempts
        All of them, in order of their stamps; only the last attempt can be right.
    step_onsets_s
        Onset of each step that was shown, since the first step's: begins with 0 unless none was
        shown.
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
        Whether an attempt was right; if not, the round is censored.
    step, pixels
        The current step at the press that confirmed the right answer, and the pixels uncovered
        then. For a censored round, the last step that was seen to its end, 0 if none was.
    step_first_key, pixels_first_key
        The same at the right answer's first key; for a censored round, as ``step, pixels``.
    """

    recognised: bool
    step: int
    pixels: int
    step_first_key: int
    pixels_first_key: int


def begun_rounds(events: Iterable[Event]) -> frozenset[str]:
    """Return the ids of rounds whose image may have been seen, ended or not.

    If a session was aborted before the image's onset, its journal has an ``abort`` event and the
    round doesn't count. If a session was killed, the journal says nothing, and the round counts as
    seen.

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

    As published (Dawoud et al. 2023, section IV-A), the step that counts is the current one when
    the right answer was confirmed. The score also has the step at that answer's first key, which
    includes no typing time. A round without a right answer is censored at the last step that was
    seen to its end.

    Parameters
    ----------
    step
        The round, with the pixels uncovered at each step.
    result
        The round's result, with times since the image's onset.
    """
    answer = result.answer
    if answer is None:
        seen = steps_seen_out(step, result)
        return Score(False, seen, _pixels(step, seen), seen, _pixels(step, seen))
    confirmed = step_at(result.step_onsets_s, answer.t_s)
    begun = step_at(result.step_onsets_s, answer.first_key_s)
    return Score(True, confirmed, _pixels(step, confirmed), begun, _pixels(step, begun))


def step_at(step_onsets_s: Sequence[float], t_s: float) -> int:
    """Return the current step at a time: the last one that has begun; 0 before the first."""
    return bisect_right(step_onsets_s, t_s)


def steps_seen_out(step: RevealRound, result: RoundResult) -> int:
    """Return how many steps of a round without a right answer were seen to their end.

    If the round ran out of time, these are all steps that were shown. The step during which the
    person left, or used up the last try, was cut short.
    """
    came = len(result.step_onsets_s)
    tried_out = step.tries is not None and len(result.attempts) >= step.tries
    return max(0, came - 1) if result.left or tried_out else came


def in_microseconds(result: RoundResult) -> RoundResult:
    """Return a round's result with its times rounded to microseconds.

    The rounded times are kept and scored, so a score rebuilt from the journal is the same.
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

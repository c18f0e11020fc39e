"""Rounds and copied words, as a journal keeps them."""

from collections.abc import Iterable
from dataclasses import asdict, replace

from participants.journal import Event, Recorder
from participants.session.plan import Scorer, trial_step
from participants.session.presenter import Presenter
from participants.studies.accept_reject.paint_task import to_microseconds
from participants.studies.progressive_reveal.round_types import (
    Attempt,
    CopyResult,
    CopyTask,
    Keystroke,
    RevealRound,
    RoundResult,
)


def record_round_start(recorder: Recorder, step: RevealRound, image_sha256: str) -> None:
    """Record that a round is about to be shown; for presenters, before its fixation.

    It is on disk when this returns: an image that was seen is not shown again, even if the
    session is killed in mid-round.

    Parameters
    ----------
    recorder
        Who keeps it.
    step
        The round.
    image_sha256
        Of the whole image's pixels as shown; empty where none were rendered.
    """
    recorder.append(
        "trial_start",
        trial=step.trial,
        phase=step.phase,
        sitting=step.sitting,
        position=step.position,
        presentation=step.presentation,
        image_sha256=image_sha256,
    )


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


def run_round(step: RevealRound, score: Scorer, presenter: Presenter, recorder: Recorder) -> None:
    """Have an image named, record it with its score, and show what follows it."""
    result = in_microseconds(presenter.reveal(step))
    recorder.append(
        "trial_end",
        durable=True,
        trial=step.trial,
        phase=step.phase,
        sitting=step.sitting,
        position=step.position,
        presentation=step.presentation,
        keystrokes=[asdict(keystroke) for keystroke in result.keystrokes],
        attempts=[asdict(attempt) for attempt in result.attempts],
        step_onsets_s=list(result.step_onsets_s),
        **asdict(score(step, result)),
        left=result.left,
        onset_t_monotonic_s=result.onset_t_monotonic_s,
        frames_planned=result.frames_planned,
        frames_shown=result.frames_shown,
        frames_dropped=result.frames_dropped,
        longest_interval_s=result.longest_interval_s,
        flagged=result.flagged,
    )
    presenter.reveal_feedback(step, result)


def run_copy_task(task: CopyTask, presenter: Presenter, recorder: Recorder) -> None:
    """Have words copied, and record how."""
    words = [_copied(result) for result in presenter.copy(task)]
    recorder.append("copy", durable=True, step=task.step, words=words)


def in_microseconds(result: RoundResult) -> RoundResult:
    """Return a round's result with its times as they are kept and scored.

    Scored are the times that are kept: a score made anew from the journal is the same.
    """
    return replace(
        result,
        keystrokes=tuple(_typed(keystroke) for keystroke in result.keystrokes),
        attempts=tuple(_confirmed(attempt) for attempt in result.attempts),
        step_onsets_s=tuple(_kept(onset_s) for onset_s in result.step_onsets_s),
    )


def _copied(result: CopyResult) -> dict[str, object]:
    keystrokes = [asdict(_typed(keystroke)) for keystroke in result.keystrokes]
    return {**asdict(result), "keystrokes": keystrokes, "done_s": _kept(result.done_s)}


def _typed(keystroke: Keystroke) -> Keystroke:
    return replace(keystroke, t_s=_kept(keystroke.t_s))


def _confirmed(attempt: Attempt) -> Attempt:
    return replace(attempt, t_s=_kept(attempt.t_s), first_key_s=_kept(attempt.first_key_s))


def _kept(time_s: float) -> float:
    kept_s = to_microseconds(time_s)
    assert kept_s is not None
    return kept_s

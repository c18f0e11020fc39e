"""How far a session is, from its journal and its plan; never what was answered.

The progress is put into words for a terminal and for the start window.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from participants.journal import Event
from participants.session import (
    Break,
    Consent,
    Page,
    PracticeCheck,
    Qualification,
    Report,
    SessionPlan,
    SittingEnd,
    done_steps,
    has_declined,
    is_leaving,
)
from participants.texts.rig import RigWords, load_rig_words

State = Literal["running", "complete", "ended", "broken_off"]
Screen = Literal["consent", "page", "break", "practice", "trial", "end"]
"""What the plan shows next; texts and questions are pages."""

SILENT: Final = (Report, PracticeCheck, Qualification)
"""Steps that may show nothing."""
BY_HAND: Final = frozenset({"page", "answer", "consent", "check"})
"""Events that occur if somebody pressed a key, beside answered trials."""
UNANSWERED: Final = "none"
FILE: Final = "watch.toml"
UNITS: Final = (("days", 86400), ("hours", 3600), ("minutes", 60))


@dataclass(frozen=True, slots=True)
class Progress:
    """A session's progress.

    Attributes
    ----------
    session, participant, study, purpose, robot
        Whose it is; ``robot`` is empty for people.
    state
        ``running``; ``complete``; ``ended`` by somebody before its end; ``broken_off``.
    screen
        What is shown, by the plan; None if the plan isn't known.
    trial, trials
        Number of the trial that is shown or comes next, and how many there are, of practice or of
        all others; ``trials`` is None where the number isn't known beforehand.
    done
        Trials that have ended, practice included.
    sitting, sittings
        Which sitting this is, and how many there are.
    begun_utc, heard_utc
        When this part of the session began, and when the journal was written last.
    pressed_utc
        Time of the last key press that the journal shows; None before the first.
    unanswered
        Number of unanswered trials in a row.
    lost, flagged
        Trials that lost a frame, and trials that are flagged for any reason.
    paused_utc
        Since when the session is paused; None if it isn't.
    here
        Whether the window has the keyboard focus and isn't covered.
    disk_full
        Whether the data's disk is full, so that the journal may lack what comes now.
    """

    session: str
    participant: str
    study: str
    purpose: str
    robot: str
    state: State
    screen: Screen | None
    trial: int
    trials: int | None
    done: int
    sitting: int
    sittings: int
    begun_utc: str
    heard_utc: str
    pressed_utc: str | None
    unanswered: int
    lost: int
    flagged: int
    paused_utc: str | None
    here: bool
    disk_full: bool = False


def progress_of(events: Sequence[Event], plan: SessionPlan | None, *, running: bool) -> Progress:
    """Return a session's progress.

    Parameters
    ----------
    events
        Its journal's, at least the first.
    plan
        Its plan; None if the plan can't be made here.
    running
        Whether a process writes the journal at this moment.
    """
    header = _since_last_start(events)[0]
    ends = [event for event in events if event.event == "trial_end"]
    place = _place(plan, done_steps(plan, events)) if plan is not None else _Place(None)
    return Progress(
        session=header["session"],
        participant=header["participant"],
        study=header["study"],
        purpose=header["purpose"],
        robot=header["robot"],
        state=_state(events, running=running),
        screen="page" if plan is not None and is_leaving(events) else place.screen,
        trial=place.trial or len(ends) + 1,
        trials=place.trials,
        done=len(ends),
        sitting=place.sitting,
        sittings=place.sittings,
        begun_utc=header.t_utc,
        heard_utc=events[-1].t_utc,
        pressed_utc=_pressed(events, plan),
        unanswered=_unanswered(ends, plan),
        lost=sum(event.fields.get("frames_dropped", 0) > 0 for event in ends),
        flagged=sum(bool(event.fields.get("flagged")) for event in ends),
        paused_utc=_paused(events),
        here=_has_focus(events),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """A session's place in its plan."""

    screen: Screen | None
    trial: int = 0
    trials: int | None = None
    sitting: int = 1
    sittings: int = 1


def _place(plan: SessionPlan, done: Collection[str]) -> _Place:
    """Return a session's place: the first step after the last finished one."""
    steps = plan.steps
    numbered = any(map(_is_trial, steps))
    last = max((at for at, step in enumerate(steps) if step.step in done), default=-1)
    ahead = (step for step in steps[last + 1 :] if _shows(step, numbered=numbered))
    step = next(ahead, None)
    sitting_ends = [at for at, step in enumerate(steps) if isinstance(step, SittingEnd)]
    counted = _Counted.of(plan, done, step)
    return _Place(
        _screen(step),
        min(counted.ended + 1, counted.trials),
        counted.trials or None,
        sum(at <= last for at in sitting_ends) + 1,
        len(sitting_ends) + 1,
    )


@dataclass(frozen=True, slots=True)
class _Counted:
    """Trials of the kind that is shown, and how many of them have ended."""

    trials: int
    ended: int

    @classmethod
    def of(cls, plan: SessionPlan, done: Collection[str], step: Any) -> "_Counted":
        """Count practice where a step is one of practice, else all other trials."""
        alike: list[Any] = [trial for trial in plan.steps if _is_trial(trial)]
        alike = [trial for trial in alike if _is_practice(trial) == _is_practice(step)]
        if _is_practice(step):
            # Repeated practice has other trials, which are counted separately.
            alike = [trial for trial in alike if _round(plan, trial) == _round(plan, step)]
        # A trial may have several steps: questions before the answer that counts.
        open_ones = [trial for trial in alike if trial.step not in done]
        trials, unfinished = ({trial.trial for trial in steps} for steps in (alike, open_ones))
        return cls(len(trials), len(trials - unfinished))


def _shows(step: Any, *, numbered: bool) -> bool:
    """Return whether a step shows something for a while.

    Where trials are numbered, a task without a number only notes or decides something.
    """
    if isinstance(step, SILENT) or getattr(step, "repeat_of", None) is not None:
        return False
    return _is_trial(step) or not (numbered and hasattr(step, "perform"))


def _is_trial(step: Any) -> bool:
    return hasattr(step, "trial") and getattr(step, "repeat_of", None) is None


def _is_practice(step: Any) -> bool:
    return getattr(step, "phase", "main") == "practice"


def _round(plan: SessionPlan, trial: Any) -> frozenset[str]:
    """Return the steps that a passed practice check skips together with a practice trial."""
    checks = (step for step in plan.steps if isinstance(step, PracticeCheck))
    return next((check.skips for check in checks if trial.step in check.skips), frozenset())


def _screen(step: Any) -> Screen:
    match step:
        case None:
            return "end"
        case Consent():
            return "consent"
        case Break() | SittingEnd():
            return "break"
        case _ if hasattr(step, "perform"):
            return "practice" if _is_practice(step) else "trial"
        case _:
            return "end" if isinstance(step, Page) and step.text == "end" else "page"


def _state(events: Sequence[Event], *, running: bool) -> State:
    if running:
        return "running"
    last = next((event for event in reversed(events) if event.event != "note"), events[-1])
    if last.event != "session_end":
        return "broken_off"
    return "complete" if last["complete"] and not has_declined(events) else "ended"


def _pressed(events: Sequence[Event], plan: SessionPlan | None) -> str | None:
    for event in reversed(_since_last_start(events)):
        if event.event in BY_HAND or (event.event == "trial_end" and _answered(event, plan)):
            return event.t_utc
    return None


def _unanswered(ends: Sequence[Event], plan: SessionPlan | None) -> int:
    """Return the number of unanswered trials in a row up to now."""
    backwards = enumerate(reversed(ends))
    return next((number for number, end in backwards if _answered(end, plan)), len(ends))


def _answered(end: Event, plan: SessionPlan | None) -> bool:
    if plan is not None:
        return plan.answered(end.fields)
    return end.fields.get("decision") != UNANSWERED


def _paused(events: Sequence[Event]) -> str | None:
    """Return when this part of a session was paused; None if it isn't paused."""
    last = _last(events, "pause", "continue")
    return last.t_utc if last is not None and last.event == "pause" else None


def _has_focus(events: Sequence[Event]) -> bool:
    last = _last(events, "focus")
    return last is None or bool(last["here"])


def _last(events: Sequence[Event], *kinds: str) -> Event | None:
    """Return the last event of some kinds in this part of a session."""
    return next(
        (event for event in reversed(_since_last_start(events)) if event.event in kinds), None
    )


def _since_last_start(events: Sequence[Event]) -> Sequence[Event]:
    """Return the events since the session last began or was resumed."""
    starts = [at for at, event in enumerate(events) if event.event == "session"]
    return events[starts[-1] :]


def load_watch_words(language: str, lab_texts: Path | None = None) -> RigWords:
    """Return the words of the view in a language; see `load_rig_words`."""
    return load_rig_words(FILE, language, lab_texts)


def who(progress: Progress, words: RigWords) -> str:
    """Return whose session it is: code, study, purpose, sitting."""
    parts = [progress.participant, progress.study, progress.purpose]
    if progress.robot:
        parts[-1] = words.filled("robot", robot=progress.robot)
    if progress.sittings > 1:
        number = min(progress.sitting, progress.sittings)
        parts.append(words.filled("sitting", sitting=str(number), sittings=str(progress.sittings)))
    return ", ".join(parts)


def where(progress: Progress, words: RigWords) -> str:
    """Return what is shown: a trial and how many there are, or a page."""
    trial, trials = str(progress.trial), str(progress.trials)
    if progress.screen in ("trial", "practice") and progress.trials is not None:
        return words.filled(progress.screen, trial=trial, trials=trials)
    if progress.screen in ("trial", "practice", None):
        return words.filled("trial_unknown", trial=trial)
    return words[progress.screen]


def remarks(progress: Progress, words: RigWords, now: datetime) -> Iterator[str]:
    """Yield further remarks, the usual ones first; none is usual once the disk is full."""
    if progress.disk_full:
        yield words["disk_full"]
        return
    if progress.pressed_utc is None:
        yield words["no_answer"]
    else:
        yield words.filled("pressed", ago=ago(progress.pressed_utc, now, words))
    if progress.unanswered > 1:
        yield words.filled("unanswered", count=str(progress.unanswered))
    if progress.lost:
        yield words.filled("frames_lost", count=str(progress.lost))
    else:
        yield words["frames_fine"]
    if progress.flagged > progress.lost:
        yield words.filled("flagged", count=str(progress.flagged - progress.lost))
    if progress.paused_utc is not None:
        yield words.filled("paused", ago=ago(progress.paused_utc, now, words))
    if not progress.here:
        yield words["away"]


def line(progress: Progress, words: RigWords, now: datetime) -> str:
    """Return the view as one line."""
    return "; ".join([where(progress, words), *remarks(progress, words, now)])


def last_line(progress: Progress, words: RigWords, now: datetime) -> str:
    """Return the line for a session that isn't running any more."""
    state = words[progress.state]
    heard = ago(progress.heard_utc, now, words)
    return words.filled("last", session=progress.session, state=state, ago=heard)


def ago(utc: str, now: datetime, words: RigWords) -> str:
    """Return how long ago a moment was, in the largest unit that fits at least twice."""
    passed_s = max(0, round((now - datetime.fromisoformat(utc)).total_seconds()))
    fitting = (unit for unit in UNITS if passed_s >= 2 * unit[1])
    unit, size_s = next(fitting, ("seconds", 1))
    return words.filled(unit, count=str(passed_s // size_s))


def utc_now() -> datetime:
    """Return the time of day, in UTC."""
    return datetime.now(UTC)

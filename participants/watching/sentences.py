"""The view of a session in words, for a terminal and for the start window."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from participants.texts.rig import RigWords, load_rig_words
from participants.watching.progress import Progress

FILE: Final = "watch.toml"
UNITS: Final = (("days", 86400), ("hours", 3600), ("minutes", 60))


def load_watch_words(language: str, own: Path | None = None) -> RigWords:
    """Return the words of the view in a language; see `load_rig_words`."""
    return load_rig_words(FILE, language, own)


def who(seen: Progress, words: RigWords) -> str:
    """Return whose session it is: code, study, purpose, sitting."""
    parts = [seen.participant, seen.study, seen.purpose]
    if seen.robot:
        parts[-1] = words.filled("robot", robot=seen.robot)
    if seen.sittings > 1:
        number = min(seen.sitting, seen.sittings)
        parts.append(words.filled("sitting", sitting=str(number), sittings=str(seen.sittings)))
    return ", ".join(parts)


def where(seen: Progress, words: RigWords) -> str:
    """Return what is shown: a trial and how many there are, or a page."""
    trial, trials = str(seen.trial), str(seen.trials)
    if seen.screen in ("trial", "practice") and seen.trials is not None:
        return words.filled(seen.screen, trial=trial, trials=trials)
    if seen.screen in ("trial", "practice", None):
        return words.filled("trial_unknown", trial=trial)
    return words[seen.screen]


def remarks(seen: Progress, words: RigWords, now: datetime) -> Iterator[str]:
    """Yield what else is to be known, the usual first."""
    if seen.pressed_utc is None:
        yield words["no_answer"]
    else:
        yield words.filled("pressed", ago=ago(seen.pressed_utc, now, words))
    if seen.unanswered > 1:
        yield words.filled("unanswered", count=str(seen.unanswered))
    if seen.lost:
        yield words.filled("frames_lost", count=str(seen.lost))
    else:
        yield words["frames_fine"]
    if seen.flagged > seen.lost:
        yield words.filled("flagged", count=str(seen.flagged - seen.lost))
    if seen.paused_utc is not None:
        yield words.filled("paused", ago=ago(seen.paused_utc, now, words))
    if not seen.here:
        yield words["away"]


def line(seen: Progress, words: RigWords, now: datetime) -> str:
    """Return the view as one line."""
    return "; ".join([where(seen, words), *remarks(seen, words, now)])


def last_line(seen: Progress, words: RigWords, now: datetime) -> str:
    """Return what is said of a session that isn't running any more."""
    state = words[seen.state]
    heard = ago(seen.heard_utc, now, words)
    return words.filled("last", session=seen.session, state=state, ago=heard)


def ago(utc: str, now: datetime, words: RigWords) -> str:
    """Return how long ago a moment was, in the largest unit of which there are two."""
    passed_s = max(0, round((now - datetime.fromisoformat(utc)).total_seconds()))
    fitting = (unit for unit in UNITS if passed_s >= 2 * unit[1])
    unit, size_s = next(fitting, ("seconds", 1))
    return words.filled(unit, count=str(passed_s // size_s))


def utc_now() -> datetime:
    """Return the time of day, in UTC."""
    return datetime.now(UTC)

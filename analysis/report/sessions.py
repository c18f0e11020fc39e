"""How the sessions went: timing by rig, and unplanned events.

Unplanned events are pauses, other windows that took the focus, and the experimenter's notes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pandas as pd

from analysis.data.sessions import SessionFacts, Sessions
from analysis.report.about import about
from analysis.report.declared import ReportTable, as_mapping, cut
from analysis.report.parts import Column, Paragraph
from analysis.report.wording import NOTHING, count, grouped, listed, number, percent

FAIR_SHARE = 0.01  # of trials with a dropped frame; beyond, a rig is named
PACING_WORDS: Mapping[str, str] = {
    "vsync": "display",
    "software": "software",
    "none": "none (simulated)",
}


@dataclass(frozen=True, slots=True)
class Rig:
    """How well a rig timed its trials; null if no journal or column has it."""

    rig: Annotated[str | None, about("The rig's name.")]
    participants: Annotated[int, about("Participants.")]
    trials: Annotated[int, about("Trials.")]
    trials_with_drops: Annotated[int | None, about("Trials that lost a frame.")]
    share_with_drops: Annotated[float | None, about("Their share, 0 to 1.")]
    frames_dropped: Annotated[int | None, about("Lost frames.")]
    median_rt_s: Annotated[float | None, about("Median time to the decision, seconds.")]
    sessions: Annotated[int | None, about("Sessions with a journal.")]
    refresh_hz_lowest: Annotated[float | None, about("Lowest refresh rate, Hz.")]
    refresh_hz_highest: Annotated[float | None, about("Highest refresh rate, Hz.")]
    pacing: Annotated[list[str], about("What paced frames: vsync, software, none.")]
    keyboard_backends: Annotated[list[str], about("What reported key presses.")]
    sessions_without_priority: Annotated[int | None, about("Sessions at normal priority.")]
    uncalibrated_sessions: Annotated[
        int | None, about("Sessions without measured colours; null if nothing depends on them.")
    ]
    longest_interval_s: Annotated[float | None, about("Longest time between two flips, seconds.")]
    flagged_trials: Annotated[int | None, about("Flagged trials.")]
    clock_steps: Annotated[int | None, about("How often a clock was set.")]
    largest_clock_step_s: Annotated[float | None, about("Largest step of a clock, seconds.")]
    overridden_sessions: Annotated[int | None, about("Sessions begun despite a failed check.")]
    overridden_checks: Annotated[list[str], about("These checks.")]


@dataclass(frozen=True, slots=True)
class Timing:
    """Timing by rig."""

    rigs: Annotated[list[Rig], about("The rigs.")]
    warnings: Annotated[list[str], about("What to know before you trust the times.")]

    @classmethod
    def of(cls, frame: pd.DataFrame, sessions: Sessions | None) -> "Timing":
        """Return timing by rig, with its warnings; parameters as in `rig_rows`."""
        rigs = rig_rows(frame, sessions)
        return cls(rigs, timing_warnings(rigs))


def rig_rows(frame: pd.DataFrame, sessions: Sessions | None) -> list[Rig]:
    """Return each rig's timing, from the trial table and, if there are any, the journals.

    Parameters
    ----------
    frame
        Analysed trials; ``rig, frames_dropped, rt_s, session`` are used if present.
    sessions
        What the journals say.
    """
    if not {"rig", "rt_s"} <= set(frame):
        return []
    rows = []
    for rig, group in frame.groupby("rig", dropna=False):
        facts = () if sessions is None else sessions.of(group["session"].dropna().unique())
        dropped, times = group.get("frames_dropped"), group["rt_s"].dropna()
        with_drops = None if dropped is None else int((dropped > 0).sum())
        rows.append(
            Rig(
                rig=None if pd.isna(rig) else str(rig),
                participants=int(group["participant"].nunique()),
                trials=len(group),
                trials_with_drops=with_drops,
                share_with_drops=None if with_drops is None else with_drops / len(group),
                frames_dropped=None if dropped is None else int(dropped.sum()),
                median_rt_s=float(times.median()) if len(times) else None,
                **_from_journals(facts),
            )
        )
    return rows


def flat_row(row: Rig) -> dict[str, Any]:
    """Return a rig for a flat table: its lists written as one cell."""
    values = as_mapping(row).items()
    return {name: " ".join(v) if isinstance(v, list) else v for name, v in values}


def _from_journals(facts: Sequence[SessionFacts]) -> dict[str, Any]:
    rates = [fact.refresh_hz for fact in facts if fact.refresh_hz is not None]
    longest = [f.longest_interval_s for f in facts if f.longest_interval_s is not None]
    steps = [fact.largest_step_s for fact in facts if fact.largest_step_s is not None]
    known = bool(facts)
    return {
        "sessions": len(facts) if known else None,
        "refresh_hz_lowest": min(rates, default=None),
        "refresh_hz_highest": max(rates, default=None),
        "pacing": sorted({fact.pacing for fact in facts}),
        "keyboard_backends": sorted({fact.keyboard_backend for fact in facts}),
        "sessions_without_priority": sum(fact.priority == "normal" for fact in facts)
        if known
        else None,
        "uncalibrated_sessions": _uncalibrated(facts),
        "longest_interval_s": max(longest, default=None),
        "flagged_trials": sum(fact.flagged for fact in facts) if known else None,
        "clock_steps": sum(fact.clock_steps for fact in facts) if known else None,
        "largest_clock_step_s": max(steps, default=None),
        "overridden_sessions": sum(bool(f.overridden) for f in facts) if known else None,
        "overridden_checks": sorted({name for fact in facts for name in fact.overridden}),
    }


def _uncalibrated(facts: Sequence[SessionFacts]) -> int | None:
    """Return in how many sessions colours weren't measured; None if nothing depends on them.

    In a session that depends on colours, the colour checklist was asked.
    """
    coloured = [fact for fact in facts if fact.pacing != "none" and fact.checklist != "skipped"]
    return sum(not fact.calibrated for fact in coloured) if coloured else None


def timing_warnings(rigs: Sequence[Rig]) -> list[str]:
    """Return what a reader must know before trusting the times, one sentence each."""
    return [warning for rig in rigs for warning in _warnings(rig)]


def _warnings(rig: Rig) -> Iterator[str]:
    name = f"Rig {rig.rig or 'not stated'}"
    share = rig.share_with_drops
    lost = share is not None and share > FAIR_SHARE
    if "software" in rig.pacing:
        also = f", and {percent(share, 1)} of its trials lost at least one" if lost else ""
        yield (
            f"{name}: frames were paced in software, not by a display{also}; onsets are not those "
            "of a screen."
        )
    elif lost:
        yield (
            f"{name}: {percent(share, 1)} of its trials lost at least one frame; find out why "
            "before more data are collected there."
        )
    if "none" in rig.pacing:
        yield f"{name}: no window was open; times are those of response models."
    elif rig.uncalibrated_sessions:
        yield (
            f"{name}: in {count(rig.uncalibrated_sessions, 'session')} the display’s "
            "colours were not measured; such sessions are fit for trying, not for data."
        )
    if rig.sessions_without_priority:
        yield (
            f"{name}: in {count(rig.sessions_without_priority, 'session')} the process got "
            "no priority over others; frames may be dropped when the PC is busy."
        )
    if rig.overridden_sessions:
        yield (
            f"{name}: {count(rig.overridden_sessions, 'session')} began although checks of "
            f"the rig failed ({listed(rig.overridden_checks)}); see the checks for why."
        )
    if rig.clock_steps:
        yield (
            f"{name}: a clock was set {count(rig.clock_steps, 'time')} during sessions; "
            "trials during which it happened are flagged, the times of all others rest on a "
            "clock that is never set."
        )


def _with_share(n: int | None, share: float | None) -> str:
    return NOTHING if n is None else f"{grouped(n)} ({percent(share, 2)})"


def _milliseconds(seconds: float | None, decimals: int = 1) -> str:
    return NOTHING if seconds is None else number(1000 * seconds, decimals)


def _refresh_rate(rig: Rig) -> str:
    low, high = rig.refresh_hz_lowest, rig.refresh_hz_highest
    if low is None or high is None:
        return NOTHING
    return number(low, 1) if round(low, 1) == round(high, 1) else f"{low:.1f}–{high:.1f}"


def _names(names: Iterable[str]) -> str:
    return listed(list(names) or [NOTHING])


def _name(rig: Rig) -> str:
    return rig.rig or "not stated"


RIGS = ReportTable(
    "rigs",
    lambda frame: [flat_row(rig) for rig in frame.timing.rigs],
    "Frames and decision times by rig.",
    (
        Column("Rig", _name),
        Column("Participants", "participants", grouped, "n"),
        Column("Trials", "trials", grouped, "n"),
        Column(
            "Trials with a drop",
            lambda rig: _with_share(rig.trials_with_drops, rig.share_with_drops),
            str,
            "n (share)",
        ),
        Column("Frames dropped", "frames_dropped", grouped, "n"),
        Column(
            "Longest interval",
            "longest_interval_s",
            _milliseconds,
            "ms",
            note="Longest interval: between two flips of one trial.",
        ),
        Column("Decision time", "median_rt_s", number, "median, s"),
    ),
    shown=lambda frame: frame.timing.rigs,
)
DRIVING = ReportTable(
    "",
    lambda frame: [rig for rig in frame.timing.rigs if rig.sessions is not None],
    "How each rig was driven, from the journals.",
    (
        Column("Rig", _name),
        Column("Sessions", "sessions", grouped, "n"),
        Column("Refresh rate", _refresh_rate, str, "Hz"),
        Column("Frames paced by", lambda rig: _names(PACING_WORDS.get(p, p) for p in rig.pacing)),
        Column("Presses from", lambda rig: _names(rig.keyboard_backends)),
        Column("Colours not measured", "uncalibrated_sessions", grouped, "sessions"),
        Column(
            "Clock’s largest step",
            "largest_clock_step_s",
            lambda s: _milliseconds(s, 3),
            "ms",
            note="Clock’s largest step: how far the clock that stamps presses moved against the "
            "monotonic clock between two comparisons (start, pages, blocks, end).",
        ),
        Column(
            "Flagged",
            "flagged_trials",
            grouped,
            "trials",
            note="Flagged: a frame was dropped, a clock set, a pause asked for or the keyboard’s "
            "focus lost while the stimulus was on screen.",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Incident:
    """A note that an experimenter wrote during a session."""

    participant: Annotated[str, about("Code of the participant.")]
    session: Annotated[str, about("The session.")]
    t_utc: Annotated[str, about("When, ISO 8601 in UTC.")]
    at: Annotated[str, about("At which step.")]
    text: Annotated[str, about("The note.")]


@dataclass(frozen=True, slots=True)
class Incidents:
    """Unplanned events in sessions."""

    sessions: Annotated[int, about("Sessions with a journal.")]
    paused_sessions: Annotated[int, about("Of these, sessions that were paused.")]
    unfocused_sessions: Annotated[int, about("Sessions that lost the keyboard's focus.")]
    notes_written: Annotated[int, about("Notes of experimenters.")]
    notes: Annotated[tuple[Incident, ...], about("The notes.")]


def count_incidents(sessions: Sessions | None) -> Incidents:
    """Return incidents; those of withdrawn sessions are left out.

    Parameters
    ----------
    sessions
        What the journals say; None without journals.
    """
    facts = [fact for fact in (sessions.facts if sessions else ()) if not fact.withdrawn]
    return Incidents(
        sessions=len(facts),
        paused_sessions=sum(fact.pauses > 0 for fact in facts),
        unfocused_sessions=sum(fact.focus_losses > 0 for fact in facts),
        notes_written=sum(len(fact.incidents) for fact in facts),
        notes=tuple(
            Incident(fact.participant, fact.session, note.t_utc, note.at, note.text)
            for fact in facts
            for note in fact.incidents
        ),
    )


def incident_sentence(incidents: Incidents) -> Paragraph | None:
    """Return how many sessions were paused or lost the keyboard's focus; None without journals."""
    if not incidents.sessions:
        return None
    notes = count(incidents.notes_written, "note")
    return Paragraph(
        f"Of {count(incidents.sessions, 'session')} with a journal, {incidents.paused_sessions} "
        f"{_were(incidents.paused_sessions)} paused and {incidents.unfocused_sessions} lost the "
        f"keyboard’s focus to another window; the experimenters wrote {notes}."
    )


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def _when(row: Incident) -> str:
    return f"{row.t_utc[:16].replace('T', ' ')}, at {row.at.replace('end', 'the end')}"


INCIDENTS = ReportTable(
    "incidents",
    lambda frame: frame.incidents.notes or None,
    "Incidents that experimenters wrote down.",
    (
        Column("Participant", "participant"),
        Column("When", _when, str, "UTC"),
        Column("Note", "text"),
    ),
    cut=lambda rows: cut(rows, "notes", "incidents", lambda row: True, ""),
)

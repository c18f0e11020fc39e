"""How well a study's trials were timed, rig by rig."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.data.sessions import SessionFacts, Sessions
from analysis.report.declared import ReportTable, Results
from analysis.report.parts import Bullets, Column, Section
from analysis.report.wording import NOTHING, count, grouped, listed, number, percent

Row = Mapping[str, Any]

FAIR_SHARE = 0.01  # of trials with a dropped frame; beyond, a rig is named
PACING_WORDS: Mapping[str, str] = {
    "vsync": "display",
    "software": "software",
    "none": "none (simulated)",
}


def rig_rows(frame: pd.DataFrame, sessions: Sessions | None) -> list[dict[str, Any]]:
    """Return each rig's timing, from the trial table and, where there are, the journals.

    Parameters
    ----------
    frame
        Analysed trials; ``rig, frames_dropped, rt_s, session`` are used where they are there.
    sessions
        What the journals say.
    """
    if not {"rig", "rt_s"} <= set(frame):
        return []
    rows = []
    for rig, own in frame.groupby("rig", dropna=False):
        facts = () if sessions is None else sessions.of(own["session"].dropna().unique())
        dropped, times = own.get("frames_dropped"), own["rt_s"].dropna()
        with_drops = None if dropped is None else int((dropped > 0).sum())
        rows.append(
            {
                "rig": None if pd.isna(rig) else rig,
                "participants": int(own["participant"].nunique()),
                "trials": len(own),
                "trials_with_drops": with_drops,
                "share_with_drops": None if with_drops is None else with_drops / len(own),
                "frames_dropped": None if dropped is None else int(dropped.sum()),
                "median_rt_s": times.median() if len(times) else None,
                **_from_journals(facts),
            }
        )
    return rows


def timing_results(frame: pd.DataFrame, sessions: Sessions | None) -> dict[str, Any]:
    """Return timing by rig, and what to warn of, as they stand in results.json."""
    rigs = rig_rows(frame, sessions)
    return {"rigs": rigs, "warnings": timing_warnings(rigs)}


def flat_rigs(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the rows of `rig_rows` for a flat table: their lists written as one cell."""
    return [
        {name: " ".join(v) if isinstance(v, list) else v for name, v in row.items()} for row in rows
    ]


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
        "uncalibrated_sessions": sum(not fact.calibrated for fact in facts) if known else None,
        "longest_interval_s": max(longest, default=None),
        "flagged_trials": sum(fact.flagged for fact in facts) if known else None,
        "clock_steps": sum(fact.clock_steps for fact in facts) if known else None,
        "largest_clock_step_s": max(steps, default=None),
        "overridden_sessions": sum(bool(f.overridden) for f in facts) if known else None,
        "overridden_checks": sorted({name for fact in facts for name in fact.overridden}),
    }


def timing_warnings(rows: Sequence[Row]) -> list[str]:
    """Return what a reader must know before trusting the times, one sentence each."""
    said = []
    for row in rows:
        name = f"Rig {row['rig'] or 'not stated'}"
        share = row["share_with_drops"]
        if share is not None and share > FAIR_SHARE:
            said.append(
                f"{name}: {percent(share, 1)} of its trials lost at least one frame; find out why "
                "before more data are collected there."
            )
        if "software" in row["pacing"]:
            said.append(
                f"{name}: frames were paced in software, not by a display; onsets are not those "
                "of a screen."
            )
        if "none" in row["pacing"]:
            said.append(f"{name}: no window was open; times are those of response models.")
        elif row["uncalibrated_sessions"]:
            said.append(
                f"{name}: in {count(row['uncalibrated_sessions'], 'session')} the display’s "
                "colours were not measured; such sessions are fit for trying, not for data."
            )
        if row["sessions_without_priority"]:
            said.append(
                f"{name}: in {count(row['sessions_without_priority'], 'session')} the process got "
                "no priority over others; frames may be dropped when the PC is busy."
            )
        if row["overridden_sessions"]:
            said.append(
                f"{name}: {count(row['overridden_sessions'], 'session')} began although checks of "
                f"the rig failed ({listed(row['overridden_checks'])}); see the checks for why."
            )
        if row["clock_steps"]:
            said.append(
                f"{name}: a clock was set {count(row['clock_steps'], 'time')} during sessions; "
                "trials during which it happened are flagged, the times of all others rest on a "
                "clock that is never set."
            )
    return said


def _with_share(n: int | None, share: float | None) -> str:
    return NOTHING if n is None else f"{grouped(n)} ({percent(share, 2)})"


def _milliseconds(seconds: float | None, decimals: int = 1) -> str:
    return NOTHING if seconds is None else number(1000 * seconds, decimals)


def _range(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return NOTHING
    return number(low, 1) if round(low, 1) == round(high, 1) else f"{low:.1f}–{high:.1f}"


def _names(names: Iterable[str]) -> str:
    return listed(list(names) or [NOTHING])


def timing_section(results: Results) -> Section:
    """Return how well trials were timed: warnings, dropped frames by rig, how rigs were driven."""
    warnings = results["timing"]["warnings"]
    said = (Bullets(tuple(warnings)),) if warnings else ()
    return Section("Timing quality", (*said, *RIGS.parts(results), *DRIVING.parts(results)))


def _rig(row: Row) -> str:
    return row["rig"] or "not stated"


RIGS = ReportTable(
    "rigs",
    lambda results: flat_rigs(results["timing"]["rigs"]),
    "Frames and decision times by rig.",
    (
        Column("Rig", _rig),
        Column("Participants", "participants", grouped, "n"),
        Column("Trials", "trials", grouped, "n"),
        Column(
            "Trials with a drop",
            lambda row: _with_share(row["trials_with_drops"], row["share_with_drops"]),
            str,
            "n (share)",
        ),
        Column("Frames dropped", "frames_dropped", grouped, "n"),
        Column("Longest interval", "longest_interval_s", _milliseconds, "ms"),
        Column("Decision time", "median_rt_s", number, "median, s"),
    ),
    "Longest interval: between two flips of one trial.",
)
DRIVING = ReportTable(
    "",
    lambda results: [r for r in results["timing"]["rigs"] if r["sessions"] is not None],
    "How each rig was driven, from the journals.",
    (
        Column("Rig", _rig),
        Column("Sessions", "sessions", grouped, "n"),
        Column(
            "Refresh rate",
            lambda row: _range(row["refresh_hz_lowest"], row["refresh_hz_highest"]),
            str,
            "Hz",
        ),
        Column(
            "Frames paced by", lambda row: _names(PACING_WORDS.get(p, p) for p in row["pacing"])
        ),
        Column("Presses from", lambda row: _names(row["keyboard_backends"])),
        Column("Colours not measured", "uncalibrated_sessions", grouped, "sessions"),
        Column("Clock’s largest step", "largest_clock_step_s", lambda s: _milliseconds(s, 3), "ms"),
        Column("Flagged", "flagged_trials", grouped, "trials"),
    ),
    "Clock’s largest step: how far the clock that stamps presses moved against the monotonic "
    "clock between two comparisons (start, pages, blocks, end). Flagged: a frame was dropped, "
    "a clock set, a pause asked for or the keyboard’s focus lost while the stimulus was on screen.",
)

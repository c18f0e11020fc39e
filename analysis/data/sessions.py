"""What the journals of a dataset say beyond its trial table, and whether the two agree."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.data.presses import contradicted_trials
from participants.folder import DataFolder
from participants.journal import Event, Journal, read_journal
from participants.session import counting_trials, is_released, withdrawal_in
from participants.tombstones import read_tombstones
from stimuli.errors import UserError

_TIME_TOLERANCE_S = 1e-9


@dataclass(frozen=True, slots=True)
class Incident:
    """A note of the experimenter: when (ISO 8601, UTC), at a pause or the end, and its text."""

    t_utc: str
    at: str
    text: str


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """One session as its journal tells it.

    Attributes
    ----------
    session, participant, purpose, rig, robot
        As in the trial table.
    refresh_hz
        Measured refresh rate; None without a window.
    pacing
        What timed the frames: ``vsync``, ``software`` or ``none``.
    keyboard_backend
        Where presses came from.
    priority
        How far the session's process was put before others: ``realtime``, ``high`` or
        ``normal``; empty where it isn't recorded.
    calibrated
        Whether the display's colours were measured.
    complete, resumed, torn, withdrawn
        Whether it came to its end, was taken up again, lost a last line, and whether the
        person withdrew their data.
    clock_steps
        How often the wall clock or the clock of presses was set while it ran.
    largest_step_s
        Farthest that the clock of presses moved between two comparisons; None where it was
        never compared twice.
    trials
        Main trials finished; a trial and its repeat are one.
    longest_interval_s
        Longest time between two flips of a main trial; None where it isn't recorded.
    flagged
        Main trials flagged: a frame was dropped, a clock was set, a pause was asked for or the
        focus was lost meanwhile.
    differing
        Main trials whose row in the table is missing or differs from the journal.
    changed
        Those of them that have a row, and rows without a trial.
    contradicted
        Trials whose decision isn't that of the key that was pressed.
    checked
        Whether checks of the rig are recorded.
    overridden
        Checks that failed and were overridden, sorted.
    override_reasons
        Why, once each.
    checklist
        Where the answers to the colour checklist come from; empty where none is recorded.
    checklist_unmet
        Points of it that didn't hold, sorted.
    pauses, focus_losses
        How often it was paused, and how often another window took the keyboard's focus.
    incidents
        What the experimenter wrote down, in order.
    released
        Whether the data may be used as they are (`participants.session.is_released`).
    """

    session: str
    participant: str
    purpose: str
    rig: str
    robot: str
    refresh_hz: float | None
    pacing: str
    keyboard_backend: str
    priority: str
    calibrated: bool
    complete: bool
    resumed: bool
    torn: bool
    withdrawn: bool
    clock_steps: int
    largest_step_s: float | None
    trials: int
    longest_interval_s: float | None
    flagged: int
    differing: int
    changed: int = 0
    contradicted: int = 0
    checked: bool = False
    overridden: tuple[str, ...] = ()
    override_reasons: tuple[str, ...] = ()
    checklist: str = ""
    checklist_unmet: tuple[str, ...] = ()
    pauses: int = 0
    focus_losses: int = 0
    incidents: tuple[Incident, ...] = ()
    released: bool = True


@dataclass(frozen=True, slots=True)
class Sessions:
    """All journals of a dataset.

    Attributes
    ----------
    facts
        By session; journals of other studies and other roles are left out.
    unreadable
        What is wrong with journals that can't be trusted, one line each.
    without_journal
        Sessions of the trial table that have no journal, or an empty one.
    suspect
        Why a session's rows can't be trusted, one line, by session.
    """

    facts: tuple[SessionFacts, ...]
    unreadable: tuple[str, ...]
    without_journal: tuple[str, ...]
    suspect: Mapping[str, str] = field(default_factory=dict)

    def of(self, sessions: Iterable[str]) -> tuple[SessionFacts, ...]:
        """Return the facts of some sessions."""
        wanted = set(sessions)
        return tuple(fact for fact in self.facts if fact.session in wanted)


def read_sessions(
    folder: Path,
    trials: pd.DataFrame,
    study: str,
    compared: Sequence[str],
    other_packs: Collection[str] = (),
    left_out: Collection[str] = (),
) -> Sessions | None:
    """Return what a dataset's journals say, compared with its trial table.

    Journals are read one at a time, each checked against its chain.

    Parameters
    ----------
    folder
        The dataset; without ``sessions/`` there are no journals.
    trials
        Its trial table, with ``session, trial`` and what the journal states as well.
    study
        As journals name it; sessions of other studies are left out, and those of experts.
    compared
        Columns of the table that the journals' ends of trials state as well.
    other_packs
        Packs whose sessions are left out.
    left_out
        Sessions that the table's sidecar says are not in it.
    """
    paths = list(DataFolder(folder).sessions())
    if not paths:
        return None
    rows = dict(list(trials.groupby("session", sort=False)))
    facts: list[SessionFacts] = []
    unreadable: dict[str, str] = {}
    begun: set[str] = set()
    gone = set(read_tombstones(DataFolder(folder)))
    for path in paths:
        try:
            journal = read_journal(path.journal)
        except UserError as error:
            unreadable[path.session] = str(error).replace(str(path.journal), path.session)
            continue
        if journal.events:
            begun.add(path.session)
        if withdrawal_in(journal):
            gone.add(str(journal.header["participant"]))
        if journal.events and _is_of(journal, study, other_packs):
            awaited = path.session not in left_out or is_released(journal)
            facts.append(_facts(journal, rows.get(path.session), compared, awaited=awaited))
    # Who takes data back takes all sessions back, those that ended before too.
    heeded = (
        replace(fact, withdrawn=True, differing=0, changed=0) if fact.participant in gone else fact
        for fact in facts
    )
    known = tuple(heeded)
    missing = tuple(sorted(set(rows) - begun - set(unreadable)))
    suspect = _suspect(known, unreadable, missing)
    return Sessions(known, tuple(unreadable.values()), missing, suspect)


def _suspect(
    facts: Iterable[SessionFacts], unreadable: Mapping[str, str], missing: Iterable[str]
) -> dict[str, str]:
    """Return why sessions can't be trusted. A row that is only missing is no reason."""
    found = dict(unreadable)
    found |= {name: f"{name}: has rows in the table, but no journal" for name in missing}
    for fact in facts:
        if fact.contradicted:
            told = f"decisions that aren't of the key that was pressed: {fact.contradicted}"
            found[fact.session] = f"{fact.session}: {told}"
        elif fact.changed:
            told = f"rows of the table that aren't as in the journal: {fact.changed}"
            found[fact.session] = f"{fact.session}: {told}"
    return dict(sorted(found.items()))


def _is_of(journal: Journal, study: str, other_packs: Collection[str]) -> bool:
    head = journal.header
    return (
        head["study"] == study and head["role"] != "expert" and head["pack_id"] not in other_packs
    )


def _facts(
    journal: Journal, rows: pd.DataFrame | None, compared: Sequence[str], *, awaited: bool
) -> SessionFacts:
    """Return a session's facts; one that isn't awaited in the table doesn't differ from it."""
    head = journal.header
    parts = journal.of("session")
    ends = _counting_ends(journal)
    longest = [end.fields.get("longest_interval_s") for end in ends.values()]
    return SessionFacts(
        session=head["session"],
        participant=head["participant"],
        purpose=head["purpose"],
        rig=head["rig"],
        robot=head["robot"],
        refresh_hz=head["refresh_hz"],
        pacing=head["pacing"],
        keyboard_backend=head["keyboard_backend"],
        priority=str(parts[-1]["display"].get("priority", "")),
        calibrated=all(part["display"]["calibrated"] for part in parts),
        complete=journal.complete,
        resumed=any(part["resumed"] for part in parts),
        torn=bool(journal.torn),
        withdrawn=False,
        released=is_released(journal),
        clock_steps=sum(event["stepped"] for event in journal.of("clock")),
        largest_step_s=_largest_step_s(journal),
        trials=len(ends),
        longest_interval_s=max((value for value in longest if value is not None), default=None),
        flagged=sum(bool(end.fields.get("flagged")) for end in ends.values()),
        contradicted=contradicted_trials(journal),
        **(_differing(ends, rows, compared) if awaited else {"differing": 0}),
        pauses=len(journal.of("pause")),
        focus_losses=sum(not event["here"] for event in journal.of("focus")),
        incidents=tuple(Incident(n.t_utc, n["at"], n["text"]) for n in journal.of("note")),
        **_before(journal),
    )


def _largest_step_s(journal: Journal) -> float | None:
    """Return it over all parts of a session; the first comparison of a part has no before."""
    steps = [
        abs(event["stimulus_step_s"])
        for event in journal.of("clock")
        if event["at"] != "start" and event["stimulus_step_s"] is not None
    ]
    return max(steps, default=None)


def _counting_ends(journal: Journal) -> dict[Any, Event]:
    """Return the main trials' ends by their number; of a trial and its repeat what counts."""
    ends = [end for end in journal.of("trial_end") if end["phase"] not in ("practice", "learn")]
    counting = counting_trials(ends)
    return {end["trial"]: end for end in ends if end["trial"] in counting}


def _before(journal: Journal) -> dict[str, Any]:
    """Return what was checked before the session and its resumptions."""
    checks, lists = journal.of("checks"), journal.of("checklist")
    overridden = {name for event in checks for name in event["overridden"]}
    unmet = {point for event in lists for point, holds in event["holds"].items() if not holds}
    return {
        "checked": bool(checks),
        "overridden": tuple(sorted(overridden)),
        "override_reasons": tuple(
            dict.fromkeys(event["reason"] for event in checks if event["overridden"])
        ),
        "checklist": lists[-1]["source"] if lists else "",
        "checklist_unmet": tuple(sorted(unmet)),
    }


def _differing(
    ends: Mapping[Any, Event], rows: pd.DataFrame | None, compared: Sequence[str]
) -> dict[str, int]:
    """Return how many trials differ from the table, and how many of these have rows there."""
    if rows is None:
        return {"differing": len(ends)}
    columns = [name for name in compared if name in rows]
    cells = zip(*(rows[name] for name in columns), strict=True)
    stored = dict(zip(rows["trial"], cells, strict=True))
    changed = len(set(stored) - {end["trial"] for end in ends.values()})
    missing = 0
    for end in ends.values():
        row = stored.get(end["trial"])
        if row is None:
            missing += 1
        elif not all(
            _same(end.fields.get(name), value) for name, value in zip(columns, row, strict=True)
        ):
            changed += 1
    return {"differing": changed + missing, "changed": changed}


def _same(written: Any, stored: Any) -> bool:
    if pd.isna(stored) or written is None:
        return bool(pd.isna(stored)) and written is None
    if isinstance(written, float):
        return abs(written - float(stored)) <= _TIME_TOLERANCE_S
    return bool(written == stored)

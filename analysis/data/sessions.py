"""Read a dataset's journals, and check whether its tables agree with them.

The decisions in a journal must also agree with the keys that were pressed.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from analysis.data.made_tables import Difference, MadeTables, StoredTables
from participants.dataset.custody import Roll
from participants.dataset.journals import why
from participants.folder import DataFolder
from participants.journal import Event, Journal
from participants.journal.writer import is_being_written
from participants.session import (
    NO_CHOICE,
    counting_trials,
    disqualification_in,
    has_declined,
    is_released,
    withdrawal_in,
)
from participants.session.qualification import QUALIFICATION
from stimuli.errors import UserError

Meant = tuple[str, int | None, str]
"""Kind of the answer's event, number of the test if a session has several, and the key."""
_TIME_TOLERANCE_S = 2e-6
"""Time stamps and response times are each rounded to microseconds."""


def contradicted_trials(journal: Journal) -> int:
    """Return how many decisions contradict their key press, including those that don't count.

    The press of a decision is the one that came `rt_s` after the onset. In one session a key has
    one meaning: the one that the header states, or if it states none, that of most decisions. If a
    session holds several tests (``test_number``), a key has one meaning in each. A trial whose
    start states its ``options`` by key is judged by these, and a typed answer by what the field had
    at last. A trial without a recorded press for its
    decision, such as one from before presses were recorded, isn't counted.
    """
    presses: dict[int, list[Event]] = defaultdict(list)
    meanings: dict[Meant, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    judged: list[tuple[Meant, str]] = []
    stated: dict[str, str] = {}
    contradicted = 0
    options: dict[int, Mapping[str, str]] = {}
    for event in journal.events:
        if event.event == "session":
            # Time stamps can be compared only within one part of a session.
            presses.clear()
            stated |= _stated(event)
        elif event.event == "response":
            presses[event["trial"]].append(event)
        elif event.event == "trial_start" and "options" in event.fields:
            options[event["trial"]] = event["options"]
        elif (key := _key(event, presses)) is None:
            continue
        elif typed := event.fields.get("keystrokes"):
            contradicted += typed[-1]["entry"].strip() != event["decision"]
        elif event["trial"] in options:
            contradicted += options[event["trial"]].get(key) != event["decision"]
        else:
            meant = event.event, event.fields.get("test_number"), key
            judged.append((meant, event["decision"]))
            meanings[meant][event["decision"]] += 1
    usual = {key: max(counts, key=counts.__getitem__) for key, counts in meanings.items()}
    return contradicted + sum(
        stated.get(key[-1], usual[key]) != decision for key, decision in judged
    )


def _stated(header: Event) -> dict[str, str]:
    keys = {"accept": header["accept_key"], "reject": header["reject_key"]}
    return {key: decision for decision, key in keys.items() if key}


def _key(end: Event, presses: Mapping[int, list[Event]]) -> str | None:
    """Return the key that decided a trial; None if it isn't known."""
    fields: Mapping[str, Any] = end.fields
    rt_s, onset_s = fields.get("rt_s"), fields.get("onset_t_monotonic_s")
    if fields.get("decision", NO_CHOICE) == NO_CHOICE or rt_s is None or onset_s is None:
        return None
    return next(
        (
            press["key"]
            for press in presses.get(fields["trial"], ())
            if abs(press.t_monotonic_s - onset_s - rt_s) <= _TIME_TOLERANCE_S
        ),
        None,
    )


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
        Priority of the session's process: ``realtime``, ``high`` or ``normal``; empty if it isn't
        recorded.
    calibrated
        Whether the display's colours were measured.
    complete, resumed, torn, withdrawn
        Whether the session was completed, whether it was resumed, whether its last line was lost,
        and whether the person withdrew their data.
    clock_steps
        How often the wall clock or the clock of key presses was set during the session.
    largest_step_s
        Largest step of the clock of key presses between two comparisons; None if it was never
        compared twice.
    trials
        Finished main trials; a trial and its repeat count as one.
    longest_interval_s
        Longest time between two flips of a main trial; None if it isn't recorded.
    flagged
        Flagged main trials: a frame was dropped, a clock was set, a pause was asked for or the
        focus was lost during the trial.
    missing
        Rows that the tables lack, though the journal has what they are made from.
    changed
        Rows of the tables that differ from those made from the journal and the pack.
    contradicted
        Trials whose decision doesn't match the key that was pressed.
    checked
        Whether checks of the rig are recorded.
    overridden
        Checks that failed and were overridden, sorted.
    override_reasons
        The reasons given for it, each once.
    checklist
        Where the answers to the colour checklist come from; empty if none are recorded.
    checklist_unmet
        Points of the checklist that didn't hold, sorted.
    pauses, focus_losses
        How often it was paused, and how often another window took the keyboard's focus.
    incidents
        What the experimenter wrote down, in order.
    released
        Whether the data may be used as they are (`participants.session.is_released`).
    declined
        Whether the person declined to take part.
    arm
        The order that the person was assigned to; in between-subjects studies it is the arm.
    qualified
        Whether the person qualified; None if the study doesn't ask, or hasn't asked yet.
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
    missing: int = 0
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
    declined: bool = False
    arm: str = ""
    qualified: bool | None = None


@dataclass(frozen=True, slots=True)
class Sessions:
    """All journals of a dataset.

    Attributes
    ----------
    facts
        By session; journals of other studies and other roles are left out.
    unreadable
        What is wrong with journals that are missing or can't be trusted, one line each.
    without_journal
        Sessions of the tables that have no journal, or an empty one.
    suspect
        Why a session's rows can't be trusted, one line, by session.
    suspect_tables
        Why a table beside the trials can't be trusted, one line, by file stem.
    disputes
        Why tombstones can't be trusted, one line each.
    not_confirmed
        Why no registry confirms the journals, one sentence; empty if one does.
    notes
        This and what else is known of the journals, one sentence each. They may name people who
        withdrew, so they don't belong into a report.
    """

    facts: tuple[SessionFacts, ...]
    unreadable: tuple[str, ...]
    without_journal: tuple[str, ...]
    suspect: Mapping[str, str] = field(default_factory=dict)
    suspect_tables: Mapping[str, str] = field(default_factory=dict)
    disputes: tuple[str, ...] = ()
    not_confirmed: str = ""
    notes: tuple[str, ...] = ()

    @property
    def all_suspect(self) -> tuple[str, ...]:
        """Why sessions, tables and tombstones can't be trusted, one line each."""
        return (*self.suspect.values(), *self.suspect_tables.values(), *self.disputes)

    def of(self, sessions: Iterable[str]) -> tuple[SessionFacts, ...]:
        """Return the facts of some sessions."""
        wanted = set(sessions)
        return tuple(fact for fact in self.facts if fact.session in wanted)


def read_sessions(data: DataFolder, study: str, stored: StoredTables) -> Sessions | None:
    """Return what a dataset's journals say, and how its tables differ from it.

    Journals are read one at a time, and each is checked against its hash chain and against all
    that is known of it (`participants.dataset.custody`).

    Parameters
    ----------
    data
        The dataset.
    study
        By its name in the catalogue; sessions of other studies are left out, and those of experts.
    stored
        Its tables.

    Returns
    -------
    Sessions or None
        None if there are no journals and nobody knows of any: the tables are from elsewhere.
    """
    roll = Roll.of(data, named=stored.sessions)
    if not any(True for _ in roll.sessions()):
        return None
    made = MadeTables(data, study, stored)
    facts: list[SessionFacts] = []
    unreadable: dict[str, str] = {}
    begun: set[str] = set()
    withdrew = set[str]()
    for paths in roll.sessions():
        try:
            journal = roll.read(paths)
            if journal.events and made.are_from(journal):
                differing = made.difference(
                    journal, running=partial(is_being_written, paths.journal)
                )
                facts.append(_facts(journal, differing))
        except UserError as error:
            if not roll.is_of_another(paths.session, made.study):
                unreadable[paths.session] = why(data, paths, error)
            continue
        if journal.events:
            begun.add(paths.session)
        if withdrawal_in(journal):
            withdrew.add(str(journal.header["participant"]))
    # People who withdraw their data withdraw all their sessions, including those that ended before.
    known = tuple(
        replace(fact, withdrawn=True, missing=0, changed=0)
        if fact.participant in withdrew | roll.withdrawn.keys()
        else fact
        for fact in facts
    )
    orphans = tuple(sorted(stored.sessions - begun - set(unreadable)))
    suspect = _suspect(known, unreadable, orphans, made.study)
    tables = made.suspect_tables()
    left = tuple(unreadable.values())
    return Sessions(
        known,
        left,
        orphans,
        suspect,
        tables,
        roll.disputes(),
        roll.unconfirmed,
        roll.notes(),
    )


def _suspect(
    facts: Iterable[SessionFacts],
    unreadable: Mapping[str, str],
    orphans: Iterable[str],
    study: str,
) -> dict[str, str]:
    """Return why sessions can't be trusted."""
    suspect = dict(unreadable)
    suspect |= {name: f"{name}: has rows in the tables, but no journal" for name in orphans}
    anew = (
        "if the tables are older than the journal, write them again: python3 lab.py participants "
        f"tables {study} --data DIR"
    )
    for fact in facts:
        if fact.contradicted:
            why = f"decisions that aren't of the key that was pressed: {fact.contradicted}"
        elif fact.changed:
            why = f"rows of the tables that aren't as in the journal: {fact.changed}; {anew}"
        elif fact.missing:
            why = f"rows missing from the tables: {fact.missing}; {anew}"
        else:
            continue
        suspect[fact.session] = f"{fact.session}: {why}"
    return dict(sorted(suspect.items()))


def _facts(journal: Journal, differing: Difference) -> SessionFacts:
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
        declined=has_declined(journal.events),
        arm=head["order"],
        qualified=_qualified(journal),
        clock_steps=sum(event["stepped"] for event in journal.of("clock")),
        largest_step_s=_largest_step_s(journal),
        trials=len(ends),
        longest_interval_s=max((value for value in longest if value is not None), default=None),
        flagged=sum(bool(end.fields.get("flagged")) for end in ends.values()),
        contradicted=contradicted_trials(journal),
        missing=differing.missing,
        changed=differing.changed,
        pauses=len(journal.of("pause")),
        focus_losses=sum(not event["here"] for event in journal.of("focus")),
        incidents=tuple(Incident(n.t_utc, n["at"], n["text"]) for n in journal.of("note")),
        **_before(journal),
    )


def _qualified(journal: Journal) -> bool | None:
    return disqualification_in(journal) is None if journal.of(QUALIFICATION) else None


def _largest_step_s(journal: Journal) -> float | None:
    """Return the largest step over all parts; a part's first comparison has none before it."""
    steps = [
        abs(event["stimulus_step_s"])
        for event in journal.of("clock")
        if event["at"] != "start" and event["stimulus_step_s"] is not None
    ]
    return max(steps, default=None)


def _counting_ends(journal: Journal) -> dict[Any, Event]:
    """Return main trials' ends by trial number; of a trial and its repeat, the one that counts."""
    ends = [end for end in journal.of("trial_end") if end["phase"] not in ("practice", "learn")]
    counting = counting_trials(ends)
    return {end["trial"]: end for end in ends if end["trial"] in counting}


def _before(journal: Journal) -> dict[str, Any]:
    """Return the checks made before the session and before it was resumed."""
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

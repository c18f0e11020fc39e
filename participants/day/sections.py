"""What the terminal and the page say of the day: sections of sentences and one table each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from participants.day.figures import Day, Sample

Rows = tuple[Mapping[str, Any], ...]
MOST_INCIDENTS: Final = 10
SHORT_ID: Final = 12
OLD_BACKUP: Final = timedelta(days=7)
LEAST_FREE_GIB: Final = 2.0
CENTS: Final = 100


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page.

    Attributes
    ----------
    title
        Its heading.
    rows
        Its table, keys being headings; empty for none.
    lines
        Sentences below it.
    alarm
        Whether somebody should do something.
    """

    title: str
    rows: Rows = ()
    lines: tuple[str, ...] = ()
    alarm: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A number at the top of the page; with an alarm where somebody should do something."""

    name: str
    value: str
    alarm: bool = False


def moment(utc: str) -> str:
    """Return a time of the registry as this PC's clock shows it, with the day of the week."""
    return datetime.fromisoformat(utc).astimezone().strftime("%a %d %b %H:%M")


def figures_of(day: Day) -> tuple[Figure, ...]:
    """Return the numbers that stand first."""
    now = sum(one.when == "now" for one in day.due)
    return (
        Figure("due now", str(now)),
        Figure("overdue", str(day.overdue), day.overdue > 0),
        Figure("came today", str(len(day.came))),
        Figure("complete", str(day.sessions("complete"))),
        Figure("incidents, 7 days", str(_recent(day)), _recent(day) > 0),
        Figure("last backup", _age(day), _backup_alarm(day)),
    )


def sections_of(day: Day) -> tuple[Section, ...]:
    """Return all sections, in the order of the page."""
    return (
        _due(day),
        _today(day),
        _people(day),
        *_samples(day),
        _incidents(day),
        _upkeep(day),
        _frames(day),
        _days(day),
    )


def _due(day: Day) -> Section:
    rows = tuple(
        {
            "when": one.when,
            "code": one.code,
            "study": one.study,
            "rig": one.rig,
            "from": moment(one.from_utc),
            "until": None if one.until_utc is None else moment(one.until_utc),
        }
        for one in day.due
    )
    lines = () if rows else ("Nobody has an unfinished session.",)
    return Section("Who comes again", rows, lines, alarm=day.overdue > 0)


def _today(day: Day) -> Section:
    rows = tuple(
        {
            "code": one.code,
            "study": one.study,
            "purpose": one.purpose,
            "rig": one.rig,
            "began": moment(one.started_utc),
            "state": one.state,
        }
        for one in day.came
    )
    return Section("Who came today", rows, () if rows else ("Nobody came today.",))


def _people(day: Day) -> Section:
    recruited = [row for row in day.counts.people if row["purpose"] in ("main", "pilot")]
    rows = tuple(
        {
            "role": role,
            "purpose": purpose,
            "recruited": sum(row["people"] for row in _of(recruited, role, purpose)),
            "began": sum(row["begun"] for row in _of(recruited, role, purpose)),
        }
        for role, purpose in sorted({(row["role"], row["purpose"]) for row in recruited})
    )
    screened = sum(
        row["screened"] for row in day.counts.screened if row["purpose"] in ("main", "pilot")
    )
    dropouts = day.sessions("left for good") + day.overdue
    lines = (
        f"Screened: {screened}. Sessions: {day.sessions('complete')} complete, "
        f"{day.sessions('running')} running, {day.sessions('unfinished')} unfinished.",
        f"Dropouts: {dropouts} (left for good {day.sessions('left for good')}, overdue "
        f"{day.overdue}). Declined: {day.sessions('declined')}. Disqualified: "
        f"{day.sessions('disqualified')}. Withdrew: {day.counts.withdrawn}.",
    )
    return Section("People", rows, lines)


def _of(rows: Sequence[Mapping[str, Any]], role: str, purpose: str) -> Iterator[Mapping[str, Any]]:
    return (row for row in rows if (row["role"], row["purpose"]) == (role, purpose))


def _samples(day: Day) -> Iterator[Section]:
    for one in day.samples:
        planned = "no plan" if one.planned is None else f"{one.complete} of {one.planned}"
        rows = (
            {
                "complete": one.complete,
                "planned": one.planned,
                "places": len(one.cells),
                "fewest": min(one.cells, default=0),
                "most": max(one.cells, default=0),
            },
        )
        lines = [
            _plan(one),
            f"Pack {one.pack_id[:SHORT_ID]}.",
            f"People by place, fewest first: {' '.join(map(str, one.cells))}.",
        ]
        lines += [f"{name}: {held}" for name, held in one.named.items()]
        yield Section(f"{one.study}: {planned}", rows, tuple(lines), one.registered is False)


def _plan(sample: Sample) -> str:
    if sample.planned is None:
        return (
            "No preregistration is in the lab folder: put its folder there to see how many people "
            "are planned."
        )
    missing = max(0, sample.planned - sample.complete)
    if sample.registered:
        return f"The preregistration plans {sample.planned} people: {missing} are missing."
    return (
        f"The preregistration plans {sample.planned} people, but under another protocol than this "
        "pack's."
    )


def _days(day: Day) -> Section:
    rigs = sorted({rig for one in day.days for rig in one.rigs})
    rows = tuple(
        {"day": one.day.strftime("%a %Y-%m-%d")}
        | {rig: one.rigs.get(rig, 0) for rig in rigs}
        | {"all": sum(one.rigs.values())}
        for one in reversed(day.days)
    )
    lines = ("Sessions that began in the last 28 days.",)
    return Section("Sessions by day and rig", rows, lines)


def _frames(day: Day) -> Section:
    rows = tuple(
        {
            "rig": one.rig,
            "trials": one.trials,
            "with drops": one.with_dropped,
            "per cent": f"{100 * one.with_dropped / one.trials:.1f}" if one.trials else None,
            "dropped": one.dropped,
            "frames": one.frames,
        }
        for one in day.frames
    )
    lines = ("From the journals that are on this PC.",) if rows else ("No trial is recorded yet.",)
    return Section("Dropped frames", rows, lines)


def _incidents(day: Day) -> Section:
    rows = tuple(
        {"when": moment(one.noted_utc), "code": one.code, "text": one.text}
        for one in day.incidents[:MOST_INCIDENTS]
    )
    more = len(day.incidents) - len(rows)
    lines = ("There are none.",) if not rows else ()
    if more > 0:
        lines = (f"And {more} older ones: python3 lab.py participants notes",)
    return Section("Incidents", rows, lines, alarm=_recent(day) > 0)


def _upkeep(day: Day) -> Section:
    up = day.upkeep
    free = "unknown" if up.free_gib is None else f"{up.free_gib:.1f} GiB"
    low = up.free_gib is not None and up.free_gib < LEAST_FREE_GIB
    made = "none" if up.backup_utc is None else moment(up.backup_utc)
    lines = [f"Free on the disk: {free}.", f"Last backup: {made}."]
    if up.backup_failed:
        lines.append(f"The last attempt failed: {up.backup_failed}")
    if day.unpaid is not None:
        money = f"{day.unpaid.cents / CENTS:.2f} {day.unpaid.currency}"
        lines.append(f"Unpaid: {money}, to {day.unpaid.people} people.")
    return Section("This PC", (), tuple(lines), alarm=low or _backup_alarm(day))


def _recent(day: Day) -> int:
    since = day.now - timedelta(days=7)
    return sum(datetime.fromisoformat(one.noted_utc) >= since for one in day.incidents)


def _age(day: Day) -> str:
    made = day.upkeep.backup_utc
    if made is None:
        return "none"
    age = day.now.astimezone(UTC) - datetime.fromisoformat(made)
    return f"{age.days} d ago" if age.days else f"{age.seconds // 3600} h ago"


def _backup_alarm(day: Day) -> bool:
    made = day.upkeep.backup_utc
    old = made is None or day.now - datetime.fromisoformat(made) > OLD_BACKUP
    return old or bool(day.upkeep.backup_failed)

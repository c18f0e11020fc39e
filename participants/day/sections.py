"""What the terminal, the page and the start window say about the day, in sections.

Each section has sentences and one table. The page is a local HTML file that reloads itself. It
needs no network.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path
from typing import Any, Final

from participants.backup.record import CLOCKS_DIFFER
from participants.command_line import NOTHING
from participants.day.disqualified import why_disqualified
from participants.day.figures import Day, Sample
from participants.registry.sessions import MAIN, PILOT
from participants.texts.load import written_decimal
from participants.texts.rig import RigWords, load_rig_words
from participants.texts.translation import translated_in

FILE: Final = "day.toml"
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
        Its table by name of the column (see `heading`); empty for none.
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
    """A number at the top of the page; with an alarm if somebody should do something."""

    name: str
    value: str
    alarm: bool = False


def load_day_words(language: str, lab_texts: Path | None = None) -> RigWords:
    """Return the words of the day in a language; see `load_rig_words`."""
    return load_rig_words(FILE, language, lab_texts)


def heading(column: str, words: RigWords) -> str:
    """Return a column's heading; that of a rig is its name."""
    return words.words.get(f"head_{column}", column)


def clock_time(now: datetime, words: RigWords) -> str:
    """Return a time as this PC's clock shows it, with the day of the week."""
    here = now.astimezone()
    return words.filled(
        "moment",
        weekday=words["weekdays"].split()[here.weekday()],
        day=f"{here.day:02}",
        month=words["months"].split()[here.month - 1],
        time=here.strftime("%H:%M"),
    )


def moment(utc: str, words: RigWords) -> str:
    """Return a time of the registry as `clock_time` does."""
    return clock_time(datetime.fromisoformat(utc), words)


def money(cents: int, words: RigWords) -> str:
    """Return a sum as the language writes it."""
    return written_decimal(cents / CENTS, 2, words.language)


def figures_of(day: Day, words: RigWords) -> tuple[Figure, ...]:
    """Return the numbers at the top of the page."""
    now = sum(sitting.when == "now" for sitting in day.due)
    return (
        Figure(words["due_now"], str(now)),
        Figure(words["overdue"], str(day.overdue), day.overdue > 0),
        Figure(words["came_today"], str(len(day.came))),
        Figure(words["complete"], str(day.sessions("complete", purposes=(MAIN,)))),
        Figure(words["incidents_recent"], str(_recent(day)), _recent(day) > 0),
        Figure(words["last_backup"], _age(day, words), _backup_alarm(day)),
    )


def sections_of(day: Day, words: RigWords) -> tuple[Section, ...]:
    """Return all sections, in the order of the page."""
    return (
        _due(day, words),
        _booked(day, words),
        _today(day, words),
        *_unpaid(day, words),
        _people(day, words),
        *_samples(day, words),
        _incidents(day, words),
        _upkeep(day, words),
        _frames(day, words),
        _days(day, words),
    )


def _due(day: Day, words: RigWords) -> Section:
    rows = tuple(
        {
            "when": words[f"when_{sitting.when}"],
            "code": sitting.code,
            "study": sitting.study,
            "rig": sitting.rig,
            "from": moment(sitting.from_utc, words),
            "until": None if sitting.until_utc is None else moment(sitting.until_utc, words),
        }
        for sitting in day.due
    )
    lines = () if rows else (words["nobody_unfinished"],)
    return Section(words["comes_again"], rows, lines, alarm=day.overdue > 0)


def _booked(day: Day, words: RigWords) -> Section:
    booked = day.booked
    rows = tuple(
        {
            "when": appointment.begins.astimezone().strftime("%H:%M"),
            "code": appointment.code,
            "study": appointment.study or None,
            "rig": appointment.rig,
            "state": words[f"appointment_{appointment.state}"],
        }
        for appointment in booked.today
    )
    free = [f"{words['weekdays'].split()[plan.day.weekday()]} {plan.free}" for plan in booked.days]
    lines = [] if rows else [words["nobody_booked"]]
    lines.append(words.filled("free_places", days=", ".join(free)))
    lines.append(words.filled("no_shows", count=str(booked.missed)))
    if day.missing:
        counts = {"missing": str(day.missing), "ahead": str(booked.ahead)}
        lines.append(words.filled("against_plan", **counts))
    return Section(words["appointments"], rows, tuple(lines))


def _today(day: Day, words: RigWords) -> Section:
    rows = tuple(
        {
            "code": person.code,
            "study": person.study,
            "purpose": purpose_in(person.purpose, words),
            "rig": person.rig,
            "began": moment(person.started_utc, words),
            "state": words[f"state_{person.state.replace(' ', '_')}"],
        }
        for person in day.came
    )
    why = tuple(
        f"{person.code}: {why_disqualified(person.missed, person.purpose, words)}"
        for person in day.came
        if person.missed is not None
    )
    return Section(words["who_came"], rows, why if rows else (words["nobody_came"],))


def purpose_in(purpose: str, words: RigWords) -> str:
    """Return a purpose with what it means for the data."""
    return words.words.get(f"purpose_{purpose}", purpose)


def _unpaid(day: Day, words: RigWords) -> Iterator[Section]:
    """Yield who is still to be paid, if anybody is."""
    if day.unpaid is not None:
        owed, people = money(day.unpaid.cents, words), day.unpaid.people
        currency = day.unpaid.currency
        rows = tuple(
            {"code": code, "due": money(cents, words), "currency": currency}
            for code, cents in people.items()
        )
        line = words.filled("unpaid", sum=owed, currency=currency, count=str(len(people)))
        yield Section(words["unpaid_title"], rows, (line,))


def _people(day: Day, words: RigWords) -> Section:
    recruited = [row for row in day.counts.people if row["purpose"] in ("main", "pilot")]
    rows = tuple(
        {
            "role": words[f"role_{role}"],
            "purpose": purpose_in(purpose, words),
            "recruited": sum(row["people"] for row in _of(recruited, role, purpose)),
            "began": sum(row["begun"] for row in _of(recruited, role, purpose)),
        }
        for role, purpose in sorted({(row["role"], row["purpose"]) for row in recruited})
    )
    screened = sum(
        row["screened"] for row in day.counts.screened if row["purpose"] in ("main", "pilot")
    )
    states = ("complete", "running", "unfinished", "declined", "disqualified")
    counts = {state: str(day.sessions(state)) for state in states}
    left = day.sessions("left for good")
    counts["pilots"] = str(day.sessions("complete", purposes=(PILOT,)))
    counts |= {"screened": str(screened), "left": str(left), "overdue": str(day.overdue)}
    counts |= {"dropouts": str(left + day.overdue), "withdrew": str(day.withdrew)}
    lines = (words.filled("sessions", **counts), words.filled("dropouts", **counts))
    return Section(words["people"], rows, lines)


def _of(rows: Sequence[Mapping[str, Any]], role: str, purpose: str) -> Iterator[Mapping[str, Any]]:
    return (row for row in rows if (row["role"], row["purpose"]) == (role, purpose))


def _samples(day: Day, words: RigWords) -> Iterator[Section]:
    for sample in day.samples:
        planned = (
            words["no_plan"]
            if sample.planned is None
            else words.filled(
                "of_planned", complete=str(sample.complete), planned=str(sample.planned)
            )
        )
        rows = (
            {
                "complete": sample.complete,
                "planned": sample.planned,
                "places": len(sample.cells),
                "fewest": min(sample.cells, default=0),
                "most": max(sample.cells, default=0),
            },
        )
        lines = [
            _plan(sample, words),
            words.filled("pack", pack=sample.pack_id[:SHORT_ID]),
            words.filled("by_place", cells=_spread(sample.cells, words)),
        ]
        lines += [f"{name}: {held}" for name, held in sample.named.items()]
        yield Section(f"{sample.study}: {planned}", rows, tuple(lines), sample.registered is False)


def _spread(cells: Sequence[int], words: RigWords) -> str:
    """Return how many places have how many people, those with the fewest people first."""
    places = sorted(Counter(cells).items())
    counted = ({"people": str(people), "places": str(count)} for people, count in places)
    return ", ".join(words.filled("places_with", **counts) for counts in counted)


def _plan(sample: Sample, words: RigWords) -> str:
    if sample.planned is None:
        return words["no_registration"]
    missing = max(0, sample.planned - sample.complete)
    name = "planned_missing" if sample.registered else "other_protocol"
    return words.filled(name, planned=str(sample.planned), missing=str(missing))


def _days(day: Day, words: RigWords) -> Section:
    rigs = sorted({rig for counts in day.days for rig in counts.rigs})
    weekdays = words["weekdays"].split()
    rows = tuple(
        {"day": f"{weekdays[counts.day.weekday()]} {counts.day}"}
        | {rig: counts.rigs.get(rig, 0) for rig in rigs}
        | {"all": sum(counts.rigs.values())}
        for counts in reversed(day.days)
    )
    line = words["last_days" if rows else "no_days"]
    return Section(words["by_day"], rows, (line,))


def _frames(day: Day, words: RigWords) -> Section:
    rows = tuple(
        {
            "rig": frame.rig,
            "trials": frame.trials,
            "with_drops": frame.with_dropped,
            "per_cent": written_decimal(100 * frame.with_dropped / frame.trials, 1, words.language)
            if frame.trials
            else None,
            "dropped": frame.dropped,
            "frames": frame.frames,
        }
        for frame in day.frames
    )
    return Section(words["frames"], rows, (words["frames_here" if rows else "no_trial"],))


def _incidents(day: Day, words: RigWords) -> Section:
    rows = tuple(
        {"when": moment(incident.noted_utc, words), "code": incident.code, "text": incident.text}
        for incident in day.incidents[:MOST_INCIDENTS]
    )
    more = len(day.incidents) - len(rows)
    lines = (words["no_incidents"],) if not rows else ()
    if more > 0:
        lines = (words.filled("older", count=str(more)),)
    return Section(words["incidents"], rows, lines, alarm=_recent(day) > 0)


def _upkeep(day: Day, words: RigWords) -> Section:
    up = day.upkeep
    free = words["unknown"]
    if up.free_gib is not None:
        free = f"{written_decimal(up.free_gib, 1, words.language)} GiB"
    low = up.free_gib is not None and up.free_gib < LEAST_FREE_GIB
    made = words["none"] if up.backup_utc is None else moment(up.backup_utc, words)
    lines = [words.filled("free", free=free), words.filled("backup_made", when=made)]
    if _in_future(day):
        lines.append(words["clock_wrong"])
    if up.backup_failed:
        lines.append(words.filled("backup_failed", why=translated_in(up.backup_failed, words)))
    return Section(words["this_pc"], (), tuple(lines), alarm=low or _backup_alarm(day))


def _recent(day: Day) -> int:
    since = day.now - timedelta(days=7)
    return sum(datetime.fromisoformat(incident.noted_utc) >= since for incident in day.incidents)


def _age(day: Day, words: RigWords) -> str:
    made = day.upkeep.backup_utc
    if made is None:
        return words["none"]
    if _in_future(day):
        return words["in_future"]
    age = max(day.now.astimezone(UTC) - datetime.fromisoformat(made), timedelta(0))
    if age.days:
        return words.filled("days_ago", count=str(age.days))
    return words.filled("hours_ago", count=str(age.seconds // 3600))


def _backup_alarm(day: Day) -> bool:
    made = day.upkeep.backup_utc
    old = made is None or day.now - datetime.fromisoformat(made) > OLD_BACKUP
    return old or _in_future(day) or bool(day.upkeep.backup_failed)


def _in_future(day: Day) -> bool:
    """Return whether the last backup is dated in the future: then this PC's clock is wrong."""
    made = day.upkeep.backup_utc
    return made is not None and datetime.fromisoformat(made) - day.now > CLOCKS_DIFFER


STYLE: Final = """
:root { color-scheme: light dark; --ground: #f5f5f2; --card: #fff; --ink: #1b1d1f;
  --quiet: #5c6166; --line: #dddcd6; --alarm: #a3310b; }
@media (prefers-color-scheme: dark) { :root { --ground: #15171a; --card: #1f2226; --ink: #e8e8e4;
  --quiet: #a2a8ae; --line: #353a40; --alarm: #ff9d73; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem clamp(1rem, 3vw, 3rem) 3rem; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, "Noto Sans", sans-serif; }
header { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
header p, section p { color: var(--quiet); margin: .25rem 0; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem;
  margin: 1rem 0; }
dl div, section { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: .75rem 1rem; }
dt { color: var(--quiet); font-size: .875rem; }
dd { margin: 0; font-size: 1.6rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
main { columns: 34rem; column-gap: .75rem; }
section { break-inside: avoid; margin-bottom: .75rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line);
  white-space: nowrap; vertical-align: top; }
th { color: var(--quiet); font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.prose { white-space: normal; min-width: 10rem; }
td.time { white-space: normal; min-width: 5.5rem; }
@media (max-width: 600px) {
  table { font-size: .8125rem; }
  th, td { padding-right: .4rem; white-space: normal; }
  td.prose { min-width: 6rem; }
  td.time { min-width: 3.2rem; }
}
.alarm h2, .alarm dd, td.alarm { color: var(--alarm); }
.alarm h2::before, .alarm dt::before { content: "! "; color: var(--alarm); font-weight: 700; }
""".strip()
KINDS: Final = {"text": "prose", "from": "time", "until": "time", "began": "time", "when": "time"}


def page_of(day: Day, every_s: int, words: RigWords) -> str:
    """Return the page of the day.

    Parameters
    ----------
    day
        Its numbers.
    every_s
        After how many seconds a browser loads it again.
    words
        Of the day, in the page's language.
    """
    title, when = escape(words["title"]), clock_time(day.now, words)
    figures = "".join(map(_figure, figures_of(day, words)))
    sections = "\n".join(_section(section, words) for section in sections_of(day, words))
    return f"""<!doctype html>
<html lang="{words.language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="{every_s}">
<title>{title}</title>
<style>
{STYLE}
</style>
<header><h1>{title}</h1><p>{escape(when)}, {escape(day.rig)}</p></header>
<dl>{figures}</dl>
<main>
{sections}
</main>
</html>
"""


def _figure(figure: Figure) -> str:
    kind = ' class="alarm"' if figure.alarm else ""
    return f"<div{kind}><dt>{escape(figure.name)}</dt><dd>{escape(figure.value)}</dd></div>"


def _section(section: Section, words: RigWords) -> str:
    kind = ' class="alarm"' if section.alarm else ""
    lines = "".join(f"<p>{escape(line)}</p>" for line in section.lines)
    table = _table(section.rows, words)
    return f"<section{kind}><h2>{escape(section.title)}</h2>{table}{lines}</section>"


def _table(rows: Sequence[Mapping[str, Any]], words: RigWords) -> str:
    if not rows:
        return ""
    numbers, late = number_columns(rows), words["when_overdue"]
    kinds = {name: "number" if name in numbers else KINDS.get(name, "") for name in rows[0]}
    heads = "".join(
        _cell("th", heading(name, words), "number" if name in numbers else "") for name in rows[0]
    )
    body = "".join(
        "<tr>"
        + "".join(
            _cell("td", value, "alarm" if value == late else kinds[name])
            for name, value in row.items()
        )
        + "</tr>"
        for row in rows
    )
    return f'<div class="scroll"><table><tr>{heads}</tr>{body}</table></div>'


def _cell(tag: str, value: Any, kind: str) -> str:
    text = NOTHING if value is None else str(value)
    return f"<{tag}{f' class={kind!r}' if kind else ''}>{escape(text)}</{tag}>"


def number_columns(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the names of the columns that hold nothing but numbers, or nothing."""
    return {name for name in rows[0] if all(_is_number(row[name]) for row in rows)}


def _is_number(value: Any) -> bool:
    return value is None or str(value).replace(".", "").replace(",", "").isdecimal()

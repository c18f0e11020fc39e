"""What the page says of the low-contrast controls of experts."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.report.wording import percent
from bench.book import table
from bench.parts.words import SOURCE_NAMES, percent_of, share

Figures = Mapping[str, Any]

GROUP_NAMES: Final = {
    "normal": "normal",
    "within": "anomaly, threshold up to {limit:.0f}",
    "between": "anomaly, {limit:.0f} to {lead_limit:.0f}",
    "above": "anomaly, above {lead_limit:.0f}",
}


def text(figures: Figures) -> str:
    """Return the section on the controls of experts."""
    sources: Mapping[str, Figures] = figures["sources"]
    return "\n\n".join(
        [
            _sessions(figures),
            "Each person has a red–green threshold of their own, as in "
            "[screening_truth.md](screening_truth.md): normal thresholds vary as those of young "
            "people do (Paramei 2012), and an anomaly of the stated strength raises them. "
            "*Threshold* is the higher of the protan and the deutan threshold, measured with many "
            f"plates, in 10⁻⁴ of u′v′. The limit of normal vision is {figures['limit']:.0f}: "
            "screening calls people experts up to there, and leads above "
            f"{figures['lead_limit']:.0f}. Brackets are 95 % intervals (Wilson's).",
            _answer(figures),
            "**By kind.** *Solved* is the share of the plates to solve that people read, *low "
            "contrast* that of the low-contrast digits.",
            _by_kind(sources),
            "**By threshold**, all kinds together:",
            _by_threshold(sources),
            "**Other minima** (`experts.low_contrast_minimum`). The same sessions; the table gives "
            "the share who would pass:",
            _by_minimum(figures),
        ]
    )


def _sessions(figures: Figures) -> str:
    sources: Mapping[str, Figures] = figures["sources"]
    one = next(iter(sources.values()))
    people = sum(row["people"] for row in one["by_kind"])
    digits = " and one of ".join(f"{SOURCE_NAMES[name]}'s" for name in sources)
    contrasts = ", ".join(
        f"{SOURCE_NAMES[name]} {own['contrast']:.3f}" for name, own in sources.items()
    )
    return (
        f"{people} simulated people annotate packs of the default protocol without a window, each "
        f"person one pack of {digits} digits. There are {figures['packs']} packs of a source, each "
        f"with plates of its own. A session has all its parts: consent, practice, {one['plates']} "
        "plates, debrief. Its journal is read back, and the session passes or fails as in "
        f"`participants mapset`. {one['faint']} of its plates are low-contrast digits "
        f"({contrasts}), of which people must read {percent(one['least'])}. To save time, people "
        f"look only at these and at {one['looked_at']} of the plates to solve; to the controls "
        "that anyone can read they give the right answers."
    )


def _by_kind(sources: Mapping[str, Figures]) -> str:
    rows = list(zip(*(own["by_kind"] for own in sources.values()), strict=True))
    lines = [
        [
            _kind(row[0]),
            str(row[0]["people"]),
            f"{row[0]['threshold']:.0f}",
            f"{row[0]['within']}",
            *(cell for own in row for cell in _passing(own)),
        ]
        for row in rows
    ]
    heads = ["people", "number", "threshold (median)", "within the limit"]
    return table([*heads, *_heads(sources)], lines)


def _by_threshold(sources: Mapping[str, Figures]) -> str:
    rows = list(zip(*(own["by_threshold"] for own in sources.values()), strict=True))
    lines = [
        [
            _span(row[0]["above"], row[0]["to"]),
            str(row[0]["people"]),
            *(cell for own in row for cell in _passing(own)),
        ]
        for row in rows
    ]
    return table(["threshold", "number", *_heads(sources)], lines)


def _heads(sources: Mapping[str, Figures]) -> list[str]:
    return [
        f"{SOURCE_NAMES[name]}: {what}"
        for name in sources
        for what in ("solved", "low contrast", "pass")
    ]


def _passing(row: Figures) -> list[str]:
    return [share(row["solved"]), share(row["faint"]), percent_of(row["passes"], row["people"])]


def _kind(row: Figures) -> str:
    if not row["strength"]:
        return "normal"
    return f"{row['axis']} {share(row['strength']).rstrip('0')}"


def _span(above: float, to: float | None) -> str:
    if to is None:
        return f"above {above:.0f}"
    return f"{above:.0f} to {to:.0f}" if above else f"up to {to:.0f}"


def _answer(figures: Figures) -> str:
    """Return who passes above the limit, and who is refused within it."""
    told = []
    for name, own in figures["sources"].items():
        above = _counted(own["by_threshold"], figures["limit"], within=False)
        within = _counted(own["by_threshold"], figures["limit"], within=True)
        normal = next(row for row in own["by_kind"] if not row["strength"])
        refused = normal["people"] - normal["passes"]
        told.append(
            f"**With {SOURCE_NAMES[name]}'s digits {above[0]} of {above[1]} people above the limit "
            f"of normal vision pass** ({percent_of(*above)}). {within[1] - within[0]} of "
            f"{within[1]} people within the limit are refused, among them {refused} of "
            f"{normal['people']} without an anomaly."
        )
    return " ".join(told)


def _counted(rows: Sequence[Figures], limit: float, *, within: bool) -> tuple[int, int]:
    own = [row for row in rows if (row["to"] is not None and row["to"] <= limit) == within]
    return sum(row["passes"] for row in own), sum(row["people"] for row in own)


def _by_minimum(figures: Figures) -> str:
    names = [name.format(**figures) for name in GROUP_NAMES.values()]
    lines = [
        [
            SOURCE_NAMES[source],
            f"{share(row['minimum'])} ({row['needed']} of {own['faint']})",
            *(_passed(*row["passes"][group]) for group in GROUP_NAMES),
        ]
        for source, own in figures["sources"].items()
        for row in own["by_minimum"]
    ]
    return table(["digits", "minimum", *names], lines)


def _passed(hits: int, n: int) -> str:
    return percent_of(hits, n) if n else "–"

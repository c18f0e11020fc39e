"""The report of a power simulation, with its figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter

from analysis.power.question import ALPHA, Question, Term, Verdicts
from analysis.power.results import (
    WANTED,
    Counts,
    ModelCount,
    PowerResults,
    PowerRow,
    rows_as_json,
)
from analysis.report.declared import changes
from analysis.report.parts import (
    Bullets,
    Column,
    Fact,
    Paragraph,
    Part,
    Picture,
    Report,
    Section,
    Table,
    limits,
    reworded,
    table,
)
from analysis.report.style import INK, SOFT, WIDTH_IN, figure_style, subplots
from analysis.report.wording import bare_percent, grouped, listed, number, percent, rounded

MOST_MODELS: Final = 4

Rows = Sequence[PowerRow]

# Lightness falls with the number of items; marker and line tell them apart in grey, too.
_LOOKS = (
    ("#e08a1e", "s", (0, (1, 1.2))),
    ("#5b8fc0", "o", (0, (4, 1.6))),
    ("#0b4f8a", "D", "-"),
    ("#3a2d5c", "^", (0, (6, 1.5, 1, 1.5))),
    ("#1c1c1c", "v", (0, (2, 2))),
    ("#8a8a8a", "P", (0, (3, 1, 1, 1, 1, 1))),
)

MOST_LINES = len(_LOOKS)

_ACROSS = 3

_PANEL_IN = 2.35


def build_page(results: PowerResults, question: Question) -> Report:
    """Return the report of `results`."""
    counts = results.counts
    asked = counts.asked
    sections = [_power(counts, term) for term in question.terms]
    sections += [_verdicts(counts, verdicts) for verdicts in question.verdicts]
    sections += [_methods(results), _fits(counts), _software(counts)]
    combinations = len(list(question.ask.grid.cells()))
    facts = (
        Fact(str(asked.runs), "simulated studies a combination"),
        Fact(str(combinations), "combinations of participants, items and effect"),
        Fact(asked.generator, "source of the answers"),
        Fact(percent(asked.alpha), "level of the two-sided test"),
    )
    page = Report(
        title=f"Power of {question.study}",
        subtitle="Simulated studies, each analysed as real data will be",
        headline=results.headline,
        facts=facts,
        sections=tuple(sections),
        files={"power": rows_as_json(counts.power)},
    )
    return reworded(page, question.wording)


def _power(counts: Counts, term: Term) -> Section:
    rows = [row for row in counts.power if row.term == term.name and not row.family]
    words = term.words
    picture = Picture(
        term.figure,
        f"Share of simulated studies in which the test of the {words} is significant, with 95 % "
        "intervals for the number of simulated studies. Dotted: the power that is usually "
        "wanted, or the level of the test where there is no effect.",
        f"Lines of power over participants for each number of items: {words}",
        power_figure(rows),
    )
    return Section(f"Power: {term.title}", (picture, _table(rows, term)))


def _table(rows: Rows, term: Term) -> Table:
    columns = [
        Column("Simulated", "put_in", str),
        Column("True value", "truth", term.write, term.unit),
        Column("Items", "items", grouped),
        Column("Participants", "participants", grouped),
        Column("Power", "power", rounded(percent, 1)),
        limits(bare_percent),
        Column("Type S", "type_s", rounded(percent, 1)),
        Column("Type M", "type_m", number),
        Column("As asked", "as_asked", percent),
        Column("Failed", "failed", rounded(percent, 1)),
        Column("Time", "median_run_s", number, "s, median"),
    ]
    asked = (
        "As asked: studies in which the model that was asked for was fitted with all its random "
        "effects. "
        if any(row.as_asked is not None for row in rows)
        else ""
    )
    note = (
        "True value: of what is tested. Type S: share of significant estimates "
        "with the wrong sign. Type M: mean size of significant estimates over the true size. "
        f"{asked}Failed: studies without a result; they count as studies that found nothing."
    )
    strong = changes("effect", "items")(rows)
    return table(f"Power of the test of the {term.words}.", columns, rows, note, strong)


def _verdicts(counts: Counts, verdicts: Verdicts) -> Section:
    rows = [row for row in counts.power if row.family == verdicts.name]
    picture = Picture(
        verdicts.figure,
        "Share of simulated studies whose report gives the right verdict, which each panel names, "
        "with 95 % intervals for the number of simulated studies. Dotted: the power that is "
        "usually wanted.",
        f"Lines over participants for each number of items: right verdicts on {verdicts.title}",
        power_figure([row for row in rows if row.right]),
    )
    meanings = tuple(f"{name}: {words}." for name, words in verdicts.meanings.items())
    parts = (picture, _verdict_table(rows, verdicts), Bullets(meanings))
    return Section(f"Verdicts: {verdicts.title}", parts)


@dataclass(frozen=True, slots=True)
class _Shares:
    """How often each verdict was given in one cell; `first` is the row of one of them."""

    first: PowerRow
    right: str
    by_verdict: Mapping[str, float]


def _verdict_table(rows: Rows, verdicts: Verdicts) -> Table:
    cells: dict[tuple[Any, int, int], list[PowerRow]] = {}
    for row in rows:
        cells.setdefault((row.effect, row.items, row.participants), []).append(row)
    shares = [
        _Shares(
            of_cell[0],
            next(row.term for row in of_cell if row.right),
            {row.term: row.power for row in of_cell},
        )
        for of_cell in cells.values()
    ]
    occurring = [
        name for name in verdicts.meanings if any(cell.by_verdict[name] for cell in shares)
    ]
    columns = [
        Column("Simulated", lambda cell: cell.first.put_in, str),
        Column("Items", lambda cell: cell.first.items, grouped),
        Column("Participants", lambda cell: cell.first.participants, grouped),
        Column("Right verdict", "right", str),
        *(Column(name.capitalize(), _share_of(name), rounded(percent, 1)) for name in occurring),
    ]
    return table(
        f"How often the report gives each verdict on {verdicts.title}.",
        columns,
        shares,
        "Verdicts that no study gave have no column. What is missing from 100 % are studies "
        "without a result.",
        changes("effect", "items")([cell.first for cell in shares]),
    )


def _share_of(verdict: str) -> Callable[[_Shares], float]:
    return lambda cell: cell.by_verdict[verdict]


def _methods(results: PowerResults) -> Section:
    parts: list[Part] = [
        Paragraph(results.method, "paste"),
        Paragraph(results.counts.formula, "formula"),
        Bullets(results.assumptions),
    ]
    return Section("How the studies were simulated", tuple(parts))


def _fits(counts: Counts) -> Section:
    return Section("Fits", (*_failures(counts.failures), *_models(counts.models, counts.formula)))


def _failures(reasons: Mapping[str, int]) -> list[Part]:
    if not reasons:
        return [Paragraph("Every study gave a result.")]
    counted = tuple(f"{count} ×: {reason}" for reason, count in reasons.items())
    return [Paragraph("Studies without a result count as studies that found nothing."),
            Bullets(counted)]  # fmt: skip


def _models(rows: Sequence[ModelCount], formula: str) -> list[Part]:
    """Return which models were fitted, the most frequent ones of each size."""
    sizes: dict[tuple[int, int], list[ModelCount]] = {}
    for row in rows:
        sizes.setdefault((row.participants, row.items), []).append(row)
    frequent = [row for of_size in sizes.values() for row in of_size[:MOST_MODELS]]
    if not frequent:
        return []
    columns = (
        Column("Items", "items", grouped),
        Column("Participants", "participants", grouped),
        Column("Model that was fitted", lambda row: row.model or "none was sound"),
        Column("As asked", lambda row: "yes" if row.as_asked else "no", str),
        Column("Studies", lambda row: row.studies / row.of, rounded(percent, 1)),
    )
    note = f"Asked for: {formula}. The {MOST_MODELS} most frequent models of each size."
    strong = changes("items", "participants")(frequent)
    return [table("Models that were fitted.", columns, frequent, note, strong)]


def _software(counts: Counts) -> Section:
    versions = listed([f"{name} {value}" for name, value in counts.versions.items()])
    text = f"{versions}. Seed {counts.asked.seed}. Runs are kept in runs.jsonl."
    return Section("Software", (Paragraph(text, "quiet"),))


def power_figure(rows: Rows) -> Figure:
    """Draw one term's power: a panel for each effect."""
    effects = list(dict.fromkeys(row.effect for row in rows))
    items = sorted({row.items for row in rows})
    across = min(len(effects), _ACROSS)
    down = -(-len(effects) // across)
    with figure_style():
        figure, panels = subplots(
            down, across, squeeze=False, layout="constrained",
            figsize=(min(WIDTH_IN, 1.1 + across * _PANEL_IN * (1.5 if across == 1 else 1)),
                     0.3 + down * _PANEL_IN),
        )  # fmt: skip
        for axes, effect in zip(panels.flat, effects, strict=False):
            of_effect = [row for row in rows if row.effect == effect]
            _panel(axes, of_effect, items, _title(of_effect[0]))
        for axes in panels.flat[len(effects) :]:
            axes.set_visible(False)
        for line in panels:
            line[0].set_ylabel("studies that say so" if rows[0].family else "studies that find it")
        # A row or column of panels may be short: its lowest panels have the axis label.
        for place, axes in enumerate(panels.flat[: len(effects)]):
            if place + across >= len(effects):
                axes.set_xlabel("participants")
        if len(items) > 1:
            handles, labels = panels[0, 0].get_legend_handles_labels()
            figure.legend(
                handles, labels, loc="outside lower center",
                ncols=min(len(items), 6), handlelength=2.6, title="items each",
                title_fontsize=8,
            )  # fmt: skip
    return figure


def _title(row: PowerRow) -> str:
    null = "false alarms" if row.truth == 0 else ""
    verdict = f"right verdict: {row.term}" if row.family else null
    return f"{row.put_in}\n{verdict}".strip()


def _panel(axes: Axes, rows: Rows, items: Sequence[int], title: str) -> None:
    null = rows[0].truth == 0
    axes.set_title(title)
    axes.axhline(
        ALPHA if null else WANTED, color=SOFT, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=0
    )
    for place, count in enumerate(items):
        of_items = sorted((r for r in rows if r.items == count), key=lambda r: r.participants)
        colour, marker, line = _LOOKS[place % MOST_LINES]
        # Side by side, so that intervals at one number of participants don't overlap.
        shift = 1 + 0.025 * (place - (len(items) - 1) / 2)
        x = [row.participants * shift for row in of_items]
        y = [row.power for row in of_items]
        below = [max(0.0, row.power - row.ci_low) for row in of_items]
        above = [max(0.0, row.ci_high - row.power) for row in of_items]
        axes.errorbar(
            x, y, yerr=[below, above], color=colour, marker=marker, linestyle=line,
            markersize=4.2, linewidth=1.3, elinewidth=0.8, capsize=0, label=f"{count}",
        )  # fmt: skip
    people = sorted({row.participants for row in rows})
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(people))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([str(number) for number in people])
    margin = 1.25
    axes.set_xlim(people[0] / margin, people[-1] * margin)
    highest = max(row.ci_high for row in rows)
    axes.set_ylim(0, min(1.03, max(0.2, 1.1 * highest)) if null else 1.03)
    axes.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    axes.annotate(
        percent(ALPHA if null else WANTED),
        (1 if null else 0, ALPHA if null else WANTED),
        xycoords=("axes fraction", "data"),
        xytext=(-1 if null else 2, 2),
        textcoords="offset points",
        ha="right" if null else "left",
        fontsize=7,
        color=INK,
    )

"""The report of a power simulation."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.power.figures import power_figure
from analysis.power.question import Question, Term
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
    table,
)
from analysis.report.wording import (
    bare_percent,
    grouped,
    listed,
    number,
    percent,
    rounded,
)

Results = Mapping[str, Any]
Row = Mapping[str, Any]


def build_page(results: Results, question: Question) -> Report:
    """Return the report of `results`."""
    asked = results["asked"]
    sections = [_power(results, question, term) for term in question.terms]
    sections += [_methods(results), _fits(results), _software(results)]
    combinations = len(list(question.grid.cells()))
    facts = (
        Fact(str(asked["runs"]), "simulated studies a combination"),
        Fact(str(combinations), "combinations of participants, items and effect"),
        Fact(asked["generator"], "made the answers"),
        Fact(percent(asked["alpha"]), "level of the two-sided test"),
    )
    return Report(
        title=f"Power of {question.study}",
        subtitle="Simulated studies, each analysed as real data will be",
        headline=tuple(results["headline"]),
        facts=facts,
        sections=tuple(sections),
        files={"power": results["power"]},
    )


def headline(results: Results, question: Question) -> list[str]:
    """Return what the simulation shows of the first term, in a few sentences."""
    said = []
    main = question.terms[0]
    for row in results["enough"]:
        if row["term"] != main.name:
            continue
        size = f"{main.write(row['truth'])} {main.unit}"
        what = f"An effect of {size} with {row['items']} items each"
        if row["participants"] is None:
            said.append(
                f"{what}: {row['largest_tried']} participants are too few for "
                f"{percent(results['wanted'])} power ({percent(row['largest_power'])})."
            )
        else:
            sure = "" if row["sure"] else ", within the simulation's error"
            said.append(
                f"{what}: {row['participants']} participants reach "
                f"{percent(results['wanted'])} power{sure}."
            )
    null = [r for r in results["power"] if r["term"] == main.name and r["truth"] == 0]
    if null:
        found, runs = (sum(row[name] for row in null) for name in ("significant", "runs"))
        said.append(
            f"Without an effect one is found in {percent(found / runs, 1)} of {runs} studies "
            f"(wanted: {percent(results['asked']['alpha'])})."
        )
    return said


def _power(results: Results, question: Question, term: Term) -> Section:
    rows = [row for row in results["power"] if row["term"] == term.name]
    words = term.words
    picture = Picture(
        term.figure,
        f"Share of simulated studies in which the test of the {words} is significant, with 95 % "
        "intervals for the number of simulated studies. Dotted: the power that is usually "
        "wanted, or the level of the test where there is no effect.",
        f"Lines of power over participants for each number of items: {words}",
        power_figure(rows, question),
    )
    return Section(f"Power: {term.title}", (picture, _table(rows, question, term)))


def _table(rows: Sequence[Row], question: Question, term: Term) -> Table:
    def effects(row: Row) -> str:
        return ", ".join(question.write_effect(value) for value in question.effect_of(row))

    columns = [
        *([Column(term.parts, effects, str, question.effect_unit)] if term.parts else []),
        Column("Effect", "truth", term.write, term.unit),
        Column("Items", "items", grouped),
        Column("Participants", "participants", grouped),
        Column("Power", "power", rounded(percent, 1)),
        limits(bare_percent),
        Column("Type S", "type_s", rounded(percent, 1)),
        Column("Type M", "type_m", number),
        Column("Singular", "singular", percent),
        Column("Failed", "failed", rounded(percent, 1)),
        Column("Time", "median_run_s", number, "s, median"),
    ]
    note = (
        "Effect: the true difference. Type S: share of significant estimates "
        "with the wrong sign. Type M: mean size of significant estimates over the true size. "
        "Singular: fits in which a random effect vanished and was left out by the stated rule. "
        "Failed: fits without a result; they count as studies that found nothing."
    )
    strong = changes(*question.effect_columns, "items")(rows)
    return table(f"Power of the test of the {term.words}.", columns, rows, note, strong)


def _methods(results: Results) -> Section:
    parts: list[Part] = [
        Paragraph(results["method"], "paste"),
        Paragraph(results["formula"], "formula"),
        Bullets(tuple(results["assumptions"])),
    ]
    return Section("How the studies were simulated", tuple(parts))


def _fits(results: Results) -> Section:
    reasons = results["failures"]
    if not reasons:
        return Section("Fits", (Paragraph("Every fit gave a result."),))
    said = [f"{count} ×: {reason}" for reason, count in reasons.items()]
    return Section(
        "Fits",
        (Paragraph("Fits that gave no result count as studies that found nothing."),
         Bullets(tuple(said))),
    )  # fmt: skip


def _software(results: Results) -> Section:
    versions = listed([f"{name} {value}" for name, value in results["versions"].items()])
    text = f"{versions}. Seed {results['asked']['seed']}. Runs are kept in runs.jsonl."
    return Section("Software", (Paragraph(text, "quiet"),))

"""A power simulation: from what is asked to its sentences and files."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.data.json_values import plain
from analysis.power.grid import ALPHA, Cell, Outcome
from analysis.power.page import build_page
from analysis.power.question import Question, Simulator, Stage, Verdicts
from analysis.power.summary import (
    WANTED,
    failures,
    fitted_models,
    share_verdicts,
    smallest_enough,
    summarise,
)
from analysis.power.words import assumptions, method_paragraph, versions
from analysis.report.wording import count, percent
from analysis.report.writer import check_folder, write_report
from stimuli.io.files import write_whole
from stimuli.workers import Kept, Workers, check_reachable, ordered_map

SCHEMA = "power/1.1"
RUNS, TABLE = "runs.jsonl", "power.csv"

Results = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """A finished simulation: its page and its results."""

    page: Path
    results: dict[str, Any]


def run_power(
    question: Question,
    out: Path,
    workers: Workers,
    stage: Stage = lambda title, total: lambda key: None,
) -> Done:
    """Simulate, fit, count, and write the report.

    Finished runs are kept in ``runs.jsonl`` as they come: the same call goes on where it was
    stopped, and a call with more runs or a larger grid adds to them. Numbers don't depend
    on the workers.

    Parameters
    ----------
    question
        What is asked.
    out
        Folder of the report.
    workers
        Where studies are simulated.
    stage
        Called with each stage's title and number of steps; returns a function to call at each step.

    Raises
    ------
    UserError
        If the folder holds other things, or an effect can't be simulated.
    """
    own = {"tables": ("power",), "figures": question.figures}
    check_folder(out, own, beside=(RUNS, TABLE))
    check_reachable(workers)
    with closing(Kept(out / RUNS)) as kept:
        simulator = question.prepare(workers, kept, stage)
        cells = {
            f"{simulator.key}/{cell.name}/{number}": (cell, number)
            for number in range(question.grid.runs)
            for cell in question.grid.cells()
        }
        tasks = ((key, simulator.task(*run)) for key, run in cells.items())
        step = stage("simulating studies", len(cells))
        outcomes: dict[Cell, list[Outcome]] = {cell: [] for cell in question.grid.cells()}
        for key, value in ordered_map(simulator.run, tasks, workers, kept, step):
            outcomes[cells[key][0]].append(Outcome.of(value))
    results = plain(_results(question, simulator, outcomes))
    page = write_report(out, build_page(results, question), results)
    write_whole(out / TABLE, (out / "tables" / TABLE).read_bytes())
    return Done(page, results)


def _results(
    question: Question, simulator: Simulator, outcomes: dict[Cell, list[Outcome]]
) -> dict[str, Any]:
    named = {cell: question.panel(cell.effect.columns()) for cell in outcomes}
    rows = [
        summarise(cell, named[cell], term, own)
        for term in question.terms
        for cell, own in outcomes.items()
    ]
    rows += [
        row
        for verdicts in question.verdicts
        for cell, own in outcomes.items()
        for row in share_verdicts(cell, named[cell], verdicts, own)
    ]
    everything = [one for own in outcomes.values() for one in own]
    results: dict[str, Any] = {
        "schema": SCHEMA,
        "study": question.study,
        "asked": _describe_question(question),
        "formula": question.formula,
        "terms": [term.name for term in question.terms],
        "wanted": WANTED,
        "calibration": simulator.calibration,
        "power": rows,
        "verdicts": {verdicts.name: dict(verdicts.said) for verdicts in question.verdicts},
        "enough": smallest_enough(rows),
        "models": fitted_models(outcomes),
        "failures": failures(everything),
        "versions": versions(),
    }
    results["method"] = method_paragraph(results, question)
    results["assumptions"] = assumptions(results, question)
    results["headline"] = headline_sentences(results, question)
    return results


def _describe_question(question: Question) -> dict[str, Any]:
    grid = question.grid
    return {
        "participants": list(grid.participants),
        "items": list(grid.items),
        "runs": grid.runs,
        "alpha": ALPHA,
        "seed": question.seed,
        **question.asked,
    }


def headline_sentences(results: Results, question: Question) -> list[str]:
    """Return what the simulation shows of the first test and of the verdicts."""
    verdicts = (_verdicts(results, one) for one in question.verdicts)
    return [*_enough(results, question), *_false_alarms(results, question), *verdicts]


def _enough(results: Results, question: Question) -> list[str]:
    main, said = question.terms[0], []
    runs = count(results["asked"]["runs"], "simulated study", "simulated studies")
    for row in results["enough"]:
        if row["term"] != main.name:
            continue
        size = f"{main.write(row['truth'])} {main.unit}"
        what = f"An effect of {size} ({main.words}) with {row['items']} items each"
        if row["participants"] is None:
            said.append(
                f"{what}: {row['largest_tried']} participants are too few for "
                f"{percent(results['wanted'])} power ({percent(row['largest_power'])} of {runs})."
            )
        else:
            sure = "" if row["sure"] else f", but {runs} can't show this for certain"
            said.append(
                f"{what}: {row['participants']} participants reach "
                f"{percent(results['wanted'])} power{sure}."
            )
    return said


def _false_alarms(results: Results, question: Question) -> list[str]:
    main = question.terms[0].name
    null = [row for row in results["power"] if row["term"] == main and row["truth"] == 0]
    if not null:
        return []
    found, runs = (sum(row[name] for row in null) for name in ("significant", "runs"))
    return [
        f"Without an effect one is found in {percent(found / runs, 1)} of {runs} studies "
        f"(wanted: {percent(results['asked']['alpha'])})."
    ]


def _verdicts(results: Results, verdicts: Verdicts) -> str:
    """Return how often the report's verdict is right, and how often it claims what isn't so."""
    rows = [row for row in results["power"] if row["family"] == verdicts.name]
    right = [row["power"] for row in rows if row["right"]]
    false: dict[tuple[Any, ...], float] = {}
    for row in rows:
        if not row["right"] and row["term"] != verdicts.silent:
            key = (row["put_in"], row["items"], row["participants"])
            false[key] = false.get(key, 0.0) + row["power"]
    worst = max(false.values(), default=0.0)
    low, high = percent(min(right)), percent(max(right))
    span = low if low == high else f"{low} to {high}"
    return (
        f"The report's verdict on {verdicts.title} is right in {span} of the studies. For one size "
        f"and effect, at most {percent(worst, 1)} of the studies make a false claim."
    )

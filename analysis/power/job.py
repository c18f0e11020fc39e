"""Run a power simulation, and write its report and files.

`answer` is the part of a study's ``power`` command that all studies share.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from analysis.power.options import JobOptions
from analysis.power.page import build_page
from analysis.power.question import ALPHA, Outcome, Question, carry_out
from analysis.power.results import (
    SCHEMA,
    WANTED,
    Asked,
    Counts,
    PowerResults,
    answer_as_json,
    results_as_json,
)
from analysis.power.simulation import Cell
from analysis.power.summary import (
    Studies,
    assumptions,
    failures,
    fitted_models,
    headline_sentences,
    method_paragraph,
    share_verdicts,
    smallest_enough,
    summarise,
    versions,
)
from analysis.report.writer import check_folder, write_report
from stimuli.io.files import write_whole
from stimuli.rich_terminal import Console
from stimuli.workers import Kept, Workers, check_reachable, ordered_map

RUNS: Final = "runs.jsonl"
TABLE: Final = "power.csv"


Stage = Callable[[str, int], Callable[[str], None]]
"""Called with a stage's title and number of steps; returns a function to call at each step."""


@dataclass(frozen=True, slots=True)
class FinishedSimulation:
    """A finished simulation: its page and its results."""

    page: Path
    results: PowerResults


def run_power(
    question: Question,
    out: Path,
    workers: Workers,
    stage: Stage = lambda title, total: lambda key: None,
) -> FinishedSimulation:
    """Simulate, fit, count, and write the report.

    Finished runs are kept in ``runs.jsonl`` as they come: the same call continues where it was
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
        If the folder holds other things.
    """
    stems = {"tables": ("power",), "figures": question.figures}
    check_folder(out, stems, beside=(RUNS, TABLE))
    check_reachable(workers)
    ask = question.ask
    with closing(Kept(out / RUNS)) as kept:
        cells = {
            f"{ask.key}/{cell.name}/{number}": (cell, number)
            for number in range(ask.grid.runs)
            for cell in ask.grid.cells()
        }
        tasks = ((key, ask.run(*run)) for key, run in cells.items())
        simulate = partial(_run_plain, question.run)
        step = stage("simulating studies", len(cells))
        outcomes: dict[Cell, list[Outcome]] = {cell: [] for cell in ask.grid.cells()}
        for key, value in ordered_map(simulate, tasks, workers, kept, step):
            outcomes[cells[key][0]].append(Outcome.of(value))
    results = _results(question, outcomes)
    page = write_report(out, build_page(results, question), results_as_json(results))
    write_whole(out / TABLE, (out / "tables" / TABLE).read_bytes())
    return FinishedSimulation(page, results)


def _run_plain(run_study: Callable[[Any], Outcome], run: Any) -> dict[str, Any]:
    """Return a simulated study's outcome as it is kept."""
    return carry_out(run_study, run).plain()


def _results(question: Question, outcomes: dict[Cell, list[Outcome]]) -> PowerResults:
    counts = _counts(question, outcomes)
    return PowerResults(
        schema=SCHEMA.tag,
        counts=counts,
        method=method_paragraph(counts, question),
        assumptions=assumptions(counts, question),
        headline=headline_sentences(counts, question),
    )


def _counts(question: Question, outcomes: dict[Cell, list[Outcome]]) -> Counts:
    studies = [
        Studies(cell, question.panel(cell.effect), of_cell) for cell, of_cell in outcomes.items()
    ]
    rows = [summarise(cell_studies, term) for term in question.terms for cell_studies in studies]
    rows += [
        row
        for verdicts in question.verdicts
        for cell_studies in studies
        for row in share_verdicts(cell_studies, verdicts)
    ]
    ask, grid = question.ask, question.ask.grid
    return Counts(
        study=question.study,
        asked=Asked(
            protocol=ask.protocol.name,
            generator=question.generator,
            participants=grid.participants,
            items=grid.items,
            effects=grid.effects,
            runs=grid.runs,
            alpha=ALPHA,
            seed=ask.seed,
            world=ask.world,
        ),
        formula=question.formula,
        terms=tuple(term.name for term in question.terms),
        wanted=WANTED,
        power=tuple(rows),
        verdicts={verdicts.name: dict(verdicts.meanings) for verdicts in question.verdicts},
        enough=smallest_enough(rows),
        models=fitted_models(outcomes),
        failures=failures([outcome for of_cell in outcomes.values() for outcome in of_cell]),
        versions=versions(),
    )


def answer(question: Question, job: JobOptions) -> None:
    """Simulate, show how far it is, and print the headline or all of the answer as JSON."""
    with _stages(quiet=job.as_json) as stage:
        done = run_power(question, job.out, Workers(job.workers, job.scheduler), stage)
    if job.as_json:
        print(json.dumps(answer_as_json(done.results, str(done.page)), ensure_ascii=False))
        return
    for sentence in done.results.headline:
        print(sentence)
    print(f"Report: {done.page}")


@contextmanager
def _stages(quiet: bool) -> Iterator[Stage]:
    """Show a bar with an estimate for each stage, on a terminal only."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    hidden = quiet or not console.is_terminal
    with Progress(*columns, console=console, disable=hidden) as bars:

        def stage(title: str, total: int) -> Callable[[str], None]:
            task = bars.add_task(title, total=total)
            return lambda key: bars.advance(task)

        yield stage

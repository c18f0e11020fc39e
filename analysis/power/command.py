"""The part of a study's command under ``power`` that all studies share."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from analysis.power.job import run_power
from analysis.power.options import JobOptions
from analysis.power.question import Question, Stage
from analysis.power.results import answer_as_json
from stimuli.workers import Workers


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

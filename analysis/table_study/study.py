"""How a study from a table is analysed."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.power.options import JobOptions, grid_of
from analysis.study import METRICS_HELP, Study, TableBeside
from analysis.table_study.power import ItemWorld, PowerSizes
from stimuli.options import grouped

if TYPE_CHECKING:
    from analysis.questions.inquiry import Inquiry
    from analysis.questions.trials import Questions
    from analysis.table_study.data import ItemData


def declare(folder: Path, questions: "Callable[[], Questions]" = tuple) -> Study:
    """Return the declaration of the study in a folder.

    Parameters
    ----------
    folder
        The study's.
    questions
        Returns questions of the study's own, which follow the general ones.
    """

    def inquiry() -> "Inquiry[ItemData]":
        from analysis.table_study.inquiry import table_inquiry

        return table_inquiry(folder.name, questions())

    return Study(
        inquiry,
        beside={
            "items": TableBeside(("item",), "Its item table, with --trials."),
            "people": TableBeside(("participant", "arm")),
            "explanations": TableBeside(("method",)),
            "metrics": TableBeside(("presentation", "method"), METRICS_HELP),
        },
        power=_power_of(folder),
    )


def _power_of(folder: Path) -> "Callable[..., None]":
    def power(sizes: PowerSizes, world: ItemWorld, job: JobOptions) -> None:
        from analysis.power.job import answer
        from analysis.power.simulation import Ask
        from analysis.table_study.simulated import measured_rows, question_of, test_of
        from stimuli.protocol import load_protocol
        from stimuli.table_study.items import TableReader
        from stimuli.table_study.protocol import TableStudy

        protocol = load_protocol(folder.name, sizes.protocol)
        assert isinstance(protocol, TableStudy)
        items = tuple(TableReader(protocol, folder).read())
        rows = measured_rows(test_of(protocol, sizes.test), items)
        there = len({row["item"] for row in rows})
        known_sizes = replace(sizes, items=tuple(number or there for number in sizes.items))
        grid = grid_of(known_sizes, known_sizes.effect)
        asked = replace(world, test=known_sizes.test, table=items)
        answer(question_of(Ask(protocol, grid, asked, job.seed)), job)

    power.__doc__ = f"""Find how many participants {folder.name} needs, from its study.toml.

    The command simulates the study many times and analyses each simulated study as the report
    does. It writes report.html, results.json, power.csv and figures/*. After an interruption the
    same command continues. With more --runs or more combinations it adds to finished runs.

    Example: python3 lab.py power {folder.name} --participants 20,40,80 --effect 0.1,0 --out power
    """
    return grouped(power)

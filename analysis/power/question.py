"""What a study hands over to have its power simulated."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.power.grid import Cell, Grid
from stimuli.workers import Kept, Workers

Row = Mapping[str, Any]
Stage = Callable[[str, int], Callable[[str], None]]
"""Takes the title and number of steps of a stage; gives what is told of each step."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a study's model whose test is counted.

    Attributes
    ----------
    name
        The term, as in `analysis.power.grid.Outcome`.
    contrast
        What it is on the probability scale, as there.
    truth
        From an effect that was put in to the contrast's true value.
    words
        What it tests, after "the test of the".
    title
        Heading of its section.
    figure
        Stem of its figure's files.
    parts
        Heading of a column with the effects from which the contrast is made; empty for no
        such column.
    """

    name: str
    contrast: str
    truth: Callable[[Any], float]
    words: str
    title: str
    figure: str
    parts: str = ""


@dataclass(frozen=True, slots=True)
class Simulator:
    """How one simulated study is made and analysed.

    Attributes
    ----------
    key
        Stands for all that a run's outcome depends on beside its cell and number.
    run
        Simulates and analyses what `task` returns, on any worker; gives an `Outcome`, plain.
    task
        From a cell and the number of the run to what `run` takes.
    calibration
        What was measured before the first study; None where nothing was.
    """

    key: str
    run: Callable[[Any], dict[str, Any]]
    task: Callable[[Cell, int], Any]
    calibration: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Question:
    """A study's power: of which tests, at which sizes and effects, by which answers.

    Attributes
    ----------
    study
        Name of the study.
    formula
        The model that is fitted to each simulated study.
    terms
        Its tests; the first one's power makes the headline.
    grid
        Sizes, effects and runs.
    seed
        Root of every draw.
    asked
        What else was asked, as it stands in ``results.json``; ``generator`` says who answers.
    prepare
        Returns where answers come from; long work goes to the workers, with what they finish
        kept. Raises UserError where an effect can't be put in.
    panel
        From a row of the table to the title of its effect.
    method
        From the results to two sentences or more: who judged what, and who answered.
    assumptions
        From the results to what the answers rest on, one sentence each.
    """

    study: str
    formula: str
    terms: tuple[Term, ...]
    grid: Grid
    seed: int
    asked: Mapping[str, Any]
    prepare: Callable[[Workers, Kept, Stage], Simulator]
    panel: Callable[[Row], str]
    method: Callable[[Mapping[str, Any]], str]
    assumptions: Callable[[Mapping[str, Any]], Sequence[str]]

    @property
    def effect_columns(self) -> tuple[str, ...]:
        """Columns of the table that hold the effect that was put in."""
        return tuple(self.grid.effects[0].columns())

    def effect_of(self, row: Row) -> tuple[float, ...]:
        """Return the effect that was put in, from a row of the table."""
        return tuple(row[name] for name in self.effect_columns)

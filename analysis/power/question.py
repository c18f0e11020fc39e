"""What a study declares so that its power can be simulated."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from analysis.power.grid import ALPHA, Cell, Grid
from analysis.report.wording import percent, points
from stimuli.io.canonical import hash_of
from stimuli.version import suite_version
from stimuli.workers import Kept, Workers

Row = Mapping[str, Any]
Stage = Callable[[str, int], Callable[[str], None]]
"""Called with a stage's title and number of steps; returns a function to call at each step."""

MIXED_FIT: Final = (
    "To each simulated study the preregistered mixed logistic model was fitted as in the analysis "
    "of real data, random slopes that vanished being left out by the stated rule"
)
MIXED_TEST: Final = (
    f"{MIXED_FIT}, and a two-sided t test (Satterthwaite’s degrees of freedom) "
    f"at {percent(ALPHA)} was counted."
)


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
        Returns the contrast's true value for a simulated effect.
    words
        What it tests, after "the test of the".
    title
        Heading of its section.
    figure
        Stem of its figure's files.
    parts
        Heading of a column with the effects from which the contrast is made; empty for no
        such column.
    write, unit
        How the contrast is printed, and in what.
    """

    name: str
    contrast: str
    truth: Callable[[Any], float]
    words: str
    title: str
    figure: str
    parts: str = ""
    write: Callable[[float | None], str] = points
    unit: str = "points"


@dataclass(frozen=True, slots=True)
class Simulator:
    """How one simulated study is made and analysed.

    Attributes
    ----------
    key
        Hash of all that a run's outcome depends on, apart from its cell and number.
    run
        Simulates and analyses a task, on any worker; returns an `Outcome` in its plain form.
    task
        Returns what `run` takes, from a cell and the number of the run.
    calibration
        What was measured before the first study; None where nothing was.
    """

    key: str
    run: Callable[[Any], dict[str, Any]]
    task: Callable[[Cell, int], Any]
    calibration: Mapping[str, Any] | None = None


def key_of(*parts: Any) -> str:
    """Return the key of a simulator: a hash of all that its runs depend on, and of the suite."""
    return hash_of([*parts, suite_version()])[:16]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about a study's power: which tests, sizes and effects, and who answers.

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
        Returns the simulator. Its long work goes to the workers, and finished tasks are kept.
        Raises UserError if an effect can't be simulated.
    panel
        Returns the title of an effect, from a row of the table. Where the term has none the
        figure adds that its studies are false alarms.
    method
        Returns two sentences or more, from the results: who judged what, and who answered.
    assumptions
        Returns what the answers rest on, one sentence each, from the results.
    write_effect, effect_unit
        How a simulated effect is printed, and in what.
    test
        How each simulated study was analysed and what was counted.
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
    write_effect: Callable[[float | None], str] = points
    effect_unit: str = "points"
    test: str = MIXED_TEST

    @property
    def effect_columns(self) -> tuple[str, ...]:
        """Columns of the table that hold the simulated effect."""
        return tuple(self.grid.effects[0].columns())

    def effect_of(self, row: Row) -> tuple[float, ...]:
        """Return the simulated effect, from a row of the table."""
        return tuple(row[name] for name in self.effect_columns)

"""What a study declares so that its power can be simulated."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic

from analysis.power.grid import Cell, Grid, Outcome
from analysis.power.results import Counts, Own
from analysis.report.wording import points
from stimuli.io.canonical import hash_of
from stimuli.versions import suite_version
from stimuli.workers import Kept, Workers

KEPT_AS: Final = "outcome/2"
"""Form of a kept outcome; runs that were kept in another form are simulated again."""
Stage = Callable[[str, int], Callable[[str], None]]
"""Called with a stage's title and number of steps; returns a function to call at each step."""

MIXED_FIT: Final = (
    "To each simulated study the preregistered mixed logistic model was fitted as in the analysis "
    "of real data, random slopes that vanished being left out by the stated rule"
)


@dataclass(frozen=True, slots=True)
class Term:
    """A test that is counted.

    Attributes
    ----------
    name
        The test, as in `analysis.power.grid.Outcome`.
    truth
        Returns the true value of what it tests for a simulated effect; None where it isn't known.
    words
        What it tests, after "the test of the".
    title
        Heading of its section.
    figure
        Stem of its figure's files.
    write, unit
        How the true value is printed, and in what.
    """

    name: str
    truth: Callable[[Any], float | None]
    words: str
    title: str
    figure: str
    write: Callable[[float | None], str] = points
    unit: str = "points"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """A question that the report answers with one of several verdicts.

    Attributes
    ----------
    name
        The question, as in `analysis.power.grid.Outcome`.
    title
        Heading of its section.
    said
        The verdicts, each with what it says.
    silent
        The verdict that claims nothing.
    right
        Returns the verdict that is right for a simulated effect.
    figure
        Stem of its figure's files.
    """

    name: str
    title: str
    said: Mapping[str, str]
    silent: str
    right: Callable[[Any], str]
    figure: str


@dataclass(frozen=True, slots=True)
class Simulator:
    """How one simulated study is made and analysed.

    Attributes
    ----------
    key
        Hash of all that a run's outcome depends on, apart from its cell and number.
    run
        Simulates and analyses a task, on any worker; a function of a module.
    task
        Returns what `run` takes, from a cell and the number of the run.
    calibration
        What was measured before the first study, a dataclass; None where nothing was.
    """

    key: str
    run: Callable[[Any], Outcome]
    task: Callable[[Cell, int], Any]
    calibration: Any = None


def key_of(*parts: Any) -> str:
    """Return the key of a simulator: a hash of all that its runs depend on, and of the suite."""
    return hash_of([*parts, KEPT_AS, suite_version()])[:16]


@dataclass(frozen=True, slots=True)
class Question(Generic[Own]):
    """What is asked about a study's power: which tests, sizes and effects, and who answers.

    Attributes
    ----------
    study
        Name of the study.
    formula
        The model that is fitted to each simulated study.
    terms
        Its tests; the first one's power makes the headline.
    verdicts
        What the report gives a verdict on.
    grid
        Sizes, effects and runs.
    seed
        Root of every draw.
    asked
        What else was asked, as it stands in ``results.json``.
    prepare
        Returns the simulator. Its long work goes to the workers, and finished tasks are kept.
        Raises UserError if an effect can't be simulated.
    panel
        Returns a simulated effect in words. Where the test has none the figure adds that its
        studies are false alarms.
    method
        Returns two sentences or more, from what was counted: who judged what, and who answered.
    assumptions
        Returns what the answers rest on, one sentence each, from what was counted.
    test
        How each simulated study was analysed and what was counted.
    wording
        Returns a sentence of the page in the words of the protocol.
    """

    study: str
    formula: str
    terms: tuple[Term, ...]
    grid: Grid
    seed: int
    asked: Own
    prepare: Callable[[Workers, Kept, Stage], Simulator]
    panel: Callable[[Any], str]
    method: Callable[[Counts[Own]], str]
    assumptions: Callable[[Counts[Own]], Sequence[str]]
    test: str
    verdicts: tuple[Verdicts, ...] = ()
    wording: Callable[[str], str] = field(default=lambda sentence: sentence)

    @property
    def figures(self) -> tuple[str, ...]:
        """Stems of the figures' files."""
        return tuple(part.figure for part in (*self.terms, *self.verdicts))

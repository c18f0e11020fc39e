"""What a study declares for the simulation of its power.

The grid says what is asked: sizes, effects and runs. An outcome is what one run found.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Generic, Protocol

from analysis.mixed.freedom import VANISHING
from analysis.power.options import require_numbers
from analysis.power.results import Counts, Own
from analysis.report.model import FittedModel, LogisticFit, ModelFit
from analysis.report.wording import points, unknown
from stimuli.io.canonical import hash_of
from stimuli.versions import suite_version
from stimuli.workers import Kept, Workers

ALPHA = 0.05

KEPT_AS: Final = "outcome/2"
"""Form of a kept outcome; runs that were kept in another form are simulated again."""
Stage = Callable[[str, int], Callable[[str], None]]
"""Called with a stage's title and number of steps; returns a function to call at each step."""

MIXED_FIT: Final = (
    "To each simulated study the preregistered mixed logistic model was fitted as in the analysis "
    "of real data, random slopes that vanished being left out by the stated rule"
)


class Effect(Protocol):
    """An effect that a simulation takes as true; hashable."""

    @property
    def name(self) -> str:
        """The effect in a run's key."""

    def columns(self) -> dict[str, float]:
        """Return the effect as it stands in the table of results."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of the grid.

    Attributes
    ----------
    participants, items
        People in a study, and different items that each of them judges.
    effect
        The simulated `Effect`.
    """

    participants: int
    items: int
    effect: Any

    @property
    def name(self) -> str:
        """The cell in a run's key."""
        return f"{self.participants}x{self.items}/{self.effect.name}"


@dataclass(frozen=True, slots=True)
class Grid:
    """All combinations, and how often each is simulated.

    Attributes
    ----------
    participants, items, effects
        Ascending, without repeats; effects are each an `Effect`.
    runs
        Simulated studies a cell.
    """

    participants: tuple[int, ...]
    items: tuple[int, ...]
    effects: tuple[Any, ...]
    runs: int

    def cells(self) -> Iterator[Cell]:
        """Yield the cells, smallest studies first."""
        for effect, items, participants in itertools.product(
            self.effects, self.items, self.participants
        ):
            yield Cell(participants, items, effect)


class Sizes(Protocol):
    """The sizes that a command was asked for."""

    @property
    def participants(self) -> tuple[int, ...]:
        """Numbers of participants."""

    @property
    def items(self) -> tuple[int, ...]:
        """Numbers of items."""

    @property
    def runs(self) -> int:
        """Simulated studies a combination."""


def grid_of(
    sizes: Sizes, effects: tuple[Any, ...], least_people: int = 2, least_items: int = 4
) -> Grid:
    """Return the grid of a command; UserError if a size is too small."""
    return Grid(
        require_numbers("--participants", sizes.participants, least_people),
        require_numbers("--items", sizes.items, least_items),
        effects,
        sizes.runs,
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the analysis of one simulated study found.

    Attributes
    ----------
    fitted
        Whether the analysis gave a result; if it didn't, nothing else counts.
    reason
        Why not, in words.
    as_asked
        Whether the model that was asked for was fitted, with all its random effects; None if the
        analysis has no model.
    model
        Formula of the model that was fitted; empty if no fit is sound.
    tests
        By test: the estimate in its unit (None if unknown), and whether the report finds it.
    verdicts
        By question: the report's verdict.
    run_s
        Seconds to simulate and to analyse.
    """

    fitted: bool
    reason: str
    as_asked: bool | None
    model: str
    tests: Mapping[str, tuple[float | None, bool]]
    verdicts: Mapping[str, str]
    run_s: float

    def plain(self) -> dict[str, Any]:
        """Return the outcome as JSON can hold it."""
        tests = {
            name: [None if unknown(estimate) else estimate, found]
            for name, (estimate, found) in self.tests.items()
        }
        return {**asdict(self), "tests": tests, "verdicts": dict(self.verdicts)}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> "Outcome":
        """Return an outcome from its plain form."""
        return cls(**plain)

    @classmethod
    def without(cls, reason: str, run_s: float, *, model: bool = True) -> "Outcome":
        """Return the outcome of a study whose analysis gave no result."""
        return cls(False, reason, False if model else None, "", {}, {}, run_s)


def as_asked(model: LogisticFit | ModelFit, terms: int) -> bool:
    """Return whether the model that was asked for was fitted, with nothing left out.

    Parameters
    ----------
    model
        The fit.
    terms
        Number of random effects that it asks for, over all groups.
    """
    if not model.fitted or not model.converged or len(model.random) != terms:
        return False
    uncorrelated = "||" in model.formula and "||" not in model.asked
    return not uncorrelated and all(
        row.sd is not None and row.sd >= VANISHING for row in model.random
    )


def fitted_formula(model: FittedModel) -> str:
    """Return the formula of a sound fit; empty if there is none."""
    return model.formula if model.fitted and model.converged else ""


@dataclass(frozen=True, slots=True)
class Term:
    """A test that is counted.

    Attributes
    ----------
    name
        The test, as in `Outcome`.
    truth
        Returns the true value of what it tests for a simulated effect; None if it isn't known.
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
        The question, as in `Outcome`.
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
        What was measured before the first study, a dataclass; None if nothing was.
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
        Returns a simulated effect in words. If the test's true value is 0, the figure adds that its
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

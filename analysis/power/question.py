"""What a study declares for the simulation of its power, and what one simulated study found."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from numpy.linalg import LinAlgError
from threadpoolctl import threadpool_limits

from analysis.mixed import NotEstimableError
from analysis.mixed.freedom import VANISHING
from analysis.power.results import Counts
from analysis.power.simulation import Ask
from analysis.report.model import FittedModel, LogisticFit, ModelFit
from analysis.report.wording import points, unknown

ALPHA = 0.05

MIXED_FIT: Final = (
    "To each simulated study the preregistered mixed logistic model was fitted as in the analysis "
    "of real data, random slopes that vanished being left out by the stated rule"
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
    tests
        By test: the estimate in its unit (None if unknown), and whether the report finds it.
    verdicts
        By question: the report's verdict.
    as_asked
        Whether the model that was asked for was fitted, with all its random effects; None if the
        analysis has no model.
    model
        Formula of the model that was fitted; empty if no fit is sound.
    run_s
        Seconds to simulate and to analyse.
    """

    fitted: bool
    reason: str
    tests: Mapping[str, tuple[float | None, bool]] = field(default_factory=dict)
    verdicts: Mapping[str, str] = field(default_factory=dict)
    as_asked: bool | None = None
    model: str = ""
    run_s: float = 0.0

    def plain(self) -> dict[str, Any]:
        """Return the outcome as JSON can hold it."""
        tests = {
            name: [None if unknown(estimate) else estimate, significant]
            for name, (estimate, significant) in self.tests.items()
        }
        return {**asdict(self), "tests": tests, "verdicts": dict(self.verdicts)}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> "Outcome":
        """Return an outcome from its plain form."""
        return cls(**plain)


def without_result(reason: str, *, model: bool = True) -> Outcome:
    """Return the outcome of a study whose analysis gave no result, by a model or by means alone."""
    return Outcome(False, reason, as_asked=False if model else None)


def carry_out(run_study: Callable[[Any], Outcome], run: Any) -> Outcome:
    """Simulate and analyse a study, by the clock; a model that can't be fitted is no result."""
    begun = time.perf_counter()
    with threadpool_limits(1):
        try:
            outcome = run_study(run)
        except (NotEstimableError, LinAlgError, FloatingPointError) as fault:
            outcome = without_result(str(fault))
    return replace(outcome, run_s=time.perf_counter() - begun)


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
    meanings
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
    meanings: Mapping[str, str]
    silent: str
    right: Callable[[Any], str]
    figure: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about a study's power: which tests, sizes and effects, and who answers.

    Attributes
    ----------
    study
        Name of the study.
    ask
        Sizes, effects and the simulated world.
    run
        Simulates and analyses a `Run`, on any worker; a function of a module.
    formula
        The model that is fitted to each simulated study.
    terms
        Its tests; the first one's power makes the headline.
    generator
        Who answers.
    panel
        Returns a simulated effect in words. If the test's true value is 0, the figure adds that its
        studies are false alarms.
    method
        Two sentences or more: who judged what, and who answered.
    assumptions
        Returns what the answers rest on, one sentence each, from what was counted.
    test
        How each simulated study was analysed and what was counted.
    verdicts
        What the report gives a verdict on.
    wording
        Returns a sentence of the page in the words of the protocol.
    """

    study: str
    ask: Ask[Any, Any]
    run: Callable[[Any], Outcome]
    formula: str
    terms: tuple[Term, ...]
    generator: str
    panel: Callable[[Any], str]
    method: str
    assumptions: Callable[[Counts], Sequence[str]]
    test: str
    verdicts: tuple[Verdicts, ...] = ()
    wording: Callable[[str], str] = field(default=lambda sentence: sentence)

    @property
    def figures(self) -> tuple[str, ...]:
        """Stems of the figures' files."""
        return tuple(part.figure for part in (*self.terms, *self.verdicts))

"""What a power simulation found, typed; and as results.json and power.csv have it.

The only place where results become JSON and where they are read from it.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import Annotated, Any, Final, get_args

from analysis.data.json_values import plain
from analysis.report.about import about
from stimuli.versions import Schema

SCHEMA: Final = Schema("power")
WANTED: Final = 0.80


@dataclass(frozen=True, slots=True)
class Spliced:
    """Marks a field whose values JSON merges into its owner's; `values` returns them by key."""

    values: Callable[[Any], Mapping[str, Any]]


def values_of(part: Any) -> dict[str, Any]:
    """Return the values of a dataclass by its fields; fields that hold dataclasses are kept."""
    values: dict[str, Any] = {}
    for field in fields(part):
        value = getattr(part, field.name)
        marks = (mark for mark in get_args(field.type) if isinstance(mark, Spliced))
        mark = next(marks, None)
        values |= {field.name: value} if mark is None else mark.values(value)
    return values


UNRECORDED: Final = {"recorded": False}
"""Metadata of a world's field that results don't repeat, such as the whole table of items."""


def _world_values(world: Any) -> dict[str, Any]:
    """Return a simulated world's values, as results have them."""
    recorded = {field.name for field in fields(world) if field.metadata.get("recorded", True)}
    return {name: value for name, value in asdict(world).items() if name in recorded}


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of the simulation."""

    protocol: Annotated[str, about("Name of the protocol.")]
    generator: Annotated[str, about("Who answers.")]
    participants: Annotated[tuple[int, ...], about("Numbers of participants that were tried.")]
    items: Annotated[tuple[int, ...], about("Numbers of items that were tried.")]
    effects: Annotated[
        tuple[Any, ...], about("The simulated effects, each an `analysis.power.simulation.Effect`.")
    ]
    runs: Annotated[int, about("Simulated studies a combination.")]
    alpha: Annotated[float, about("Level of the two-sided tests.")]
    seed: Annotated[int, about("Root of every draw.")]
    world: Annotated[
        Any, about("The simulated world, a dataclass of the study."), Spliced(_world_values)
    ]


@dataclass(frozen=True, slots=True)
class PowerRow:
    """How often one test found something, or one verdict was given, in one cell of the grid."""

    participants: Annotated[int, about("People in a study.")]
    items: Annotated[int, about("Different items that each of them judges.")]
    effect: Annotated[
        Any,
        about("The simulated effect, an `analysis.power.simulation.Effect`."),
        Spliced(lambda effect: effect.columns()),
    ]
    put_in: Annotated[str, about("The effect in words.")]
    term: Annotated[str, about("The test, or the verdict.")]
    family: Annotated[str, about("The question of a verdict; empty for a test.")]
    truth: Annotated[float | None, about("True value of what is tested; null if unknown.")]
    right: Annotated[bool | None, about("Whether it is the right verdict; null for a test.")]
    runs: Annotated[int, about("Simulated studies.")]
    significant: Annotated[int, about("How many of them found it, or gave the verdict.")]
    power: Annotated[float, about("Their share.")]
    ci_low: Annotated[float, about("Lower 95 % limit of the share (Wilson).")]
    ci_high: Annotated[float, about("Upper 95 % limit of the share (Wilson).")]
    type_s: Annotated[
        float | None, about("Share of significant estimates with the wrong sign; null if unknown.")
    ]
    type_m: Annotated[
        float | None,
        about("Mean size of significant estimates over the true one; null: unknown."),
    ]
    mean_estimate: Annotated[float | None, about("Mean of all estimates.")]
    as_asked: Annotated[
        float | None, about("Share of studies with the model that was asked for; null without one.")
    ]
    failed: Annotated[float, about("Share of studies without a result.")]
    median_run_s: Annotated[float, about("Median seconds of a run.")]


@dataclass(frozen=True, slots=True)
class Enough:
    """The fewest participants that are enough for a test, an effect and a number of items."""

    term: Annotated[str, about("The test, or the verdict.")]
    put_in: Annotated[str, about("The effect in words.")]
    truth: Annotated[float | None, about("True value of what is tested; null if unknown.")]
    items: Annotated[int, about("Items each.")]
    participants: Annotated[int | None, about("How many are enough; null if none of those tried.")]
    sure: Annotated[bool, about("Whether the interval of the power lies above what is wanted.")]
    largest_tried: Annotated[int, about("The largest number tried.")]
    largest_power: Annotated[float, about("Power there.")]


@dataclass(frozen=True, slots=True)
class ModelCount:
    """How often a model was fitted to studies of one size."""

    participants: Annotated[int, about("People in a study.")]
    items: Annotated[int, about("Items each.")]
    model: Annotated[str, about("Its formula; empty if none was sound.")]
    as_asked: Annotated[bool | None, about("Whether it is the one that was asked for.")]
    studies: Annotated[int, about("Studies with it.")]
    of: Annotated[int, about("Of so many.")]


@dataclass(frozen=True, slots=True)
class Counts:
    """What was asked, and what was counted in the simulated studies."""

    study: Annotated[str, about("Name of the study.")]
    asked: Annotated[Asked, about("What was asked.")]
    formula: Annotated[str, about("The model that is fitted to each simulated study.")]
    terms: Annotated[tuple[str, ...], about("The tests; the first one's power is the headline's.")]
    wanted: Annotated[float, about("The power that is wanted.")]
    power: Annotated[tuple[PowerRow, ...], about("Power by test, verdict, effect and size.")]
    verdicts: Annotated[
        Mapping[str, Mapping[str, str]], about("What the verdicts of each question say.")
    ]
    enough: Annotated[tuple[Enough, ...], about("The fewest participants that are enough.")]
    models: Annotated[tuple[ModelCount, ...], about("Which models were fitted.")]
    failures: Annotated[Mapping[str, int], about("Why studies have no result, and how often.")]
    versions: Annotated[Mapping[str, str], about("Versions that the numbers come from.")]


@dataclass(frozen=True, slots=True)
class PowerResults:
    """The results of a power simulation, with its sentences."""

    schema: Annotated[str, about("Tag of the schema.")]
    counts: Annotated[Counts, about("What was asked and counted."), Spliced(values_of)]
    method: Annotated[str, about("What was done, for a preregistration.")]
    assumptions: Annotated[tuple[str, ...], about("What the numbers rest on.")]
    headline: Annotated[tuple[str, ...], about("What the simulation shows.")]


ANSWER: Final = ("headline", "power", "enough", "failures")
"""What the command prints as JSON, apart from the place of the report."""


def results_as_json(results: PowerResults) -> dict[str, Any]:
    """Return results as results.json has them."""
    return plain(_spliced(results))


def rows_as_json(rows: tuple[PowerRow, ...]) -> list[dict[str, Any]]:
    """Return rows as results.json and power.csv have them."""
    return plain(_spliced(rows))


def answer_as_json(results: PowerResults, page: str) -> dict[str, Any]:
    """Return what the command prints as JSON."""
    whole = results_as_json(results)
    return {"report": page, **{name: whole[name] for name in ANSWER}}


def _spliced(value: Any) -> Any:
    """Return a value with mappings in place of dataclasses."""
    if is_dataclass(value):
        value = values_of(value)
    if isinstance(value, Mapping):
        return {name: _spliced(part) for name, part in value.items()}
    return [_spliced(part) for part in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True)
class RegisteredRow:
    """A row of power as a preregistration shows it."""

    term: str
    participants: int
    items: int
    truth: float | None
    power: float
    ci_low: float
    ci_high: float
    put_in: str
    right: bool | None


@dataclass(frozen=True, slots=True)
class RegisteredPower:
    """What a preregistration takes over from the results.json of a power simulation.

    Attributes
    ----------
    protocol
        Name of the protocol that it followed.
    participants
        Numbers of participants that were tried.
    method, assumptions, rows
        As the simulation has them.
    asked, enough
        As they are in the file.
    """

    protocol: str
    participants: tuple[int, ...]
    method: str
    assumptions: tuple[str, ...]
    rows: tuple[RegisteredRow, ...]
    asked: Mapping[str, Any]
    enough: Any


def read_registered(results: Mapping[str, Any]) -> RegisteredPower:
    """Return what a preregistration takes over, from results.json."""
    asked, names = results["asked"], [field.name for field in fields(RegisteredRow)]
    return RegisteredPower(
        protocol=asked["protocol"],
        participants=tuple(asked["participants"]),
        method=results["method"],
        assumptions=tuple(results["assumptions"]),
        rows=tuple(
            RegisteredRow(**{name: row[name] for name in names}) for row in results["power"]
        ),
        asked=asked,
        enough=results["enough"],
    )

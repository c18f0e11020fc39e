"""One simulated study from a table, and the question of its power.

People, items and answers are drawn from a world; the test is the report's, by means over people and
items. The design is that of ``study.toml``: between people, or within them by versions or by items.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.power.averages import averaging_logit
from analysis.power.question import ALPHA, Outcome, Question, Term
from analysis.power.simulation import Ask, Cell, Difference, Grid, Run
from analysis.questions.cells import Cells
from analysis.report.wording import points, rounded, signed
from analysis.statistics.bootstrap import Resampling
from analysis.table_study.measures import Value, value_of_test
from analysis.table_study.power import ItemWorld
from stimuli.errors import UserError
from stimuli.io.tables import Row
from stimuli.table_study.protocol import PlannedTest, TableStudy
from stimuli.table_study.tables import answers_of, is_among

Design = Literal["between", "versions", "all", "items", "chance"]
"""Levels differ between people, between versions of an item (one or all of which a person sees),
or between items; or there is only chance to compare with."""
FIRST, SECOND = "first", "second"
LEVEL = "level"
USUAL_SHARE = 0.6
RIGHT_ADVICE: Final = {"over_reliance": False, "under_reliance": True}
"""Measures of some items alone: whether the AI's answer to these is right."""
DESIGNS = {
    "between": "half of the people see each level",
    "versions": "everybody sees half of the items at each level, a Latin square over people",
    "all": "everybody sees every item at both levels",
    "items": "half of the items have each level",
    "chance": "everybody sees all items; the mean is compared with chance",
}


ASSUMPTIONS: Final = (
    "How people answer is an assumption: take it from a pilot’s report (--base, "
    "--sd-participant, --sd-item, --sd-effect, --sd-answer).",
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is simulated.

    Attributes
    ----------
    value
        What the test measures.
    design
        How levels are spread over people and items.
    tests
        Number of tests in the file: p is corrected for so many.
    chance
        Share of answers by chance.
    """

    value: Value
    design: Design
    tests: int
    chance: float

    @property
    def is_share(self) -> bool:
        """Whether what is measured is a share."""
        return self.value.ends is None


StudyRun = Run[TableStudy, ItemWorld]
StudyAsk = Ask[TableStudy, ItemWorld]


def plan_of(ask: StudyAsk | StudyRun) -> Plan:
    """Return what is simulated for a test; UserError if the file has no such test."""
    protocol, test = ask.protocol, test_of(ask.protocol, ask.world.test)
    main = measured_rows(test, ask.world.table)
    chance = float(np.mean([1 / len(answers_of(row)) for row in main]))
    value = value_of_test(protocol, test)
    return Plan(value, _design(protocol, test, main), len(protocol.tests), chance)


def test_of(protocol: TableStudy, number: int) -> PlannedTest:
    """Return a test by its number from 1; UserError if the file has no such test."""
    if number > len(protocol.tests):
        raise UserError(f"--test {number}: study.toml has {len(protocol.tests)} tests")
    return protocol.tests[number - 1]


def measured_rows(test: PlannedTest, table: Sequence[Row]) -> list[Row]:
    """Return the main rows on which a test measures something.

    Over-reliance exists where the AI is wrong, under-reliance where it is right. Switching depends
    on people's first answers, so it may exist on every item.

    Raises
    ------
    UserError
        If there are none.
    """
    main = [row for row in table if row["phase"] == "main"]
    if test.measure in RIGHT_ADVICE:
        wanted = RIGHT_ADVICE[test.measure]
        main = [row for row in main if is_among(row["advice"], row["right"], row) == wanted]
    if not main:
        raise UserError(f"the table has no item on which {test.measure} can be measured")
    return main


def _design(protocol: TableStudy, test: PlannedTest, main: list[Row]) -> Design:
    if not test.factor:
        return "chance"
    if test.factor in protocol.of("between"):
        return "between"
    levels: dict[str, set[str]] = {}
    for row in main:
        levels.setdefault(str(row["item"]), set()).add(str(row[test.factor]))
    if all(len(item_levels) == 1 for item_levels in levels.values()):
        return "items"
    return "all" if protocol.session.versions == "all" else "versions"


def run_study(run: StudyRun) -> Outcome:
    """Simulate and analyse one study."""
    plan = plan_of(run)
    estimate, p = difference_of(plan, simulate_trials(plan, run.world, run.cell, run.draws()))
    return Outcome(True, "", {"test": (estimate, p is not None and p * plan.tests < ALPHA)})


def difference_of(plan: Plan, trials: pd.DataFrame) -> tuple[float, float | None]:
    """Return the report's estimate of a difference by means, and its p."""
    resampling, ends = Resampling(0, 1), plan.value.ends
    if plan.design == "chance":
        shifted = trials.assign(value=trials["value"] - plan.chance)
        ends = (-plan.chance, 1 - plan.chance)
        estimate = Cells.of(shifted, "value", {}, resampling, ends).estimate({(): 1.0})
        return estimate.estimate, estimate.p
    cells = Cells.of(trials, "value", {LEVEL: (FIRST, SECOND)}, resampling, ends)
    estimate = cells.estimate({(FIRST,): 1.0, (SECOND,): -1.0})
    return estimate.estimate, estimate.p


def simulate_trials(
    plan: Plan, world: ItemWorld, cell: Cell, rng: np.random.Generator
) -> pd.DataFrame:
    """Return the trials of one simulated study: participant, item, level, value."""
    person = np.repeat(np.arange(cell.participants), cell.items)
    item = np.tile(np.arange(cell.items), cell.participants)
    first = _first(plan.design, person, item)
    if plan.design == "all":
        person, item = np.tile(person, 2), np.tile(item, 2)
        first = np.repeat([True, False], len(person) // 2)
    deviation = rng.normal(0, world.sd_participant, cell.participants)[person]
    deviation += rng.normal(0, world.sd_item, cell.items)[item]
    if plan.design in ("versions", "all", "items"):
        slopes = rng.normal(0, world.sd_effect, cell.participants)[person]
        deviation += slopes * np.where(first, 0.5, -0.5)
    value = _values(plan, world, cell.effect.value * first, deviation, rng)
    return pd.DataFrame(
        {
            "participant": person.astype(str),
            "item": item.astype(str),
            LEVEL: np.where(first, FIRST, SECOND),
            "value": value,
        }
    )


def _first(design: Design, person: np.ndarray, item: np.ndarray) -> np.ndarray:
    """Return which trials are of the first level."""
    of = {"between": person, "versions": person + item, "items": item}
    return of[design] % 2 == 0 if design in of else np.ones(len(item), dtype=bool)


def _values(
    plan: Plan,
    world: ItemWorld,
    effect: np.ndarray,
    deviation: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    if plan.is_share:
        base = _base(plan, world)
        spread = float(np.hypot(world.sd_participant, world.sd_item))
        logits = {change: averaging_logit(base + change, spread) for change in np.unique(effect)}
        mean = np.array([logits[change] for change in effect])
        return (rng.random(len(deviation)) < expit(mean + deviation)).astype(float)
    value = _base(plan, world) + effect + deviation + rng.normal(0, world.sd_answer, len(deviation))
    assert plan.value.ends is not None
    low, high = plan.value.ends
    return value if plan.value.kind.is_time else np.clip(np.rint(value), low, high)


def _base(plan: Plan, world: ItemWorld) -> float:
    if world.base is not None:
        return world.base
    if plan.design == "chance":
        return plan.chance
    if plan.is_share:
        return USUAL_SHARE
    assert plan.value.ends is not None
    return 0.0 if plan.value.kind.is_time else sum(plan.value.ends) / 2


def question_of(ask: StudyAsk) -> Question:
    """Return the question of a power simulation; UserError if an effect isn't possible."""
    plan, world, number = plan_of(ask), ask.world, ask.world.test
    _check(plan, world, ask.grid)
    test = test_of(ask.protocol, number)
    write, unit = (points, "points") if plan.is_share else (rounded(signed, 2), "")
    what = f"{test.levels[0]} less {test.levels[1]}" if test.factor else "less chance"
    formula = f"{plan.value.words}: {f'{test.factor} ' if test.factor else ''}{what}, t test over "

    def panel(effect: Difference) -> str:
        return f"{what} {write(effect.value)} {unit}".strip()

    return Question(
        study=ask.protocol.study,
        ask=ask,
        run=run_study,
        formula=f"{formula}people and items",
        terms=(
            Term(
                name="test",
                truth=lambda effect: effect.value,
                words=f"hypothesis H{number}",
                title=f"H{number}: {plan.value.words}, {what}",
                figure="power_test",
                write=write,
                unit=unit,
            ),
        ),
        generator="a model of items",
        panel=panel,
        method=(
            f"In each simulated study {DESIGNS[plan.design]}. The mean of the second level was "
            f"{_base(plan, world):g}, with standard deviations of {world.sd_participant:g} between "
            f"people and {world.sd_item:g} between items, and {world.sd_effect:g} of the effect "
            "between people."
        ),
        assumptions=lambda _: ASSUMPTIONS,
        test=(
            "Each simulated study was analysed as the report does it, by means over people and "
            f"items. It finds the difference where p times {plan.tests}, the number of tests in "
            "study.toml, is below .05; Holm’s correction is never stricter."
        ),
    )


def _check(plan: Plan, world: ItemWorld, grid: Grid) -> None:
    base = _base(plan, world)
    for effect in grid.effects:
        if plan.is_share and not (0 < base < 1 and 0 < base + effect.value < 1):
            raise UserError(
                f"--effect {effect.value:g}: with a base of {base:g} a share would lie outside 0 "
                "and 1; give another effect, or --base"
            )

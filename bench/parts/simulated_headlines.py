"""What headlines of simulated studies of six arms say, and what a test carries over."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from analysis.power.simulation import Difference
from analysis.questions.estimates import EstimateRow, select
from analysis.report.wording import percent
from analysis.studies.simulatability.contrasts import HARMS, HELPS, SAME, decided_rows
from analysis.studies.simulatability.means import measured, method_means
from analysis.studies.simulatability.model import ModelState
from analysis.studies.simulatability.power import SimulationWorld
from analysis.studies.simulatability.quantities import BEFORE, DIFFERENCE, EFFECT
from analysis.studies.simulatability.simulated import simulate_predictions
from analysis.studies.simulatability.trials import Predictions, read_predictions
from analysis.studies.simulatability.words import FORWARD, TEST_WORDS, TESTS
from bench.book import Effort, Measured, Part, table
from bench.parts.simulated_predictions import (
    ALPHA,
    ARM,
    DOMAIN,
    OTHER,
    PLANTED,
    SEED,
    TWO_WAY,
    World,
    expected,
    studies_asked,
)
from stimuli.io.canonical import seed_of
from stimuli.protocol import load_protocol
from stimuli.studies.simulatability.protocol import Simulatability
from stimuli.workers import Workers, ordered_map

HEADLINE_STUDIES: Final = 200
HEADLINES: Final = (
    World("headline, no effect", "no effect", 0.0),
    World("headline, no effect on average", "no effect, methods vary", 0.0, sd_method=0.8),
    World(
        "headline, the margin", "every method adds the margin", 0.05, sd_method=0.8, everyone=True
    ),
    World("headline, 10 points", "one method adds 10 points", PLANTED, sd_method=0.8),
)
"""Worlds of the headlines' verdicts."""
CARRIED: Final = (
    World("carried over: no effect", "no effect", 0.0, sd_method=0.5),
    *(
        World(f"carried over: {words}", words, PLANTED, sd_method=0.5, carry_over=share)
        for words, share in (("nothing", 0.0), ("half", 0.5), ("all", 1.0))
    ),
    World(
        "carried over: all, balanced", "all; half of the people take the tests exchanged", PLANTED,
        sd_method=0.5, carry_over=1.0, orders=(TESTS, TESTS[::-1]),
    ),
)  # fmt: skip
CARRY_PEOPLE: Final = 72
CARRY_STUDIES: Final = 400
HEADLINE_PEOPLE: Final = (24, 48, 144)
"""Of six arms of one domain; the published study had four tests a cell, as 24 have here."""
HEADLINE_ITEMS: Final = 32
METHODS: Final = (ARM, OTHER, "prototype", "decision_boundary", "composite")


@dataclass(frozen=True, slots=True)
class HeadlineStudy:
    """One simulated study of six arms: its world, its size and its number."""

    world: World
    people: int
    number: int


def judged(study: HeadlineStudy) -> tuple[Predictions, tuple[EstimateRow, ...]]:
    """Return what the people of a study predicted, and what its report says of it."""
    world = study.world
    name = f"{world.name}, {study.people}"
    rng = np.random.Generator(np.random.PCG64(seed_of("headline", SEED, name, study.number)))
    gains = {m: Difference(world.gain if world.everyone or m == ARM else 0.0) for m in METHODS}
    simulated = SimulationWorld(
        practice=world.practice, sd_method=world.sd_method, carry_over=world.carry_over, arms=gains
    )
    rules = load_protocol("simulatability")
    assert isinstance(rules, Simulatability)
    trials = simulate_predictions(
        simulated, study.people, HEADLINE_ITEMS, rng, DOMAIN, world.orders
    )
    with threadpool_limits(1):
        own = read_predictions(trials, rules)
        means = method_means(own, TWO_WAY)
    margin = 100 * rules.analysis.margin
    decided = decided_rows(own, {DOMAIN: ModelState()}, means, "means", margin)
    return own, (*decided, *means)


def headline(study: HeadlineStudy) -> dict[str, int]:
    """Return, by test, what the verdicts on a study's methods say."""
    _, rows = judged(study)
    helped = {ARM} if study.world.gain and not study.world.everyone else set()
    found = {}
    for test in TESTS:
        verdicts = {row.of["method"]: row.verdict for row in select(rows, EFFECT, test=test)}
        found |= {
            f"{test} false": any(
                v in (HELPS, HARMS) for m, v in verdicts.items() if m not in helped
            ),
            f"{test} equivalent": SAME in verdicts.values(),
            f"{test} found": verdicts[ARM] == HELPS,
        }
    return found


def headlines(effort: Effort) -> Measured:
    """False verdicts of the headlines, and their power, by the size of the study."""
    studies = studies_asked(effort, HEADLINE_STUDIES)
    figures: dict[str, Any] = {"studies": studies, "seed": SEED}
    for world in HEADLINES:
        for people in HEADLINE_PEOPLE:
            figures[f"{world.name}, {people}"] = _counted(effort, headline, world, people, studies)
    return Measured(_headline_text(figures), figures)


def _counted(
    effort: Effort,
    task: Callable[[HeadlineStudy], dict[str, Any]],
    world: World,
    people: int,
    studies: int,
) -> dict[str, Any]:
    """Return sums of what a task says of the studies of a world."""
    name = f"{world.name}, {people}"
    effort.say(f"{name} participants")
    tasks = ((f"{name}-{n}", HeadlineStudy(world, people, n)) for n in range(studies))
    workers = Workers(int(effort.options.get("workers", 1)))
    found = [one for _, one in ordered_map(task, tasks, workers)]
    return {key: sum(one[key] for one in found) for key in found[0]}


def _headline_text(figures: Mapping[str, Any]) -> str:
    studies = figures["studies"]
    lines = []
    for world in HEADLINES:
        for people in HEADLINE_PEOPLE:
            own = figures[f"{world.name}, {people}"]

            def pair(key: str, own: Mapping[str, int] = own) -> str:
                return ", ".join(str(own[f"{test} {key}"]) for test in TESTS)

            first = world.words if people == HEADLINE_PEOPLE[0] else ""
            wrong = "" if world.everyone else pair("false")
            effect = pair("found") if world.gain and not world.everyone else ""
            lines.append([first, str(people), wrong, pair("equivalent"), effect])
    return (
        f"We simulated {studies} studies of each world and size: one domain, six arms, "
        f"{HEADLINE_ITEMS} items in each of two tests, 5 points of practice (seed {SEED}). Where "
        "methods vary, what a method’s explanations do on an item has a standard deviation of 0.8 "
        "log odds. The numbers are studies, for the forward test and then for the counterfactual "
        "test. A false verdict says of at least one of five methods that it helps or harms, "
        "without an effect of its own; by design this happens in at most 5 % of the studies, "
        f"{studies // 20}, in each test. Equivalent: at least one method is called equivalent; "
        "where every method adds as much as the margin, this is false. 24 participants are four in "
        "an arm, as in the published study; arms of fewer than five are never called "
        "equivalent.\n\n"
        + table(
            ["world", "participants", "false verdicts", "equivalent", "the effect is found"], lines
        )
        + f"\n\nWith four people in an arm, {_false_rate(figures, HEADLINE_PEOPLE[:1])} of the "
        "headlines say something false, with eight or more "
        f"{_false_rate(figures, HEADLINE_PEOPLE[1:])}."
    )


def _false_rate(figures: Mapping[str, Any], sizes: Sequence[int]) -> str:
    """Return the share of headlines with a false verdict, over worlds and tests."""
    rows = [figures[f"{world.name}, {people}"] for world in HEADLINES if not world.everyone
            for people in sizes]  # fmt: skip
    wrong = sum(row[f"{test} false"] for row in rows for test in TESTS)
    return percent(wrong / (len(rows) * len(TESTS) * figures["studies"]), 1)


def carried(study: HeadlineStudy) -> dict[str, Any]:
    """Return, by test, whether a study's intervals have the truth, and what it says of LIME."""
    own, rows = judged(study)
    truth = {method: 100 * study.world.gain * (method == ARM) for method in METHODS}
    found: dict[str, Any] = {}
    for test in TESTS:
        for key, quantity in (("decides", measured(own.test(test))), ("change", DIFFERENCE)):
            of_test = select(rows, quantity, test=test)
            found[f"{test} {key} covered"] = sum(
                row.interval.ci_low <= truth[row.of["method"]] <= row.interval.ci_high
                for row in of_test
            )
            found[f"{test} {key} false"] = any(
                _differs(row) for row in of_test if not truth[row.of["method"]]
            )
            (arm,) = (row for row in of_test if row.of["method"] == ARM)
            found[f"{test} {key} found"] = _differs(arm) and arm.interval.estimate > 0
            found[f"{test} {key} sum"] = arm.estimate
        check = select(rows, BEFORE, test=test, method=ARM)
        found[f"{test} noticed"] = any(map(_differs, check))
    return found


def _differs(row: EstimateRow) -> bool:
    return row.p_adjusted is not None and row.p_adjusted < ALPHA


def carrying_over(effort: Effort) -> Measured:
    """What a later test's result is worth if explanations of the first test teach something."""
    studies = studies_asked(effort, CARRY_STUDIES)
    figures: dict[str, Any] = {"studies": studies, "seed": SEED, "people": CARRY_PEOPLE}
    for world in CARRIED:
        figures[world.name] = _counted(effort, carried, world, CARRY_PEOPLE, studies)
    return Measured(_carried_text(figures), figures)


def _carried_text(figures: Mapping[str, Any]) -> str:
    studies = figures["studies"]
    lines = []
    for world in CARRIED:
        own = figures[world.name]
        for test in TESTS:
            by_change = test == FORWARD and world.orders == (TESTS,)
            keys = ["decides"] if by_change else ["decides", "change"]
            for key in keys:
                change = by_change or key == "change"
                covered = own[f"{test} {key} covered"] / (studies * len(METHODS))
                noticed = own[f"{test} noticed"] if key == "decides" and not by_change else ""
                lines.append(
                    [
                        world.words if (test, key) == (FORWARD, "decides") else "",
                        TEST_WORDS[test] if key == "decides" else "",
                        ("Change" if change else "after")
                        + (", decides" if key == "decides" else ""),
                        f"{100 * world.gain:g}",
                        f"{own[f'{test} {key} sum'] / studies:+.1f}".replace("-", "−"),
                        f"{100 * covered:.1f} %",
                        str(own[f"{test} {key} found"]) if world.gain else "",
                        str(own[f"{test} {key} false"]),
                        str(noticed),
                    ]
                )
    return (
        f"We simulated {studies} studies of each world: one domain, six arms, {CARRY_PEOPLE} "
        f"participants, {HEADLINE_ITEMS} items in each of two tests, 5 points of practice (seed "
        f"{SEED}). The explanations of LIME add 10 points to accuracy after them in both tests, "
        "those of the other four methods add nothing; in the first world LIME adds nothing, "
        "either. A share of the 10 points is carried over: it "
        "is there before the explanations of the test that comes second. Compared with the arm "
        "without explanations are Change, and accuracy after explanations. One of them decides: "
        "Change in the forward test if everybody takes it first, accuracy after explanations "
        "otherwise.\n\nMean: of LIME’s estimates. Right: 95 % intervals of all methods that "
        "contain the truth. Found: studies in which LIME differs from the arm without explanations "
        "after Holm’s correction. False: studies in which one of the methods that add nothing "
        f"does; by design at most 5 %, that is {studies // 20}, give or take chance (at most "
        f"{expected(ALPHA, studies)[1]} in 999 of 1000 such rows). Noticed: studies whose report "
        "says that "
        "LIME’s accuracy differed before the explanations of a test that came second.\n\n"
        + table(
            ["carried over", "test", "compared", "truth", "mean", "right", "found", "false",
             "noticed"],
            lines,
        )
    )  # fmt: skip


PARTS = (
    Part("headlines", "False verdicts of the headlines, and their power", headlines),
    Part("carried", "What one test carries over to the other", carrying_over),
)

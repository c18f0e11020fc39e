"""No row of any report contradicts itself: limits, p, corrected p, verdict, nested levels.

Simulated data of all sizes, from one person on, in all five studies.
"""

from functools import cache

import numpy as np
import pytest

from analysis.data.tables import Dataset
from analysis.report.parts import Paragraph
from stimuli.catalogue import studies_of
from stimuli.protocol import load_protocol
from tests.analysis.agreement import disagreements, rows_of
from tests.analysis.studies.accept_reject import simulate_table, whole
from tests.analysis.studies.accept_reject_accuracy import tables_of as labels
from tests.analysis.studies.human_ai_team import tables_of as team
from tests.analysis.studies.progressive_reveal.whole import analysed
from tests.analysis.studies.progressive_reveal.world import World
from tests.analysis.studies.simulatability import tables_of as simulatability
from tests.analysis.tracing import sentences_of, untraced


def accept_reject(people, items, seed):
    robots = np.random.default_rng(seed).choice(["lead", "lead", "lazy", "rejecting"], people)
    table = simulate_table.simulate(
        [str(robot) for robot in robots], seed=seed, per_solver=items, scale=0.2
    )
    return whole.results_of(table)


def accept_reject_accuracy(people, items, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(people):
        for item in range(items):
            solver, true = "SE"[(person + item) % 2], f"class-{item % 3}"
            wrong = solver == "S" and rng.random() < 0.3
            shown = f"class-{(item + 1) % 3}" if wrong else true
            accepts = rng.random() < (0.2 if wrong else 0.9)
            rows.append((f"p{person}", f"i{item}", solver, true, shown,
                         "accept" if accepts else "reject"))  # fmt: skip
    dataset = labels.by_hand(rows)
    return labels.LABELS.analyse(dataset, None, (), lambda _: None)


def human_ai_team(people, items, seed):
    frame = team.crossed(2 * people, items, ("confidence", "gradcam"), seed)
    return team.TEAM.analyse(team.dataset_of(frame), None, (), lambda _: None)


def simulatability_(people, items, seed):
    trials = simulatability.trials_of(3 * people, items, seed, lime=0.1, anchor=0.0)
    return simulatability.results_of(trials)


def progressive_reveal(people, items, seed):
    world = World(classes=4, each=max(1, items // 4), seed=seed)
    trials = world.study(people, seed=seed)
    protocol = load_protocol("progressive_reveal", None, {"analysis": {"replicates": 100}})
    return analysed(
        Dataset("progressive_reveal", "world", trials, None, protocol, "a test", absent=(),
                notes=(), beside={"curves": world.curves()})
    )  # fmt: skip


STUDIES = {
    "accept_reject": accept_reject,
    "accept_reject_accuracy": accept_reject_accuracy,
    "human_ai_team": human_ai_team,
    "progressive_reveal": progressive_reveal,
    "simulatability": simulatability_,
}
SIZES = ((1, 6), (2, 4), (3, 6), (4, 12), (6, 8), (9, 4))


SMALL = {
    "accept_reject": (3, 6), "accept_reject_accuracy": (3, 6), "human_ai_team": (3, 6),
    "progressive_reveal": (1, 6), "simulatability": (9, 4),
}  # fmt: skip
PUBLISHED = ("1.15",)
"""Numbers of the papers that a sentence tells."""


@cache
def small(study):
    return STUDIES[study](*SMALL[study], 5)


@pytest.mark.parametrize("study", STUDIES)
def test_no_row_contradicts_itself(study):
    found = small(study)
    assert disagreements(found) == []
    assert sum("ci_low" in row for _, row in rows_of(dict(found))) > 5


@pytest.mark.parametrize("study", STUDIES)
def test_every_number_of_a_sentence_stands_in_the_results(study):
    found = small(study)
    sentences = list(sentences_of(studies_of("analysis")[study].inquiry().build(found)))
    gone = {one: lost for one in sentences if (lost := untraced(one, found))}
    assert [lost for lost in gone.values() if set(lost) - set(PUBLISHED)] == [], gone
    assert len(sentences) > 5


@pytest.mark.parametrize("study", STUDIES)
def test_a_margin_is_told_with_its_reason(study):
    report = studies_of("analysis")[study].inquiry().build(small(study))
    (methods,) = (section for section in report.sections if section.title == "Methods")
    told = " ".join(part.text for part in methods.parts if isinstance(part, Paragraph))
    reason = load_protocol(study).analysis.margin_reason
    assert reason
    assert told.count(reason) == told.count("two one-sided tests")


def test_a_sentence_that_tells_something_else_is_found():
    row = {"estimate": 0.1234, "ci_low": 0.05, "ci_high": 0.2, "low_90": 0.07, "high_90": 0.18}
    found = {"estimates": [row], "n": 31}
    told = "31 people: +12 points [+5, +20], 90 % interval [+7, +18], 12.3 %"
    assert untraced(told, found) == []
    assert untraced("30 people: +12 [+5, +18] and +13 [+5, +20]", found) == [
        "+12 [+5, +18]", "+13 [+5, +20]", "30", "+13",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES)
def test_no_row_of_a_hundred_reports_contradicts_itself(study):
    for seed in range(100):
        people, items = SIZES[seed % len(SIZES)]
        assert disagreements(STUDIES[study](people, items, 100 + seed)) == [], (people, items, seed)


def test_rows_that_contradict_themselves_are_found():
    """The rows that reports once printed."""
    wrong = {
        "a": [{"estimate": 0.14, "ci_low": 0.08, "ci_high": 0.20, "p": 0.337}],
        "b": {"ci_low": -0.03, "ci_high": 0.51, "p_holm": 0.033, "holm_low": -0.03,
              "holm_high": 0.51},
        "c": {"ci_low": -0.16, "ci_high": -0.12, "ci90_low": -0.17, "ci90_high": -0.11,
              "margin": 0.1, "verdict": "worse"},
        "d": {"ci_low": -0.2, "ci_high": 0.2, "ci90_low": -0.1, "ci90_high": 0.1, "margin": 0.15,
              "verdict": "better"},
    }  # fmt: skip
    assert [place[0] for place in disagreements(wrong)] == ["a", "b", "c", "d"]

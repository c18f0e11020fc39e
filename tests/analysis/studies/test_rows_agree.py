"""No row of any report contradicts itself: limits, p, corrected p, verdict, nested levels.

Simulated data of all sizes, from one person on, in all five studies.
"""

import json
from dataclasses import replace

import pytest

from analysis.preregister.outcomes import decide, plain_hypothesis, read_hypothesis
from analysis.report.parts import Paragraph
from stimuli.catalogue import studies_of
from stimuli.protocol import load_protocol
from tests.analysis.agreement import disagreements, rows_of
from tests.analysis.studies.simulated import ALONE, GROUP, STUDIES, report_of, results_of
from tests.analysis.tracing import sentences_of, untraced

ARMS = {
    "human_ai_team": {"help": {"arms": ["confidence", "gradcam"]}},
    "simulatability": {
        "design": {"methods": ["lime", "no_explanation"], "domains": ["tabular"],
                   "second_test": False},
    },
}  # fmt: skip
"""Arms of a study's simulated tables, where they are fewer than the protocol's."""
SIZES = ((1, 6), (2, 4), (3, 6), (4, 12), (6, 8), (9, 4))
PUBLISHED = ("1.15",)
"""Numbers of the papers that a sentence tells."""


@pytest.mark.parametrize("study", STUDIES)
def test_no_row_contradicts_itself(study):
    for size in (ALONE, GROUP):
        assert disagreements(results_of(study, size)) == [], size
    assert sum("ci_low" in row for _, row in rows_of(dict(results_of(study, GROUP)))) > 5


@pytest.mark.parametrize("study", STUDIES)
def test_every_number_of_a_sentence_stands_in_the_results(study):
    sentences = list(sentences_of(report_of(study, GROUP)))
    lost_of = untraced(results_of(study, GROUP))
    gone = {one: lost for one in sentences if (lost := lost_of(one))}
    assert [lost for lost in gone.values() if set(lost) - set(PUBLISHED)] == [], gone
    assert len(sentences) > 5


@pytest.mark.parametrize("study", STUDIES)
def test_a_margin_is_told_with_its_reason(study):
    sections = report_of(study, GROUP).sections
    (methods,) = (section for section in sections if section.title == "Methods")
    told = " ".join(part.text for part in methods.parts if isinstance(part, Paragraph))
    reason = load_protocol(study).analysis.margin_reason
    assert reason
    assert told.count(reason) == told.count("two one-sided tests")


def test_a_sentence_that_tells_something_else_is_found():
    row = {"estimate": 0.1234, "ci_low": 0.05, "ci_high": 0.2, "low_90": 0.07, "high_90": 0.18}
    found = {"estimates": [row], "n": 31}
    told = "31 people: +12 points [+5, +20], 90 % interval [+7, +18], 12.3 %"
    lost_of = untraced(found)
    assert lost_of(told) == []
    assert lost_of("30 people: +12 [+5, +18] and +13 [+5, +20]") == [
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


@pytest.mark.parametrize("study", STUDIES)
def test_every_hypothesis_names_rows_that_the_report_makes(study):
    results = results_of(study, GROUP)
    inquiry = studies_of("analysis")[study].inquiry()
    registered = inquiry.promises(load_protocol(study, None, ARMS.get(study, {})))
    assert registered.hypotheses
    names = [one.name for one in registered.hypotheses]
    assert names == [f"H{place}" for place in range(1, len(names) + 1)]
    for hypothesis in registered.hypotheses:
        # By way of the file: a record names quantities by their ids.
        record = json.loads(json.dumps(plain_hypothesis(hypothesis)))
        known = read_hypothesis(record, inquiry.quantities)
        assert known == replace(
            hypothesis, tests=tuple(replace(test, of=dict(test.of)) for test in hypothesis.tests)
        )
        for test in decide(known, results["estimates"]).tests:
            assert test.written, (hypothesis.name, test)

"""Every result of whole tables: who is left out, what is printed beside, what can't be given."""

import json

import pandas as pd
import pytest

from analysis.studies.simulatability import published_values as paper
from analysis.studies.simulatability.inquiry import SIMULATABILITY
from analysis.studies.simulatability.questions.change import CHANGE
from analysis.studies.simulatability.questions.participants import PARTICIPANTS
from analysis.studies.simulatability.questions.published import PUBLISHED
from analysis.studies.simulatability.questions.second import SECOND
from stimuli.errors import UserError
from stimuli.studies.simulatability.protocol import PUBLISHED_METHODS
from tests.analysis.studies.simulatability.tables_of import results_of, trials_of


@pytest.fixture(scope="module")
def whole():
    """A table of both domains with ratings, times, robots, and a table of people."""
    both = [trials_of(12, 6, seed=1, domain="text", lime=0.0), trials_of(12, 6, seed=2, lime=0.3)]
    both[0]["participant"] = "t" + both[0]["participant"]
    trials = pd.concat(both, ignore_index=True)
    trials["rt_s"] = 5.0
    trials.loc[trials["participant"] == "p3", "rt_s"] = 0.5
    trials["robot"] = "practice"
    people = pd.DataFrame(
        {"participant": [*sorted(trials["participant"].unique()), "ended"], "arm": "text_lime"}
    )
    people["qualified"] = ~people["participant"].isin(["p1", "ended"])
    people["understanding_right"] = 4
    return results_of(trials, {"people": people})


@pytest.fixture(scope="module")
def found(whole):
    """The same, each answer in its own type."""
    return SIMULATABILITY.read_results(whole)


def test_everybody_comes_first_and_who_is_left_out_is_named(found):
    sample = found.of(PARTICIPANTS)
    assert found.frame.data.participants == 24
    assert {row.participant for row in sample.people if row.left_out} == {"p1", "p3", "ended"}
    assert sample.too_fast == 1
    assert sample.not_qualified == 2
    assert sample.without_items == 1
    assert found.of(SECOND).participants == 22
    arms = {(row.domain, row.method): row for row in sample.by_arm}
    assert arms["text", "lime"].participants == 7
    assert arms["text", "lime"].not_qualified == 1


def test_change_is_in_percentage_points_by_condition_and_method(found):
    rows = found.of(CHANGE).by_method
    assert max(row.post for row in rows) > 50
    keys = [(row.domain, row.test, row.method) for row in rows]
    assert len(keys) == len(set(keys)) == 16


def test_results_are_plain_json_without_a_number_that_json_lacks(whole):
    json.dumps(whole, allow_nan=False)


def test_robots_are_named_first(whole):
    assert whole["headline"][0].startswith("Robots answered")
    assert "24 simulated participants" in whole["headline"][0]


def test_published_values_stand_beside_ours(found):
    published = found.of(PUBLISHED)
    rows = {row.quantity: row for row in published.rows}
    own = rows["Change, LIME, tabular, both tests (n, p)"]
    assert own.published == "+11.25 ± 8.83 (179, .014)"
    (ours,) = (
        row.published_change
        for row in found.of(CHANGE).by_method
        if (row.domain, row.test, row.method) == ("tabular", "all", "lime")
    )
    assert own.our_value == ours
    assert repr(rows["Ratings, LIME, text (mean)"].published_value) == "144"
    assert "never published" in published.remark
    assert any("never published" in row.reason for row in found.frame.missing)


def test_the_papers_numbers_fit_together():
    """Each table's items add up to those over users, and both groupings to the 2,166 of all."""
    for condition, methods in paper.CHANGE.items():
        assert tuple(methods) == PUBLISHED_METHODS
        assert sum(own.n for own in methods.values()) == paper.PRE[condition][0]
    n = {condition: own[0] for condition, own in paper.PRE.items()}
    assert n["text", "all"] + n["tabular", "all"] == 2166
    assert n["all", "forward"] + n["all", "counterfactual"] == 2166
    significant = {
        (condition, method)
        for condition, methods in paper.CHANGE.items()
        for method, own in methods.items()
        if own.p < 0.05
    }
    assert significant == {
        (("tabular", "all"), "lime"),
        (("all", "counterfactual"), "prototype"),
    }
    for own in paper.CHANGE.values():
        for row in own.values():
            assert (abs(row.change) > row.half_width) == (row.p < 0.05)
    for domain, counts in paper.RATED.items():
        by_model = sum(paper.BY_MODEL[domain, right].n for right in (True, False))
        assert abs(sum(counts) - by_model) <= 1


def test_the_report_is_made_from_the_results_alone(whole):
    report = SIMULATABILITY.build(json.loads(json.dumps(whole)))
    titles = [section.title for section in report.sections]
    assert "Whether explanations help people predict the model" in titles
    assert "Ratings of explanations" not in titles
    assert set(report.files) <= set(SIMULATABILITY.tables)
    assert report.files["contrasts"]


def test_without_an_arm_without_explanations_practice_is_said_to_be_in_change():
    trials = trials_of(16, 6, lime=0.1, anchor=0.0).query("method != 'no_explanation'")
    results = results_of(trials.reset_index(drop=True))
    found = SIMULATABILITY.read_results(results)
    assert found.of(PARTICIPANTS).reference is None
    assert any("practice" in note for note in found.frame.notes)
    assert "which includes practice" in found.frame.headline[0]
    report = SIMULATABILITY.build(results)
    text = " ".join(part.text for s in report.sections for part in s.parts if hasattr(part, "text"))
    assert "can’t separate them from the effect of explanations" in text
    assert any(row.result == "Change without practice" for row in found.frame.missing)


def test_one_person_gives_what_one_person_can():
    results = results_of(trials_of(1, 4))
    assert SIMULATABILITY.read_results(results).frame.data.participants == 1
    assert SIMULATABILITY.build(results).headline


def test_a_table_without_pairs_is_refused_in_one_line():
    trials = trials_of(2, 4).query("phase == 'pre'").reset_index(drop=True)
    with pytest.raises(UserError, match="nobody predicted an item in both phases") as error:
        results_of(trials)
    assert "\n" not in str(error.value)

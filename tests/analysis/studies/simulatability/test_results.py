"""Every result of whole tables: who is left out, what is printed beside, what can't be given."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.studies.simulatability.inquiry import SIMULATABILITY
from analysis.studies.simulatability.people import ENROLLED, NOT_QUALIFIED
from analysis.studies.simulatability.published import TOGETHER
from analysis.studies.simulatability.quantities import (
    AFTER,
    DIFFERENCE,
    EFFECT,
    POST_RIGHT,
    PRE_RIGHT,
    PUBLISHED_CHANGE,
)
from analysis.studies.simulatability.questions.change import BY_METHOD, CHANGE
from analysis.studies.simulatability.questions.closing import CLOSING
from analysis.studies.simulatability.questions.effects import EFFECTS
from analysis.studies.simulatability.questions.explanations import (
    EXPLAINED,
    FIDELITY,
    MODEL_RIGHT,
    PRECISION,
    SAYS_OUTPUT,
)
from analysis.studies.simulatability.questions.items import (
    ITEM_ANSWERS,
    KIND_CHANGE,
    KIND_ITEMS,
)
from analysis.studies.simulatability.questions.participants import PARTICIPANTS, included
from analysis.studies.simulatability.questions.published import PAPER, PUBLISHED
from analysis.studies.simulatability.questions.second import SECOND
from analysis.studies.simulatability.questions.times import (
    MEAN,
    MEDIAN,
    TIMES,
    mean_time,
)
from stimuli.errors import UserError
from stimuli.studies.simulatability.protocol import PUBLISHED_METHODS
from tests.analysis.asking import without_models
from tests.analysis.formats import without_drawings
from tests.analysis.report.drawings import pictures_of, unreadable_in, widest_font
from tests.analysis.report.page import too_fine, top_of
from tests.analysis.studies.simulatability.tables_of import results_of, trials_of


@pytest.fixture(scope="module")
def whole():
    """A table of both domains with ratings, times, robots, and a table of people; no models."""
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
    people["relied_on"] = ["guess", "examples"] * (len(people) // 2) + ["guess"] * (len(people) % 2)
    trials["outcome"] = np.where(trials["item"] == "i0", "true_positive", "false_negative")
    trials["flips"] = trials["use"].eq("counterfactual") & trials["item"].eq("i6")
    models = pd.DataFrame(
        {"domain": ["text"], "accuracy": [0.8093], "prototype_accuracy": [0.8064]}
    )
    explained = pd.DataFrame(
        {
            "domain": "text", "method": "lime", "agrees": [True, False, True],
            "fidelity": [0.5, 0.7, None], "precision": None, "coverage": None,
        }
    )  # fmt: skip
    with without_models():
        return results_of(trials, {"people": people, "models": models, "explanations": explained})


@pytest.fixture(scope="module")
def found(whole):
    """The same, each answer in its own type."""
    return SIMULATABILITY.read_results(whole)


@pytest.fixture(scope="module")
def report(whole):
    return SIMULATABILITY.build(whole)


def test_everybody_comes_first_and_who_is_left_out_is_named(found):
    sample = found.of(PARTICIPANTS)
    assert found.frame.data.participants == 24
    assert {row.participant for row in sample.people if row.left_out} == {"p1", "p3", "ended"}
    assert sample.too_fast == 1
    assert sample.not_qualified == 2
    assert sample.without_items == 1
    assert found.of(SECOND).participants == 22
    of_arm = {"domain": "text", "method": "lime"}
    assert sample.row(ENROLLED, **of_arm).estimate == 7
    assert sample.row(NOT_QUALIFIED, **of_arm).estimate == 1


def test_change_is_in_percentage_points_by_condition_and_method(found):
    rows = found.of(CHANGE).rows(POST_RIGHT)
    assert max(row.estimate for row in rows) > 50
    keys = [tuple(row.of.values()) for row in rows]
    assert len(keys) == len(set(keys)) == 16


def test_results_are_plain_json_without_a_number_that_json_lacks(whole):
    json.dumps(whole, allow_nan=False)


def test_each_test_has_a_headline_of_its_own(whole):
    begun = [text.split(":")[0] for text in whole["headline"]]
    tests = [f"{domain}, {test} test" for domain in ("Text", "Tabular")
             for test in ("forward", "counterfactual")]  # fmt: skip
    assert [text for text in begun if text in tests] == tests
    assert not any("both tests" in text for text in whole["headline"])


def test_what_was_carried_over_is_told_above_the_headlines():
    trials = trials_of(48, 24, seed=3, domain="text", world={"carry_over": 1.0}, lime=0.25)
    with without_models():
        results = results_of(trials)
    first, forward, counterfactual, *_ = results["headline"]
    assert first.startswith("Text, counterfactual test: arms already differed before its")
    assert "LIME helped" in forward
    assert "LIME helped" in counterfactual
    assert "Accuracy after explanations minus" in counterfactual
    effects = SIMULATABILITY.read_results(results).of(EFFECTS)
    assert effects.levels("measured") == (DIFFERENCE.id, AFTER.id)


def test_a_figure_shows_no_value_of_other_items_and_a_table_no_other_text(report):
    """Published values were drawn over a sketch's; “text” was a domain and the paper's own text."""
    parts = [part for section in report.sections for part in section.parts]
    (change,) = (part for part in parts if getattr(part, "name", "") == "change")
    lines = [line for axes in change.drawing.axes for line in axes.lines]
    assert "white" not in {line.get_markerfacecolor() for line in lines}
    units = {column.unit for column in BY_METHOD.columns}
    assert not any("text" in unit or "code" in unit for unit in units)


def test_published_values_stand_beside_ours(found):
    published = found.of(PUBLISHED)
    rows = {row.quantity: row for row in published.rows}
    own = rows["Change, LIME, tabular, both tests (n, p)"]
    assert own.published == "+11.25 ± 8.83 (179, .014)"
    of = {"domain": "tabular", "test": "all", "method": "lime", "resampled": TOGETHER}
    assert own.our_value == found.of(CHANGE).row(PUBLISHED_CHANGE, **of).estimate
    assert repr(rows["Ratings, LIME, text (mean)"].published_value) == "144"
    assert "never published" in published.remark
    assert any("never published" in row.reason for row in found.frame.missing)


def test_the_report_is_made_from_the_results_alone(whole):
    with without_drawings():
        report = SIMULATABILITY.build(json.loads(json.dumps(whole)))
    titles = [section.title for section in report.sections]
    assert "Whether explanations help people predict the model" in titles
    assert "Ratings of explanations" not in titles
    assert set(report.files) <= set(SIMULATABILITY.tables)
    assert report.files["estimates"]


def test_no_number_at_the_top_is_finer_than_its_interval(whole, report):
    """Today it says −3.1 points [−17.9, +11.7], and the table below −3 [−18, +12]."""
    named = [fact.label for fact in report.facts if " points" in fact.value]
    effects = SIMULATABILITY.read_results(whole).of(EFFECTS).rows(EFFECT)
    assert len(named) == len(effects)  # none is left out of the strip
    top = top_of(report)
    assert any("[" in text for text in top)
    assert too_fine(top) == []


def test_texts_of_figures_are_whole_and_apart(whole):
    with widest_font():
        report = SIMULATABILITY.build(whole)
        assert "contrasts" in pictures_of(report)
        assert unreadable_in(report) == {}


def test_no_time_has_a_limit_below_0():
    """Two people with unlike medians: today 15 s [−2, 33]."""
    assert mean_time(pd.Series([5.0, 25.0])).ci_low == 0


def test_without_an_arm_without_explanations_practice_is_said_to_be_in_change():
    trials = trials_of(16, 6, lime=0.1, anchor=0.0).query("method != 'no_explanation'")
    with without_models():
        results = results_of(trials.reset_index(drop=True))
    found = SIMULATABILITY.read_results(results)
    assert found.of(PARTICIPANTS).reference is None
    assert any("practice" in note for note in found.frame.notes)
    assert "which includes practice" in found.frame.headline[0]
    with without_drawings():
        report = SIMULATABILITY.build(results)
    text = " ".join(part.text for s in report.sections for part in s.parts if hasattr(part, "text"))
    assert "can’t separate it from the effect of explanations" in text
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


def test_who_is_missing_decides_whether_it_is_intention_to_treat(found):
    """One person ended the session with too few right answers: today this is still ITT."""
    sample = found.of(PARTICIPANTS)
    assert (sample.without_items, sample.failed, sample.no_course) == (1, 1, 0)
    said = included(sample)
    assert "isn’t an analysis by intention to treat: 1 of 25 people" in said
    assert "1 had too few right answers" in said
    everybody = replace(sample, without_items=0, failed=0)
    assert included(everybody).endswith("(intention to treat)")
    no_course = replace(sample, failed=0, no_course=1)
    assert "1 had taken no course" in included(no_course)
    assert included(no_course).endswith("(intention to treat)")
    assert "intention" not in included(replace(sample, assigned_known=False))


def test_nothing_on_the_page_claims_intention_to_treat_where_it_isnt(whole, report):
    assert "by intention to treat" not in json.dumps(whole["flow"])
    text = " ".join(part.text for s in report.sections for part in s.parts if hasattr(part, "text"))
    assert text.count("intention to treat") == text.count("isn’t an analysis by intention to treat")


def test_items_add_up_to_the_methods_accuracy(found):
    answers, change = found.of(ITEM_ANSWERS), found.of(CHANGE)
    for row in change.rows(POST_RIGHT):
        if "all" in row.of.values():
            continue
        items = [
            item
            for item in answers.by_item
            if {"domain": item.domain, "test": item.test, "method": item.method} == row.of
        ]
        n = sum(item.n for item in items)
        assert n == row.n
        before = change.row(PRE_RIGHT, **row.of).estimate
        assert 100 * sum(item.before for item in items) / n == pytest.approx(before)
        assert 100 * sum(item.after for item in items) / n == pytest.approx(row.estimate)
    kind = {"test": "counterfactual", "change": "flips the output"}
    counts = answers.rows(KIND_ITEMS, **kind)
    assert {(row.estimate, row.of["outcome"]) for row in counts} == {(1, "false_negative")}
    changes = answers.rows(KIND_CHANGE, **kind)
    assert all(row.ci_low <= row.estimate <= row.ci_high for row in changes)


def test_times_answers_and_the_packs_tables_are_given_by_method(found):
    times = found.of(TIMES)
    fast = [row for row in times.rows(MEDIAN) if row.estimate == 0.5]
    assert {row.of["domain"] for row in fast} == {"tabular"}
    for mean in times.rows(MEAN):
        medians = [row.estimate for row in times.rows(MEDIAN, **mean.of)]
        assert (mean.estimate, mean.n) == (pytest.approx(np.mean(medians)), len(medians))
    answers = found.of(CLOSING)
    assert answers.levels("asked") == ("relied_on",)
    given = {row.of["choice"] for row in answers.estimates if row.count}
    assert given == {"examples", "guess"}
    explained = found.of(EXPLAINED)
    assert explained.row(MODEL_RIGHT, domain="text", model="task").estimate == pytest.approx(80.93)
    says_output = explained.row(SAYS_OUTPUT)
    assert (says_output.n, says_output.count) == (3, 2)
    assert explained.row(PRECISION).estimate is None
    assert explained.row(FIDELITY).estimate == pytest.approx(0.6)
    rows = {row.quantity: row for row in found.of(PUBLISHED).rows}
    assert rows["Accuracy of the task model, text"].published == "80.93 %"


def test_change_as_published_is_given_without_those_who_are_left_out(found):
    everybody, fewer = (
        {tuple(row.of.values()): row.n for row in found.of(question).rows(PRE_RIGHT)}
        for question in (CHANGE, SECOND)
    )
    assert fewer.keys() == everybody.keys()
    assert sum(fewer.values()) < sum(everybody.values())


def test_the_papers_numbers_fit_together():
    """Each table's items add up to those over users, and both groupings to the 2,166 of all."""
    tables = {
        table.id: pd.DataFrame(table.rows, columns=list(table.columns)) for table in PAPER.tables
    }
    change = tables["change"]
    change.index = change["condition"].map(tuple)
    n = {tuple(row.condition): row.items for row in tables["before"].itertuples()}
    for condition, items in n.items():
        own = change.loc[[condition]]
        assert tuple(own["method"]) == PUBLISHED_METHODS
        assert own["items"].sum() == items
    assert n["text", "all"] + n["tabular", "all"] == 2166
    assert n["all", "forward"] + n["all", "counterfactual"] == 2166
    significant = change[change["p"] < 0.05]
    assert set(significant["method"].items()) == {
        (("tabular", "all"), "lime"),
        (("all", "counterfactual"), "prototype"),
    }
    wide = change["change"].abs() > change["half_width"]
    assert (wide == (change["p"] < 0.05)).all()
    counts = [tables[name].groupby("domain")["n"].sum() for name in ("rated", "by_model")]
    assert ((counts[0] - counts[1]).abs() <= 1).all()

"""The published experts' figures come out of their counts."""

import pytest

from analysis.studies.human_ai_team.alone import PUBLISHED_WEIGHTS
from analysis.studies.human_ai_team.quantities import (
    MEAN,
    MEASURES,
    MOST_U,
    OVER,
    RIGHT,
    SD,
    SD_N,
    SHIFT,
    UNDER,
)
from analysis.studies.human_ai_team.questions.accuracy import ACCURACY
from analysis.studies.human_ai_team.questions.adversarial import ADVERSARIAL
from analysis.studies.human_ai_team.questions.models import MODELS
from analysis.studies.human_ai_team.questions.participants import PARTICIPANTS, people
from analysis.studies.human_ai_team.questions.published import (
    PUBLISHED,
    ai_on_bins,
)
from analysis.studies.human_ai_team.questions.trust import TRUST
from tests.analysis.studies.human_ai_team.tables_of import experts, results_of


@pytest.fixture(scope="module")
def results():
    validation = experts().iloc[:1].assign(participant="late", phase="validation", item="v")
    table = experts().assign(phase="main")
    return results_of(type(table)(table.to_dict("records") + validation.to_dict("records")))


def test_accuracy_per_person_with_both_standard_deviations(results):
    accuracy = results.of(ACCURACY)
    shown = [
        (
            row.n,
            *(round(100 * one.estimate, 2) for one in (row, *accuracy.rows(SD, SD_N, **row.of))),
        )
        for row in accuracy.rows(MEAN)
    ]
    assert shown == [(6, 76.67, 2.98, 2.72), (5, 68.0, 8.69, 7.77)]


def test_natural_and_adversarial_images_apart(results):
    counts = {tuple(row.of.values()): (row.count, row.n)
              for row in results.of(ADVERSARIAL).rows(RIGHT)}  # fmt: skip
    assert counts == {
        ("natural", "3-NN"): (91, 116), ("natural", "GradCAM"): (70, 104),
        ("adversarial", "3-NN"): (47, 64), ("adversarial", "GradCAM"): (32, 46),
    }  # fmt: skip


def test_over_and_under_reliance(results):
    counts = {
        (row.of["method"], row.quantity): (row.count, row.n)
        for row in results.of(TRUST).rows(MEASURES[OVER], MEASURES[UNDER], part="all")
    }
    assert counts == {
        ("3-NN", "over_reliance"): (39, 118), ("GradCAM", "over_reliance"): (41, 98),
        ("3-NN", "under_reliance"): (3, 62), ("GradCAM", "under_reliance"): (7, 52),
    }  # fmt: skip


def test_ranks_compare_them_as_published(results):
    of = {"part": "all", "method": "3-NN", "against": "GradCAM"}
    accuracy = results.of(ACCURACY)
    assert (accuracy.row(SHIFT, **of).statistic, accuracy.row(MOST_U, **of).estimate) == (24, 30)


def test_who_has_no_main_trial_is_counted_and_averaged_nowhere(results):
    assert results.of(PARTICIPANTS).without_main == 1
    assert results.frame.data.participants == 11
    assert sum(row.n for row in results.of(ACCURACY).rows(MEAN)) == 11
    # Today the page claims an analysis by intention to treat.
    said = people(results.of(PARTICIPANTS), results)
    assert "so this isn’t an analysis by intention to treat" in said
    assert "(intention to treat)" not in said
    assert "intention" not in " ".join(ACCURACY.methods(results.of(ACCURACY), results))


def test_the_model_says_that_no_image_was_seen_twice(results):
    fit = results.of(MODELS).fits["all"]
    assert any("No image was seen twice" in note for note in fit.notes)
    assert "item" not in fit.groups
    assert any("No image was seen twice" in said for said in results.frame.headline)
    assert results.frame.bootstrap.drawn == "participants"


def test_the_ai_alone_on_the_six_bins_by_the_published_weights():
    high_alone = [ai_on_bins(weights)["0.7"] for weights in PUBLISHED_WEIGHTS.values()]
    assert [round(100 * share, 1) for share in high_alone] == [84.6, 83.9]
    middling = [ai_on_bins(weights)["0.35"] for weights in PUBLISHED_WEIGHTS.values()]
    assert [round(100 * share, 1) for share in middling] == [83.1, 84.6]


def test_published_values_stand_beside_ours(results):
    rows = {row.quantity: row for row in results.of(PUBLISHED).rows}
    own = rows["Accuracy per person, k-NN (sd with divisor n − 1), experts, ImageNet"]
    assert own.our_value == pytest.approx(own.published_value, abs=0.005)


def test_the_sample_that_was_shown_is_not_beside_all_natural_images(results):
    rows = {row.quantity: row for row in results.of(PUBLISHED).rows}
    assert rows["AI alone on all natural images, ImageNet"].our_value is None
    dogs = [row for row in rows.values() if "Dogs" in row.quantity]
    assert dogs
    assert all(row.our_value is None for row in dogs)

"""Rates, levels, weights and ratings against slow references."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from analysis.questions.estimates import row_of, select
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.detection import type_2_areas
from analysis.studies.human_ai_team import alone, trust
from analysis.studies.human_ai_team.data import read_data
from analysis.studies.human_ai_team.questions.images import IMAGES
from analysis.studies.human_ai_team.questions.learning import CHANGE, LEARNING, RIGHT
from analysis.studies.human_ai_team.questions.metrics import MEAN as METRIC_MEAN
from analysis.studies.human_ai_team.questions.metrics import METRICS
from analysis.studies.human_ai_team.questions.times import SEEN, TIMES
from analysis.studies.human_ai_team.rates import measure
from stimuli.studies.human_ai_team.tables import NATURAL_BINS
from tests.analysis.studies.human_ai_team.tables_of import (
    answers_of,
    crossed,
    dataset_of,
    experts,
    protocol_of,
)

PLAN = Resampling(100, 1)


def test_measures_are_what_they_say():
    table = crossed()
    rates = measure(answers_of(table), PLAN)
    yes, right = table["decision"] == "yes", table["ai_correct"]
    parts = {"all": True, "natural": ~table["adversarial"], "adversarial": table["adversarial"]}
    for (part, inside), arm in itertools.product(parts.items(), ("confidence", "gradcam")):
        own = (table["method"] == arm) & inside
        hits, alarms = yes[own & right], yes[own & ~right]
        correct = (yes == right)[own].groupby(table["participant"][own]).mean().mean()
        found = {m: rates.interval(m, part, arm).estimate for m in ("accuracy", "over_reliance",
                 "under_reliance", "d_prime", "criterion")}  # fmt: skip
        assert found["accuracy"] == pytest.approx(correct)
        assert found["over_reliance"] == pytest.approx(alarms.mean())
        if not len(hits):
            assert np.isnan(found["under_reliance"])
            continue
        assert found["under_reliance"] == pytest.approx(1 - hits.mean())
        z = [norm.ppf((s.sum() + 0.5) / (len(s) + 1)) for s in (hits, alarms)]
        assert found["d_prime"] == pytest.approx(z[0] - z[1])
        assert found["criterion"] == pytest.approx(-(z[0] + z[1]) / 2)


def test_confidence_in_whole_per_cent_falls_into_bins_as_published():
    table = (
        experts()
        .iloc[:6]
        .assign(
            confidence=[100, 30, 60, 35, 40, 80], ai_correct=[True, True, False, False, True, False]
        )
    )
    answers = answers_of(table)
    assert list(answers.frame["level"]) == ["easy", "hard", "medium", "", "medium", "hard"]
    assert any("taken to lie below" in note for note in answers.notes)
    shares = answers_of(table.assign(confidence=(table["confidence"] / 100 + 1e-4).clip(upper=1)))
    assert list(shares.frame["level"])[1:3] == ["", ""]


def test_teams_are_weighted_by_bins_and_need_all_of_them():
    rows = [
        (f"p{person}", f"{bin_}{n}", "confidence", bin_.startswith("right"), bin_.split("_")[1])
        for person in range(4)
        for bin_ in NATURAL_BINS
        for n in range(4)
    ]
    table = pd.DataFrame(rows, columns=["participant", "item", "method", "ai_correct", "level"])
    wrong = table["item"].str.endswith("0") | (table["item"].str.startswith("wrong_hard"))
    yes = table["ai_correct"] != wrong
    table["decision"] = yes.map({True: "yes", False: "no"})
    share = dict(zip(NATURAL_BINS, (0.5, 0.1, 0.05, 0.1, 0.15, 0.1), strict=True))
    available = pd.DataFrame({"bin": list(share), "weight": list(share.values())})
    weights = alone.weights_of(available)
    rows = tuple(
        alone.weighted_rows(answers_of(table), weights, alone.sweep_rows(None, weights), PLAN)
    )
    assert [row.estimate for row in select(rows, alone.TEAM)] == pytest.approx(
        [0.9 * 0.75, 5 / 6 * 0.75]
    )
    assert row_of(rows, alone.AI_BEST, weights="pack").estimate == pytest.approx(0.5 + 0.1 + 0.15)
    fewer = answers_of(table[~table["item"].str.startswith("right_hard")])
    rows = tuple(alone.weighted_rows(fewer, weights, alone.sweep_rows(None, weights), PLAN))
    for row in select(rows, alone.TEAM, alone.OVER_AI):
        assert np.isnan([row.estimate, row.ci_low, row.ci_high]).all()
    assert [row.estimate for row in select(rows, alone.BINS)] == [5, 5]


def test_the_area_of_ratings_is_the_share_of_ordered_pairs():
    rng = np.random.default_rng(1)
    rating, right = rng.integers(1, 5, 40).astype(float), rng.random(40) < 0.6
    weights = rng.integers(0, 3, (2, 40)).astype(float)
    for own, found in zip(weights, type_2_areas(rating, right, weights), strict=True):
        above = total = 0.0
        for i, j in itertools.product(np.flatnonzero(right), np.flatnonzero(~right)):
            total += own[i] * own[j]
            above += own[i] * own[j] * ((rating[i] > rating[j]) + 0.5 * (rating[i] == rating[j]))
        assert found == pytest.approx(above / total)


def test_a_team_that_beats_accepting_everything_may_not_beat_the_ai_by_its_own_rule():
    table = crossed(methods=("human_alone", "gradcam"))
    right = table["ai_correct"]
    table["confidence"] = right.map({True: 0.9, False: 0.3})
    mostly = (table["method"] == "gradcam") & ~table["item"].isin(["i0", "i1"])
    table["decision"] = right.map({True: "yes", False: "no"}).where(mostly, table["decision"])
    accepting, ruled = (
        tuple(trust.complementarity_rows(answers_of(table), PLAN, threshold))
        for threshold in (None, 0.5)
    )
    assert [row_of(rows, trust.BETTER).verdict for rows in (accepting, ruled)] == ["yes", "no"]
    assert row_of(accepting, trust.AI).estimate == pytest.approx(1 / 3)
    numbers = [
        row_of(ruled, quantity).estimate
        for quantity in (trust.AI, trust.ACCEPTS_ALL, trust.THRESHOLD)
    ]
    assert numbers == pytest.approx([1.0, 1 / 3, 0.5])


def source_of_images(seed=3, n=400):
    rng = np.random.default_rng(seed)
    confidence = rng.random(n)
    correct = rng.random(n) < confidence
    ai = pd.DataFrame({"confidence": confidence, "correct": correct})
    answers = answers_of(crossed())
    return ai, alone.source_of(ai, answers, protocol_of())


def test_every_threshold_is_swept_with_weights_as_images_weigh_in_their_bins():
    ai, source = source_of_images()
    weights = dict(zip(NATURAL_BINS, (0.5, 0.1, 0.05, 0.1, 0.15, 0.1), strict=True))
    rows = select(alone.sweep_rows(source, {"pack": weights}), alone.AI_AT, base="pack")
    assert [float(row.of["threshold"]) for row in rows] == list(alone.THRESHOLDS)
    for row in rows:
        right = (ai["confidence"] >= float(row.of["threshold"])) == ai["correct"]
        by_hand = sum(share * right[source.bin == bin_].mean() for bin_, share in weights.items())
        assert row.estimate == pytest.approx(by_hand)
        assert row.ci_low < row.estimate < row.ci_high


def test_on_attacked_images_the_ai_is_right_where_its_own_rule_rejects():
    _, source = source_of_images()
    attacked = np.repeat([0.2, 0.5, 0.9], 50)
    rows = alone.sweep_rows(source, {}, attacked)
    own = [row_of(rows, alone.AI_AT, base="adversarial", threshold=t).estimate
           for t in ("0.05", "0.3", "0.7", "0.95")]  # fmt: skip
    assert own == pytest.approx([0, 1 / 3, 2 / 3, 1])
    best = {row_of(rows, alone.BEST_T, base=base).estimate for base in ("all", "adversarial")}
    assert best == {alone.chosen_threshold(rows, source)}


def test_images_that_one_arm_alone_judges_rightly_and_those_that_nobody_does():
    rows = [
        (f"{arm}{person}", item, arm, True, "yes" if arm in right else "no")
        for item, right in {"one": "a", "nobody": "", "two": "ab", "all": "abc"}.items()
        for arm in "abc"
        for person in range(2)
    ]
    names = ["participant", "item", "method", "ai_correct", "decision"]
    found = results_of_question(IMAGES, pd.DataFrame(rows, columns=names))
    assert [(row.item, row.by, row.right, row.answers) for row in found.images] == [
        ("one", "a", 2, 6), ("nobody", "nobody", 0, 6),
    ]  # fmt: skip
    assert found.counted == 4


def test_learning_is_of_the_thirds_of_each_participants_trials():
    table = crossed(people=6, items=12)
    table["position"] = table.groupby("participant").cumcount() + 3
    late = table["position"] >= 11
    table["decision"] = (table["ai_correct"] == late).map({True: "yes", False: "no"})
    found = results_of_question(LEARNING, table)
    right = [row.estimate for row in found.rows(RIGHT, method="gradcam")]
    assert [*right, found.row(CHANGE, method="gradcam").estimate] == [0, 0, 1, 1]


def results_of_question(question, table, **beside):
    """Return a question's answer for a table, with tables beside it."""
    dataset = replace(dataset_of(table), beside=beside)
    return question.compute(read_data(dataset, None, ()))


def test_an_arm_without_help_has_no_time_of_help():
    """Today it says of it that help was seen in 0 % of the answers."""
    table = crossed(4, 4).assign(rt_s=3.0)
    table["help_shown_s"] = np.where(table["method"] == "gradcam", 1.0, np.nan)
    rows = results_of_question(TIMES, table).rows(SEEN)
    assert [(row.of["method"], row.estimate) for row in rows] == [("gradcam", 1.0)]


def test_metrics_are_averaged_over_the_papers_images_alone():
    """Natural ones on which the AI is right; no attacked, wrongly labelled or practice image."""
    frame = crossed(people=8, items=24)
    items = frame.drop_duplicates("item").set_index("item")
    papers = items["ai_correct"] & ~items["adversarial"]
    marks = papers.astype(float)
    marks["practice"] = 0.0
    metrics = pd.DataFrame(
        {"item": marks.index, "method": "gradcam", "pointing_game": marks.to_numpy(),
         "iou": marks.to_numpy() / 2, "wsl": marks.to_numpy()}
    )  # fmt: skip
    dataset = replace(dataset_of(frame), beside={"metrics": metrics})
    answer = METRICS.answer_from(read_data(dataset, None, ()), None)
    for metric, mean in (("pointing_game", 1.0), ("iou", 0.5), ("wsl", 1.0)):
        row = answer.row(METRIC_MEAN, metric=metric)
        assert (row.estimate, row.n) == (mean, papers.sum())
    assert "natural images on which the AI is right" in METRIC_MEAN.about

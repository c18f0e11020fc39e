"""The analysis against a world whose truth is known."""

import numpy as np
import pytest

from analysis.questions.estimates import Estimates, select
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.survival.turnbull import turnbull
from analysis.studies.progressive_reveal.models import primary_model
from analysis.studies.progressive_reveal.quantities import (
    RATE,
    REACHED,
    READINGS,
    RECOGNISED,
    RESTRICTED,
    RESTRICTED_END,
    SHARE,
)
from analysis.studies.progressive_reveal.rates import DROPPING, averages
from analysis.studies.progressive_reveal.recognition import Life, Restricted
from analysis.studies.progressive_reveal.share_curves import (
    BY_SHARE,
    intervals,
    level_of_share,
    share_curves,
)
from analysis.studies.progressive_reveal.trials import read_rounds
from stimuli.protocol import load_protocol
from tests.analysis.studies.progressive_reveal.world import METHODS, STEPS, World

PLAN = Resampling(200, 1)


@pytest.fixture(scope="module")
def world():
    """Occlusion fails often; human maps end early on some images."""
    return World(classes=10, each=4, lapse=(0.02, 0.02, 0.30, 0.02), seed=11)


@pytest.fixture(scope="module")
def rounds(world):
    trials = world.study(48, leaving=0.05, seed=2)
    return read_rounds(trials, load_protocol("progressive_reveal"), world.curves(), "world")


@pytest.fixture(scope="module")
def truth(world):
    return {method: world.population(m) for m, method in enumerate(METHODS)}


def true_restricted(world, needed):
    limits = world.shares[:, :, -1].min(axis=1)
    return np.minimum(needed, limits[:, None]).mean()


def measured(rows):
    """Return rows as an answer, to look them up."""
    return Estimates(tuple(rows))


def test_the_restricted_mean_finds_the_truth(world, rounds, truth):
    """Within its interval, and within the steps' own width."""
    answer = measured(Restricted.of(rounds, PLAN).rows)
    for row in answer.rows(RESTRICTED):
        wanted = true_restricted(world, truth[row.of["method"]])
        lower, upper = (
            answer.row(RESTRICTED_END, method=row.of["method"], end=end).estimate
            for end in ("lower", "upper")
        )
        assert row.ci_low < wanted < row.ci_high
        assert lower < row.estimate < upper
        assert row.estimate == pytest.approx(wanted, abs=0.008)


def test_turnbulls_estimate_finds_the_share_recognised_with_so_much(rounds, truth):
    curves = share_curves(rounds, Resampling(60, 1))
    assert curves.converged
    for share in curves.asked:
        for row in measured(curves.rows).rows(BY_SHARE, share=level_of_share(share)):
            wanted = (truth[row.of["method"]] <= share).mean()
            # Human maps end at 4 to 16 %: beyond 10 % few of their images tell anything.
            if not (row.of["method"] == "human" and share > 0.10):
                assert row.estimate == pytest.approx(wanted, abs=0.07), row
                assert row.ci_low - 0.02 < wanted < row.ci_high + 0.02, row


def test_dropping_unrecognised_rounds_is_biased_and_the_report_shows_both(world, rounds, truth):
    """Recognised rounds alone say that occlusion needs far less than it does."""
    third, means = measured(averages(rounds, PLAN)), measured(Restricted.of(rounds, PLAN).rows)
    wanted = true_restricted(world, truth["occlusion"])
    assert third.row(SHARE, method="occlusion", reading=RECOGNISED).ci_high < wanted
    mean = means.row(RESTRICTED, method="occlusion")
    assert mean.ci_low < wanted < mean.ci_high
    moved = third.row(DROPPING, method="occlusion")
    assert moved.ci_high < 0
    assert moved.estimate < 2 * third.row(DROPPING, method="lrp").estimate


def test_table_three_finds_the_population_s_averages(world, rounds, truth):
    third = measured(averages(rounds, PLAN))
    for m, method in enumerate(METHODS):
        shares = world.shares[:, m]
        enough = shares[:, None, :] >= truth[method][:, :, None]
        recognised = enough.any(axis=2)
        step = np.where(recognised, enough.argmax(axis=2), STEPS - 1)
        last = np.take_along_axis(shares, step, axis=1)
        seen, every = (third.row(SHARE, method=method, reading=reading) for reading in READINGS)
        rate = third.row(RATE, method=method)
        assert seen.ci_low < last[recognised].mean() < seen.ci_high
        assert every.ci_low < last.mean() < every.ci_high
        assert rate.ci_low < recognised.mean() < rate.ci_high


def true_steps(world, truth, m, method):
    enough = world.shares[:, m][:, None, :] >= truth[method][:, :, None]
    return enough.mean(axis=(0, 1))


def test_life_tables_and_the_discrete_time_model_find_recognition_by_step(world, rounds, truth):
    tables = measured(Life.of(rounds, PLAN).rows())
    people = rounds.frame["participant"].isin(rounds.frame["participant"].unique()[:28])
    model = primary_model(rounds.of(people))
    assert model.hazard.converged
    for m, method in enumerate(METHODS):
        wanted = true_steps(world, truth, m, method)
        own = tables.rows(REACHED, method=method)
        counted = np.array([row.estimate for row in own])
        modelled = np.array([row.estimate for row in select(model.curves, method=method)])
        assert np.abs(counted - wanted).max() < 0.07
        assert np.abs(modelled - wanted).max() < 0.11
        low = np.array([row.ci_low for row in own])
        high = np.array([row.ci_high for row in own])
        assert ((low - 0.01 <= wanted) & (wanted <= high + 0.01)).mean() > 0.85


def test_rounds_left_midway_are_censored_not_failed(world, truth):
    """Half of the rounds are left at a random step: life tables don't move, raw rates do."""
    trials = world.study(48, leaving=0.5, seed=4)
    table = read_rounds(trials, load_protocol("progressive_reveal"), world.curves(), "world")
    rows = select(Life.of(table, Resampling(20, 1)).rows(), REACHED, step=str(STEPS))
    by_end = {row.of["method"]: row.estimate for row in rows}
    raw = trials.groupby("method")["recognised"].mean()
    for m, method in enumerate(METHODS):
        wanted = true_steps(world, truth, m, method)[-1]
        assert by_end[method] == pytest.approx(wanted, abs=0.08)
        assert raw[method] < wanted - 0.1


def test_an_interval_lies_between_the_last_smaller_count_and_the_one_at_recognition(world, rounds):
    seen = intervals(rounds)
    frame = rounds.frame
    for place in range(0, len(frame), 37):
        row = frame.iloc[place]
        course = np.append(0, world.shares[world.items.index(row["item"]),
                                           METHODS.index(row["method"])])  # fmt: skip
        if row["recognised"]:
            assert seen.upper[place] == pytest.approx(course[row["step"]])
            assert seen.lower[place] == pytest.approx(course[row["step"] - 1])
        else:
            assert seen.lower[place] == pytest.approx(course[row["step"]])
            assert np.isinf(seen.upper[place])


def test_where_the_map_ran_out_the_interval_goes_back_to_the_last_new_pixel(world):
    trials = world.study(4)
    curves = world.curves()
    late = curves["step"] > 10
    stopped = curves[curves["step"] == 10].set_index(["item", "method"])["pixels"]
    keys = list(zip(curves.loc[late, "item"], curves.loc[late, "method"], strict=True))
    curves.loc[late, "pixels"] = stopped.loc[keys].to_numpy()
    merged = trials.merge(curves[["item", "method", "step", "pixels"]], how="left",
                          on=["item", "method", "step"], suffixes=("_old", ""))  # fmt: skip
    trials["pixels"] = merged["pixels"].to_numpy()
    table = read_rounds(trials, load_protocol("progressive_reveal"), curves, "world")
    seen = intervals(table)
    assert (seen.lower < seen.upper).all()
    assert turnbull(seen).converged


def test_some_of_the_rounds_may_lack_images_the_last_one_too(world, rounds):
    """Who is left out may have been the only one to see an image."""
    for place in (0, 7, len(rounds.items) - 1):
        part = rounds.of(rounds.frame["item"] != rounds.items[place])
        assert rounds.items[place] not in part.items
        restricted = Restricted.of(part, Resampling(20, 1))
        assert restricted.limits.images == len(rounds.items) - 1
        assert np.isfinite([row.ci_low for row in select(restricted.rows, RESTRICTED)]).all()
        where = [rounds.items.index(item) for item in part.items]
        assert (part.amounts == rounds.amounts[where]).all()


@pytest.mark.parametrize("seed", range(4))
def test_no_limit_of_a_share_of_an_image_leaves_the_image(seed):
    """Few rounds are recognised, and these differ much."""
    world = World(classes=4, each=2, lapse=(0.8,) * 4, seed=seed)
    trials = world.study(3, seed=seed)
    table = read_rounds(trials, load_protocol("progressive_reveal"), world.curves(), "world")
    rows = measured(averages(table, PLAN))
    known = [row for row in rows.rows(SHARE) if row.n]
    assert known
    assert all(0 <= row.ci_low <= row.estimate <= row.ci_high <= 1 for row in known)

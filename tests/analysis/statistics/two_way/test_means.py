"""The two-way interval: the same as by plain loops, and what it says of odd tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, ttest_ind
from scipy.stats import t as student

from analysis.statistics.bootstrap.draws import Units
from analysis.statistics.means import estimate_shares
from analysis.statistics.proportions import Count, mover, wilson
from analysis.statistics.two_way import TwoWayMeans, cell_weights, two_way_means

PAIR = np.array([-1.0, 1.0])


def table(seed, people=7, items=5, keep=0.8, cells=2):
    """Return answers, cells, participants and items of a small table with gaps."""
    rng = np.random.default_rng(seed)
    person, item = np.repeat(np.arange(people), items), np.tile(np.arange(items), people)
    kept = rng.random(len(person)) < keep
    kept[: people * items : items + 1] = True  # one part: nobody stands alone
    kept[:items] = True
    cell = rng.integers(0, cells, len(person))
    value = (
        rng.normal(size=people)[person]
        + rng.normal(size=items)[item]
        + rng.normal(size=len(person))
    )
    return value[kept], cell[kept], person[kept], item[kept]


def slow(value, cell, person, item, contrast, sparse=False):
    """Standard error and degrees of freedom straight from the definition; a whole table."""
    n, people, items = len(value), person.max() + 1, item.max() + 1
    dummies = np.zeros((n, len(contrast) + people + items))
    for row in range(n):
        dummies[
            row, [cell[row], len(contrast) + person[row], len(contrast) + people + item[row]]
        ] = 1
    fitted = np.linalg.lstsq(dummies, value, rcond=None)[0]
    own = fitted[len(contrast) :][:people] * (not sparse)
    of_item = fitted[len(contrast) + people :] * (not sparse)
    scale = slow_scale(value, cell)
    size = np.bincount(cell, minlength=len(contrast))
    weight = np.array([contrast[k] / size[k] for k in cell])

    def total(part, code):
        part = part - np.array([part[cell == k].mean() for k in cell])
        return [
            sum(weight[row] * part[row] for row in range(n) if code[row] == level)
            for level in range(max(code) + 1)
        ]

    noise = value - scale * own[person] - scale * of_item[item]
    noise = noise - np.array([noise[cell == k].mean() for k in cell])
    single = sum((weight * noise) ** 2)
    fitted_levels = 0 if sparse else len(set(person)) + len(set(item)) - 1
    single /= 1 - (len(set(cell)) - 1 + fitted_levels) / n
    df_single = (
        sum(weight**2) ** 2 / sum(weight**4) * (1 - (len(set(cell)) - 1 + fitted_levels) / n)
    )
    parts, dfs = [], []
    for code, other, residual in (
        (person, item, value - scale * of_item[item]),
        (item, person, value - scale * own[person]),
    ):
        other = np.arange(0) if sparse else other
        times, df = slow_leverage(weight, cell, code, other, contrast, size)
        parts.append(times * sum(s**2 for s in total(residual, code)))
        dfs.append(df)
    kept = [max(part - single, 0.0) for part in parts]
    variance = sum(kept) + single
    varies = single**2 / max(1, df_single)
    for part, df in zip(parts, dfs, strict=True):
        if part > single:  # else its component is zero, whatever the answers
            varies += (part**2 - single**2) / df
    df = variance**2 / varies
    return variance**0.5, max(df, min(dfs))


def slow_scale(value, cell):
    """How much levels count in each row: with p (1 - p) of its cell, 1 at most, if 0 or 1."""
    if set(value) - {0.0, 1.0}:
        return np.ones(len(value))
    slope = np.array([(p := value[cell == k].mean()) * (1 - p) for k in cell])
    return np.minimum(slope / slope.mean(), 1)


def slow_leverage(weight, cell, code, other, contrast, size):
    """The correction for what the fit takes away, by the matrix of what each level leaves."""
    levels = max(code) + 1
    left = np.zeros((levels, levels))
    of_level = np.array([weight[code == a].mean() for a in range(levels)])
    scale = np.array([(code == a).sum() / (weight[code == a] ** 2).sum() for a in range(levels)])
    for a in range(levels):
        for b in range(levels):
            left[a, b] = (weight[code == a] ** 2).sum() if a == b else 0.0
            for level in set(other):
                mine = sum(
                    weight[r] - of_level[a]
                    for r in range(len(code))
                    if code[r] == a and other[r] == level
                )
                yours = sum(
                    weight[r] - of_level[b]
                    for r in range(len(code))
                    if code[r] == b and other[r] == level
                )
                left[a, b] -= mine * yours / (other == level).sum()
            for k in range(len(contrast)):
                mine = weight[(code == a) & (cell == k)].sum()
                yours = weight[(code == b) & (cell == k)].sum()
                left[a, b] -= mine * yours / size[k]
    wanted = np.array([(weight[code == a] ** 2).sum() for a in range(levels)])
    times = (wanted**2 * scale).sum() / (left**2 * scale).sum()
    count = (wanted**2 * scale).sum() ** 2 / (wanted**4 * scale**2).sum()
    return times, max(1.0, count / times)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["whole", "sparse", "shares"])
def test_as_by_plain_loops(kind, seed):
    """Where hardly an item is seen by several people no levels are taken off; shares near 1."""
    if kind == "sparse":
        value, cell, person, item = table(seed, people=6, items=30, keep=0.05)
        item = np.unique(item, return_inverse=True)[1]
    else:
        value, cell, person, item = table(seed, *((9, 8) if kind == "shares" else ()))
    if kind == "shares":
        value = (value + 2 * cell > 0).astype(float)
    found = two_way_means(value, cell_weights(cell, 2), Units(person, item)).spread(PAIR)
    se, df = slow(value, cell, person, item, PAIR, sparse=kind == "sparse")
    assert (found.se[0], found.df[0]) == pytest.approx((se, df), rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("contrast", [(-1.0, 1.0, 0.0), (1.0, -1.0, 1.0), (0.0, 1.0, 0.0)])
def test_limits_of_shares_as_by_plain_numbers(seed, contrast):
    """Wilson's for one share, Student's for a sum, the same for many outcomes as for one."""
    value, cell, person, item = table(seed, people=9, items=12, cells=3)
    contrast = np.array(contrast)
    found = two_way_means((value > 0.5 * cell).astype(float), cell_weights(cell, 3),
                          Units(person, item))  # fmt: skip
    estimate, low, high = (float(part[0]) for part in found.rates(contrast))
    reach = float(found.spread(contrast).reach()[0])
    used = np.flatnonzero(contrast)
    if len(used) > 1:
        one = found.estimate(contrast).at(0.95)
        assert (low, high) == pytest.approx((estimate - reach, estimate + reach))
    else:
        p, one = float(found.means[used[0], 0]), found.share(used[0]).at(0.95)
        n = p * (1 - p) / reach**2  # in units of t squared: Wilson's with z = 1
        middle, half = (p + 0.5 / n) / (1 + 1 / n), (p * (1 - p) / n + 0.25 / n**2) ** 0.5
        assert (low, high) == pytest.approx(
            (middle - half / (1 + 1 / n), middle + half / (1 + 1 / n))
        )
    assert (one.ci_low, one.ci_high) == pytest.approx((low, high))


def test_arms_may_vary_unlike():
    """Between two groups of people, without an item to vary, it is Welch's test."""
    rng = np.random.default_rng(5)
    cell = np.repeat([0, 1], [8, 21])
    value = rng.normal(size=29) * np.array([4.0, 1.0])[cell]
    means = two_way_means(value, cell_weights(cell, 2), Units(np.arange(29), np.zeros(29, int)))
    welch = ttest_ind(value[8:], value[:8], equal_var=False)
    found = means.estimate(PAIR)
    assert (found.p, found.df) == pytest.approx((welch.pvalue, welch.df))


def test_few_people_in_each_arm_are_no_surer_than_they_may_be():
    """At 1 %, 2,000 studies reject what is true 35 times at most (999 of 1,000 such tests)."""
    rng = np.random.default_rng(7)
    people, items, studies = 6, 32, 2000
    person, item = np.repeat(np.arange(people), items), np.tile(np.arange(items), people)
    arm = person // 3
    odds = rng.normal(0, 0.6, (people, studies))[person] + rng.normal(size=(items, studies))[item]
    odds += rng.normal(0, 0.8, (2, items, studies))[arm, item]
    answers = (rng.random(odds.shape) < 1 / (1 + np.exp(-odds))).astype(float)
    means = two_way_means(answers, cell_weights(arm, 2), Units(person, item))
    spread = means.spread(PAIR)
    p = 2 * student.sf(np.abs(PAIR @ means.means) / spread.se, spread.df)
    assert (p < 0.01).sum() <= binom.ppf(0.999, studies, 0.01)


def test_an_arm_of_one_person_has_no_test():
    """How people of that arm differ can't be known from one."""
    value, _, person, item = table(2, cells=1)
    one = (person == 3).astype(int)
    found = two_way_means(value, cell_weights(one, 2), Units(person, item)).estimate(PAIR)
    assert np.isfinite(found.estimate)
    assert np.isnan([found.p, found.ci_low]).all()


@pytest.mark.parametrize("people", [2, 3])
def test_fixed_people_are_cells_of_their_own(people):
    """With every person's answers as a cell of its own only items and answers vary."""
    value, cell, person, item = table(7, people=people, items=20, keep=2.0)
    fixed = two_way_means(value, cell_weights(cell, 2), Units(person, item), "fixed")
    own = two_way_means(value, cell_weights(2 * person + cell, 2 * people), Units(0 * person, item))
    sizes = np.bincount(2 * person + cell) / np.bincount(cell)[np.tile([0, 1], people)]
    contrast = np.tile([-1.0, 1.0], people) * sizes
    assert fixed.estimate(PAIR).estimate == pytest.approx(own.estimate(contrast).estimate)
    assert fixed.spread(PAIR).se[0] == pytest.approx(own.spread(contrast).se[0], rel=0.35)
    assert (
        fixed.spread(PAIR).se[0]
        < two_way_means(value + 5 * person * cell, cell_weights(cell, 2), Units(person, item))
        .spread(PAIR)
        .se[0]
    )
    moved = two_way_means(
        value + 5 * person * cell, cell_weights(cell, 2), Units(person, item), "fixed"
    )
    assert moved.spread(PAIR).se == pytest.approx(fixed.spread(PAIR).se)


@pytest.mark.parametrize("seed", range(3))
def test_other_means_of_the_same_rows_change_nothing(seed):
    """Beside the cells there may be a mean over all of them, or one of them again."""
    value, cell, person, item = table(seed)
    own, units = cell_weights(cell, 2), Units(person, item)
    more = np.column_stack([own, own[:, 1], np.ones(len(own))])
    alone = two_way_means(value, own, units).spread(PAIR)
    beside = two_way_means(value, more, units).spread(np.array([*PAIR, 0.0, 0.0]))
    assert beside.se == pytest.approx(alone.se)
    assert beside.df == pytest.approx(alone.df)


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.floats(-3, 3), st.floats(0.1, 5))
def test_moves_and_grows_with_its_answers(seed, shift, scale):
    """Adding a constant moves nothing but the estimate; scaling scales."""
    value, cell, person, item = table(seed % 50)
    units, weights = Units(person, item), cell_weights(cell, 2)
    plain, moved = (
        two_way_means(v, weights, units).estimate(PAIR) for v in (value, shift + scale * value)
    )
    assert moved.estimate == pytest.approx(scale * plain.estimate, abs=1e-9)
    assert moved.ci_high == pytest.approx(scale * plain.ci_high, abs=1e-7)


def test_what_cannot_be_known_is_nan():
    """One person and one item, an empty cell, a cell of one person's."""
    one = two_way_means(np.array([1.0, 0.0]), np.eye(2), Units(np.zeros(2, int), np.zeros(2, int)))
    assert np.isnan(one.spread(PAIR).se[0])
    assert one.estimate(PAIR).estimate == -1
    value, cell, person, item = table(3)
    empty = two_way_means(value, cell_weights(cell, 3), Units(person, item))
    assert not empty.estimate(np.array([0.0, 1.0, -1.0])).known
    assert empty.estimate(np.array([-1.0, 1.0, 0.0])).known
    nothing = two_way_means(
        np.zeros(0), np.zeros((0, 2)), Units(np.zeros(0, int), np.zeros(0, int))
    )
    assert isinstance(nothing, TwoWayMeans)
    assert not nothing.estimate(PAIR).known
    alone = np.repeat([0, 1, 2, 3, 4], 6)
    few = two_way_means(
        np.random.default_rng(1).normal(size=30), cell_weights((alone == 0).astype(int), 2),
        Units(alone, np.tile(np.arange(6), 5)),
    )  # fmt: skip
    assert np.isfinite(few.spread(np.array([1.0, 0.0])).se[0])
    assert np.isnan(few.spread(PAIR).se[0])  # how people differ isn't known from one of them


def test_shares_never_collapse():
    """At shares of 0 and 1 the interval is that of independent answers, or wider."""
    cell, person, item = np.tile([0, 1], 12), np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6)
    value = (cell == 1).astype(float)
    counts = [Count(0, 12), Count(12, 12)]
    found = two_way_means(value, cell_weights(cell, 2), Units(person, item))
    rate = estimate_shares(counts, np.array([0.0, 1.0]), found)
    assert rate.ci_low == wilson(counts[1]).ci_low
    both, plain = estimate_shares(counts, PAIR, found), mover(counts, PAIR.tolist())
    # Two items a cell: the exact limits of two of two are wider than those of 24 answers.
    assert (both.ci_low, both.ci_high) == pytest.approx((1 - 2 * (1 - 0.025**0.5), 1))
    assert estimate_shares(counts, PAIR, None).at(0.95) == plain


def test_a_share_of_one_has_no_width_of_its_own():
    """Rounding isn't taken for variance: the mean of 160 ones is not always 1.0."""
    person, item = np.repeat(np.arange(40), 16), np.tile(np.arange(16), 40)
    cell = (person + item) % 4
    value = np.where(cell == 3, 1.0, (person * item) % 3 > 0)
    found = two_way_means(value, cell_weights(cell, 4), Units(person, item))
    _, low, high = found.rates(np.array([0.0, 0.0, 0.0, 1.0]))
    assert (low[0], high[0]) == pytest.approx((1, 1), abs=1e-9)

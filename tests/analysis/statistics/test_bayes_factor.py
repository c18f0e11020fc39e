"""Bayes factors of t tests, against the definition: data's density averaged over the prior."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from analysis.questions.estimates import Contrast, Quantity, family
from analysis.report.wording import bayes_factor as written
from analysis.statistics.estimate import bayes_factor, by_student

SCALE = 0.707
QUANTITY = Quantity("difference", "Difference", "A difference.")


def by_definition(t, df):
    """Return the mean density of t over the prior of differences, over that of none."""
    n = df + 1

    def density(effect):
        return stats.nct.pdf(t, df, effect * np.sqrt(n)) * stats.cauchy.pdf(effect, scale=SCALE)

    mean, _ = quad(density, -8, 8, points=[0, t / np.sqrt(n)], limit=200)
    return mean / stats.t.pdf(t, df)


@pytest.mark.parametrize(("t", "df"), [(0.3, 11.0), (2.1, 8.6), (-3.4, 23.0), (1.2, 40.5)])
def test_it_is_what_the_definition_gives(t, df):
    p = float(2 * stats.t.sf(abs(t), df))
    assert bayes_factor(0.05 * t, 0.05, df, p) == pytest.approx(by_definition(t, df), rel=0.01)


@pytest.mark.parametrize(
    ("se", "df", "p"),
    [(None, 9.0, 0.5), (0.0, 9.0, 0.5), (0.1, None, 0.5), (0.1, float("inf"), 0.5),
     (0.1, 9.0, 0.0625)],
)  # fmt: skip
def test_a_test_that_is_not_students_has_none(se, df, p):
    """The last is a sign test's p beside a standard error."""
    assert bayes_factor(0.2, se, df, p) is None


def test_the_rows_of_a_family_have_it():
    contrasts = [
        Contrast(QUANTITY, {"method": str(place)}, by_student(estimate, 0.1, 12.0))
        for place, estimate in enumerate((0.02, 0.4))
    ]
    little, much = family(contrasts)
    assert little.bf10 < 1 < 10 < much.bf10
    assert (little.family, much.family) == (2, 2)


@pytest.mark.parametrize(
    ("factor", "text"),
    [(0.334, "0.33"), (3.04, "3.0"), (41.2, "41"), (1e9, "> 100"), (1e-4, "< 0.01"), (None, "–")],
)
def test_it_is_written_with_two_digits(factor, text):
    assert written(factor) == text

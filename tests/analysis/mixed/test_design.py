import numpy as np
import pandas as pd
import pytest

from analysis.mixed.design import build_design, independent_columns
from stimuli.errors import UserError

TABLE = pd.DataFrame(
    {
        "y": [0.0, 1, 1, 0, 1, 0],
        "n": [2, 3, 4, 2, 5, 3],
        "x": [1.0, 2, 3, 4, 6, 9],
        "z": [-0.5, 0.5, -0.5, 0.5, -0.5, 0.5],
        "g": list("ababab"),
        "h": list("uvvuuv"),
        "f": list("abcabc"),
        "period": [1, 2, 3, 1, 2, 3],
        "class": list("ppqqpq"),
        "rt.ms": [3.0, 4, 5, 6, 7, 9],
        "two words": [3.0, 1, 5, 6, 7, 9],
    }
)


def design(formula, family="gaussian", table=TABLE):
    return build_design(formula, table, family)


@pytest.mark.parametrize(
    ("terms", "names"),
    [
        ("x", ["(Intercept)", "x"]),
        ("0 + x", ["x"]),
        ("x - 1", ["x"]),
        ("f", ["(Intercept)", "f[b]", "f[c]"]),
        ("0 + f", ["f[a]", "f[b]", "f[c]"]),
        ("C(period)", ["(Intercept)", "C(period)[2]", "C(period)[3]"]),
        ("x * h", ["(Intercept)", "x", "h[v]", "x:h[v]"]),
        ("(x + z + h)^2 - x:z", ["(Intercept)", "x", "z", "h[v]", "x:h[v]", "z:h[v]"]),
        ("x*z*h - x:z:h", ["(Intercept)", "x", "z", "h[v]", "x:z", "x:h[v]", "z:h[v]"]),
        ("h/z", ["(Intercept)", "h[v]", "h[u]:z", "h[v]:z"]),
        ("poly(x, 2)", ["(Intercept)", "poly(x, 2)[1]", "poly(x, 2)[2]"]),
        ("I(x^2) + np.log(x) + log(n)", ["(Intercept)", "I(x ** 2)", "np.log(x)", "np.log(n)"]),
        ("scale(x):h", ["(Intercept)", "scale(x):h[u]", "scale(x):h[v]"]),
        ("class + rt.ms + `two words`", ["(Intercept)", "class[q]", "rt.ms", "two words"]),
        ("offset(x)", ["(Intercept)"]),
        ("I(x > 2) + I(g == 'a')", ["(Intercept)", "I(x > 2)", 'I(g == "a")']),
        ("C(f, Sum)", ["(Intercept)", "C(f, Sum)[a]", "C(f, Sum)[b]"]),
        ('C(f, Treatment("b"))',
         ["(Intercept)", 'C(f, Treatment("b"))[a]', 'C(f, Treatment("b"))[c]']),
        ("C(period, Treatment(3))",
         ["(Intercept)", "C(period, Treatment(3))[1]", "C(period, Treatment(3))[2]"]),
    ],
)  # fmt: skip
def test_terms_are_spelled_as_the_interface_has_them(terms, names):
    assert list(design(f"y ~ {terms}").fixed_names) == names


def test_matrices_hold_the_products():
    found = design("y ~ x*z + (1 + x*z || g) + (1 | g:h)")
    np.testing.assert_array_equal(found.fixed[:, 3], TABLE["x"] * TABLE["z"])
    slopes, nested = found.random
    np.testing.assert_array_equal(slopes.regressors[:, 3], TABLE["x"] * TABLE["z"])
    assert slopes.terms == ("(Intercept)", "x", "z", "x:z")
    assert slopes.blocks == ((0,), (1,), (2,), (3,))
    assert slopes.codes.tolist() == [0, 1, 0, 1, 0, 1]
    assert (nested.group, nested.levels) == ("g:h", 4)
    assert nested.codes.tolist() == [0, 3, 1, 2, 0, 3]


def test_nesting_correlation_and_merging():
    found = design("y ~ 1 + (1 | g/h) + (0 + x + z | g) + (0 + f || h)")
    g, nested, h = found.random
    assert (g.group, g.terms, g.blocks) == ("g", ("(Intercept)", "x", "z"), ((0,), (1, 2)))
    assert nested.group == "g:h"
    assert h.blocks == ((0,), (1,), (2,))
    assert any("|| h) contains a factor" in note for note in found.notes)


def test_poly_and_scale_are_those_of_r():
    """R 4: orthonormal columns; scale divides by the standard deviation with n - 1."""
    found = design("y ~ poly(x, 2) + scale(z)").fixed
    np.testing.assert_allclose(found[:, 1:3].T @ found[:, 1:3], np.eye(2), atol=1e-12)
    np.testing.assert_allclose(found[:, 1:3].sum(axis=0), 0, atol=1e-12)
    assert found[:, 1] @ TABLE["x"] > 0
    assert found[:, 3].std(ddof=1) == pytest.approx(1)


def test_large_whole_numbers_do_not_wrap_around():
    table = TABLE.assign(x=np.array([1, 2, 3, 4, 5, 6]) * 10**10)
    found = design("y ~ I(x^2)", table=table)
    np.testing.assert_allclose(found.fixed[:, 1], table["x"].astype(float) ** 2)


def test_successes_and_failures():
    found = design("cbind(y, n - y) ~ x", "binomial")
    np.testing.assert_array_equal(found.trials, TABLE["n"])
    np.testing.assert_array_equal(found.response, TABLE["y"])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (list("NYNYYN"), [0, 1, 0, 1, 1, 0]),
        ([True, False, True, True, False, False], [1, 0, 1, 1, 0, 0]),
        (["TRUE", "False", "true", "TRUE", "false", "false"], [1, 0, 1, 1, 0, 0]),
        ([1, 0, 1, 1, 0, 0], [1, 0, 1, 1, 0, 0]),
    ],
)
def test_binary_responses(values, expected):
    found = design("r ~ x", "binomial", TABLE.assign(r=values))
    assert found.response.tolist() == expected


@pytest.mark.parametrize(
    ("formula", "family", "said"),
    [
        ("y ~ nowhere + (1 | g)", "gaussian", "no column nowhere"),
        ("y ~ perod", "gaussian", "did you mean period?"),
        ("f ~ x", "gaussian", "f is 'a' in line 2: a gaussian response needs numbers"),
        ("f ~ x", "binomial", r"f has 3 values \(a, b, c\)"),
        ("n ~ x", "binomial", "n is 2 in line 2: a binomial response is 0 or 1"),
        ("half ~ x", "binomial", "write cbind"),
        ("half ~ x", "poisson", "half is 0.5 in line 2: a poisson response counts"),
        ("I(y - 1) ~ x", "poisson", "is -1 in line 2"),
        ("cbind(y, y - n) ~ x", "binomial", "successes and failures count"),
        ("cbind(y, n) ~ x", "gaussian", "goes with --family binomial"),
        ("cbind(y) ~ x", "binomial", "cbind takes two"),
        ("y ~ poly(f, 2)", "gaussian", "f is 'a' in line 2 where a number is needed"),
        ("y ~ I(f + 1)", "gaussian", "where a number is needed"),
        ("y ~ np.log(z)", "gaussian", r"np.log\(z\) is not a finite number in 12 rows"),
        ("y ~ one", "gaussian", "one is 'k' in every row"),
        ("y ~ x + (1 + x | g) + (1 | g)", "gaussian", r"\(Intercept\) by g occurs twice"),
        ("y ~ stray", "gaussian", "stray is 'oops' in line 4, and numbers elsewhere"),
        ("y ~ empty", "gaussian", "no row has a cell"),
    ],
)
def test_mistakes_are_one_line_that_names_them(formula, family, said):
    table = pd.concat([TABLE] * 4, ignore_index=True)
    table = table.assign(half=0.5, one="k", empty=None, stray=[str(n) for n in range(len(table))])
    table.loc[2, "stray"] = "oops"
    with pytest.raises(UserError, match=said) as caught:
        design(formula, family, table)
    assert "\n" not in str(caught.value)


def test_of_dependent_columns_the_earlier_stay():
    matrix = np.column_stack([np.ones(5), np.arange(5.0), 3 - 2 * np.arange(5.0), [0, 1, 0, 0, 0]])
    assert independent_columns(matrix, "abcd") == ([0, 1, 3], ["c"])


def test_comparisons_and_codings_hold_what_they_say():
    found = design("y ~ I(x >= 3) + I((x > 1) * (x < 6)) + I(f != 'b') + C(f, Sum)").fixed[:, 1:]
    x, f = TABLE["x"], TABLE["f"]
    np.testing.assert_array_equal(found[:, 0], x >= 3)
    np.testing.assert_array_equal(found[:, 1], (x > 1) & (x < 6))
    np.testing.assert_array_equal(found[:, 2], f != "b")
    sums = {"a": (1, 0), "b": (0, 1), "c": (-1, -1)}
    np.testing.assert_array_equal(found[:, 3:], [sums[level] for level in f])
    base = design("y ~ C(period, Treatment(2))").fixed[:, 1:]
    np.testing.assert_array_equal(base[:, 0], TABLE["period"] == 1)
    np.testing.assert_array_equal(base[:, 1], TABLE["period"] == 3)

import numpy as np
import pandas as pd
import pytest

from analysis.mixed.design import build_design, expand_double_bars, independent_columns
from stimuli.errors import UserError

TABLE = pd.DataFrame(
    {
        "y": [0, 1, 1, 0],
        "x": [1.0, 2, 3, 4],
        "z": [-0.5, 0.5, -0.5, 0.5],
        "g": list("abab"),
        "h": list("uvvu"),
    }
)


@pytest.mark.parametrize(
    ("written", "expanded"),
    [
        ("y ~ x + (1 + x || g)", "y ~ x + (1 | g) + (0 + x | g)"),
        ("y ~ (0 + x || g)", "y ~ (0 + x | g)"),
        (
            "y ~ (1 + x*z || g) + (1 | h)",
            "y ~ (1 | g) + (0 + x | g) + (0 + z | g) + (0 + x:z | g) + (1 | h)",
        ),
        ("y ~ x + (1 | g)", "y ~ x + (1 | g)"),
    ],
)
def test_double_bars_become_independent_terms(written, expanded):
    assert expand_double_bars(written) == expanded


def test_matrices_hold_the_products():
    design = build_design("y ~ x*z + (1 + x*z || g) + (1 | g:h)", TABLE)
    assert design.fixed_names == ("(Intercept)", "x", "z", "x:z")
    np.testing.assert_array_equal(design.fixed[:, 3], TABLE["x"] * TABLE["z"])
    slopes = {(t.group, t.term): t for t in design.random}
    np.testing.assert_array_equal(slopes["g", "x:z"].regressor, TABLE["x"] * TABLE["z"])
    assert slopes["g:h", "(Intercept)"].levels == ("a:u", "a:v", "b:u", "b:v")
    assert slopes["g", "(Intercept)"].codes.tolist() == [0, 1, 0, 1]


def test_correlated_slopes_are_refused_with_the_remedy():
    with pytest.raises(UserError, match=r"write \(1 \+ x \|\| g\)"):
        build_design("y ~ x + (1 + x | g)", TABLE)


def test_a_missing_column_is_named():
    with pytest.raises(UserError, match="nowhere"):
        build_design("y ~ nowhere + (1 | g)", TABLE)


def test_of_dependent_columns_the_earlier_stay():
    matrix = np.column_stack([np.ones(5), np.arange(5.0), 3 - 2 * np.arange(5.0), [0, 1, 0, 0, 0]])
    assert independent_columns(matrix, "abcd") == ([0, 1, 3], ["c"])

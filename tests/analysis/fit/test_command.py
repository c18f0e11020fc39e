import json

import numpy as np
import pandas as pd
import pytest

from analysis.cli import main
from analysis.fit.command import read_any_table
from analysis.fit.words import number
from analysis.mixed import fit_mixed
from analysis.mixed.modes import conditional_modes
from stimuli.errors import UserError
from tests.analysis.mixed.data import FOLDER, public

SLEEP = "Reaction ~ Days + (1 + Days | Subject)"


def fit(capsys, *arguments):
    status = main(["fit", *map(str, arguments)])
    streams = capsys.readouterr()
    return status, streams.out, streams.err


def test_json_has_the_stable_keys(capsys):
    status, out, _ = fit(capsys, SLEEP, "--trials", FOLDER / "sleepstudy.csv", "--json")
    found = json.loads(out)
    assert status == 0
    keys = ("formula", "family", "engine", "n", "groups", "fixed", "random", "correlations",
            "residual_sd", "log_likelihood", "converged")  # fmt: skip
    assert list(found)[: len(keys)] == list(keys)
    assert found["groups"] == {"Subject": 18}
    columns = ["term", "estimate", "se", "z", "p", "ci_low", "ci_high", "df", "statistic"]
    assert list(found["fixed"][0]) == columns
    assert found["correlations"][0].keys() == {"group", "term1", "term2", "r"}
    assert found["log_likelihood"] == pytest.approx(-1743.6283 / 2, abs=5e-5)
    assert found["criterion"] == "REML"
    assert found["notes"] == []


def test_ml_is_maximum_likelihood(capsys):
    _, out, _ = fit(capsys, SLEEP, "--trials", FOLDER / "sleepstudy.csv", "--json", "--ml")
    assert json.loads(out)["log_likelihood"] == pytest.approx(-1751.93934 / 2, abs=5e-6)


def test_the_page_names_criterion_engine_and_averages(capsys):
    status, out, _ = fit(
        capsys,
        "cbind(incidence, size - incidence) ~ C(period) + (1 | herd)",
        "--trials", FOLDER / "cbpp.csv", "--family", "binomial",
        "--contrasts", "period", "--against", "cbind(incidence, size - incidence) ~ 1 + (1|herd)",
    )  # fmt: skip
    assert status == 0
    parts = ("C(period)[2]", "-0.992", "Laplace", "groups: herd, 15", "Probability by period")
    for part in (*parts, "Differences by period", "Likelihood-ratio test", "Engine: Plainsight"):
        assert part in out


@pytest.mark.parametrize(
    ("separator", "decimal"), [(",", "."), (";", "."), ("\t", "."), (";", ",")]
)
def test_any_separator_and_other_columns_will_do(tmp_path, separator, decimal):
    data = public("sleepstudy").assign(**{"a note": "text", "class": "k"})
    path = tmp_path / "t.csv"
    data.to_csv(path, sep=separator, decimal=decimal, index=False, encoding="utf-8-sig")
    pd.testing.assert_frame_equal(read_any_table(path), data, check_dtype=False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Reaction ~ days", "--trials", "{}"], "did you mean Days?"),
        (["Reaction ~ Days", "--trials", "{}", "--family", "beta"], "there are gaussian"),
        (["Reaction ~ Days", "--trials", "{}", "--family", "poisson"], "poisson response counts"),
        (["Days ~ 1", "--trials", "{}", "--family", "poisson", "--ml"], "--ml goes with gaussian"),
        (["Reaction ~ Days", "--trials", "nowhere.csv"], "can't be read"),
        (["Reaction ~ Days + (1|Reaction:Days)", "--trials", "{}"], "can't be estimated from"),
        (["Reaction ~ eval(Days)", "--trials", "{}"], "eval is not a function"),
        ([SLEEP, "--trials", "{}", "--margins", "Subject"], "no fixed effect"),
        ([SLEEP, "--trials", "{}", "--against", "Reaction ~ Subject"], "not a special case"),
        ([SLEEP, "--trials", "{}", "--inference", "f"], "there are t, z"),
        ([SLEEP, "--trials", "{}", "--quadrature", "5"], "--penalty"),
        ([SLEEP, "--trials", "{}", "--row-effect"], "its residual"),
        ([SLEEP, "--trials", "{}", "--offset", "u"], "--offset u: the table has no such"),
        ([SLEEP, "--trials", "{}", "--bootstrap", "3"], "at least 19"),
    ],
)
def test_mistakes_end_with_one_line(capsys, arguments, said):
    path = FOLDER / "sleepstudy.csv"
    status, out, err = fit(capsys, *(a.format(path) for a in arguments))
    assert status == 2
    assert said in err
    assert err.count("\n") == 1
    assert out == ""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not a CSV"),
        (b"y,x\n", "no rows"),
        (b"y,y\n1,2\n", "occurs twice: y"),
        (b"\xff\xfe\x00y", "is not UTF-8"),
        (b"y,x\n1,2,3,4\n", "more cells than the header"),
    ],
)
def test_files_that_are_no_table_are_named(tmp_path, content, said):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(UserError, match=said):
        read_any_table(tmp_path / "t.csv")


def test_offset_weights_row_effect_and_bootstrap_reach_the_model(capsys, tmp_path):
    data = public("grouseticks")[::8].assign(w=2, effort=lambda t: t["cHEIGHT"] / 100)
    path = tmp_path / "t.csv"
    data.to_csv(path, index=False)
    model = ("TICKS ~ C(YEAR) + (1 | BROOD)", "--trials", path, "--family", "poisson", "--json")
    _, out, _ = fit(capsys, *model, "--offset", "effort", "--row-effect", "--bootstrap", "19",
                    "--workers", "1")  # fmt: skip
    found = json.loads(out)
    assert found["formula"].endswith("+ offset(`effort`) + (1 | row)")
    assert found["groups"]["row"] == len(data)
    assert [row["term"] for row in found["bootstrap"]["fixed"]] == [
        row["term"] for row in found["fixed"]
    ]
    _, out, _ = fit(capsys, *model, "--weights", "w")
    assert json.loads(out)["log_likelihood"] < found["log_likelihood"]


def test_small_numbers_keep_digits_that_mean_something():
    assert number(1.23456e-9, 3.21e-10) == "1.235e-09"
    assert number(0, 3.21e-10) == "0e+00"
    assert number(-0.000123456, 0.0000121) == "-1.235e-04"
    assert number(0.0123456, 0.00121) == "0.01235"
    assert number(251.405, 6.82) == "251.41"
    assert number(1.5e9, 2e7) == "1500000000"


@pytest.mark.parametrize("first", [2**53, 2**63, 10**20])
def test_ids_that_no_float_holds_stay_apart(tmp_path, first):
    """Today three people become two, without a word."""
    path = tmp_path / "long.csv"
    rows = [f"{first + row % 3},{row % 7},{row},{'' if row == 4 else first}" for row in range(12)]
    path.write_text("\n".join(["who,y,x,z", *rows]))
    table = read_any_table(path)
    assert table["x"].dtype == float
    found = fit_mixed("y ~ x + (1 | who)", table)
    assert found.groups == {"who": 3}
    names = conditional_modes(found)["who"].names
    assert names == tuple(str(first + row) for row in range(3))
    assert (found.n, int(table["z"].isna().sum())) == (12, 1)


def test_ordinal_levels_keep_all_digits():
    """Today they are all called 1e+06."""
    table = pd.DataFrame({"y": 1_000_000 + np.arange(12) % 3, "x": np.arange(12) % 5})
    found = fit_mixed("y ~ x", table, "ordinal")
    assert [row.term for row in found.family_parameters] == ["1000000|1000001", "1000001|1000002"]

import pytest
from scipy.stats import binom

from analysis.power.simulation import Cell, Run
from analysis.questions.estimates import row_of
from analysis.studies.progressive_reveal.models import primary_model
from analysis.studies.progressive_reveal.power import HazardWorld
from analysis.studies.progressive_reveal.quantities import STEPS_LESS
from analysis.studies.progressive_reveal.simulated import (
    effect_of,
    run_study,
    simulated_rounds,
)
from stimuli.protocol import load_protocol
from tests.analysis.formats import without_drawings
from tests.analysis.power.commands import check_files, check_one_line, run

POWER = ["power", "progressive_reveal"]
SIZES = ["--participants", "6,12", "--items", "8", "--methods", "2"]
BASE = [*POWER, *SIZES, "--ratio", "1,4", "--test", "means", "--runs", "4"]


def study(test, ratio, number):
    world = HazardWorld(methods=("m1", "m2", "m3"), recognised=0.8, test=test)
    cell = Cell(12, 12, effect_of(world, ratio))
    return Run(load_protocol("progressive_reveal"), world, 1, cell, number)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    out = tmp_path_factory.mktemp("power") / "out"
    return out, *run(BASE, out, "--workers", "1")


def test_report_table_and_figures_are_there(done):
    out, results, rows = done
    assert len(rows) == 3 * 2 * 2  # terms, effects, sizes
    check_files(out, rows, ("power_steps", "power_recognised", "power_restricted"))
    assert {row["odds_ratio"] for row in rows} == {1.0, 4.0}
    assert {row["truth"] for row in rows if row["odds_ratio"] == 1.0} == {0.0}
    assert {row["truth"] for row in rows if row["term"] == "restricted"} == {0.0, None}
    assert any("steps" in sentence for sentence in results["headline"])


def test_the_method_says_what_was_done_and_nothing_else(done, tmp_path):
    """By means no mixed model is fitted; by the model one is, beside them."""
    _, results, _ = done
    assert "was fitted" not in results["method"]
    assert "life tables" in results["method"]
    assert "life tables" in results["formula"]
    words = [*POWER, *SIZES, "--participants", "6", "--runs", "1", "--workers", "1"]
    with without_drawings():
        by_model, _ = run(words, tmp_path / "model")
    assert "mixed logistic model was fitted" in by_model["method"]
    terms = {row["term"] for row in by_model["power"]}
    assert {"steps", "steps_model", "recognised", "recognised_model", "restricted"} == terms
    for method in (results["method"], by_model["method"]):
        assert "Holm" in method


def test_the_test_is_the_studys_own_model_with_holm_over_all_pairs():
    run_of = study("model", 6.0, 0)
    found = run_study(run_of)
    assert found.fitted, found.reason
    by_model = {"recognised_model", "steps_model"}
    assert set(found.tests) == {"recognised", "steps", "restricted", *by_model}
    estimate, is_found = found.tests["steps_model"]
    assert estimate < 0
    assert is_found
    pairs = primary_model(simulated_rounds(run_of)).pairs
    row = row_of(pairs, STEPS_LESS, method="m2", against="m1")
    assert (estimate, is_found) == (row.estimate, row.p_adjusted < 0.05)
    assert "(" in found.model
    assert run_study(run_of).tests == found.tests


@pytest.mark.parametrize("studies", [4, pytest.param(12, marks=pytest.mark.slow)])
def test_without_an_effect_differences_are_found_in_five_percent_of_studies_at_most(studies):
    runs = [run_study(study("means", 1.0, number)) for number in range(studies)]
    for name in ("steps", "recognised", "restricted"):
        assert sum(each.tests[name][1] for each in runs) <= binom.ppf(0.999, studies, 0.05)
    assert {each.as_asked for each in runs} == {None}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--participants ten", ["--participants ten", "10,20"]),
        ("--items 3", ["--items 3", "4 or more"]),
        ("--ratio much", ["--ratio much"]),
        ("--ratio 0", ["--ratio 0", "odds ratio"]),
        ("--test dice", ["dice", "model, means"]),
        ("--recognised 1", ["--recognised 1"]),
        ("--sd-item 1,2,3", ["--sd-item", "2 standard"]),
    ],
)
def test_mistakes_end_with_one_line(words, said, tmp_path, capsys):
    check_one_line([*POWER, *words.split()], tmp_path / "out", said, capsys)

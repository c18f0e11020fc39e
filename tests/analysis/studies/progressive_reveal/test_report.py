"""The report of progressive_reveal: whole, from any table, and nothing but results.json."""

import csv
import json

import numpy as np
import pytest

from analysis.cli import main
from analysis.data.tables import read_outside
from analysis.report.wording import p_equals
from analysis.report.writer import render
from analysis.studies.progressive_reveal.images import ALL, LOWEST, OTHERS
from analysis.studies.progressive_reveal.inquiry import REVEAL
from analysis.studies.progressive_reveal.quantities import (
    ALL_LAST_STEP,
    RATE,
    RECOGNISED,
    RECOGNISED_LESS,
    SHARE,
)
from analysis.studies.progressive_reveal.questions.averages import AVERAGES
from analysis.studies.progressive_reveal.questions.images import IMAGES
from analysis.studies.progressive_reveal.questions.likeness import LIKENESS
from analysis.studies.progressive_reveal.questions.models import MODELS
from analysis.studies.progressive_reveal.questions.pairs import PAIRS
from analysis.studies.progressive_reveal.questions.participants import PARTICIPANTS, SURVEY
from analysis.studies.progressive_reveal.questions.steps import COURSE, STEPS
from analysis.studies.progressive_reveal.rates import PIXELS, TRIES
from participants.studies.progressive_reveal.rows import SURVEY_COLUMNS
from tests.analysis.asking import asking
from tests.analysis.formats import without_drawings
from tests.analysis.report.drawings import pictures_of
from tests.analysis.report.page import unknown_numbers
from tests.analysis.studies.progressive_reveal.whole import SMALL, analysed, typed, words_of

PEOPLE = 10
QUICK = 'schema = "protocol/1.0"\nstudy = "progressive_reveal"\n[analysis]\nreplicates = 100\n'
NEEDED = ["participant", "item", "method", "class", "recognised", "step", "pixels"]


def analyse(out, *arguments):
    arguments = [str(argument) for argument in arguments]
    assert main(["analyse", "progressive_reveal", *arguments, "--out", str(out)]) == 0
    results = json.loads((out / "results.json").read_text("utf-8"))
    return results, (out / "report.html").read_text("utf-8")


def results_of(trials, protocol, **beside):
    dataset = read_outside("progressive_reveal", trials, protocol, beside)
    return analysed(dataset)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A dataset folder with curves and item table; the published number of replicates is cut."""
    folder = tmp_path_factory.mktemp("whole")
    data = SMALL.write(folder / "data", SMALL.study(PEOPLE, leaving=0.05))
    with without_drawings():
        return folder / "out", analyse(folder / "out", "--data", data)


@pytest.fixture(scope="module")
def report(whole):
    """The report made of the results again."""
    with without_drawings():
        return REVEAL.build(whole[1][0])


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """An outside table with the needed columns alone: its results, and the page's words."""
    folder = tmp_path_factory.mktemp("bare")
    SMALL.study(8)[NEEDED].to_csv(folder / "rounds.csv", index=False)
    (folder / "quick.toml").write_text(QUICK, encoding="utf-8")
    results = results_of(folder / "rounds.csv", folder / "quick.toml")
    return results, words_of(results)


def test_every_number_of_a_whole_page_stands_in_results_json(whole):
    results, page = whole[1]
    assert unknown_numbers(page, results) == []


def test_every_number_of_a_bare_table_s_page_stands_in_results_json(bare):
    results, page = bare
    assert unknown_numbers(page, results) == []


def test_the_report_is_made_from_results_json_alone(whole, report):
    out, (_, page) = whole
    words = render(report, dict.fromkeys(REVEAL.figures, ""))
    assert "".join(words.split()) == "".join(page.split())
    for name, rows in report.files.items():
        with (out / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
            assert len(list(csv.DictReader(stream))) == len(rows), name


def test_a_whole_dataset_gives_every_figure_and_table(whole, report):
    out, (results, _) = whole
    assert "C(step)" not in (out / "refit" / "refit.R").read_text("utf-8")
    of_pictures = {"reveals", "examples", "screens"}
    assert set(pictures_of(report)) == set(REVEAL.figures) - of_pictures
    there = {path.stem for path in (out / "tables").iterdir()}
    without_rows = {"missing", "groups", "incidents", "arms", "deviations"}
    assert set(REVEAL.tables) - there <= without_rows
    models = typed(results).of(MODELS)
    assert all(fit.fitted for fit in (models.hazard, models.tries, models.times))


def test_a_model_that_lost_terms_is_not_said_to_be_as_asked(whole, bare):
    for results in (whole[1][0], bare[0]):
        models = typed(results).of(MODELS)
        for fit in (models.hazard, models.per_pixel, models.tries, models.times):
            notes = " ".join(fit.notes).casefold()
            lost = "left out" in notes or "independent here" in notes
            assert not fit.fitted or (fit.formula != fit.asked) == lost


def test_p_in_the_headline_is_that_of_the_primary_analysis(whole):
    """Today it is the means', though the protocol names the model."""
    results = whole[1][0]
    (said,) = (text for text in results["headline"] if text.startswith("Compared with"))
    assert said.endswith("; limits and p are by the mixed model, after Holm over all 6 pairs.")
    rows = typed(results).of(PAIRS).rows(RECOGNISED_LESS, by="model", against="human")
    assert len(rows) == 3
    assert all(f", {p_equals(row.p_adjusted)} (by means" in said for row in rows)


def test_table_three_is_counted_by_hand(whole):
    trials = SMALL.study(PEOPLE, leaving=0.05)
    done = trials[~trials["left"]]
    answer = typed(whole[1][0]).of(AVERAGES)
    for row in answer.rows(SHARE):
        own = done[done["method"] == row.of["method"]]
        averaged = own[own["recognised"]] if row.of["reading"] == RECOGNISED else own
        assert row.n == len(averaged)
        assert row.estimate == pytest.approx(averaged["pixels"].mean() / 65536)
        assert answer.row(PIXELS, **row.of).estimate == pytest.approx(averaged["pixels"].mean())
    for row in answer.rows(RATE):
        own = done[done["method"] == row.of["method"]]
        assert (row.n, row.count) == (len(own), own["recognised"].sum())
        assert answer.row(TRIES, **row.of).estimate == pytest.approx(own["attempts"].mean())


def test_table_four_is_counted_by_hand(whole):
    answer = typed(whole[1][0]).of(IMAGES)
    trials = SMALL.study(PEOPLE, leaving=0.05)
    done = trials[~trials["left"]]
    means = done.groupby(["item", "method"])["pixels"].mean().unstack()
    for among, own in ((ALL, means), (OTHERS, means.drop(columns="human"))):
        own = own.dropna()
        lowest = own.idxmin(axis=1)[(own.eq(own.min(axis=1), axis=0)).sum(axis=1) == 1]
        for method in own.columns:
            row = answer.row(LOWEST, method=method, among=among, reading=ALL_LAST_STEP)
            assert (row.estimate, row.n) == ((lowest == method).sum(), len(own))


def test_people_and_their_answers_are_counted(whole):
    answer = typed(whole[1][0]).of(PARTICIPANTS)
    people = SMALL.people(SMALL.study(PEOPLE, leaving=0.05))
    sample = answer.sample
    assert (sample.sessions, sample.complete) == (PEOPLE, int(people["complete"].sum()))
    assert sample.resumed == int((people["visits"] > 1).sum())
    for column in SURVEY_COLUMNS.values():
        given = people[column.name].dropna()
        rows = answer.rows(SURVEY, asked=column.description.rstrip("."))
        assert {row.n for row in rows} == {len(given)} == {sum(row.estimate for row in rows)}
        skipped = sum(row.estimate for row in rows if row.of["answer"] == "skipped")
        assert skipped == (given == "skip").sum()


def test_what_a_bare_table_lacks_is_named_column_by_column(bare):
    results, page = bare
    found = typed(results)
    reasons = " ".join(row.reason for row in found.frame.missing)
    for name in ("attempts", "rt_s", "typing_s", "guess_rate", "step_first_key", "purpose", "rig"):
        assert f"no column {name}" in reasons
    assert "no table of curves" in reasons
    assert found.of(LIKENESS).last == ()
    assert "What can’t be given" in page


def test_curves_beside_an_outside_table_are_its_courses(tmp_path, capsys):
    """Without them the steps at which no round ended are guessed at."""
    SMALL.study(4)[NEEDED].to_csv(tmp_path / "t.csv", index=False)
    needed = ["item", "method", "step", "pixels"]
    SMALL.curves()[needed].to_csv(tmp_path / "curves.csv", index=False)
    (tmp_path / "quick.toml").write_text(QUICK, encoding="utf-8")
    names = {"trials": "t.csv", "curves": "curves.csv", "protocol": "quick.toml"}
    files = [f"--{option}={tmp_path / file}" for option, file in names.items()]
    outside = read_outside(
        "progressive_reveal",
        tmp_path / "t.csv",
        tmp_path / "quick.toml",
        {"curves": tmp_path / "curves.csv"},
    )
    plan = asking(REVEAL, AVERAGES, MODELS, PAIRS, STEPS)
    answers = plan.read_results(plan.analyse(outside, None, (), lambda _: None))
    assert answers.of(PARTICIPANTS).schedule_source == "the table of curves"
    wanted = np.quantile(SMALL.shares[:, 1], 0.5, axis=0)
    courses = answers.of(STEPS).rows(COURSE, method="lrp", quantile="50 %")
    assert [row.estimate for row in courses] == pytest.approx(wanted)
    assert "no table of curves" not in " ".join(row.reason for row in answers.frame.missing)
    out = ["--out", str(tmp_path / "refused")]
    assert main(["analyse", "accept_reject", *files, *out]) == 2
    assert "No such option: --curves" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(
            lambda t: t, "The results hold only for this participant.", marks=pytest.mark.slow
        ),
        pytest.param(
            lambda t: t[t["method"] == "lrp"],
            "only for this participant",
            marks=pytest.mark.slow,
        ),
        (lambda t: t.assign(recognised=False, step=15), "No round was recognised"),
        pytest.param(
            lambda t: t.assign(recognised=True, step=1, pixels=700),
            "at the first step",
            marks=pytest.mark.slow,
        ),
        (lambda t: t.head(1), "hold only for this participant and this image"),
    ],
    ids=["one person", "one method", "none", "at once", "one round"],
)
def test_one_person_one_method_and_no_recognition_are_said_not_crashed_on(tmp_path, change, said):
    change(SMALL.study(1)[NEEDED]).to_csv(tmp_path / "rounds.csv", index=False)
    (tmp_path / "quick.toml").write_text(QUICK, encoding="utf-8")
    results = results_of(tmp_path / "rounds.csv", tmp_path / "quick.toml")
    assert results["missing"]
    json.dumps(results, allow_nan=False)
    assert unknown_numbers(words_of(results), results) == []
    headline = " ".join(results["headline"])
    assert said in headline
    assert "0.0 [0.0, 0.0]" not in headline


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"step": np.nan}, "step is empty"),
        ({"pixels": 70000}, "pixels exceed image_pixels"),
        ({"step": 0}, "below 1"),
    ],
)
def test_an_impossible_round_is_one_clear_line(tmp_path, capsys, change, said):
    table = SMALL.study(2)[NEEDED].assign(**change, recognised=True)
    table.to_csv(tmp_path / "t.csv", index=False)
    arguments = ["--trials", str(tmp_path / "t.csv"), "--out", str(tmp_path / "out")]
    assert main(["analyse", "progressive_reveal", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.strip().splitlines()) == 1

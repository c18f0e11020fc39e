"""The report of progressive_reveal: whole, from any table, and nothing but results.json."""

import csv
import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from analysis.cli import main
from analysis.data.tables import read_outside
from analysis.report.wording import p_equals
from analysis.studies.progressive_reveal.fits import Fits, Moments
from analysis.studies.progressive_reveal.images import ALL, LOWEST, OTHERS
from analysis.studies.progressive_reveal.inquiry import REVEAL
from analysis.studies.progressive_reveal.quantities import (
    ALL_LAST_STEP,
    RATE,
    READINGS,
    RECOGNISED,
    RECOGNISED_LESS,
    SHARE,
)
from analysis.studies.progressive_reveal.questions.averages import AVERAGES
from analysis.studies.progressive_reveal.questions.images import IMAGES
from analysis.studies.progressive_reveal.questions.likeness import LIKENESS
from analysis.studies.progressive_reveal.questions.models import MODELS
from analysis.studies.progressive_reveal.questions.needed import NEEDED as HOW_MUCH
from analysis.studies.progressive_reveal.questions.pairs import PAIRS
from analysis.studies.progressive_reveal.questions.participants import PARTICIPANTS, SURVEY
from analysis.studies.progressive_reveal.questions.published import PUBLISHED
from analysis.studies.progressive_reveal.questions.steps import COURSE, STEPS
from analysis.studies.progressive_reveal.questions.suits import Suits, draw_fits
from analysis.studies.progressive_reveal.rates import PIXELS, TRIES
from analysis.studies.progressive_reveal.share_curves import AHEAD_FROM, ONLY
from participants.studies.progressive_reveal.columns import SURVEY_COLUMNS
from tests.analysis.asking import asking
from tests.analysis.report.page import text_of, unknown_numbers
from tests.analysis.studies.progressive_reveal.whole import analysed, typed, words_of
from tests.analysis.studies.progressive_reveal.world import World

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
def world():
    return World(classes=4, each=3, seed=3)


@pytest.fixture(scope="module")
def whole(world, tmp_path_factory):
    """A dataset folder with curves and item table; the published number of replicates is cut."""
    folder = tmp_path_factory.mktemp("whole")
    data = world.write(folder / "data", world.study(16, leaving=0.05))
    return folder / "out", analyse(folder / "out", "--data", data)


@pytest.fixture(scope="module")
def bare(world, tmp_path_factory):
    """An outside table with the needed columns alone: its results, and the page's words."""
    folder = tmp_path_factory.mktemp("bare")
    world.study(8)[NEEDED].to_csv(folder / "rounds.csv", index=False)
    (folder / "quick.toml").write_text(QUICK, encoding="utf-8")
    results = results_of(folder / "rounds.csv", folder / "quick.toml")
    return results, words_of(results)


def test_every_number_of_a_whole_page_stands_in_results_json(whole):
    results, page = whole[1]
    assert unknown_numbers(page, results) == []


def test_every_number_of_a_bare_table_s_page_stands_in_results_json(bare):
    results, page = bare
    assert unknown_numbers(page, results) == []


def test_the_report_is_made_from_results_json_alone(whole, tmp_path):
    out, (results, page) = whole
    shown = re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL)
    assert "".join(words_of(results).split()) == "".join(shown.split())
    for name, rows in REVEAL.build(results).files.items():
        with (out / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
            assert len(list(csv.DictReader(stream))) == len(rows), name


def test_a_whole_dataset_gives_every_figure_and_table(whole):
    out, (results, _) = whole
    assert "C(step)" not in (out / "refit" / "refit.R").read_text("utf-8")
    of_pictures = {"reveals", "examples"}
    assert {path.stem for path in (out / "figures").iterdir()} == set(REVEAL.figures) - of_pictures
    there = {path.stem for path in (out / "tables").iterdir()}
    without_rows = {"missing", "groups", "incidents", "second_analysis", "arms", "deviations"}
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


def test_the_headline_says_who_then_how_often_then_how_much_was_needed(whole):
    begins = (
        "Robots answered",
        "The simulated human maps",
        "16 simulated participants saw",
        "Compared with simulated human maps, in points of recognition",
        "Including unrecognised rounds",
        "Averages over recognised rounds",
    )
    sentences = whole[1][0]["headline"]
    assert len(sentences) == len(begins)
    assert all(map(str.startswith, sentences, begins))


def test_p_in_the_headline_is_that_of_the_primary_analysis(whole):
    """Today it is the means', though the protocol names the model."""
    results = whole[1][0]
    (said,) = (text for text in results["headline"] if text.startswith("Compared with"))
    assert said.endswith("; limits and p are by the mixed model, after Holm over all 6 pairs.")
    rows = typed(results).of(PAIRS).rows(RECOGNISED_LESS, by="model", against="human")
    assert len(rows) == 3
    assert all(f", {p_equals(row.p_adjusted)} (by means" in said for row in rows)


def test_table_three_is_counted_by_hand(whole, world):
    trials = world.study(16, leaving=0.05)
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


def test_table_four_is_counted_by_hand(whole, world):
    answer = typed(whole[1][0]).of(IMAGES)
    trials = world.study(16, leaving=0.05)
    done = trials[~trials["left"]]
    means = done.groupby(["item", "method"])["pixels"].mean().unstack()
    for among, own in ((ALL, means), (OTHERS, means.drop(columns="human"))):
        own = own.dropna()
        lowest = own.idxmin(axis=1)[(own.eq(own.min(axis=1), axis=0)).sum(axis=1) == 1]
        for method in own.columns:
            row = answer.row(LOWEST, method=method, among=among, reading=ALL_LAST_STEP)
            assert (row.estimate, row.n) == ((lowest == method).sum(), len(own))


def test_published_tables_three_and_four_stand_beside_ours_as_per_cent(whole):
    results, page = whole[1]
    answers = typed(results)
    rows = {row.quantity: row for row in answers.of(PUBLISHED).rows}
    both = "(recognised rounds / all rounds)"

    own = rows[f"Uncovered on average, ProtoPNet {both}"]
    assert own.published == f"{100 * 4662.3 / 65536:.1f} % (4662.3 px)"
    shares = [
        answers.of(AVERAGES).row(SHARE, method="protopnet", reading=reading).estimate
        for reading in READINGS
    ]
    assert own.ours == " / ".join(f"{100 * share:.1f} %" for share in shares)

    for name, published, method, among in (
        ("simulated human maps uncovered the least", 43, "human", ALL),
        ("LRP uncovered the least, simulated human maps excluded", 35, "lrp", OTHERS),
    ):
        own = rows[f"Images where {name} {both}"]
        assert own.published == f"{100 * published / 102:.0f} % ({published} of 102)"
        counted = [
            answers.of(IMAGES).row(LOWEST, method=method, among=among, reading=reading)
            for reading in READINGS
        ]
        said = [f"{100 * row.estimate / row.n:.0f} % ({row.estimate:.0f} of {row.n})"
                for row in counted]  # fmt: skip
        assert own.ours == " / ".join(said)
        assert own.our_value == pytest.approx(counted[1].estimate / counted[1].n)
    assert "(43 of 102)" in text_of(page)


def test_where_a_method_is_ahead_of_human_maps_is_read_off(whole):
    """By the recognised rounds alone, as published: about 6000 pixels."""
    answers = typed(whole[1][0])
    rows = {row.quantity: row for row in answers.of(PUBLISHED).rows}
    own = rows["Uncovered from which on LRP is ahead of simulated human maps"]
    assert own.published == f"about {100 * 6000 / 65536:.1f} % (6000 px)"
    needed = answers.of(HOW_MUCH)
    lrp, human = (needed.rows(ONLY, method=method) for method in ("lrp", "human"))
    ahead = np.array([row.estimate for row in lrp]) - [row.estimate for row in human]
    shares = np.array([float(row.of["share"]) for row in lrp])
    assert needed.row(AHEAD_FROM, method="human").estimate is None
    first = needed.row(AHEAD_FROM, method="lrp").estimate
    if first is None:
        assert not (ahead > 0)[np.flatnonzero(ahead < 0)[-1] :].any()
    else:
        assert (ahead[shares >= first] >= 0).all()
        assert ahead[shares < first][-1] < 0


def test_people_and_their_answers_are_counted(whole, world):
    answer = typed(whole[1][0]).of(PARTICIPANTS)
    people = world.people(world.study(16, leaving=0.05))
    sample = answer.sample
    assert (sample.sessions, sample.complete) == (16, int(people["complete"].sum()))
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


def test_curves_beside_an_outside_table_are_its_courses(world, tmp_path, capsys):
    """Without them the steps at which no round ended are guessed at."""
    world.study(4)[NEEDED].to_csv(tmp_path / "t.csv", index=False)
    needed = ["item", "method", "step", "pixels"]
    world.curves()[needed].to_csv(tmp_path / "curves.csv", index=False)
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
    wanted = np.quantile(world.shares[:, 1], 0.5, axis=0)
    courses = answers.of(STEPS).rows(COURSE, method="lrp", quantile="50 %")
    assert [row.estimate for row in courses] == pytest.approx(wanted)
    assert "no table of curves" not in " ".join(row.reason for row in answers.frame.missing)
    out = ["--out", str(tmp_path / "refused")]
    assert main(["analyse", "accept_reject", *files, *out]) == 2
    assert "No such option: --curves" in capsys.readouterr().err


def test_a_semicolon_table_with_empty_ends_is_read(world, tmp_path):
    """Unrecognised rounds may leave step and pixels empty: the last step is meant."""
    trials = world.study(6)
    plain = trials[[*NEEDED, "final_pixels"]].copy()
    plain[["step", "pixels"]] = plain[["step", "pixels"]].astype("Int64")
    plain.loc[~plain["recognised"], ["step", "pixels"]] = pd.NA
    plain.to_csv(tmp_path / "t.csv", sep=";", index=False)
    (tmp_path / "quick.toml").write_text(QUICK, encoding="utf-8")
    outside = read_outside("progressive_reveal", tmp_path / "t.csv", tmp_path / "quick.toml")
    plan = asking(REVEAL, AVERAGES)
    found = plan.read_results(plan.analyse(outside, None, (), lambda _: None))
    for row in found.of(AVERAGES).rows(PIXELS, reading=ALL_LAST_STEP):
        own = trials[trials["method"] == row.of["method"]]
        assert row.estimate == pytest.approx(own["pixels"].mean())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(
            lambda t: t, "The results hold only for this participant.", marks=pytest.mark.slow
        ),
        (lambda t: t[t["method"] == "lrp"], "only for this participant"),
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
def test_one_person_one_method_and_no_recognition_are_said_not_crashed_on(
    world, tmp_path, change, said
):
    change(world.study(1)[NEEDED]).to_csv(tmp_path / "rounds.csv", index=False)
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
def test_an_impossible_round_is_one_clear_line(world, tmp_path, capsys, change, said):
    table = world.study(2)[NEEDED].assign(**change, recognised=True)
    table.to_csv(tmp_path / "t.csv", index=False)
    arguments = ["--trials", str(tmp_path / "t.csv"), "--out", str(tmp_path / "out")]
    assert main(["analyse", "progressive_reveal", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.strip().splitlines()) == 1


def test_a_missing_column_is_asked_for_by_name(world, tmp_path, capsys):
    world.study(2)[NEEDED].rename(columns={"method": "Method"}).to_csv(tmp_path / "t.csv")
    arguments = ["--trials", str(tmp_path / "t.csv"), "--out", str(tmp_path / "out")]
    assert main(["analyse", "progressive_reveal", *arguments]) == 2
    assert "method (is it 'Method'?)" in capsys.readouterr().err


def test_a_panel_without_a_fit_has_no_scale():
    moments = (Moments("participant", "P1", 12, 1.0, 0.5),)
    fits = Fits(10, (), (), moments, (), 10.0, skipped=0, unfit=0, beyond=0)
    panels = draw_fits(SimpleNamespace(answer=Suits((), (), 1.96, fits))).axes
    assert [text.get_text() for text in panels[0].texts] == ["no fit"]
    assert list(panels[0].get_xticks()) == list(panels[0].get_yticks()) == []
    assert len(panels[2].get_xticks()) > 0

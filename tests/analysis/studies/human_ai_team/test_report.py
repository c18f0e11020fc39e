"""The whole report of simulated sessions, with every option of the protocol."""

import json
import re

import pytest

from analysis.cli import main
from analysis.statistics.reliance import SWITCHING
from analysis.studies.human_ai_team.alone import AI_AT, AI_BEST, BEST_T
from analysis.studies.human_ai_team.inquiry import TEAM as INQUIRY
from analysis.studies.human_ai_team.people import LEFT_OUT
from analysis.studies.human_ai_team.quantities import MEASURES
from analysis.studies.human_ai_team.questions.ai_alone import AI_ALONE
from analysis.studies.human_ai_team.questions.participants import PARTICIPANTS
from analysis.studies.human_ai_team.questions.ratings import RATINGS
from analysis.studies.human_ai_team.questions.second import SECOND
from analysis.studies.human_ai_team.questions.trust import TRUST
from analysis.studies.human_ai_team.trust import TEAM
from participants.cli import main as participants_main
from stimuli.studies.human_ai_team.sketch import sketch
from tests.analysis.formats import formats_of
from tests.analysis.packs_on_disk import written
from tests.analysis.report.drawings import pictures_of, unreadable_in, widest_font
from tests.analysis.report.page import unknown_numbers
from tests.stimuli.studies.human_ai_team.small import protocol_of

PEOPLE = 20
ARMS = ["confidence", "gradcam", "nearest_neighbours", "text", "human_alone"]
FIGURES = {
    "accuracy", "reliance", "differences", "parts", "threshold", "ratings", "odd_images",
    "flow",
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A report of robots, and the folder that it lies in."""
    folder = tmp_path_factory.mktemp("team")
    protocol = protocol_of(
        help={"arms": ARMS},
        question={"decision": "two_stage", "confidence_steps": 4},
        system={"calibration": "temperature", "temperature": 1.75},
        bins={
            "per_bin": 4,
            "adversarial_per_level": 4,
            "trials_per_sheet": 12,
            "limits": "quantiles",
        },
        analysis={"replicates": 60},
    )
    written(sketch(protocol), folder / "pack")
    mix = "careful:12,overtrusting:6,careless:2"
    words = ["simulate", "human_ai_team", "--mix", mix, "--pack", folder / "pack"]
    assert participants_main([*map(str, words), "--out", str(folder / "data")]) == 0
    words = ["--data", folder / "data", "--pack", folder / "pack", "--out", folder / "out"]
    assert main(["analyse", "human_ai_team", *map(str, words)]) == 0
    return folder / "out"


@pytest.fixture(scope="module")
def results(place):
    return json.loads((place / "results.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def found(results):
    return INQUIRY.read_results(results)


@pytest.fixture(scope="module")
def report(results):
    """The report, drawn in the widest font."""
    with widest_font():
        return INQUIRY.build(results)


def test_every_figure_is_there_and_every_number_of_the_page_is_in_the_results(place, results):
    assert formats_of(place / "figures")[".svg"] == FIGURES
    page = (place / "report.html").read_text(encoding="utf-8")
    assert unknown_numbers(page, results) == []
    parts = {path.name.partition("_")[0] for path in (place / "refit").glob("*_refit.R")}
    assert parts == {"all", "natural", "adversarial"}


def test_a_full_session_leaves_out_no_section_unnoticed(report):
    """As that of a question which reads a column by a name that it no longer has."""
    shown = {section.id for section in report.sections}
    missing = {question.id for question in INQUIRY.questions} - shown
    assert missing == {"about_people", "metrics"}


def test_texts_of_figures_are_whole_and_apart(report):
    with widest_font():
        assert set(pictures_of(report)) >= FIGURES - {"odd_images"}
        assert unreadable_in(report) == {}


def test_who_failed_validation_is_analysed_first_and_left_out_second(found):
    people = found.of(PARTICIPANTS)
    assert people.by_rule
    assert found.frame.data.participants == PEOPLE
    assert found.of(SECOND).participants == PEOPLE - len(people.by_rule)
    left_out = people.rows(LEFT_OUT)
    assert sum(row.count for row in left_out) == len(people.by_rule)
    assert all(row.ci_low is not None for row in left_out)


def test_two_stages_and_an_arm_alone_allow_what_one_stage_does_not(found):
    trust = found.of(TRUST)
    assert all(trust.rows(MEASURES[name]) for name in SWITCHING)
    assert set(trust.levels("method", TEAM)) == set(ARMS) - {"human_alone"}
    assert "human_alone" not in trust.levels("method", MEASURES["reliance"])
    assert found.of(RATINGS).levels("rating") == ("1", "2", "3", "4")


def test_both_bases_of_the_ai_alone_are_printed(found):
    alone = found.of(AI_ALONE)
    assert alone.levels("base") == ("all", "bins", "pack", "equal", "adversarial")
    assert len(alone.rows(AI_AT, base="pack")) == 19
    for base in ("pack", "bins"):
        best = alone.row(AI_BEST, base=base)
        assert best.ci_low < best.estimate < best.ci_high
    # On attacked images the AI is right where its rule rejects, not on none.
    assert alone.row(BEST_T, base="adversarial").estimate == alone.threshold
    assert max(row.estimate for row in alone.rows(AI_AT, base="adversarial")) > 0
    assert alone.levels("weights")[0] == "pack"
    assert sum(alone.bin_weights["pack"].values()) == pytest.approx(1)


def test_the_report_declares_what_it_writes(place):
    assert {path.stem for path in (place / "tables").iterdir()} <= set(INQUIRY.tables)
    assert {path.stem for path in (place / "figures").iterdir()} <= set(INQUIRY.figures)


def test_robots_are_never_people(place, results):
    assert results["headline"][0].startswith("Robots answered: 20 simulated participants")
    page = re.sub(r"<[^>]*>", " ", (place / "report.html").read_text(encoding="utf-8"))
    said = page.partition("Deviations from the published design")[0]
    assert not re.search(r"\bpeople\b", said, re.I)

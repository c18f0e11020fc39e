"""Reports of simulated studies never pass robots off as people, nor their maps as people's."""

import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from analysis.data.tables import read_folder, read_outside
from analysis.report.methods import MARKED
from analysis.report.parts import Table
from analysis.studies.accept_reject.inquiry import ACCEPT_REJECT
from analysis.studies.accept_reject_accuracy.inquiry import LABELS
from analysis.studies.progressive_reveal.inquiry import REVEAL
from analysis.studies.progressive_reveal.questions.averages import AVERAGES
from analysis.studies.progressive_reveal.questions.participants import PARTICIPANTS
from stimuli.maps.origin import IMPORTED, PEOPLE, RESPONSE_MODEL
from tests.analysis.asking import asking, without_models
from tests.analysis.report.drawings import pictures_of, unreadable_in, widest_font
from tests.analysis.report.texts import said_by, texts_of
from tests.analysis.studies.accept_reject.simulate_table import simulate
from tests.analysis.studies.accept_reject.whole import alone, results_of, said_of
from tests.analysis.studies.accept_reject_accuracy.tables_of import simulated
from tests.analysis.studies.progressive_reveal.whole import SMALL, analysed, dataset_of
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch

PASSED_OFF = re.compile(
    r"\b(people|each person|\d+ persons?|(lead )?experts?|normal colour vision|human maps?)\b", re.I
)
NOT_THEIRS = re.compile(r"experts at large|a person (gave|some)|normal colour vision must see")
"""What says nothing of who took part: answers to a question, a source's rule, a warning."""
OF_THE_DESIGN = "Deviations"
"""Begins the title of the section that repeats the protocol's own words on the published design."""


def leads(origin=RESPONSE_MODEL, robots=("lead",) * 2, only=None):
    table = simulate(list(robots), per_solver=6, scale=0.3)
    if origin != PEOPLE:
        table.loc[table["solver"] == "E", "solver_origin"] = origin
    return results_of(table, only=only, analysis={"replicates": 60})


def viewers(tmp_path):
    """Return results in which the rules leave a robot out."""
    trials = SMALL.study(16, leaving=0.05)
    trials.loc[trials["participant"] == trials["participant"].iloc[0], "keystrokes"] = 0
    trials.loc[trials["method"] == "human", "map_origin"] = RESPONSE_MODEL
    return analysed(read_folder("progressive_reveal", SMALL.write(tmp_path / "data", trials)))


def of_viewers(tmp_path):
    """Return results in which the maps are people's, on who took part alone."""
    trials = SMALL.study(4).assign(map_origin=PEOPLE)
    dataset = read_folder("progressive_reveal", SMALL.write(tmp_path / "data", trials))
    return asking(REVEAL).analyse(dataset, None, (), lambda _: None)


def few_viewers():
    """Return results of three robots, without models: slow tests have those of more."""
    with without_models():
        return analysed(dataset_of(SMALL.study(3)))


def passed_off(report):
    """Return the sentences that name people, or what is theirs, and not that it is simulated.

    What a lab still has to fill in is left out.
    """
    sentences = (
        one
        for text in texts_of(report, OF_THE_DESIGN)
        for one in re.split(r"(?<=[.;:])\s", MARKED.sub("", text))
    )
    return [
        one
        for one in sentences
        if PASSED_OFF.search(NOT_THEIRS.sub("", one)) and "simulated" not in one.lower()
    ]


@cache
def results_of_robots(study):
    """Return the inquiry and results of a study in which robots did what people do."""
    with TemporaryDirectory() as folder:
        if study == "labels":
            labels = simulated(Path(folder), small_sketch(), ["noisy"] * 6)
            return LABELS, LABELS.analyse(labels, None, (), lambda _: None)
        if study == "viewers":
            return REVEAL, viewers(Path(folder))
    robots = {"leads": ("lead",) * 9, "few leads": ("lead", "dichromat", "lazy")}
    return (
        (REVEAL, few_viewers())
        if study == "few viewers"
        else (ACCEPT_REJECT, leads(robots=robots[study]))
    )


@cache
def report_of_robots(study):
    """Return the report, drawn in the widest font."""
    inquiry, results = results_of_robots(study)
    with widest_font():
        return inquiry.build(results)


@pytest.mark.slow
@pytest.mark.parametrize("study", ["leads", "few leads", "labels", "viewers"])
def test_no_robot_goes_by_as_a_person_on_a_whole_report(study):
    assert passed_off(report_of_robots(study)) == []


@pytest.mark.parametrize("study", ["few leads", "labels", "few viewers"])
def test_who_is_spoken_of_in_general_is_simulated(study):
    said = said_by(report_of_robots(study))
    of_whom = re.findall(r"(\w+) (?:leads|participants) in general", said)
    of_whom += re.findall(r"[Tt]hese (?:three|six) (.*?)(?:leads|participants)", said)
    assert {one.strip() for one in of_whom} == {"simulated"}


def test_facts_and_methods_of_few_leads_are_those_of_the_headline():
    report = report_of_robots("few leads")
    facts = [fact for fact in report.facts if "usefulness" in fact.label]
    assert len(facts) == 2
    for fact in facts:
        assert f"{fact.value} points, 95 % interval [{fact.label.split('[')[1]}" in (
            " ".join(report.headline)
        )
    said = said_by(report)
    assert "The primary analysis is, with so few participants, the means of these" in said
    assert ("is given beside it" in said) == ("by the mixed model" in said)


@pytest.mark.parametrize("study", ["few viewers", pytest.param("viewers", marks=pytest.mark.slow)])
def test_methods_have_their_names_in_every_table(study):
    cells = [
        cell
        for section in report_of_robots(study).sections
        for part in section.parts
        if isinstance(part, Table)
        for row in part.rows
        for cell in row
    ]
    assert not {"human", "lrp", "protopnet"} & set(cells)


@pytest.mark.slow
@pytest.mark.parametrize("study", ["leads", "few leads", "labels", "viewers"])
def test_the_longer_names_of_robots_keep_within_their_drawings(study):
    report = report_of_robots(study)
    assert pictures_of(report)
    assert unreadable_in(report) == {}


def test_no_two_bands_of_methods_lie_over_each_other():
    """Bands of four methods in one panel hid each other: each method has a panel of its own."""
    drawings = pictures_of(report_of_robots("few viewers"))
    banded = {"courses", "steps", "differences"}
    assert banded <= set(drawings)
    for name in banded:
        counts = [len(axes.collections) for axes in drawings[name].axes]
        assert max(counts) == 1, name


@pytest.mark.parametrize("study", ["few leads", "labels", "few viewers"])
def test_that_robots_answered_is_the_first_sentence(study):
    _, found = results_of_robots(study)
    assert found["headline"][0].startswith("Robots answered: ")
    for sentence in found["headline"]:
        assert not re.search(r"(?<![Ss]imulated )\b(leads|participants|people)\b", sentence)


def test_the_scan_finds_what_it_looks_for(tmp_path):
    """The same tables with people's origins: E's vision and human maps stand there."""
    said = " ".join(passed_off(alone().build(leads(PEOPLE, only=()))))
    assert "expert with normal colour vision" in said
    said = " ".join(passed_off(asking(REVEAL).build(of_viewers(tmp_path))))
    assert "human maps" in said


@pytest.mark.parametrize(
    ("origin", "said", "unsaid"),
    [
        (PEOPLE, "with normal colour vision", "simulated expert"),
        (RESPONSE_MODEL, "1 simulated expert (E; response models)", "normal colour vision"),
        (IMPORTED, "whose answers were imported", "normal colour vision"),
        (None, "from 1 expert (E)", "normal colour vision"),
    ],
)
def test_methods_say_who_the_experts_were(origin, said, unsaid):
    text = said_of(leads(origin, only=()))
    solutions = text[text.index("Solutions came from") :][:200]
    assert said in solutions
    assert unsaid not in solutions


def test_an_outside_table_without_origins_claims_nothing_of_them(tmp_path):
    needed = ["participant", "item", "method", "class", "recognised", "step", "pixels"]
    SMALL.study(8)[needed].to_csv(tmp_path / "rounds.csv", index=False)
    dataset = read_outside("progressive_reveal", tmp_path / "rounds.csv", None)
    plan = asking(REVEAL, AVERAGES)
    found = plan.read_results(plan.analyse(dataset, None, (), lambda _: None))
    assert set(map(tuple, found.of(PARTICIPANTS).map_origins.values())) == {()}
    assert not any("simulated" in sentence for sentence in found.frame.headline)

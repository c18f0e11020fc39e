"""Results and preregistrations of version 1.0 are read as what they were."""

import json
from dataclasses import asdict
from pathlib import Path

from analysis.preregister.frozen import compare, read_frozen
from analysis.read_results import read_results
from analysis.report.parts import Section
from analysis.studies.simulatability.inquiry import SIMULATABILITY
from analysis.studies.simulatability.questions.change import CHANGE
from analysis.studies.simulatability.questions.confidence import CONFIDENCE
from analysis.studies.simulatability.questions.effects import EFFECTS
from analysis.studies.simulatability.questions.models import MODELS
from analysis.studies.simulatability.questions.participants import PARTICIPANTS
from analysis.studies.simulatability.questions.seen import SEEN
from analysis.studies.simulatability.results_1 import OF_MODELS, RENAMED
from tests.analysis.studies.simulatability.tables_of import dataset_of, trials_of

GOLDEN = Path(__file__).parents[3] / "golden"
RESULTS = GOLDEN / "results_simulatability-1.0" / "results.json"
PREREGISTRATION = GOLDEN / "preregistration-1.0-simulatability"


def value_at(document, path):
    for name in path.split("/"):
        document = document[name]
    return document


def test_results_are_read_as_what_they_were():
    old = json.loads(RESULTS.read_text("utf-8"))
    new = SIMULATABILITY.older(old)
    # Nothing was seen: the table came without a pack. Models have more keys now.
    later = {"seen", "regression", "contrasts", "change"}
    for before in {name for name in RENAMED if "*" not in name} - later:
        assert value_at(new, RENAMED[before]) == value_at(old, before)
    (own,), (was,) = new["regression"]["by_domain"], old["regression"]
    assert own == {**was, "model": own["model"]}
    assert own["model"] == {**own["model"], **was["model"]}
    found = read_results(RESULTS)
    drawn = {"drawn": old["bootstrap"]["published_replicates"], "within": None}
    change = [asdict(row) for row in found.of(CHANGE).by_method]
    assert change == [row | drawn for row in old["change"]]
    contrasts = json.loads(json.dumps([asdict(row) for row in found.of(EFFECTS).contrasts]))
    later_keys = {"p_margin": None, "holm_low": None, "holm_high": None}
    assert contrasts == [row | later_keys for row in old["contrasts"]]
    assert [asdict(row) for row in found.of(PARTICIPANTS).people] == old["exclusions"]["people"]
    model, effects = old["models"]["tabular"], found.of(EFFECTS).by_model["tabular"]
    own = {name: model[name] for name in OF_MODELS} | {"narrow": False}
    uncorrected = dict.fromkeys(("p_holm", "holm_low", "holm_high"))
    for name in ("change", "differences"):
        own[name] = [row | uncorrected for row in own[name]]
    assert json.loads(json.dumps(asdict(effects))) == own
    assert found.of(MODELS).fits["tabular"].formula == model["formula"]
    assert asdict(found.of(CONFIDENCE))["steps"][0] == old["confidence"]["steps"][0]
    assert found.get(SEEN) is None
    assert found.frame.headline == old["headline"]


def test_their_report_is_made_again():
    old = json.loads(RESULTS.read_text("utf-8"))
    report = SIMULATABILITY.build(SIMULATABILITY.older(old))
    titles = [section.title for section in report.sections]
    assert "The same for those who qualified" in titles
    assert report.headline == tuple(old["headline"])


def test_a_preregistration_is_compared_by_title():
    frozen = read_frozen(PREREGISTRATION)
    dataset = dataset_of(trials_of(2, 4))
    results = json.loads(RESULTS.read_text("utf-8"))
    sections = [Section(one.title, (), one.id) for one in SIMULATABILITY.questions]
    found = compare(frozen, "simulatability", dataset, results, (), sections)
    roles = {row.section: row.role for row in found.results}
    assert roles == {
        "Whether explanations help people predict the model": "primary",
        "Change as published": "secondary",
        "Regression to the mean": "secondary",
        "Ratings of explanations": "secondary",
        "How sure participants are": "",
        "The same for those who qualified": "secondary",
        "The mixed model": "primary",
        "On which items explanations help": "",
        "Time with explanations": "",
        "Answers at the end": "",
        "Age and gender": "",
        "The models and their explanations": "",
        "What participants saw": "",
    }

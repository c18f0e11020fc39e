"""Results and preregistrations of older versions are read as what they were."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from analysis.preregister.frozen import compare, read_frozen
from analysis.read_results import read_results
from analysis.report.parts import Section
from analysis.studies.accept_reject.inquiry import ACCEPT_REJECT
from analysis.studies.accept_reject.questions.acceptance import ACCEPTANCE
from analysis.studies.accept_reject.questions.contour import CONTOUR
from analysis.studies.accept_reject.questions.explainers import EXPLAINERS
from analysis.studies.accept_reject.questions.model import MIXED_MODEL
from analysis.studies.accept_reject.questions.other_choices import OTHER_CHOICES
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS
from analysis.studies.accept_reject.questions.times import TIMES
from analysis.studies.accept_reject.questions.usefulness import USEFULNESS
from tests.analysis.studies.accept_reject.odd_tables import small
from tests.analysis.studies.accept_reject.whole import dataset, results_of

GOLDEN = Path(__file__).parents[3] / "golden"
OLD_RESULTS = GOLDEN / "results_accept_reject-1.3" / "results.json"
OLD_PREREGISTRATION = GOLDEN / "preregistration-1.1-accept_reject"


def plain(rows):
    return json.loads(json.dumps([asdict(row) for row in rows]))


def test_results_of_version_1_3_are_read_as_what_they_were():
    old = json.loads(OLD_RESULTS.read_text("utf-8"))
    found = read_results(OLD_RESULTS)
    assert plain(found.of(ACCEPTANCE).rates) == old["acceptance"]
    assert plain(found.of(USEFULNESS).gains) == old["usefulness"]
    assert plain(found.of(OTHER_CHOICES).analyses) == old["sensitivity"]
    assert plain(found.of(MIXED_MODEL).marginal_usefulness) == old["model"]["marginal_usefulness"]
    assert plain(found.of(TIMES).answers) == old["timing"]["answers"]
    assert found.of(TIMES).model.residual_sd == old["response_times"]["model"]["residual_sd"]
    assert found.of(CONTOUR).model.formula == old["contour_model"]["formula"]
    lead, was = found.of(PARTICIPANTS).leads[-1], old["participants"][-1]
    assert asdict(lead.contour.with_contour) == was["contour"]["with"]
    assert asdict(lead.accepted_pooled.unexplained) == was["accepted_pooled"]["without"]
    method, was = found.of(EXPLAINERS).methods[0], old["explainers"]["methods"][0]
    assert (method.accepted_with, method.accepted_without) == (was["with"], was["without"])
    assert found.frame.headline == old["headline"]
    titles = [section.title for section in ACCEPT_REJECT.build(ACCEPT_REJECT.older(old)).sections]
    assert EXPLAINERS.title in titles


@pytest.fixture(scope="module")
def results():
    return results_of(small())


@pytest.mark.parametrize("with_ids", [True, False], ids=["1.1, ids of titles", "1.0, no ids"])
def test_an_older_preregistration_is_compared_by_title(with_ids, results):
    """It was written when the study wasn't declared by its questions."""
    frozen = read_frozen(OLD_PREREGISTRATION)
    if not with_ids:
        bare = tuple(replace(section, id="") for section in frozen.sections)
        frozen = replace(frozen, sections=bare)
    sections = [
        Section(one.title, (), one.id, one.former_titles) for one in ACCEPT_REJECT.questions
    ]
    found = compare(frozen, "accept_reject", dataset(small()), results, (), sections)
    roles = {row.section: row.role for row in found.results}
    assert roles[MIXED_MODEL.title] == roles[USEFULNESS.title] == "primary"
    assert roles[CONTOUR.title] == "secondary"
    assert roles[EXPLAINERS.title] == ""
    assert not [row for row in found.deviations if row.what.startswith("analysis:")]

"""Simulated sessions, from their journals to the report."""

import pytest

from analysis.options import AnalyseOptions
from analysis.read_results import read_results
from analysis.run import run_analysis
from analysis.studies.simulatability.questions.confidence import CONFIDENCE, RIGHT
from analysis.studies.simulatability.questions.participants import PARTICIPANTS
from analysis.studies.simulatability.questions.ratings import RATINGS
from analysis.studies.simulatability.questions.seen import SEEN
from analysis.studies.simulatability.ratings import RATING
from participants.folder import DataFolder
from participants.simulate.run import simulate
from stimuli.protocol import load_protocol
from stimuli.studies.simulatability.sketch import sketch
from tests.analysis.formats import formats_of

CHANGES = {
    "design": {"methods": ["lime", "no_explanation"], "second_test": True},
    "items": {"learning": 4, "per_test": 8},
    "question": {"confidence_steps": 4},
    "analysis": {"replicates": 100, "published_replicates": 100},
}


@pytest.mark.slow
def test_sessions_are_trusted_and_analysed_with_what_people_did(tmp_path):
    """What is predicted before and after has one presentation: the second isn't a repeat.

    In the second test a key has another meaning.
    """
    pack = sketch(load_protocol("simulatability", None, CHANGES))
    simulate(DataFolder(tmp_path / "data"), pack, ["reader", "practice", "reader", "careless"])
    run_analysis("simulatability", AnalyseOptions(tmp_path / "out", data=tmp_path / "data"))
    assert formats_of(tmp_path / "out" / "figures")[".svg"]
    found = read_results(tmp_path / "out")
    states = {row.check: row.state for row in found.frame.checks}
    assert states["The trial table agrees with the journals"] == "passed"
    assert states["Each trial occurs once"] == "passed"
    assert states["Every arm predicts the same model"] == "passed"
    assert found.frame.data.participants == found.frame.data.simulated_participants == 4
    sample = found.of(PARTICIPANTS)
    assert sample.pairs == 4 * 32
    assert sample.tested_again == 4
    assert found.of(RATINGS).levels("method", RATING)[0] == "lime"
    assert found.of(CONFIDENCE).rows(RIGHT)
    assert [(row.domain, row.method) for row in found.of(SEEN).examples] == [
        ("text", "lime"),
        ("tabular", "lime"),
    ]
    # Who didn't understand the method goes on; the second analysis leaves them out.
    assert len(sample.people) == 4
    assert sample.not_qualified == 1
    assert sample.without_items == 0

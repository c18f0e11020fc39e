"""Every method of the suite has a name, and packs and reports give it the same."""

from pathlib import Path

from analysis.studies.human_ai_team.words import arm_name
from analysis.studies.progressive_reveal.words import Methods
from analysis.studies.simulatability.words import method_name as simulated
from stimuli.names import ANY_LANGUAGE, METHOD_NAMES
from stimuli.protocol import load_protocol
from stimuli.studies.simulatability.protocol import BUILT_IN
from stimuli.studies.simulatability.sketch import sketch
from stimuli.studies.simulatability.tables import METHODS
from xai_backend.methods import METHODS as MAPS


def test_every_method_of_the_suite_has_a_name():
    named = {method for method, language in METHOD_NAMES if language == ANY_LANGUAGE}
    assert {*MAPS, *BUILT_IN, "human"} <= named
    assert {method for method, _ in METHOD_NAMES} == named


def test_the_page_of_explain_has_a_row_for_every_method_of_the_suite():
    page = (Path(__file__).parents[2] / "docs/explain.md").read_text(encoding="utf-8")
    assert [name for name in MAPS if f"\n| `{name}` |" not in page] == []


def test_reports_call_a_method_as_packs_do():
    rows = sketch(load_protocol("simulatability")).table(METHODS)
    in_packs = {row["method"]: row["name"] for row in rows if row["language"] is None}
    assert in_packs == {method: simulated(method) for method in in_packs}
    assert in_packs["lime"] == "LIME"
    revealed = Methods(("gradcam", "my_own"))
    assert revealed.name("gradcam") == arm_name("gradcam") == "GradCAM"
    assert revealed.name("my_own") == arm_name("my_own") == simulated("my_own") == "my_own"

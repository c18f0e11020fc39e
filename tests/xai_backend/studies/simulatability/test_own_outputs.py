"""A study of three classes from tables alone: build, sessions, report; and bad tables."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from analysis.cli import main
from participants.folder import DataFolder
from participants.registry import Assignment
from participants.simulate.run import simulate
from participants.studies.simulatability.plan import plan_session
from participants.studies.simulatability.rows import cases_of
from stimuli.pack import open_pack
from stimuli.studies.simulatability.explanations import EXPLANATION
from stimuli.studies.simulatability.inputs import EDITS, INPUT, edited
from stimuli.studies.simulatability.tables import EXPLANATIONS, ITEMS, KEY, METHODS
from tests.participants.studies.simulatability.taken import taken
from tests.stimuli.studies.simulatability.guessing import scores_of
from tests.xai_backend.studies.simulatability.own_outputs import CLASSES, rows, write_study

ROOT = Path(__file__).parents[4]
PROTOCOL = """\
schema = "protocol/1.6"
study = "simulatability"
name = "three"
[design]
domains = ["text"]
methods = ["shap", "rules", "alike", "lime", "no_explanation"]
[items]
learning = 12
per_test = 24
[analysis]
replicates = 100
published_replicates = 100
"""
PROGRAM = """\
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in ("torch", "transformers", "captum"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
from xai_backend.cli import main
sys.exit(main(["build", "simulatability", "--json", *sys.argv[1:]]))
"""
"""A build in which nobody can import a library of networks."""


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """A folder with a lab's tables, the pack that was built of them, and what the build said."""
    folder = tmp_path_factory.mktemp("three")
    files = write_study(folder)
    (folder / "three.toml").write_text(PROTOCOL, encoding="utf-8")
    asked = ["--protocol", "three.toml", "--text-outputs", "outputs.csv", "--out", "pack"]
    asked += [f"--explanations={name}={path}" for name, path in files.items() if name != "outputs"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *asked],
        cwd=folder,
        env={**os.environ, "PLAINSIGHT_LAB": str(folder), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder, open_pack(folder / "pack", "solutions"), json.loads(done.stdout)


def test_a_pack_says_what_the_table_says_and_every_kind_is_equally_frequent(three):
    _, pack, built = three
    recorded = {row["id"]: row for row in rows()}
    items = {row["presentation"]: row for row in pack.table(ITEMS)}
    cells: Counter = Counter()
    for row in pack.table(KEY):
        own, shown = recorded[row["source_id"]], items[row["presentation"]]
        assert (row["true_label"], row["original_output"]) == (own["label"], own["output"])
        cells[shown["use"], row["original_output"], row["outcome"], bool(row["flips"])] += 1
        if shown["use"] == "counterfactual":
            given = INPUT.validate_json(shown["input"])
            changed = edited(given, EDITS.validate_json(shown["edits"]))
            assert " ".join(changed.tokens) == own["changed"]
            assert row["output"] == own["changed_output"]
    assert cells == {
        (use, name, outcome, flips): 2 if use != "forward" else 4
        for name in CLASSES
        for outcome in ("right", "wrong")
        for use, flips in (
            ("learning", False),
            ("forward", False),
            ("counterfactual", False),
            ("counterfactual", True),
        )
    }
    assert all(score.fits and score.classes == 3 for score in scores_of(pack))
    assert {score.right * 3 for score in scores_of(pack) if score.strategy.startswith("the class")
            and score.use == "forward"} <= {24, 12}  # fmt: skip
    assert built["remarks"] == [
        "The arm lime is left out: text: no model is at hand that could be asked."
    ]


def test_explanations_are_the_labs_and_say_so(three):
    _, pack, _ = three
    origins = {row["method"]: row for row in pack.table(METHODS)}
    assert "lime" not in origins
    for name in ("shap", "rules", "alike"):
        row = origins[name]
        assert (row["origin"], row["origin_note"]) == ("imported", f"{name}.csv")
        assert len(row["origin_sha256"]) == 64
    key = {row["presentation"]: row for row in pack.table(KEY)}
    said = Counter()
    for row in pack.table(EXPLANATIONS):
        explanation = EXPLANATION.validate_json(row["explanation"])
        output = key[row["presentation"]]["original_output"]
        match row["method"]:
            case "shap":
                assert explanation.target == output
                assert [one.weight for one in explanation.terms] == [2.5, 0.1, -0.4]
                assert explanation.terms[1].name == "of the"
                assert explanation.terms[1].places == (7, 8)
            case "rules":
                assert explanation.outcome == output
                assert (explanation.precision, explanation.coverage) == (0.9, None)
            case "alike":
                assert explanation.evidence is None
                assert explanation.label in CLASSES
        said[row["method"]] += 1
    assert said == dict.fromkeys(("shap", "rules", "alike"), 36)
    assert {row["agrees"] for row in cases_of(pack).explanations if row["method"] == "shap"} == {
        None
    }


@pytest.mark.parametrize(("side", "first"), [("left", "politics"), ("right", "weather")])
def test_each_class_has_a_digit_and_robots_predict_all_of_them(three, side, first):
    _, pack, _ = three
    plan = plan_session(pack, Assignment("sheet-01", "text_shap", side), "en", "CDF34HK")
    predictions = [step for step in plan.steps if hasattr(step, "options")]
    assert {tuple(sorted(step.options)) for step in predictions} == {("1", "2", "3")}
    assert {step.options["1"] for step in predictions} == {first}
    events = taken(plan, pack, robot="reader")
    decisions = Counter(event["decision"] for event in events if event.event == "trial_end")
    assert set(CLASSES) <= set(decisions)


def test_a_report_comes_from_the_sessions(three, tmp_path):
    _, pack, _ = three
    data = DataFolder(tmp_path / "data")
    simulate(data, pack, ["reader", "practice"] * 4)
    out = tmp_path / "report"
    asked = ["--data", str(data.root), "--out", str(out)]
    assert main(["analyse", "simulatability", *asked]) == 0
    page = (out / "report.html").read_text(encoding="utf-8")
    arms = (out / "tables" / "arms.csv").read_text(encoding="utf-8")
    assert "shap.csv" in arms
    assert "shap.csv" in page
    assert "right, positive" not in page

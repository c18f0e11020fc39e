"""A study of three classes from tables alone: build, sessions, report; and bad tables."""

import os
from collections import Counter
from dataclasses import replace

import pytest

from analysis.cli import main
from participants.folder import DataFolder
from participants.lists import Assignment
from participants.simulate.run import simulate
from participants.studies.simulatability.plan import plan_session
from participants.studies.simulatability.rows import cases_of
from stimuli.errors import UserError
from stimuli.pack import open_pack
from stimuli.protocol import load_protocol
from stimuli.studies.simulatability.fitting import check_counts, with_possible_counts
from stimuli.studies.simulatability.stimulus import (
    EDITS,
    EXPLANATION,
    INPUT,
    TableInput,
    edited,
)
from stimuli.studies.simulatability.tables import EXPLANATIONS, ITEMS, KEY, METHODS
from tests.analysis.formats import without_drawings
from tests.participants.export.readme import exported_readme
from tests.participants.studies.simulatability.taken import taken
from tests.stimuli.studies.simulatability.guessing import scores_of
from tests.xai_backend.given import write_rows
from tests.xai_backend.killed_builds import Build, check_after_kills, contents
from tests.xai_backend.studies.simulatability.own_outputs import CLASSES, rows, write_study
from xai_backend.progress import Silent
from xai_backend.studies.simulatability.build import build
from xai_backend.studies.simulatability.given import edits_to, read_outputs
from xai_backend.studies.simulatability.request import CaseRequest
from xai_backend.studies.simulatability.text_data import sentence_in

PROTOCOL = """\
schema = "protocol/1.0"
study = "simulatability"
name = "three"
[design]
domains = ["text"]
methods = ["shap", "rules", "alike", "lime", "no_explanation"]
[items]
learning = 6
per_test = 12
[analysis]
replicates = 100
published_replicates = 100
"""
KINDS = ("shap", "rules", "alike")


def write_tables(folder):
    """Write a lab's tables and its protocol."""
    write_study(folder)
    (folder / "three.toml").write_text(PROTOCOL, encoding="utf-8")


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """A folder with a lab's tables, the pack of them, and what its build said."""
    folder = tmp_path_factory.mktemp("three")
    write_tables(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAINSIGHT_LAB", str(folder))
        built = build(request_in(folder), Silent())
    return folder, open_pack(folder / "pack", "solutions"), built


def request_in(folder):
    return CaseRequest(
        protocol_file=folder / "three.toml",
        text_outputs=folder / "outputs.csv",
        explanations={name: folder / f"{name}.csv" for name in KINDS},
        out=folder / "pack",
    )


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
            assert changed.text == own["changed"]
            assert row["output"] == own["changed_output"]
    assert cells == {
        (use, name, outcome, flips): 1 if use != "forward" else 2
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
            and score.use == "forward"} <= {12, 6}  # fmt: skip
    assert list(built.remarks) == [
        "The arm lime is left out: text: no model is at hand that could be asked."
    ]


def test_explanations_are_the_labs_and_say_so(three):
    _, pack, *_ = three
    origins = {row["method"]: row for row in pack.table(METHODS)}
    assert "lime" not in origins
    for name in KINDS:
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
    assert said == dict.fromkeys(KINDS, 18)
    explained = cases_of(pack).beside["explanations"]
    assert {row["agrees"] for row in explained if row["method"] == "shap"} == {None}


@pytest.mark.parametrize(("side", "first"), [("left", "politics"), ("right", "weather")])
def test_each_class_has_a_digit_and_robots_predict_all_of_them(three, side, first):
    _, pack, *_ = three
    plan = plan_session(pack, Assignment("sheet-01", "text_shap", side), "en", "CDF34HK")
    predictions = [step for step in plan.steps if hasattr(step, "options")]
    assert {tuple(sorted(step.options)) for step in predictions} == {("1", "2", "3")}
    assert {step.options["1"] for step in predictions} == {first}
    events = taken(plan, pack, robot="reader")
    decisions = Counter(event["decision"] for event in events if event.event == "trial_end")
    assert set(CLASSES) <= set(decisions)


@pytest.mark.slow
def test_a_report_comes_from_the_sessions(three, tmp_path):
    _, pack, *_ = three
    data = DataFolder(tmp_path / "data")
    simulate(data, pack, ["reader", "practice"] * 4)
    out = tmp_path / "report"
    asked = ["--data", str(data.root), "--out", str(out)]
    with without_drawings():
        assert main(["analyse", "simulatability", *asked]) == 0
    page = (out / "report.html").read_text(encoding="utf-8")
    arms = (out / "tables" / "arms.csv").read_text(encoding="utf-8")
    assert "shap.csv" in arms
    assert "shap.csv" in page
    assert "right, positive" not in page
    said = exported_readme(data, tmp_path / "bids")
    for name in KINDS:
        assert f"explanations of method {name}: imported from {name}.csv; files of SHA-256" in said


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
@pytest.mark.parametrize("kills", [1, pytest.param(12, marks=pytest.mark.slow)])
def test_a_build_that_was_killed_goes_on_and_makes_the_same_bytes(three, tmp_path, kills):
    """Without any library of networks."""
    asked = ["simulatability", "--protocol", "three.toml", "--text-outputs", "outputs.csv"]
    asked += [f"--explanations={name}={name}.csv" for name in KINDS]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for folder in (whole, killed):
        folder.mkdir()
        write_tables(folder)
    build_without = Build(asked, without="torch transformers captum")
    check_after_kills(build_without, whole, killed, kills)
    assert contents(killed / "pack") == contents(three[0] / "pack")


def test_the_same_build_again_finds_its_pack(three, monkeypatch):
    """An arm that was left out, lime, changes the protocol on the way."""
    folder, pack, _ = three
    monkeypatch.setenv("PLAINSIGHT_LAB", str(folder))
    request = request_in(folder)
    assert build(request, Silent()).pack_id == pack.pack_id
    with pytest.raises(UserError, match="contains another pack; name a new folder with --out"):
        build(replace(request, seed=9), Silent())


def test_without_a_protocol_file_the_numbers_of_items_fit_the_classes():
    protocol = load_protocol("simulatability", None, {})
    two, three = ("no", "yes"), CLASSES
    for domains, wanted in (([two], (16, 32)), ([three], (24, 48)), ([two, three], (24, 48))):
        items = with_possible_counts(protocol, domains).items
        assert (items.learning, items.per_test) == wanted
        for classes in domains:
            check_counts(with_possible_counts(protocol, domains), "text", classes)


@pytest.mark.parametrize(
    ("items", "refusal"),
    [
        (
            {"learning": 18},
            r"items\.learning \(18\) isn't a multiple of 4, .* use 20",
        ),
        ({"per_test": 36}, r"items\.per_test \(36\) isn't a multiple of 8, .* use 40"),
    ],
)
def test_numbers_of_items_must_fit_the_classes_of_the_data(items, refusal):
    protocol = load_protocol("simulatability", None, {"items": items})
    check_counts(with_possible_counts(protocol, [CLASSES]), "text", CLASSES)
    with pytest.raises(UserError, match=refusal):
        check_counts(protocol, "text", ("no", "yes"))


HEAD = "id,text,label,output,changed,changed_output,probability,use\n"
GOOD = "1,a good film,pos,pos,a bad film,neg,.9,learning\n"


CHANGED = "id,label,output,Age,changed,changed_output\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD, "has no lines below the header"),
        ("id,text,label\n1,a,pos\n", "column missing: output"),
        (HEAD + ",a,pos,pos,,,,learning\n", "row 2: id is empty"),
        (HEAD + "1,a,pos,,,,,learning\n", "row 2: output is empty"),
        (HEAD + "1,a,pos\n", "row 2: not as many cells as the header has"),
        (HEAD + GOOD + GOOD, "the id 1 occurs twice"),
        (HEAD + "1,a,pos,pos,,,1.2,learning\n", "row 2: probability: 1.2 isn't from 0 to 1"),
        (HEAD + "1,a,pos,pos,,,half,learning\n", "probability: 'half' isn't a number"),
        (HEAD + "1,a,pos,pos,b,,,learning\n", "changed_output is empty; give both, or neither"),
        (HEAD + "1,a,pos,pos,,neg,,learning\n", "changed is empty; give both, or neither"),
        (HEAD + "1,a,pos,pos,a,neg,,learning\n", "changed: is the same as the input"),
        (HEAD + "1,a,pos,pos,,,,train\n", "use: 'train' isn't learning, forward or counterfactual"),
        (HEAD + "1,a,pos,pos,,,,learning\n", "has one class .pos.; two or more are needed"),
        (
            HEAD + GOOD + "2,a bad film,pos,pos,,,,learning\n",
            "row 3: output: the same input has the outputs 'neg' and 'pos'",
        ),
        ("id,label,output\n1,a,b\n", "row 2: has no column that people could see"),
        ("id,label,output,Age\n1,a,b,\n", "row 2: Age is empty"),
        (CHANGED + "1,a,b,3,Size = 4,a\n", "row 2: changed: 'Size' isn't a column"),
        (CHANGED + "1,a,b,3,older,a\n", "row 2: changed: 'older' isn't COLUMN = VALUE"),
    ],
)
def test_a_table_that_does_not_fit_is_told_in_one_line(tmp_path, text, message):
    path = tmp_path / "outputs.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message) as fault:
        read_outputs(path, "text" if "text" in text.partition("\n")[0] else "tabular")
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("old", "new", "edits"),
    [
        ("a good film", "a bad film", [(1, "bad")]),
        ("a good film", "a not so good film", [(0, "a not so")]),
        ("good film", "a good film", [(0, "a good")]),
        ("a very good film", "a good film", [(1, "")]),
        ("a very good film", "a film", [(1, ""), (2, "")]),
        ("it is good", "it was really bad", [(1, "was"), (2, "really bad")]),
        ("It is “good”.", "It is “so bad”.", [(3, "so bad")]),
        ("It is good.", "It is good, and long.", [(2, "good, and long")]),
        ("这电影很好看。", "这电影不太好看。", [(3, "不太")]),
    ],
)
def test_a_changed_sentence_becomes_edits_of_single_words(old, new, edits):
    given = sentence_in({"text": old}, "text")
    found = edits_to(given, {"changed": new})
    assert [(one.place, one.new) for one in found] == edits
    assert edited(given, found).text == new


def test_a_row_is_changed_by_columns_and_the_positive_class_can_be_named(tmp_path):
    given = TableInput(columns=("Age", "Work"), values=("40", "none"))
    (edit,) = edits_to(given, {"changed": "Age = 40 | Work = student"})
    assert (edit.place, edit.old, edit.new) == (1, "none", "student")
    path = write_rows(tmp_path / "rows.csv", [
        {"id": "1", "Age": "40", "label": "yes", "output": "no"},
        {"id": "2", "Age": "50", "label": "no", "output": "yes"},
    ])  # fmt: skip
    assert read_outputs(path, "tabular").classes == ("no", "yes")
    assert read_outputs(path, "tabular", ["no"]).classes == ("yes", "no")

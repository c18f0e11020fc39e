"""A lab's own models from build to report: a BERT of three classes, a boosted tree on a table."""

import importlib
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from analysis.cli import main
from participants.folder import DataFolder
from participants.registry import Assignment
from participants.simulate.run import simulate
from participants.studies.simulatability.plan import plan_session
from stimuli.errors import UserError
from stimuli.pack import open_pack
from stimuli.studies.simulatability.explanations import EXPLANATION
from stimuli.studies.simulatability.inputs import EDITS, INPUT, TextInput, edited
from stimuli.studies.simulatability.tables import EXPLANATIONS, ITEMS, KEY, METHODS
from stimuli.workers import Workers
from tests.participants.export.readme import exported_readme
from tests.participants.studies.simulatability.taken import taken
from tests.stimuli.studies.simulatability.guessing import scores_of
from tests.xai_backend.studies.simulatability.own_models import (
    TOPICS,
    loans,
    write_masked,
    write_news,
    write_tree,
)
from xai_backend.progress import Silent
from xai_backend.studies.simulatability import build as building
from xai_backend.studies.simulatability import own_model
from xai_backend.studies.simulatability.given_edits import GivenEdits, with_edits
from xai_backend.studies.simulatability.methods.lime import lime, words_left_out
from xai_backend.studies.simulatability.own_domain import AskedFor, asked_domain
from xai_backend.studies.simulatability.own_model import (
    OwnModel,
    answerer,
    sentence_classifier,
    tried,
)
from xai_backend.studies.simulatability.own_reading import TextReader, typical_cells
from xai_backend.studies.simulatability.own_transformers import load_classifier
from xai_backend.studies.simulatability.request import CaseRequest, check_request, resolved
from xai_backend.studies.simulatability.selection import select

PROTOCOL = """\
schema = "protocol/1.6"
study = "simulatability"
name = "own"
[design]
domains = ["{domain}"]
methods = [{methods}, "no_explanation"]
[items]
learning = {learning}
per_test = {per_test}
[analysis]
replicates = 100
published_replicates = 100
"""
METHODS_OF = {
    "text": '"lime", "anchor", "decision_boundary", "integrated_gradients", '
    '"attention_rollout", "prototype"',
    "tabular": '"lime", "decision_boundary", "kernel_shap", "omission"',
}
PROGRAM = """\
import sys, time
from xai_backend.cli import main
from xai_backend.studies.simulatability import explaining
own = explaining._explanations_of
def slowed(*asked):
    time.sleep(0.2)
    return own(*asked)
explaining._explanations_of = slowed
sys.exit(main(["build", "simulatability", "--workers", "1", *sys.argv[1:]]))
"""
"""A build whose worker takes its time; the worker loads the model by its name."""


def write_protocol(folder, domain, learning, per_test):
    text = PROTOCOL.format(
        domain=domain, methods=METHODS_OF[domain], learning=learning, per_test=per_test
    )
    (folder / "own.toml").write_text(text, encoding="utf-8")
    return folder / "own.toml"


def built_in(folder, **asked):
    """Build a pack in a lab, in this process, from a folder where its modules lie."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAINSIGHT_LAB", str(folder))
        patch.syspath_prepend(folder)
        here = Workers(here=True)
        request = CaseRequest(out=folder / "pack", workers=here, **asked)
        return building.build(request, Silent())


@pytest.fixture(scope="module")
def news_lab(tmp_path_factory, bert_folder):
    """A lab with a BERT, a masked language model and a pack, and what its build left."""
    folder = tmp_path_factory.mktemp("news")
    (folder / "bert").symlink_to(bert_folder)
    asked = {
        "text": write_news(folder / "news.csv"),
        "text_model": f"hf:{folder / 'bert'}",
        "edits": f"hf:{write_masked(folder / 'masked')}",
        "protocol_file": write_protocol(folder, "text", 12, 24),
    }
    return folder, built_in(folder, **asked)


@pytest.fixture(scope="module")
def tree_lab(tmp_path_factory):
    """A lab with a tree and a pack, and what its build left."""
    folder = tmp_path_factory.mktemp("tree")
    asked = {
        "table": write_tree(folder, "lab_tree"),
        "table_model": "lab_tree:chances",
        "protocol_file": write_protocol(folder, "tabular", 4, 8),
    }
    return folder, built_in(folder, **asked)


def trained_of(lab, domain):
    """Return the domain of a lab's pack."""
    folder, _ = lab
    model, data = f"hf:{folder / 'bert'}", "news.csv"
    if domain == "tabular":
        model, data = "lab_tree:chances", "small.csv"
    pack = open_pack(folder / "pack", "solutions")
    return asked_domain(domain, AskedFor(model, folder / data), pack.protocol, Silent())


@pytest.mark.parametrize(("lab", "domain"), [("news_lab", "text"), ("tree_lab", "tabular")])
def test_a_pack_says_what_the_model_says(lab, domain, request):
    """Outputs are asked of the model itself, as the lab would ask it."""
    folder, built = request.getfixturevalue(lab)
    pack = open_pack(folder / "pack", "solutions")
    items = {row["presentation"]: row for row in pack.table(ITEMS)}
    asked, wanted = [], []
    for row in pack.table(KEY):
        shown = items[row["presentation"]]
        given = INPUT.validate_json(shown["input"])
        asked += [given, edited(given, EDITS.validate_json(shown["edits"] or "[]"))]
        wanted += [row["original_output"], row["output"]]
    assert said_by(folder, domain, asked) == wanted
    assert all(score.fits for score in scores_of(pack))
    origins = {row["method"]: row for row in pack.table(METHODS)}
    name = "hf:bert" if domain == "text" else "lab_tree:chances"
    assert origins["lime"]["origin_note"] == name
    assert len(origins["lime"]["origin_weights_sha256"]) == 64
    source = json.loads(pack.asset(building.MADE_FILE))[domain]["source"]
    assert source["model"] == name
    assert source.get("edits") == ("hf:masked" if domain == "text" else None)
    left = "prototype" if domain == "text" else "omission"
    assert [line for line in built.remarks if left in line]


def said_by(folder, domain, inputs):
    """Return what a model says, without the product's own code."""
    if domain == "tabular":
        import pandas as pd

        lab_tree = importlib.import_module("lab_tree")
        rows = pd.DataFrame([one.values for one in inputs], columns=inputs[0].columns)
        rows["Children"] = rows["Children"].astype(int)
        for column, place in (("Age", 1), ("Debt", 5)):
            numbers = sorted(int(row[place]) for row in loans())
            own = [[one for one in numbers if is_in(one, level)] for level in rows[column]]
            rows[column] = [some[(len(some) - 1) // 2] for some in own]
        return list(lab_tree.tree.predict(lab_tree.ready(rows)))
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    network = AutoModelForSequenceClassification.from_pretrained(folder / "bert").eval()
    tokenizer = AutoTokenizer.from_pretrained(folder / "bert")
    texts = [" ".join(one.tokens).replace(" .", ".") for one in inputs]
    with torch.no_grad():
        logits = network(**tokenizer(texts, return_tensors="pt", padding=True)).logits
    return [TOPICS[place] for place in logits.argmax(dim=1)]


def is_in(number, level):
    """Tell whether a number is in a bin such as ``33 < Age ≤ 48``."""
    low, _, rest = level.partition(" < ") if " < " in level else ("", "", level)
    if " > " in level:
        return number > float(level.split(" > ")[1])
    return (not low or number > float(low)) and number <= float(rest.split(" ≤ ")[1])


def test_of_several_classes_the_output_is_explained(news_lab):
    folder, _ = news_lab
    pack = open_pack(folder / "pack")
    trained = trained_of(news_lab, "text")
    key = {row["presentation"]: row for row in pack.table(KEY)}
    inputs = {row["presentation"]: row["input"] for row in pack.table(ITEMS)}
    kinds = set()
    for row in pack.table(EXPLANATIONS):
        said = EXPLANATION.validate_json(row["explanation"])
        output = key[row["presentation"]]["original_output"]
        given = INPUT.validate_json(inputs[row["presentation"]])
        kinds.add((row["method"], said.kind))
        match said.kind:
            case "weights":
                assert said.target == (None if row["method"] == "attention_rollout" else output)
            case "anchor":
                assert said.outcome == output
            case "boundary":
                *before, last = [edited(given, step.edits) for step in said.steps]
                places = trained.model.scores([*before, last]).argmax(axis=1)
                *stays, end = [trained.classes[place] for place in places]
                assert set(stays) <= {output}
                assert end == said.target != output
                assert (said.margin, said.steps[0].margin) == (None, None)
    assert kinds == {
        ("lime", "weights"),
        ("integrated_gradients", "weights"),
        ("attention_rollout", "weights"),
        ("anchor", "anchor"),
        ("decision_boundary", "boundary"),
    }


def test_lime_of_three_classes_is_its_definition(news_lab):
    """Slowly, for all sets of words that are left out, weighted as often as they are drawn."""
    trained = trained_of(news_lab, "text")
    given = trained.splits["test"][0].given
    found = lime(trained, given, 3, "near_code", np.random.default_rng(4))
    around = words_left_out(given, np.random.default_rng(4))
    place = trained.classes.index(found.target)
    rows, each = np.unique(around.codes, axis=0, return_inverse=True)
    answer, shares = answerer(trained.model.name, "text", "cpu"), []
    for row in rows:
        text = " ".join(word for word, kept in zip(given.tokens, row, strict=True) if kept)
        shares.append(answer([text.replace(" .", ".")])[0][place])
    chance = np.array(shares)[each.ravel()]
    chosen = [around.names.index(term.name) for term in found.terms]
    x = around.present[:, chosen].astype(float)
    weight = around.similarity
    centred = x - np.average(x, axis=0, weights=weight)
    target = chance - np.average(chance, weights=weight)
    inner = centred.T @ (weight[:, None] * centred) + np.eye(len(chosen))
    ridge = np.linalg.solve(inner, centred.T @ (weight * target))
    assert np.allclose([term.weight for term in found.terms], ridge, atol=2e-5)


def test_counterfactuals_of_rows_are_the_given_ones(tree_lab, tmp_path):
    """Each row could become another person; the model is asked which change flips its output."""
    folder, _ = tree_lab
    pack = open_pack(folder / "pack", "solutions")
    rows = loans()[:400]
    lines = [
        f"{row[0]},Work = {work} | Age = {age}"
        for row in rows
        for work, age in (("full", 79), ("none", 18))
        if row[2] != work
    ]
    (tmp_path / "edits.csv").write_text("\n".join(["id,changed", *lines]), encoding="utf-8")
    edits = GivenEdits(str(tmp_path / "edits.csv"), ["tabular"])
    asked = AskedFor("lab_tree:chances", folder / "small.csv", edits=edits)
    domain = asked_domain("tabular", asked, pack.protocol, Silent())
    trained = with_edits(domain, edits, folder / "small.csv")
    items = [one for one in select(trained, pack.protocol, "key") if one.edits]
    assert len(items) == 8
    assert {one.source_id for one in items} <= {row[0] for row in rows}
    assert all({1} <= {edit.place for edit in one.edits} <= {0, 1} for one in items)
    assert sum(one.edited_output != one.output for one in items) == 4


def test_robots_predict_what_a_bert_says(news_lab):
    pack = open_pack(news_lab[0] / "pack", "solutions")
    plan = plan_session(pack, Assignment("sheet-01", "text_lime", "left"), "en", "CDF34HK")
    events = taken(plan, pack, robot="reader")
    assert set(TOPICS) <= {one["decision"] for one in events if one.event == "trial_end"}


@pytest.mark.slow
def test_robots_take_part_and_a_report_is_made(tree_lab, tmp_path):
    pack = open_pack(tree_lab[0] / "pack", "solutions")
    data = DataFolder(tmp_path / "data")
    simulate(data, pack, ["reader"] * len(pack.protocol.arms))
    out = tmp_path / "report"
    assert main(["analyse", "simulatability", "--data", str(data.root), "--out", str(out)]) == 0
    assert "lab_tree:chances" in (out / "tables" / "arms.csv").read_text(encoding="utf-8")
    assert "lab_tree:chances" in (out / "report.html").read_text(encoding="utf-8")
    said = exported_readme(data, tmp_path / "bids")
    assert "explanations of method lime: network lab_tree:chances; weights of SHA-256" in said


@pytest.mark.slow
def test_a_build_that_was_killed_goes_on_and_makes_the_same_pack(tree_lab, tmp_path):
    """Killed while its worker explains; what was finished then isn't explained again."""
    _, built = tree_lab
    write_tree(tmp_path, "lab_tree")
    protocol = write_protocol(tmp_path, "tabular", 4, 8)
    options = ["--protocol", str(protocol), "--table", str(tmp_path / "small.csv")]
    options += ["--table-model", "lab_tree:chances", "--out", str(tmp_path / "pack")]
    begun = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *options],
        env={
            **os.environ, "PLAINSIGHT_LAB": str(tmp_path), "PYTHONPATH": str(Path.cwd()),
        },
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while not kept_lines(tmp_path) and begun.poll() is None:
        time.sleep(0.02)
    begun.send_signal(signal.SIGKILL)
    assert begun.wait() == -signal.SIGKILL
    finished = kept_lines(tmp_path)
    assert 0 < len(finished) < 12
    assert not (tmp_path / "pack").exists()
    asked = {"table": tmp_path / "small.csv", "table_model": "lab_tree:chances"}
    assert built_in(tmp_path, protocol_file=protocol, **asked).pack_id == built.pack_id
    every = kept_lines(tmp_path)
    assert every[: len(finished)] == finished
    assert len({json.loads(line)["key"] for line in every}) == len(every)


def kept_lines(lab: Path) -> list[bytes]:
    """Return whole lines of what is kept."""
    files = (lab / "cache" / "simulatability").glob("explanations-*.jsonl")
    lines = [line for file in files for line in file.read_bytes().splitlines(keepends=True)]
    return [line for line in lines if line.endswith(b"\n")]


def test_a_model_travels_by_its_name(news_lab):
    trained = trained_of(news_lab, "text")
    sent = pickle.dumps(trained.model)
    assert len(sent) < 2000
    some = [row.given for row in trained.splits["test"][:3]]
    assert np.array_equal(pickle.loads(sent).scores(some), trained.model.scores(some))


def test_what_determines_answers_changes_the_key(news_lab):
    source = trained_of(news_lab, "text").source
    folder, _ = news_lab
    read = partial(load_classifier, f"hf:{folder / 'bert'}", "--text-model", "cpu")
    (folder / "bert" / "notes.txt").write_text("other", encoding="utf-8")
    assert read().sha256 != source["sha256"]
    (folder / "bert" / "notes.txt").unlink()
    assert read().sha256 == source["sha256"]


def test_texts_are_written_as_people_write():
    tokens = ("(", "well", ")", "it's", "3.5", ",", "“", "fine", "”", "", "!")
    assert TextReader(spaced=False).text_of(tokens) == "(well) it's 3.5, “fine”!"
    assert TextReader(spaced=True).text_of(tokens) == "( well ) it's 3.5 , “ fine ” !"


def test_a_value_stands_for_a_cell_of_the_file():
    shown = ["low", "low", "low", "low", "high", "high"]
    assert typical_cells(["low", "high"], shown, ["1", "4", "2", "9", "10", "12"]) == {
        "low": 2,
        "high": 10,
    }
    assert typical_cells(["low"], shown[:2], ["1.5", "2"]) == {"low": 1.5}
    cells = typical_cells(["low", "none"], shown[:4], ["b", "a", "b", "?"])
    assert cells == {"low": "b", "none": "b"}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda texts: 1 / 0, "fails on 4 inputs .ZeroDivisionError"),
        (lambda texts: sys.exit(3), "fails on 4 inputs .SystemExit"),
        (lambda texts: "good", "fails on 4 inputs .ValueError"),
        (lambda texts: [0.5] * len(texts), r"gives the shape .4,. for 4 inputs"),
        (lambda texts: [[0.5, 0.5]], r"gives the shape .1, 2. for 4 inputs"),
        (lambda texts: [[1.0]] * len(texts), r"gives the shape .4, 1."),
        (lambda texts: [[0.5, np.nan]] * len(texts), "numbers that aren't finite"),
        (lambda texts: [[2.0, -1.0]] * len(texts), "gives 2, -1; .* probabilities"),
        (lambda texts: [[0.5, 0.2]] * len(texts), "gives 0.5, 0.2; .* probabilities"),
        (lambda texts: [[x := np.random.random(), 1 - x] for _ in texts], "when it is asked again"),
        (lambda texts: [[x := 1 / (1 + len(texts)), 1 - x] for _ in texts], "a single input"),
    ],
)
def test_a_model_that_cannot_be_asked_is_told_in_one_line(answer, message):
    with pytest.raises(UserError, match=f"^--text-model m:f: .*{message}") as fault:
        tried(answer, ["a", "b", "c", "d"], "--text-model m:f")
    assert "\n" not in str(fault.value)


def test_a_model_that_fails_later_is_told_in_one_line(monkeypatch):
    """As when it meets a sentence that none of the first ten is like."""
    model = OwnModel("m:f", "text", ("no", "yes"), (0, 1), TextReader(spaced=False))
    for answer, message in (
        (lambda texts: 1 / 0, "fails on 1 inputs"),
        (lambda texts: [[np.nan, 1.0]], "aren't finite, for 1 inputs such as so what"),
    ):
        monkeypatch.setattr(own_model, "answerer", lambda *asked, own=answer: own)
        with pytest.raises(UserError, match=f"--text-model m:f: .*{message}"):
            model.scores([TextInput(tokens=("so", "what"))])


CSV = Path(__file__)
"""Any file."""


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text_model": "m:f"}, "--text-model: give the inputs of the model with --text"),
        ({"text_model": "m:f", "text_outputs": CSV}, "has outputs already; leave --text-model out"),
        ({"text_model": "bert", "text": CSV}, "bert: isn't hf:DIR or module:function"),
        ({"table_model": "hf:bert", "table": CSV}, "hf:DIR reads sentences"),
        ({"text": CSV, "device": "cuda"}, "--device cuda: only models of Transformers use it"),
        (
            {"text": CSV, "text_model": "hf:bert", "device": "cuda:99"},
            "--device cuda:99: torch finds no such device",
        ),
        (
            {"table_model": "tree.pkl", "table": CSV},
            "--table-model tree.pkl: isn't module:function",
        ),
        ({"table_model": "m:f", "from_sheets": CSV}, "leave --table-model out"),
    ],
)
def test_what_does_not_go_with_a_model_is_refused(given, message):
    request = CaseRequest(**given)
    with pytest.raises(UserError, match=message):
        check_request(request, resolved(request))


def test_a_folder_without_a_classifier_is_told_in_one_line(news_lab, tmp_path):
    from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

    bert, option = news_lab[0] / "bert", "--text-model"
    with pytest.raises(UserError, match=r"no such folder with a config[.]json"):
        load_classifier(f"hf:{tmp_path}", option, "cpu")
    AutoModel.from_pretrained(bert).save_pretrained(tmp_path / "base")
    with pytest.raises(UserError, match=r"lacks weights of a classifier .classifier[.]bias"):
        load_classifier(f"hf:{tmp_path / 'base'}", option, "cpu")
    network = AutoModelForSequenceClassification.from_pretrained(bert)
    network.config.problem_type = "multi_label_classification"
    network.save_pretrained(tmp_path / "several")
    with pytest.raises(UserError, match="doesn't choose one of two or more classes"):
        load_classifier(f"hf:{tmp_path / 'several'}", option, "cpu")
    network.config.problem_type = None
    network.config.id2label = {0: "A", 1: "B", 2: "C"}
    network.save_pretrained(tmp_path / "named")
    with pytest.raises(UserError, match="contains no tokenizer"):
        load_classifier(f"hf:{tmp_path / 'named'}", option, "cpu")
    AutoTokenizer.from_pretrained(bert).save_pretrained(tmp_path / "named")
    pack = open_pack(news_lab[0] / "pack")
    asked = AskedFor(f"hf:{tmp_path / 'named'}", news_lab[0] / "news.csv")
    with pytest.raises(UserError, match="its answers are A, B, C, but a label of the data is poli"):
        asked_domain("text", asked, pack.protocol, Silent())
    (tmp_path / "named" / "model.toml").write_text('classes = ["sports", "politics"]')
    sentence_classifier.cache_clear()
    with pytest.raises(UserError, match=r"gives 3 numbers a row; its answers are called sports"):
        asked_domain("text", asked, pack.protocol, Silent())

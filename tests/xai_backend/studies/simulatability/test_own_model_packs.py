"""What a pack of a lab's own model says: its outputs, explanations and counterfactuals."""

import importlib
import json
import pickle
from functools import partial

import numpy as np
import pytest

from stimuli.pack import open_pack
from stimuli.studies.simulatability.stimulus import EDITS, EXPLANATION, INPUT, edited
from stimuli.studies.simulatability.tables import EXPLANATIONS, ITEMS, KEY, METHODS
from tests.stimuli.studies.simulatability.guessing import scores_of
from tests.xai_backend.studies.simulatability.own_model_packs import trained_of
from tests.xai_backend.studies.simulatability.own_models import TOPICS, loans
from xai_backend.progress import Silent
from xai_backend.studies.simulatability import build as building
from xai_backend.studies.simulatability.gather import select
from xai_backend.studies.simulatability.given import GivenEdits, with_edits
from xai_backend.studies.simulatability.methods.lime import lime, words_left_out
from xai_backend.studies.simulatability.own_domain import OwnModelOptions, asked_domain
from xai_backend.studies.simulatability.own_model import answerer
from xai_backend.studies.simulatability.own_transformers import load_classifier


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
    given = trained.splits["test"][0].instance
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


def test_a_model_travels_by_its_name_and_what_determines_answers_changes_the_key(news_lab):
    trained = trained_of(news_lab, "text")
    sent = pickle.dumps(trained.model)
    assert len(sent) < 2000
    some = [row.instance for row in trained.splits["test"][:3]]
    assert np.array_equal(pickle.loads(sent).scores(some), trained.model.scores(some))
    folder, _ = news_lab
    read = partial(load_classifier, f"hf:{folder / 'bert'}", "--text-model", "cpu")
    (folder / "bert" / "notes.txt").write_text("other", encoding="utf-8")
    assert read().sha256 != trained.source["sha256"]
    (folder / "bert" / "notes.txt").unlink()
    assert read().sha256 == trained.source["sha256"]


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
    asked = OwnModelOptions("lab_tree:chances", folder / "small.csv", edits=edits)
    domain = asked_domain("tabular", asked, pack.protocol, Silent())
    trained = with_edits(domain, edits, folder / "small.csv")
    items = [one for one in select(trained, pack.protocol, "key") if one.edits]
    assert len(items) == 8
    assert {one.source_id for one in items} <= {row[0] for row in rows}
    assert all({1} <= {edit.place for edit in one.edits} <= {0, 1} for one in items)
    assert sum(one.edited_output != one.output for one in items) == 4

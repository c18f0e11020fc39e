"""Packs: what they hold, and the published study's own."""

import json
from collections import Counter

import pytest

from stimuli.pack import open_pack
from stimuli.studies.simulatability.stimulus import EDITS, EXPLANATION, INPUT, edited
from stimuli.studies.simulatability.tables import (
    CLASSES,
    EXPLANATIONS,
    ITEMS,
    KEY,
    LISTS,
    METHODS,
    MODELS,
    WORDS,
)
from stimuli.workers import Workers
from tests.stimuli.studies.simulatability.guessing import scores_of
from tests.xai_backend.studies.simulatability.made_up import made_up
from tests.xai_backend.studies.simulatability.published import published_folder
from xai_backend.progress import Silent
from xai_backend.studies.simulatability import build as building
from xai_backend.studies.simulatability.request import CaseRequest

PROTOCOL = """\
schema = "protocol/1.0"
study = "simulatability"
name = "tiny"
[design]
domains = ["tabular"]
methods = ["decision_boundary", "omission", "prototype", "no_explanation"]
[items]
learning = 4
per_test = 8
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A lab with a protocol and a pack, and what its build left."""
    folder = tmp_path_factory.mktemp("lab")
    return folder, built_in(folder)


def built_in(folder):
    """Build the small pack in a lab, in this process."""
    (folder / "tiny.toml").write_text(PROTOCOL, encoding="utf-8")
    request = CaseRequest(
        table=folder,
        protocol_file=folder / "tiny.toml",
        out=folder / "pack",
        workers=Workers(here=True),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAINSIGHT_LAB", str(folder))
        patch.setattr(building, "trained_domain", lambda *asked: made_up())
        return building.build(request, Silent())


def test_a_pack_says_what_the_models_say(lab):
    """Each output, on originals and changed inputs, by the models themselves."""
    folder, built = lab
    pack = open_pack(folder / "pack", "solutions")
    assert built.pack_id == pack.pack_id
    assert (built.items, built.arms, built.sheets) == (20, 4, 1)
    assert built.explanations == len(pack.table(EXPLANATIONS)) == 3 * 12
    items = {row["presentation"]: row for row in pack.table(ITEMS)}
    for row in pack.table(KEY):
        shown = items[row["presentation"]]
        given = INPUT.validate_json(shown["input"])
        changed = (
            given if shown["edits"] is None else edited(given, EDITS.validate_json(shown["edits"]))
        )
        for model in (made_up().model, made_up().prototypes):
            outputs = [model.classes[int(margin > 0)] for margin in model.margins([given, changed])]
            assert outputs == [row["original_output"], row["output"]]
    assert all(2 * score.right == score.items for score in scores_of(pack))
    assert [row["accuracy"] for row in pack.table(MODELS)] == [0.8]
    made = json.loads(pack.asset(building.MADE_FILE))
    assert made["tabular"]["splits"] == {"train": 300, "validation": 300, "test": 600}


def test_explanations_say_whose_they_are_and_what_the_models_say(lab):
    folder, _ = lab
    pack = open_pack(folder / "pack")
    origins = {row["method"]: row["origin"] for row in pack.table(METHODS)}
    assert origins.pop("no_explanation") is None
    assert set(origins.values()) == {"network"}
    steps = pack.protocol.explained.boundary_steps
    rows = pack.table(METHODS)
    how = {row["method"]: (row["origin_method"], row["origin_settings"]) for row in rows}
    settings = f"boundary_steps={steps}, variant=near_code"
    assert how["omission"] == ("omission", "variant=near_code")
    assert how["decision_boundary"] == ("decision_boundary", settings)
    assert how["no_explanation"] == (None, None)
    key = {row["presentation"]: row for row in pack.table(KEY)}
    for row in pack.table(EXPLANATIONS):
        if row["method"] == "decision_boundary":
            path = EXPLANATION.validate_json(row["explanation"])
            assert path.target != key[row["presentation"]]["original_output"]


def test_the_published_study_is_built_item_for_item(tmp_path):
    """Both domains, five methods and the arm without; words in German; every order kept."""
    names = tmp_path / "names.csv"
    words = ("Occupation,Occupation,Beruf", "Male,Male,Mann", "lime,Weights,Gewichte")
    names.write_text("\n".join(("label,name,de", *words)) + "\n")
    request = CaseRequest(from_sheets=published_folder(), names=names, out=tmp_path / "pack")
    built = building.build(request, Silent())
    pack = open_pack(tmp_path / "pack")
    assert (built.items, built.explanations, built.arms) == (160, 480, 12)
    assert built.accuracy == {"text": (0.8093, 0.8064), "tabular": (0.8349, 0.819)}
    (told,) = [line for line in built.remarks if "is the changed input" in line]
    assert told.startswith("tabular:test:counterfactual:1400: a step of decision_boundary")
    uses = Counter((row["domain"], row["use"]) for row in pack.table(ITEMS))
    assert set(uses.values()) == {16, 32}
    assert all(2 * score.right == score.items for score in scores_of(pack))
    assert {row["class"] for row in pack.table(CLASSES) if row["positive"]} == {
        "pos",
        "above $50K",
    }
    german = {row["term"]: row["word"] for row in pack.table(WORDS) if row["language"] == "de"}
    assert german["Occupation"] == "Beruf"
    called = {(row["method"], row["language"]): row["name"] for row in pack.table(METHODS)}
    assert (called["lime", None], called["lime", "de"]) == ("Weights", "Gewichte")
    assert (called["anchor", None], called["anchor", "de"]) == ("Anchor", "Anker")
    learned = {}
    for row in pack.table(LISTS):
        if row["section"].startswith("learning"):
            place = row["arm"].partition("_")[0], row["position"]
            assert learned.setdefault(place, row["presentation"]) == row["presentation"]


@pytest.mark.slow
def test_the_embedded_data_fill_every_cell_of_the_published_design(tmp_path, monkeypatch):
    """Both domains, trained here, explained by every method of the protocol."""
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path))
    built = building.build(CaseRequest(out=tmp_path / "pack"), Silent())
    assert (built.items, built.explanations, built.arms) == (160, 480, 12)
    assert all(0.7 < share < 0.95 for pair in built.accuracy.values() for share in pair)
    pack = open_pack(tmp_path / "pack")
    assert all(2 * score.right == score.items for score in scores_of(pack))

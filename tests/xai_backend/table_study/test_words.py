"""A table that names words marked by a method: ``build`` marks those that count for a model."""

from pathlib import Path

import pytest

from stimuli.catalogue import OUTSIDE
from stimuli.pack import open_pack
from stimuli.protocol import load_protocol
from stimuli.study import rules_as_pack
from stimuli.table_study.tables import items_schema
from tests.stimuli.table_study.tables_at_hand import DESIGN, write_study
from tests.xai_backend.studies.simulatability.conftest import bert_folder  # noqa: F401
from xai_backend.cli import main

MODEL = """
import numpy as np

WORTH = {"lovely": 2.0, "quick": 1.0, "dull": -3.0, "end": 0.2, "good": 0.3, "not": -0.5}


def judge(texts):
    margins = [sum(WORTH.get(word.strip(".,"), 0) for word in text.split()) for text in texts]
    good = 1 / (1 + np.exp(-np.array(margins)))
    return np.stack([1 - good, good], axis=1)
"""
TABLE = """\
item,text,right,advice,advice_text,help,phase
a,"A lovely, quick film with a good end.",dog,dog,,none,main
a,"A lovely, quick film with a good end.",dog,dog,{named},map,main
b,"Dull, dull; not a *lovely* end: dull.",wolf,wolf,,none,main
b,"dull not a *lovely* end dull",wolf,wolf,{named},map,main
c1,Press dog.,dog,dog,,,catch
"""
MARKED = {
    "a.2": "A **lovely**, **quick** film with a **good** end.",
    "b.2": "**dull** **not** a lovely end **dull**",
}
"""The three words with the highest worth for the answer, which is good of a and bad of b."""


@pytest.fixture
def study(tmp_path, monkeypatch):
    def make(named):
        folder = write_study(tmp_path, DESIGN, TABLE.format(named=named))
        monkeypatch.setenv(OUTSIDE, str(folder))
        (tmp_path / "judges.py").write_text(MODEL, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        return str(tmp_path / "pack")

    return make


@pytest.mark.parametrize("method", ["word_occlusion", "partition_shap"])
def test_words_that_speak_for_the_answer_are_marked(study, method):
    out = study(f"{method}:text")
    assert main(["build", "wolves", "--text-model", "judges:judge", "--out", out]) == 0
    pack = open_pack(Path(out))
    rows = {row["presentation"]: row for row in pack.table(items_schema(pack.protocol))}
    assert {name: rows[name]["advice_text"] for name in MARKED} == MARKED
    assert rows["a.1"]["advice_text"] is None


@pytest.mark.parametrize(
    ("named", "words", "said"),
    [
        ("word_occlusion:text", [], "the table names texts by word_occlusion; give the"),
        ("lime:text", ["--text-model", "judges:judge"], "lime: explains no text alone; these do: "),
        (
            "attention_rollout:text",
            ["--text-model", "judges:judge"],
            "attention_rollout: reads the inside of a classifier of Transformers (hf:DIR); word_",
        ),
        ("word_occlusion:text", ["--text-model", "hf:nowhere"], "nowhere"),
    ],
)  # fmt: skip
def test_what_cant_be_explained_is_one_line(study, capsys, named, words, said):
    assert main(["build", "wolves", *words, "--out", study(named)]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_a_network_of_transformers_marks_words_by_its_inside(study, bert_folder):  # noqa: F811
    out = study("integrated_gradients:text")
    assert main(["build", "wolves", "--text-model", f"hf:{bert_folder}", "--out", out]) == 0
    assert b"**" in open_pack(Path(out)).asset("items.csv")


def test_a_sketch_shows_the_text_itself(study):
    study("word_occlusion:text")
    pack = rules_as_pack(load_protocol("wolves"))
    shown = [row["advice_text"] for row in pack.table(items_schema(pack.protocol))]
    assert shown[1] == "A lovely, quick film with a good end."

"""A lab's own model is sent by its name, and known by what determines its answers."""

import pickle
from functools import partial

import numpy as np

from tests.xai_backend.studies.simulatability.own_model_packs import trained_of
from xai_backend.studies.simulatability.own_transformers import load_classifier


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

"""A model of a lab's own that can't be used is told in one line."""

import sys
from pathlib import Path

import numpy as np
import pytest

from stimuli.errors import UserError
from stimuli.pack import open_pack
from stimuli.studies.simulatability.stimulus import TextInput
from xai_backend.progress import Silent
from xai_backend.studies.simulatability import own_model
from xai_backend.studies.simulatability.own_domain import AskedFor, asked_domain
from xai_backend.studies.simulatability.own_model import OwnModel, sentence_classifier, tried
from xai_backend.studies.simulatability.own_reading import TextReader
from xai_backend.studies.simulatability.own_transformers import load_classifier
from xai_backend.studies.simulatability.request import CaseRequest, check_request, resolved


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

"""A model of a lab's own that can't be used is told in one line."""

import sys

import numpy as np
import pytest

from stimuli.errors import UserError
from stimuli.pack import open_pack
from xai_backend.progress import Silent
from xai_backend.studies.simulatability.own_domain import OwnModelOptions, asked_domain
from xai_backend.studies.simulatability.own_model import sentence_classifier, tried
from xai_backend.studies.simulatability.own_transformers import load_classifier


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
    asked = OwnModelOptions(f"hf:{tmp_path / 'named'}", news_lab[0] / "news.csv")
    with pytest.raises(UserError, match="its answers are A, B, C, but a label of the data is poli"):
        asked_domain("text", asked, pack.protocol, Silent())
    (tmp_path / "named" / "model.toml").write_text('classes = ["sports", "politics"]')
    sentence_classifier.cache_clear()
    with pytest.raises(UserError, match=r"gives 3 numbers a row; its answers are called sports"):
        asked_domain("text", asked, pack.protocol, Silent())

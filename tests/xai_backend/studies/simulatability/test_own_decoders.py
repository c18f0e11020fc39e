"""A language model as a classifier: what it says next, asked one prompt at a time."""

from types import SimpleNamespace

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from stimuli.errors import UserError
from stimuli.studies.simulatability.protocol import OF_INSIDE, OF_LEAVING_OUT
from xai_backend.studies.simulatability.explaining import why_not
from xai_backend.studies.simulatability.own_model import (
    answerer,
    sentence_classifier,
    source_of_model,
    tried,
)

WORDS = ["[UNK]", "the", "film", "was", "good", "bad", "dull", "so", "it", "is", ":", ".", "very"]
PROMPT = "the film : {text} so it is"
TEXTS = ["the film was good .", "dull", "it was very very bad . so dull", ""]


@pytest.fixture
def folder(tmp_path):
    tokenizer = Tokenizer(
        models.WordLevel({word: code for code, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    whole = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]")
    whole.save_pretrained(tmp_path)
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=len(WORDS), n_embd=16, n_layer=2, n_head=2, n_positions=32)
    GPT2LMHeadModel(config).save_pretrained(tmp_path)
    return tmp_path


def settings(folder, prompt=PROMPT, classes=("bad", "good")):
    text = ", ".join(f'"{name}"' for name in classes)
    (folder / "model.toml").write_text(f'prompt = "{prompt}"\nclasses = [{text}]\n', "utf-8")
    return f"hf:{folder}"


def test_answers_are_the_next_tokens_whatever_else_is_asked(folder):
    name = settings(folder)
    network = GPT2LMHeadModel.from_pretrained(folder).eval()
    slow = []
    for text in TEXTS:
        codes = [WORDS.index(word) for word in PROMPT.replace("{text}", text).split()]
        with torch.no_grad():
            logits = network(torch.tensor([codes])).logits[0, -1]
        slow.append(logits[[5, 4]].double().softmax(0))
    found = tried(answerer(name, "text", "cpu"), TEXTS, "--text-model")
    torch.testing.assert_close(torch.tensor(found), torch.stack(slow), atol=1e-6, rtol=0)
    assert source_of_model(name, "text", "cpu").labels == ("bad", "good")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"prompt": "so it is"}, "prompt needs {text} for the sentence"),
        ({"classes": ("good",)}, "sentence, classes the answers"),
        ({"classes": ("very good", "very bad")}, "the first token of very good is unknown or anot"),
        ({"classes": ("good", "unheard")}, "the first token of unheard is unknown"),
    ],
)
def test_a_prompt_that_cant_be_answered_is_refused(folder, given, why):
    name = settings(folder, **given)
    with pytest.raises(UserError, match=why):
        sentence_classifier(name, "cpu")


def test_methods_that_look_inside_say_why_they_dont(folder):
    model = SimpleNamespace(name=settings(folder), device="cpu")
    trained = SimpleNamespace(domain="text", model=model, space=(), prototypes=None)
    for method in OF_INSIDE:
        assert "a language model answers by its next token" in why_not(method, trained)
    assert all(why_not(method, trained) is None for method in OF_LEAVING_OUT)

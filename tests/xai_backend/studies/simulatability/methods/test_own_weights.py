"""Weights of words and values: captum's own answers, and slow sums from the definitions."""

from itertools import combinations
from math import factorial
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from captum.attr import LayerIntegratedGradients, ShapleyValues

from stimuli.studies.simulatability.stimulus import TextInput
from tests.xai_backend.studies.simulatability.stand_ins import (
    COLUMNS,
    LEVELS,
    row,
    table_domain,
)
from xai_backend.methods.attn_lrp import Rules
from xai_backend.studies.simulatability.methods.weights import (
    attention_relevance,
    attention_rollout,
    attn_lrp,
    gradient_x_input,
    integrated_gradients,
    padding,
    value_weights,
)
from xai_backend.studies.simulatability.own_model import OwnModel, sentence_classifier, texts_of

CLASSES = ("politics", "sports", "weather")
GIVEN = TextInput(
    tokens=("the", "minister", "left", "(", "in", "winter", ")", "."), glued=(4, 6, 7)
)
TEXT = "the minister left (in winter)."
WHOLE = len(GIVEN.tokens)


@pytest.fixture(scope="module")
def bert(bert_folder):
    """The name of a small BERT."""
    return f"hf:{bert_folder}"


def domain_of(name):
    model = OwnModel(name, "text", CLASSES, (0, 1, 2), texts_of)
    return SimpleNamespace(model=model, classes=CLASSES)


def words_of(weights):
    """Return weights by place."""
    return {term.places[0]: term.weight for term in weights.terms}


def read(name):
    """Return codes of the sentence, those of padding, and the place of each piece's word."""
    found = sentence_classifier(name, "cpu")
    codes = found.tokenizer(TEXT, return_tensors="pt")
    pieces = found.tokenizer.convert_ids_to_tokens(codes["input_ids"][0])
    words, place = [], -1
    for piece in pieces:
        if piece in ("[CLS]", "[SEP]"):
            words.append(None)
            continue
        place += not piece.startswith("##")
        words.append(place)
    empty = codes["input_ids"].clone()
    empty[0, 1:-1] = found.tokenizer.pad_token_id
    return found.network, codes, empty, words


def summed(values, words):
    sums = np.zeros(WHOLE)
    for value, word in zip(values, words, strict=True):
        if word is not None:
            sums[word] += value
    return sums


def test_integrated_gradients_are_captums_and_the_integral(bert):
    """By captum, by a sum along the path; and they sum to what padding changes."""
    found = integrated_gradients(domain_of(bert), GIVEN, WHOLE)
    network, codes, empty, words = read(bert)
    assert words[1:5] == [0, 1, 1, 2]
    target = CLASSES.index(found.target)
    rest = {name: value for name, value in codes.items() if name != "input_ids"}

    def says(ids):
        return network(input_ids=ids, **rest).logits[:, target]

    assert int(network(**codes).logits.argmax()) == target
    by_captum = LayerIntegratedGradients(says, network.get_input_embeddings()).attribute(
        codes["input_ids"], baselines=empty, n_steps=50
    )
    own = words_of(found)
    expected = summed(by_captum.sum(2)[0].tolist(), words)
    assert np.allclose([own.get(place, 0) for place in range(WHOLE)], expected, atol=1e-5)
    embed = network.get_input_embeddings()
    start, end = embed(empty).detach(), embed(codes["input_ids"]).detach()
    total = torch.zeros_like(end)
    steps = 200
    for step in range(steps):
        point = (start + (step + 0.5) / steps * (end - start)).requires_grad_(True)
        logit = network(inputs_embeds=point, **rest).logits[0, target]
        total += torch.autograd.grad(logit, point)[0] / steps
    slow = summed(((end - start) * total).sum(2)[0].tolist(), words)
    assert np.allclose(expected, slow, atol=2e-3)
    assert sum(own.values()) == pytest.approx(
        float(says(codes["input_ids"]) - says(empty)), abs=2e-3
    )
    assert list(own.values()) == sorted(own.values(), reverse=True)


def test_of_two_classes_the_margin_is_explained(bert):
    """Padding changes the margin by the sum of the weights."""
    model = OwnModel(bert, "text", ("weather", "sports"), (2, 1), texts_of)
    domain = SimpleNamespace(model=model, classes=model.classes)
    found = integrated_gradients(domain, GIVEN, WHOLE)
    network, codes, empty, _ = read(bert)
    logits = [
        network(**{**codes, "input_ids": ids}).logits[0] for ids in (codes["input_ids"], empty)
    ]
    margins = [float(one[1] - one[2]) for one in logits]
    assert found.target == "sports"
    assert sum(words_of(found).values()) == pytest.approx(margins[0] - margins[1], abs=4e-3)


def test_attention_rollout_is_the_product_of_the_layers(bert):
    found = attention_rollout(domain_of(bert), GIVEN, WHOLE)
    network, codes, _, words = read(bert)
    layers = network(**codes, output_attentions=True).attentions
    count = len(words)
    reached = np.eye(count)
    for layer in layers:
        heads = layer[0].tolist()
        mixed = np.array(
            [
                [np.mean([head[i][j] for head in heads]) / 2 + (i == j) / 2 for j in range(count)]
                for i in range(count)
            ]
        )
        reached = mixed @ reached
    shares = summed(reached[0], words)
    own = words_of(found)
    assert found.target is None
    assert np.allclose([own[place] for place in range(WHOLE)], shares / shares.sum(), atol=1e-5)
    few = attention_rollout(domain_of(bert), GIVEN, 3)
    assert few.terms == found.terms[:3]


def test_kernel_shap_is_shapleys_definition_and_captums():
    """All orders of the columns, over a few rows in the background."""
    trained = table_domain()
    given = trained.splits["test"][0].instance
    background = [one.instance for one in trained.splits["train"][:6]]
    target = trained.classes[1]
    found = value_weights(trained, given, target, background, np.random.default_rng(1))

    def share(values):
        return 1 / (1 + np.exp(-trained.model.margins([row(*values)])[0]))

    def worth(here):
        mixed = (
            [given.values[k] if k in here else other.values[k] for k in range(len(COLUMNS))]
            for other in background
        )
        return np.mean([share(values) for values in mixed])

    n = len(COLUMNS)
    slow = np.zeros(n)
    for column in range(n):
        others = [k for k in range(n) if k != column]
        for size in range(n):
            chance = factorial(size) * factorial(n - size - 1) / factorial(n)
            for here in combinations(others, size):
                slow[column] += chance * (worth({*here, column}) - worth(set(here)))
    assert np.allclose(found, slow, atol=1e-9)
    levels = list(LEVELS.values())
    codes = torch.tensor([[own.index(v) for own, v in zip(levels, given.values, strict=True)]])
    empty = [
        torch.tensor([[own.index(v) for own, v in zip(levels, other.values, strict=True)]])
        for other in background
    ]

    def asked(rows):
        named = ([own[k] for own, k in zip(levels, one, strict=True)] for one in rows.tolist())
        return torch.tensor([share(values) for values in named])

    captums = [ShapleyValues(asked).attribute(codes, baselines=one).numpy()[0] for one in empty]
    assert np.allclose(found, np.mean(captums, axis=0), atol=1e-6)


def test_an_unknown_word_is_a_word_though_its_code_is_0():
    """Its weight was 0 whatever the network said: `or` takes 0 for no code."""
    tokenizer = SimpleNamespace(all_special_ids=[0, 1, 2], unk_token_id=0, pad_token_id=9)
    codes = torch.tensor([[1, 5, 0, 2]])
    assert padding(SimpleNamespace(tokenizer=tokenizer), codes).tolist() == [[1, 9, 9, 2]]
    tokenizer.unk_token_id = None
    assert padding(SimpleNamespace(tokenizer=tokenizer), codes).tolist() == [[1, 9, 0, 2]]


def test_gradient_x_input_is_the_gradient_times_the_word_vectors(bert):
    found = gradient_x_input(domain_of(bert), GIVEN, WHOLE)
    network, codes, _, words = read(bert)
    rest = {name: value for name, value in codes.items() if name != "input_ids"}
    vectors = network.get_input_embeddings()(codes["input_ids"]).detach().requires_grad_(True)
    logit = network(inputs_embeds=vectors, **rest).logits[0, CLASSES.index(found.target)]
    slow = summed((torch.autograd.grad(logit, vectors)[0] * vectors).sum(2)[0].tolist(), words)
    own = words_of(found)
    assert np.allclose([own.get(place, 0) for place in range(WHOLE)], slow, atol=1e-5)


def test_attn_lrp_is_the_word_vectors_times_the_gradient_by_its_rules(bert):
    found = words_of(attn_lrp(domain_of(bert), GIVEN, WHOLE))
    network, codes, _, words = read(bert)
    rest = {name: value for name, value in codes.items() if name != "input_ids"}
    vectors = network.get_input_embeddings()(codes["input_ids"]).detach().requires_grad_(True)
    with Rules(0.0, 0.0):
        logit = network(inputs_embeds=vectors, **rest).logits.max()
    slow = summed((torch.autograd.grad(logit, vectors)[0] * vectors).sum(2)[0].tolist(), words)
    assert np.allclose([found.get(place, 0) for place in range(WHOLE)], slow, atol=1e-6)
    plain = words_of(gradient_x_input(domain_of(bert), GIVEN, WHOLE))
    assert max(abs(found[place] - plain[place]) for place in found) > 1e-3


@pytest.mark.parametrize("classes", [CLASSES, ("weather", "sports"), ("sports", "weather")])
def test_attention_relevance_is_chefers_rule(bert, classes):
    """Layer by layer and head by head; of two classes signed for the positive one."""
    columns = tuple(CLASSES.index(name) for name in classes)
    model = OwnModel(bert, "text", classes, columns, texts_of)
    found = attention_relevance(SimpleNamespace(model=model, classes=classes), GIVEN, WHOLE)
    network, codes, _, words = read(bert)
    rest = {name: value for name, value in codes.items() if name != "input_ids"}
    vectors = network.get_input_embeddings()(codes["input_ids"]).detach().requires_grad_(True)
    ran = network(inputs_embeds=vectors, output_attentions=True, **rest)
    logits = ran.logits[0][list(columns)]
    value = logits[1] - logits[0] if len(classes) == 2 else logits.max()
    sign = -1 if len(classes) == 2 and value < 0 else 1
    slopes = torch.autograd.grad(sign * value, ran.attentions)
    count = len(words)
    reached = np.eye(count)
    for layer, slope in zip(ran.attentions, slopes, strict=True):
        mean = np.zeros((count, count))
        for head, own in zip(layer[0].tolist(), slope[0].tolist(), strict=True):
            for i, j in np.ndindex(count, count):
                mean[i, j] += max(0, head[i][j] * own[i][j]) / len(layer[0])
        reached = reached + mean @ reached
    slow = sign * summed(reached[0], words)
    own = words_of(found)
    assert found.target == (classes[1] if len(classes) == 2 else CLASSES[int(logits.argmax())])
    assert np.allclose([own.get(place, 0) for place in range(WHOLE)], slow, atol=1e-6)
    assert np.abs(slow).max() > 0

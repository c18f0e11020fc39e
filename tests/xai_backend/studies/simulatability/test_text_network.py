import numpy as np
import pytest
import torch

from xai_backend.determinism import deterministic
from xai_backend.studies.simulatability.text_model import SentenceNetwork, in_parts
from xai_backend.studies.simulatability.text_words import Vocabulary

WORDS = ("film", "the", "funny", "dull")


@pytest.fixture(scope="module")
def network():
    with deterministic(seed=4):
        network = SentenceNetwork(torch.randn(len(WORDS) + 3, 6))
    return network.double().eval().requires_grad_(False)


def slow_features(network, codes):
    """Yang et al. 2016, equations 5 to 7, of one sentence and word by word."""
    encoder = network.encoder
    states = encoder.reader(encoder.words(codes)[None])[0][0]
    hidden = [torch.tanh(encoder.attended.weight @ h + encoder.attended.bias) for h in states]
    likeness = [float(torch.exp(u @ encoder.context.weight[0])) for u in hidden]
    attention = [value / sum(likeness) for value in likeness]
    return attention, sum(a * h for a, h in zip(attention, states, strict=True))


def test_features_are_those_of_the_definition_whatever_else_is_read(network):
    codes = torch.tensor([[3, 4, 5, 1, 6], [6, 2, 4, 0, 0], [5, 0, 0, 0, 0]])
    attention, features = network.encoder.attention(codes), network.encoder(codes)
    np.testing.assert_allclose(attention.sum(1), 1)
    for row, length in enumerate((5, 3, 1)):
        slow_attention, slow = slow_features(network, codes[row, :length])
        np.testing.assert_allclose(attention[row, :length], slow_attention)
        assert not attention[row, length:].any()
        np.testing.assert_allclose(features[row], slow)


def test_a_sentence_has_the_same_scores_in_any_company(network):
    rng = np.random.default_rng(2)
    vocabulary = Vocabulary(WORDS)
    sentences = [rng.choice(WORDS, rng.integers(1, 30)).tolist() for _ in range(600)]
    together = in_parts(network, vocabulary.coded(sentences))
    for row in (0, 17, 599):
        alone = in_parts(network, vocabulary.coded([sentences[row]]))
        assert alone.tolist() == [together[row].tolist()]
    assert in_parts(network, vocabulary.coded([])).shape == (0, 2)

import numpy as np
import pytest

from tests.xai_backend.studies.simulatability.small_texts import BAD, GOOD, small_texts
from xai_backend.studies.simulatability.text_data import split_texts
from xai_backend.studies.simulatability.text_words import words_of


@pytest.fixture(scope="module")
def splits():
    return split_texts(small_texts(), 1)


def test_vectors_from_a_file_begin_the_network_and_say_what_is_alike(splits, tmp_path):
    rng = np.random.default_rng(5)
    table = {word: rng.normal(size=8) for word in ("funny", "boring", "film", "nowhere")}
    lines = [f"{word} {' '.join(map(repr, map(float, row)))}" for word, row in table.items()]
    (tmp_path / "v.txt").write_text("\n".join(lines), encoding="utf-8")
    words = words_of(splits, tmp_path / "v.txt", seed=1)
    assert words.vectors.shape == (len(words.vocabulary), 8)
    for word in ("funny", "boring", "film"):
        row = words.vectors[words.vocabulary.code(word)]
        np.testing.assert_allclose(row, table[word], rtol=1e-6)
    assert "nowhere" not in words.vocabulary.words
    assert "clever" in words.vocabulary.words  # a training word that the file doesn't have
    space = words.space()
    assert {word for word, _ in space.neighbours("funny")} <= {"boring", "film"}
    assert space.neighbours("clever") == ()


def test_without_a_file_the_training_split_alone_says_what_is_known(splits):
    words = words_of(splits, None, seed=1)
    train = [token for one in splits["train"] for token in one.instance.tokens]
    assert all(train.count(word) >= 2 for word in words.vocabulary.words)
    alike = {word for word, _ in words.space().neighbours("funny")}
    assert alike & {*GOOD, *BAD}
    assert all(train.count(word) >= 5 for word in alike)

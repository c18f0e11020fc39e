import math
from collections import Counter

import numpy as np
import pytest

from stimuli.errors import UserError
from tests.xai_backend.studies.simulatability.small_texts import small_texts
from xai_backend.determinism import deterministic
from xai_backend.studies.simulatability.text_words import (
    Vocabulary,
    by_frequency,
    counts_of,
    made_vectors,
    read_vectors,
)

LINES = ("the .5 -1 2e-1", "film 1 2 3", ". . . 4 5 6", "café 7 8 9", "film 0 0 0")


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_wanted_vectors_are_read_the_first_of_each(tmp_path):
    found = read_vectors(write(tmp_path / "v.txt", LINES), {"film", "café", "the", "dull", "."})
    assert {word: vector.tolist() for word, vector in found.items()} == {
        "the": pytest.approx([0.5, -1, 0.2]),
        "film": [1, 2, 3],
        "café": [7, 8, 9],
    }


def test_the_first_line_of_word2vec_is_left_out(tmp_path):
    path = write(tmp_path / "v.txt", ("2 3", "2 1 1 1", "film 1 2 3"))
    assert sorted(read_vectors(path, {"film", "2"})) == ["2", "film"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("dull 1 2", "line 6: isn't a word and 3 numbers"),
        ("dull 1 2 x", "line 6: isn't a word and 3 numbers"),
        ("dull 1 2 inf", "line 6: isn't a word and 3 numbers"),
    ],
)
def test_a_bad_line_is_told(tmp_path, line, said):
    path = write(tmp_path / "v.txt", [*LINES, line])
    with pytest.raises(UserError) as error:
        read_vectors(path, {"dull", "film"})
    assert said in str(error.value)


def test_a_file_without_our_words_is_told(tmp_path):
    for lines in (LINES, [], ["1 2"]):
        with pytest.raises(UserError, match="none of the data's words"):
            read_vectors(write(tmp_path / "v.txt", lines), {"dull"})
    with pytest.raises(UserError, match="can't be read"):
        read_vectors(tmp_path / "none.txt", {"dull"})


def slow_information(sentences, size):
    """Positive pointwise mutual information, word by word from the definition."""
    together = Counter()
    for codes in sentences:
        for i, a in enumerate(codes):
            for j, b in enumerate(codes):
                if 0 < abs(i - j) <= 2 and a > 1 and b > 1:
                    together[a, b] += 1 / abs(i - j)
    of = Counter()
    for (a, _), weight in together.items():
        of[a] += weight
    smooth = {b: of[b] ** 0.75 / sum(count**0.75 for count in of.values()) for b in of}
    information = np.zeros((size, size))
    for (a, b), weight in together.items():
        information[a, b] = max(0.0, math.log(weight / of[a] / smooth[b]))
    return information


def test_made_vectors_are_the_decomposition_of_the_words_mutual_information():
    sentences = [one.instance.tokens[:-1] for one in small_texts(60)]
    vocabulary = Vocabulary(by_frequency(counts_of(sentences), 2))
    codes = vocabulary.coded(sentences)
    with deterministic(seed=1):
        vectors = made_vectors(codes, len(vocabulary)).double().numpy()
    u, s, _ = np.linalg.svd(slow_information(codes.tolist(), len(vocabulary)))
    expected = (u * s) @ u.T
    assert vectors.shape == (len(vocabulary), 100)
    assert vectors.std() == pytest.approx(0.1, rel=1e-3)
    ratio = np.trace(vectors @ vectors.T) / np.trace(expected)
    np.testing.assert_allclose(vectors @ vectors.T, ratio * expected, atol=1e-5 * ratio)

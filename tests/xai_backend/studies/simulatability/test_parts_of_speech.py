import pytest

from xai_backend.studies.simulatability.text_words import PartsOfSpeech


@pytest.fixture(scope="module")
def tagger():
    return PartsOfSpeech()


@pytest.mark.parametrize(
    ("sentence", "tags"),
    [
        (
            "a refreshing korean film about five friends who face an uphill battle .",
            "DET ADJ ADJ NOUN ADP NUM NOUN PRON VERB DET ADJ NOUN PUNCT",
        ),
        (
            "it's a film that doesn't work , and they've wasted the director's time",
            "PRON DET NOUN SCONJ AUX VERB PUNCT CCONJ PRON VERB DET NOUN NOUN",
        ),
        (
            "The Movie Was not very funny , but I laughed",
            "DET NOUN AUX PART ADV ADJ PUNCT CCONJ PRON VERB",
        ),
    ],
)
def test_sentences_are_tagged_as_a_reader_would(tagger, sentence, tags):
    assert tagger.universal(sentence.split()) == tuple(tags.split())


def test_odd_tokens_have_a_tag_each(tagger):
    tokens = ("'", "…", "n't", "$", "o'clock", "", "’s", "日本")
    assert len(tagger.fine(tokens)) == len(tokens)
    assert tagger.fine(()) == ()


def test_a_word_with_a_clitic_has_no_likeliest_tag(tagger):
    assert [tagger.likeliest(word) for word in ("film", "film's", "films", "warm")] == [
        "NN1", "X", "NN2", "AJ0",
    ]  # fmt: skip

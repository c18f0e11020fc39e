import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.errors import UserError
from stimuli.studies.simulatability.stimulus import TextInput
from tests.xai_backend.studies.simulatability.small_texts import small_texts
from xai_backend.studies.simulatability.text_data import (
    classes_of,
    read_texts,
    sentence_in,
    split_texts,
    tokens_of,
)
from xai_backend.studies.simulatability.trained import Labelled


def write_csv(path, rows, head="text,label"):
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def rows(count=100):
    return [f'"Film {k} , fine.",{("no", "yes")[k % 2]}' for k in range(2 * count)]


def write_polarity(folder, encoding="utf-8", count=120):
    for name, word in (("pos", "touché"), ("neg", "dull")):
        lines = "".join(f"it's {word} no . {k} \n" for k in range(count))
        (folder / f"rt-polarity.{name}").write_bytes(lines.encode(encoding))
    return folder


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_the_folder_is_read_as_it_was_published_and_as_utf_8(tmp_path, encoding):
    texts = read_texts(write_polarity(tmp_path, encoding))
    assert classes_of(texts) == ("negative", "positive")
    assert texts[0] == Labelled(
        "negative-1", TextInput(tokens=("it's", "dull", "no", ".", "0")), "negative"
    )
    assert texts[120].instance.tokens[1] == "touché"
    assert len(texts) == 240


def test_a_csv_is_read_with_ids_or_numbered(tmp_path):
    texts = read_texts(write_csv(tmp_path / "a.csv", rows()))
    assert (texts[3].source_id, texts[3].label) == ("4", "yes")
    assert texts[3].instance.tokens == ("Film", "3", ",", "fine", ".")
    named = [f"n{k},{row}" for k, row in enumerate(rows())]
    texts = read_texts(write_csv(tmp_path / "b.csv", named, "id,text,label"))
    assert texts[3].source_id == "n3"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It's well-made, isn't it?", "It's well-made , isn't it ?"),
        ("3.5 of 1,000 stars...", "3.5 of 1,000 stars . . ."),
        ("the end.Then", "the end . Then"),
        ("a 'quoted' word—naïve", "a ' quoted ' word — naïve"),
        ("Cafe\u0301 ho\u0308rt", "Café hört"),
        ("Ко\u0301т x\u0304-y", "Ко\u0301т x\u0304-y"),
        ("\u0301 a", "\u0301 a"),
        ("电影GPT4很好。", "电 影 GPT4 很 好 。"),
        ("हिन्दी फ़िल्म", "हिन्दी फ़िल्म"),
        ("ok👍🏽👍 🇩🇪❤️!", "ok 👍🏽 👍 🇩🇪 ❤️ !"),
    ],
)
def test_tokens(text, tokens):
    assert tokens_of(text) == tuple(tokens.split())


@given(st.text())
def test_tokens_lose_nothing_but_blanks(text):
    whole = unicodedata.normalize("NFC", text)
    assert "".join(tokens_of(text)) == "".join(whole.split())


def test_a_text_with_marks_apart_is_the_same_text(tmp_path):
    """Files from macOS and texts from PDFs often have them apart."""
    together = [f"Café hört {k},{'yes' if k % 2 else 'no'}" for k in range(240)]
    apart = [unicodedata.normalize("NFD", row) for row in together]
    assert together != apart
    first, second = (
        read_texts(write_csv(tmp_path / f"{k}.csv", rows))
        for k, rows in enumerate([together, apart])
    )
    assert first == second


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([f"fine,{k}" for k in range(3)], "has 3 classes (0, 1, 2); two are needed"),
        (["fine,yes"] * 300, "has 1 classes (yes); two are needed"),
        (["fine,yes"] * 300 + ["dull,no"] * 9, "has 9 sentences of class no; 100 are needed"),
        (["fine,yes", '"_ ","no"', '" ",no'], "row 4"),
    ],
)
def test_a_bad_csv_is_told_in_a_line(tmp_path, lines, said):
    path = write_csv(tmp_path / "a.csv", lines)
    with pytest.raises(UserError) as error:
        read_texts(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)


def test_other_bad_sources_are_told_in_a_line(tmp_path):
    with pytest.raises(UserError, match="no such data set"):
        read_texts(tmp_path / "none")
    with pytest.raises(UserError, match=r"rt-polarity\.neg: can't be read"):
        read_texts(tmp_path)
    twice = [f"x,{row}" for row in rows()]
    with pytest.raises(UserError, match="the id x occurs twice"):
        read_texts(write_csv(tmp_path / "b.csv", twice, "id,text,label"))
    (tmp_path / "c.csv").write_bytes(b"text,label\ntouch\xe9,no\n")
    with pytest.raises(UserError, match="UTF-8"):
        read_texts(tmp_path / "c.csv")


@given(st.permutations(range(30)), st.integers(0, 3))
def test_splits_follow_from_the_sentences_alone(order, seed):
    texts = small_texts(30)
    splits = split_texts(texts, seed)
    assert splits == split_texts([texts[k] for k in order], seed)
    assert [len(splits[name]) for name in ("train", "validation", "test")] == [21, 3, 6]
    assert sorted(one.source_id for split in splits.values() for one in split) == sorted(
        one.source_id for one in texts
    )


def test_equal_sentences_share_a_split():
    texts = [
        Labelled(f"{copy}-{one.source_id}", one.instance, one.label)
        for copy in range(2)
        for one in small_texts(100)
    ]
    splits = split_texts(texts, 1)
    places = [{one.instance.tokens for one in split} for split in splits.values()]
    shared = sum(len(a & b) for k, a in enumerate(places) for b in places[k + 1 :])
    assert shared <= 2  # those at the borders, since the sizes are fixed


@given(st.text())
def test_a_sentence_is_the_text_as_it_is_written(text):
    written = " ".join(unicodedata.normalize("NFC", text).split())
    if not written:
        with pytest.raises(ValueError, match="text: has no words"):
            sentence_in({"text": text}, "text")
        return
    sentence = sentence_in({"text": text}, "text")
    assert sentence.text == written
    assert tuple(written[begin:end] for begin, end in sentence.spans) == sentence.tokens


def test_tokens_of_ones_own_are_taken():
    cells = {"text": "私は映画を見た。 また", "text_tokens": "私 は 映画 を 見た 。 また"}
    sentence = sentence_in(cells, "text")
    assert sentence.tokens == tuple(cells["text_tokens"].split())
    assert sentence.text == cells["text"]


@pytest.mark.parametrize(
    ("text", "tokens", "why"),
    [("很好", "很 坏", "other signs than text"), ("a b", "ab", "'ab' has a blank in text")],
)
def test_tokens_that_arent_the_texts_are_refused(text, tokens, why):
    with pytest.raises(ValueError, match=why):
        sentence_in({"text": text, "text_tokens": tokens}, "text")

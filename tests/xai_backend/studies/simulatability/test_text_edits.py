"""Changes that a lab gives: a table of them, or a masked language model."""

import numpy as np
import pytest
import torch

from stimuli.errors import UserError
from stimuli.studies.simulatability.inputs import TextInput, edited
from tests.xai_backend.studies.simulatability.own_models import write_masked
from tests.xai_backend.studies.simulatability.small_texts import small_texts
from xai_backend.studies.simulatability.masked_words import MaskedSpace, likeliest, masked_model
from xai_backend.studies.simulatability.own_reading import TextReader
from xai_backend.studies.simulatability.request import CaseRequest, check_request, resolved
from xai_backend.studies.simulatability.text_data import split_texts
from xai_backend.studies.simulatability.text_edits import edited_ids, with_edits
from xai_backend.studies.simulatability.trained import Labelled, Trained

GIVEN = TextInput(tokens=("The", "coach", "left", "in", "town", "17", "."))


def domain(texts):
    return Trained("text", None, None, {"test": texts}, None, None)


@pytest.fixture(scope="module")
def masked(tmp_path_factory):
    """A masked language model's name."""
    return f"hf:{write_masked(tmp_path_factory.mktemp('masked') / 'lm')}"


def test_a_table_of_edits_says_what_people_see(tmp_path):
    path = tmp_path / "edits.csv"
    path.write_text("id,changed\nb,der Film ist schlecht\nb,ein Film ist gut\n", encoding="utf-8")
    given = TextInput(tokens=("der", "Film", "ist", "gut"))
    texts = [Labelled("a", TextInput(tokens=("x",)), "no"), Labelled("b", given, "yes")]
    found = with_edits(domain(texts), str(path), spaced=False)
    changes = list(found.changes(given, 1, np.random.default_rng(0)))
    assert [" ".join(edited(given, edits).tokens) for edits in changes] == [
        "der Film ist schlecht",
        "ein Film ist gut",
    ]
    assert not list(found.changes(texts[0].given, 1, np.random.default_rng(0)))
    assert (found.source["edits"], len(found.source["edits_sha256"])) == ("edits.csv", 64)
    assert edited_ids(str(path)) == {"b"}
    assert edited_ids(None) == edited_ids("hf:model") == frozenset()


def test_sentences_with_edits_are_in_the_test_split_and_others_stay_in_order():
    texts = small_texts(100)
    plain, held = split_texts(texts, 3), {"r7", "r50", "r99"}
    found = split_texts(texts, 3, held)
    assert held <= {one.source_id for one in found["test"]}
    assert {name: len(rows) for name, rows in found.items()} == {
        name: len(rows) for name, rows in plain.items()
    }
    order = [one.source_id for name in ("test", "validation", "train") for one in plain[name]]
    new = [one.source_id for name in ("test", "validation", "train") for one in found[name]]
    assert new[3:] == [name for name in order if name not in held]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,text\nb,x\n", "column missing: changed"),
        ("id,changed\nb,\n", "line 2: changed is empty"),
        ("id,changed\nb,gut\nz,gut\n", "line 3: the data have no id z"),
        ("id,changed\nb,so gut\n", "line 2: changed: is the same as the input"),
    ],
)
def test_edits_that_do_not_fit_are_told_in_one_line(tmp_path, text, message):
    path = tmp_path / "edits.csv"
    path.write_text(text, encoding="utf-8")
    texts = [Labelled("b", TextInput(tokens=("so", "gut")), "yes")]
    with pytest.raises(UserError, match=message):
        with_edits(domain(texts), str(path), spaced=False)


def test_a_masked_model_says_what_could_stand_in_each_words_place(masked):
    """By Transformers, one word at a time; numbers and signs stay."""
    model = masked_model(masked, "cpu")
    found = MaskedSpace(masked, TextReader(spaced=False)).substitutes(GIVEN.tokens)
    for place, token in enumerate(GIVEN.tokens):
        words = [*GIVEN.tokens[:place], "[MASK]", *GIVEN.tokens[place + 1 :]]
        text = " ".join(words).replace(" .", ".")
        codes = model.tokenizer(text, return_tensors="pt")
        mask = codes["input_ids"][0].tolist().index(model.tokenizer.mask_token_id)
        with torch.no_grad():
            shares = model.network(**codes).logits[0, mask].double().softmax(0).tolist()
        pieces = model.tokenizer.convert_ids_to_tokens(range(len(shares)))
        slow = {
            piece.capitalize() if place == 0 else piece: share
            for piece, share in zip(pieces, shares, strict=True)
            if piece.isalpha() and piece != token.lower()
        }
        if not token.isalpha():
            assert found[place] == ()
            continue
        best = sorted(slow, key=lambda word: -slow[word])[:20]
        assert [word for word, _ in found[place]] == best
        assert np.allclose([share for _, share in found[place]], [slow[w] for w in best], atol=1e-6)


def test_changes_are_drawn_from_the_generator_alone(masked):
    space = MaskedSpace(masked, TextReader(spaced=False))
    first = next(space.changes(GIVEN, 2, np.random.default_rng(5)))
    assert first == next(space.changes(GIVEN, 2, np.random.default_rng(5)))
    assert 1 <= len(first) <= 2
    assert {edit.place for edit in first} <= {0, 1, 2, 3, 4}


def test_a_substitute_is_another_word_with_the_same_capital():
    words = {0: "haus", 1: "Haus", 2: "baum"}
    chances = np.array([0.5, 0.2, 0.3])
    assert likeliest("Auto", chances, words) == (("Haus", 0.5), ("Baum", 0.3))
    assert likeliest("haus", chances, words) == (("baum", 0.3),)
    assert likeliest("Auto", np.array([1.0, 0, 0]), words) == (("Haus", 1.0),)


def test_a_folder_without_a_masked_model_is_told_in_one_line(bert_folder, tmp_path):
    with pytest.raises(UserError, match=r"--edits hf:.*no such folder with a config[.]json"):
        masked_model(f"hf:{tmp_path}", "cpu")
    with pytest.raises(UserError, match="lacks weights of a masked language model"):
        masked_model(f"hf:{bert_folder}", "cpu")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"edits": "hf:x"}, "--edits: give the sentences with --text"),
        ({"edits": "none.csv", "text": __file__}, "--edits none.csv: there is no such file"),
        ({"edits": "hf:x", "text_outputs": __file__}, "has changed sentences already"),
        ({"edits": "hf:x", "from_sheets": __file__}, "leave --edits out"),
    ],
)
def test_what_does_not_go_with_edits_is_refused(given, message, tmp_path):
    paths = {name: tmp_path if name != "edits" else value for name, value in given.items()}
    request = CaseRequest(**paths)
    with pytest.raises(UserError, match=message):
        check_request(request, resolved(request))

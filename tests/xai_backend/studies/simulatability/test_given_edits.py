"""Changes that a lab gives: a table of them, or a masked language model."""

import numpy as np
import pytest
import torch

from stimuli.errors import UserError
from stimuli.studies.simulatability.stimulus import TextInput, edited
from tests.xai_backend.studies.simulatability.own_models import write_masked
from tests.xai_backend.studies.simulatability.small_texts import small_texts
from tests.xai_backend.studies.simulatability.tables import small_rows, write_csv
from xai_backend.studies.simulatability.given import GivenEdits, with_edits
from xai_backend.studies.simulatability.masked_words import MaskedSpace, likeliest, masked_model
from xai_backend.studies.simulatability.table_data import read_table, split_table
from xai_backend.studies.simulatability.text_data import split_texts
from xai_backend.studies.simulatability.trained import Labelled, Trained

GIVEN = TextInput(tokens=("The", "coach", "left", "in", "town", "17", "."), glued=(6,))


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
    edits = GivenEdits(str(path), ["text"])
    found = with_edits(domain(texts), edits, path)
    changes = list(found.changes(given, 1, np.random.default_rng(0)))
    assert [" ".join(edited(given, edits).tokens) for edits in changes] == [
        "der Film ist schlecht",
        "ein Film ist gut",
    ]
    assert not list(found.changes(texts[0].instance, 1, np.random.default_rng(0)))
    assert (found.source["edits"], len(found.source["edits_sha256"])) == ("edits.csv", 64)
    assert (edits.ids("text"), edits.ids("tabular")) == ({"b"}, frozenset())
    assert GivenEdits("hf:model", ["text"]).ids("text") == frozenset()


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
        ("id,changed\nb,\n", "row 2: changed is empty"),
        ("id,changed\nb,gut\nz,gut\n", "row 3: the data have no id z"),
        ("id,changed\nb,so gut\n", "row 2: changed: is the same as the input"),
    ],
)
def test_edits_that_do_not_fit_are_told_in_one_line(tmp_path, text, message):
    path = tmp_path / "edits.csv"
    path.write_text(text, encoding="utf-8")
    texts = [Labelled("b", TextInput(tokens=("so", "gut")), "yes")]
    with pytest.raises(UserError, match=message):
        with_edits(domain(texts), GivenEdits(str(path), ["text"]), path)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A table with the columns Age (in bins), Work, Home and Children."""
    return write_csv(tmp_path_factory.mktemp("table") / "rows.csv", small_rows())


def rows_with(table, path, text):
    """Return a table's domain with the edits of a file."""
    path.write_text(text, encoding="utf-8")
    edits = GivenEdits(str(path), ["tabular"])
    splits = split_table(read_table(table), "none", 3, edits.ids("tabular"))
    return with_edits(Trained("tabular", None, None, splits, None, None), edits, table)


def test_rows_are_changed_as_their_cells_or_as_people_see_them(table, tmp_path):
    """In one cell, or in the table's own columns, as programs for counterfactuals write it."""
    data = read_table(table)
    bins, edge = data.levels["Age"], float(data.levels["Age"][0].split()[-1])
    lines = [
        f"1001,Age = {edge:g} | Home = rent",
        f"1001,Age = {edge + 0.5} | Home = rent",
        f"1001,Age = {bins[2]}",
        "1001,Age = 999",
    ]
    found = rows_with(table, tmp_path / "a.csv", "\n".join(["id,changed", *lines]))
    (row,) = (one for one in found.splits["test"] if one.source_id == "1001")
    assert found.splits["test"][0] == row
    own = dict(zip(row.instance.columns, row.instance.values, strict=True))
    wanted = [
        {"Age": bins[0], "Home": "rent"},
        {"Age": bins[1], "Home": "rent"},
        {"Age": bins[2]},
        {"Age": bins[3]},
    ]
    changes = list(found.changes(row.instance, 1, np.random.default_rng(0)))
    assert [edited(row.instance, edits).values for edits in changes] == [
        tuple({**own, **new}.values()) for new in wanted
    ]
    wide = "id,Age,Work,Home,Children,label\n1001,999,,,,yes\n"
    again = rows_with(table, tmp_path / "b.csv", wide)
    assert list(again.changes(row.instance, 1, np.random.default_rng(0))) == changes[3:]
    assert again.source["edits"] == "b.csv"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,changed\n1001,Size = 4\n", "row 2: changed: 'Size' isn't a column"),
        ("id,changed\n1001,older\n", "row 2: changed: 'older' isn't COLUMN = VALUE"),
        ("id,changed\n1001,Work = king\n", "row 2: Work: people see no value 'king', but full,"),
        ("id,changed\n1001,Age = nan\n", "row 2: Age: people see no value 'nan', but Age ≤"),
        ("id,changed\n1001,\n", "row 2: changed: changes nothing that people see"),
        ("id,changed\n77,Work = full\n", "row 2: the data have no id 77"),
        ("id,Size\n1001,4\n", "row 2: 'Size' isn't a column"),
        ("changed\nWork = full\n", "column missing: id"),
        ("id,changed,domain\n1001,gut,text\n", "domain: 'text' isn't tabular, of which there are"),
    ],
)
def test_edits_of_rows_that_do_not_fit_are_told_in_one_line(table, tmp_path, text, message):
    with pytest.raises(UserError, match=message) as fault:
        rows_with(table, tmp_path / "edits.csv", text)
    assert "\n" not in str(fault.value)


def test_lines_for_both_kinds_of_data_say_which(tmp_path):
    path = tmp_path / "edits.csv"
    edits = GivenEdits(str(path), ["text", "tabular"])
    path.write_text("id,changed,domain\n1,so,text\n2,A = b,tabular\n", encoding="utf-8")
    assert (edits.ids("text"), edits.ids("tabular")) == ({"1"}, {"2"})
    path.write_text("id,changed\n1,so\n", encoding="utf-8")
    with pytest.raises(UserError, match="column missing: domain; there are sentences and rows"):
        edits.lines("text")


def test_a_masked_model_says_what_could_stand_in_each_words_place(masked):
    """By Transformers, one word at a time; numbers and signs stay."""
    model = masked_model(masked, "cpu")
    found = MaskedSpace(masked).substitutes(GIVEN)
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

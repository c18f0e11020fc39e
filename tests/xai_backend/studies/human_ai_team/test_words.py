import sys
import types
import warnings

import pytest

from stimuli.errors import UserError
from stimuli.names import ANY_LANGUAGE
from xai_backend.studies.human_ai_team.gather import definitions, read_words

TENCH, DOG, UNKNOWN = "n01440764", "n02084071", "n99999999"


class Synset:
    def __init__(self, text):
        self.definition = lambda: text


BY_NUMBER = {1440764: Synset("a fish of fresh water"), 2084071: Synset("a domestic animal")}
BY_WORD = {"school_bus": [Synset("a bus for pupils"), Synset("something else")]}


class Corpus:
    """Answers as nltk 3.9 does with WordNet 3.0: None and a warning for an unknown number."""

    def ensure_loaded(self):
        pass

    def synset_from_pos_and_offset(self, pos, offset):
        assert pos == "n"
        if offset not in BY_NUMBER:
            warnings.warn(f"No WordNet synset found at offset={offset}.", stacklevel=2)
        return BY_NUMBER.get(offset)

    def synsets(self, word, pos):
        assert pos == "n"
        return BY_WORD.get(word, [])


@pytest.fixture
def corpus(monkeypatch):
    def have(found):
        module = types.ModuleType("nltk.corpus")
        module.wordnet = found
        monkeypatch.setitem(sys.modules, "nltk", types.ModuleType("nltk"))
        monkeypatch.setitem(sys.modules, "nltk.corpus", module)

    return have


def table(tmp_path, text):
    path = tmp_path / "definitions.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.filterwarnings("error")
def test_wordnet_is_asked_by_number_and_else_by_the_labels_word(corpus):
    corpus(Corpus())
    found = definitions(None, {TENCH, UNKNOWN, "bus"}, {("bus", ANY_LANGUAGE): "school bus"})
    assert found == {(TENCH, "en"): "a fish of fresh water", ("bus", "en"): "a bus for pupils"}


def test_a_table_of_ones_own_comes_first_and_wordnet_fills_in(corpus, tmp_path):
    corpus(Corpus())
    own = table(tmp_path, f"label,definition,de\n{TENCH},my own words,meine Worte\nother,x,y\n")
    found = definitions(own, {TENCH, DOG}, {})
    assert found == {
        (TENCH, ANY_LANGUAGE): "my own words",
        (TENCH, "de"): "meine Worte",
        (DOG, "en"): "a domestic animal",
    }


def test_a_table_without_its_column_is_one_clear_line(tmp_path):
    with pytest.raises(UserError, match="definition"):
        read_words(table(tmp_path, f"label,meaning\n{TENCH},x\n"), "label", "definition")

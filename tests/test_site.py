"""The documentation as a site: it builds without a warning, and leads to what people look for."""

import json
import re
from pathlib import Path

import pytest

import lab
from docs.cli import main
from docs.generated import command_tree, commands_page

ROOT = Path(__file__).parents[1]
DOORS = ("experimenter", "builder", "analyst", "contributor")
MOST_WORDS = 18


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    assert main(["docs", "--out", str(out)]) == 0
    return out


def _prose(text):
    """Return a page's running text: no code, tables, lists of pages, or headings."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(r"^(\||#|:|!).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]*`", "word", text)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def test_every_page_is_there(site):
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert pages <= {path.stem for path in site.glob("*.html")}


def test_nothing_is_fetched_from_elsewhere(site):
    for name in ("index", "commands", "glossary"):
        text = (site / f"{name}.html").read_text("utf-8")
        sources = re.findall(r'<(?:script|img|link)[^>]*?(?:src|href)="([^"]+)"', text)
        assert sources
        assert not [source for source in sources if "//" in source]


def test_every_verb_has_all_its_options():
    page = commands_page()
    for verb, (room, _, _) in lab.VERBS.items():
        assert f"\n## {verb}\n" in page
        commands = [] if room is None else [command_tree(room, verb).commands[verb]]
        while commands:
            command = commands.pop()
            commands += getattr(command, "commands", {}).values()
            options = {name for option in command.params for name in option.opts} - {"--help"}
            if not hasattr(command, "commands"):
                assert all(f"`{name}`" in page for name in options if name.startswith("-"))


@pytest.mark.parametrize(
    ("words", "page"),
    [
        (("colour", "wrong"), "troubleshooting"),
        (("trigger", "eeg"), "triggers"),
        (("rung",), "glossary"),
    ],
)
def test_the_search_finds_what_people_look_for(site, words, page):
    said = (site / "searchindex.js").read_text("utf-8")
    index = json.loads(said[said.index("(") + 1 : said.rindex(")")])
    for word in words:
        places = [index[kind].get(word, []) for kind in ("terms", "titleterms")]
        found = {n for some in places for n in ([some] if isinstance(some, int) else some)}
        assert page in {index["docnames"][place] for place in found}


@pytest.mark.parametrize("door", DOORS)
def test_a_door_begins_with_what_it_is_for_and_what_to_type(door):
    text = (ROOT / "docs" / f"{door}.md").read_text("utf-8")
    title, purpose, command = [part for part in text.split("\n\n") if part][:3]
    assert title.startswith("# ")
    assert purpose.startswith("This page says how ")
    assert command.startswith("```\npython3 lab.py ")


READ_FIRST = ("index", "tutorial", "faq", "own_material", "coming_from", *DOORS)


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{name}.md" for name in READ_FIRST)])
def test_sentences_are_short(page):
    prose = _prose((ROOT / page).read_text("utf-8"))
    sentences = [s.split() for s in re.split(r"[.:?!]\s", prose + " ") if len(s.split()) > 1]
    assert sum(map(len, sentences)) / len(sentences) <= MOST_WORDS


def test_the_glossary_is_in_order_and_explains_each_term_once():
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    terms = re.findall(r"^([^ \n`#{].*)\n  ", text, flags=re.MULTILINE)
    assert len(terms) > 80
    assert terms == sorted(terms, key=str.casefold)
    assert len(terms) == len(set(terms))

"""The documentation as a site: it builds without a warning, and leads to what people look for."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import lab
from docs.cli import build_site, main
from docs.generated import command_tree, commands_page
from participants.new_person import ROLES
from stimuli.names import ANY_LANGUAGE, METHOD_NAMES

ROOT = Path(__file__).parents[1]
DOORS = ("experimenter", "builder", "analyst", "contributor")
MOST_WORDS = 18


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, with the headings alone of pages that are made from declarations."""
    out = tmp_path_factory.mktemp("site")
    build_site(out, "outline")
    return out


def _prose(text):
    """Return a page's running text: no code, tables, lists of pages, or headings."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(r"^(\||#|:|!).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]*`", "word", text)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


@pytest.mark.slow
def test_the_whole_site_builds_without_a_warning(tmp_path):
    assert main(["docs", "--out", str(tmp_path)]) == 0


def test_every_page_is_there(site):
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert pages <= {path.stem for path in site.glob("*.html")}


def test_a_page_of_the_repository_links_only_to_what_the_repository_has():
    """Pages that only the site has are linked by their list, which says how to build it."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this copy has no repository")
    files = {ROOT / name for name in listed.stdout.splitlines()}
    for page in (file for file in files if file.suffix == ".md" and "template" not in file.parts):
        text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text("utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
            path = Path(os.path.normpath(page.parent / target))
            assert "://" in target or path in files or path.is_dir(), (page.name, target)


def test_a_page_that_only_the_site_has_is_linked_by_its_name(site):
    page = (site / "accept_reject.html").read_text("utf-8")
    assert 'href="protocol_accept_reject.html"' in page
    assert 'href="gallery/accept_reject.html"' in page
    assert "reference.html#" not in page


def test_nothing_is_fetched_from_elsewhere(site):
    for name in ("index", "commands", "glossary"):
        text = (site / f"{name}.html").read_text("utf-8")
        sources = re.findall(r'<(?:script|img|link)[^>]*?(?:src|href)="([^"]+)"', text)
        assert sources
        assert not [source for source in sources if "//" in source]


def test_no_table_has_a_header_without_words(site):
    page = (site / "simulatability_methods.html").read_text("utf-8")
    headers = re.findall(r"<th[^>]*>(.*?)</th>", page, flags=re.DOTALL)
    assert headers
    assert all(re.sub("<[^>]*>", "", header).strip() for header in headers)


def test_each_picture_of_the_gallery_opens_its_file(site):
    page = site / "gallery" / "accept_reject.html"
    text = page.read_text("utf-8")
    pictures = re.findall(r'<a href="([^"]+)"><img[^>]*src="([^"]+)"', text)
    there = list((ROOT / "docs" / "pictures" / "accept_reject").rglob("*.webp"))
    assert len(pictures) == text.count("<figcaption>") == len(there) > 0
    assert all(link == file and (page.parent / file).exists() for link, file in pictures)


def test_the_search_button_is_called_what_it_says(site):
    """A label of its own, without the visible words, would hide them from a screen reader."""
    page = (site / "index.html").read_text("utf-8")
    buttons = re.findall(r"<button[^>]*search-button-field[^>]*>", page)
    assert buttons
    assert not [button for button in buttons if "aria-label" in button]


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


@pytest.fixture(scope="module")
def index(site):
    """What the search looks in."""
    said = (site / "searchindex.js").read_text("utf-8")
    return json.loads(said[said.index("(") + 1 : said.rindex(")")])


@pytest.mark.parametrize(
    "symptom",
    [
        "my colours look wrong",
        "frames are dropped",
        "keys do nothing",
        "code refused",
        "nothing happens after start",
    ],
)
def test_the_search_leads_to_a_symptom(index, symptom):
    """It offers a heading or an index entry in which the words stand, with its place."""
    entries = [*index["alltitles"].items(), *index["indexentries"].items()]
    places = [place for entry, found in entries if symptom in entry.lower() for place in found]
    names = {index["docnames"][place[0]] for place in places if place[1]}
    assert names == {"troubleshooting"}


@pytest.mark.parametrize(
    ("words", "page"), [(("trigger", "eeg"), "triggers"), (("rung",), "glossary")]
)
def test_the_search_finds_what_people_look_for(index, words, page):
    for word in words:
        places = [index[kind].get(word, []) for kind in ("terms", "titleterms")]
        found = {n for some in places for n in ([some] if isinstance(some, int) else some)}
        assert page in {index["docnames"][place] for place in found}


def test_the_readme_is_short_and_shows_a_session_and_a_report():
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) < 120
    assert len(re.findall(r"^!\[", text, flags=re.MULTILINE)) == 2


@pytest.mark.parametrize("door", DOORS)
def test_a_door_begins_with_what_it_is_for_and_what_to_type(door):
    text = (ROOT / "docs" / f"{door}.md").read_text("utf-8")
    title, purpose, command = [part for part in text.split("\n\n") if part][:3]
    assert title.startswith("# ")
    assert purpose.startswith("This page says how ")
    assert command.startswith("```\npython3 lab.py ")


FAMILIAR = {
    "BMP", "CHANGELOG", "CONTRIBUTING", "CPU", "DS", "DataAid", "GB", "GIF", "GPL", "HTML", "III",
    "IV", "ImageDisplay", "JPEG", "LICENSE", "MB", "OpenSesame", "PC", "PDF", "PNG", "PostgreSQL",
    "PsychoPy", "PyTorch", "QR", "README", "SIGKILL", "SessionProc", "TIFF", "TLS", "TextDisplay",
    "UTC", "UTF", "WebP", "XML", "XTest", "ZIP",
}  # fmt: skip
"""Abbreviations and names of other programs that a glossary of this suite needn't explain."""
STATISTICS = (
    "bootstrap", "calibration", "complementarity", "criterion", "degrees of freedom", "d′",
    "Fleiss", "hazard", "Hedges", "Holm", "interval", "Krippendorff", "Laplace", "log odds",
    "logit", "Mann–Whitney", "mixed model", "p value", "Pearson", "percentile", "probit",
    "quantile", "rank-biserial", "Satterthwaite", "Spearman", "staircase", "standard deviation",
    "stratum", "Student's t", "Turnbull", "Wilson",
)  # fmt: skip
"""Words of statistics that pages and reports use."""


READ_FIRST = ("index", "tutorial", "faq", "own_material", "coming_from", *DOORS)


READ_BY_STUDENTS = (
    *READ_FIRST, "accept_reject", "accept_reject_accuracy", "progressive_reveal", "human_ai_team",
    "simulatability", "checklists", "day", "exports", "launch", "people", "power",
    "preregistration", "rehearsal", "report", "screening", "session", "sheets", "troubleshooting",
)  # fmt: skip


def test_terms_that_a_student_may_not_know_are_in_the_glossary():
    """Coined names on the pages, words of statistics, and the names of methods and roles."""
    pages = [ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in READ_BY_STUDENTS)]
    prose = "".join(page.read_text("utf-8") for page in pages)
    prose = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", "", prose, flags=re.DOTALL)
    coined = set(re.findall(r"\b[A-Z][A-Za-z]*[A-Z][A-Za-z]*\b", prose)) - FAMILIAR
    methods = {name for (_, language), name in METHOD_NAMES.items() if language == ANY_LANGUAGE}
    explained = (ROOT / "docs" / "glossary.md").read_text("utf-8").casefold()
    terms = {term.casefold().removesuffix("s") for term in (*coined, *STATISTICS, *methods, *ROLES)}
    missing = [
        term for term in terms if not re.search(rf"(?<!\w){re.escape(term)}s?(?!\w)", explained)
    ]
    assert not sorted(missing)


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

"""The books of measurements, and the pages of docs that came from them."""

import importlib
import json
from dataclasses import replace

import pytest

from bench.book import (
    Book,
    Effort,
    Measured,
    Part,
    measure,
    places,
    read_results,
    render,
    table,
)
from bench.cli import DOCS, book_names
from bench.parts import timing_pairs
from stimuli.errors import UserError


def _book_named(name):
    return importlib.import_module(f"bench.{name}").BOOK


def _counting(calls):
    def part(name):
        def counted(effort):
            calls.append((name, effort.quick))
            effort.picture(f"{name}.png").write_bytes(b"")
            text = f"{name} {len(calls)} {effort.shown(f'{name}.png', name)}"
            return Measured(text, {"calls": len(calls)})

        return Part(name, name.title(), counted)

    return Book("trial", "A trial", "Intro.", (part("one"), part("two")), _sum)


def _sum(figures):
    return f"Sum {sum(part['calls'] for part in figures.values())}."


def test_all_parts_are_measured_in_order_and_written_to_the_page(tmp_path):
    calls = []
    page = measure(_counting(calls), tmp_path, only=(), quick=True, say=lambda _: None)
    assert calls == [("one", True), ("two", True)]
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# A trial\n\nIntro.\n\nSum 3.\n\n## One\n\none 1 ")
    assert "(figures/trial/two.png)" in text
    assert "`python3 lab.py bench trial --only two`" in text
    assert (tmp_path / "figures" / "trial" / "two.png").exists()


def test_a_part_measured_alone_leaves_the_others_as_they_were(tmp_path):
    calls = []
    book = _counting(calls)
    measure(book, tmp_path, only=(), quick=False, say=lambda _: None)
    measure(book, tmp_path, only=("one",), quick=False, say=lambda _: None)
    found = read_results(book, tmp_path)
    assert {name: part["figures"]["calls"] for name, part in found.items()} == {"one": 3, "two": 2}
    assert list(found) == ["one", "two"]


def test_an_unknown_part_is_named_before_anything_is_measured(tmp_path):
    calls = []
    with pytest.raises(UserError, match="--only three: trial has the parts one, two"):
        measure(_counting(calls), tmp_path, only=("one", "three"), quick=True, say=print)
    assert calls == []


def test_a_page_may_bear_another_name_than_its_command(tmp_path):
    book = replace(_counting([]), page="other")
    page = measure(book, tmp_path, only=("one",), quick=True, say=print)
    assert page == tmp_path / "other.md"
    assert "lab.py bench trial --only one" in page.read_text(encoding="utf-8")
    assert (tmp_path / "figures" / "trial.json").exists()


def test_parts_are_told_what_they_are_asked_for_beside(tmp_path):
    told = []
    part = Part("one", "One", lambda effort: told.append(effort.options) or Measured("x", {}))
    book = Book("trial", "A trial", "Intro.", (part,))
    measure(book, tmp_path, only=(), quick=True, say=print, options={"model": "vgg16"})
    assert told == [{"model": "vgg16"}]


def test_a_page_names_the_command_as_it_was_called_without_the_machines_folders(tmp_path):
    asked = {"pairs": "15", "weights": str(tmp_path / "vgg16.pth")}
    page = measure(_counting([]), tmp_path, only=("one",), quick=True, say=print, options=asked)
    command = "lab.py bench trial --only one --set pairs=15 --set weights=vgg16.pth`"
    assert command in page.read_text(encoding="utf-8")
    assert str(tmp_path) not in (tmp_path / "figures" / "trial.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("asked", ["0", "-1", "1.5", "many", ""])
def test_pairs_of_runs_are_a_whole_number(asked, tmp_path):
    effort = Effort(True, tmp_path, print, {"pairs": asked})
    with pytest.raises(UserError, match=r"--set pairs=.*: ask for a whole number of pairs"):
        timing_pairs.measure(effort)


def test_photographs_that_are_not_at_hand_are_one_line(monkeypatch, tmp_path):
    from bench.parts.xai_data import photographs

    monkeypatch.delenv("PLAINSIGHT_DATA", raising=False)
    with pytest.raises(UserError, match=r"no photographs\. PLAINSIGHT_DATA has to name"):
        photographs(3)
    monkeypatch.setenv("PLAINSIGHT_DATA", str(tmp_path))
    with pytest.raises(UserError, match=r"imagenet_class_index\.json isn't there"):
        photographs(3)


def test_a_table_sets_numbers_to_the_right():
    assert table(["a", "b"], [["x", "1"]]) == "| a | b |\n| --- | ---: |\n| x | 1 |"


@pytest.mark.parametrize("name", book_names())
def test_a_book_bears_its_files_name_and_each_part_a_name_of_its_own(name):
    book = _book_named(name)
    parts = [part.name for part in book.parts]
    assert book.name == name
    assert len(set(parts)) == len(parts)


@pytest.mark.parametrize("name", book_names())
def test_the_page_in_docs_is_what_was_measured_and_only_of_parts_that_there_are(name):
    book = _book_named(name)
    found = read_results(book, DOCS)
    assert list(found) == [name for part in book.parts for name in places(part) if name in found]
    if found:
        assert (DOCS / book.file).read_text(encoding="utf-8") == render(book, found)
        json.dumps(found, allow_nan=False)

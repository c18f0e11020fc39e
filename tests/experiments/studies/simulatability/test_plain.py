"""`look.presentation = "plain"`: the lines of the published sheets, without colours or frames."""

from dataclasses import replace
from functools import cache

import pytest

from experiments.studies.simulatability.layout import views_of
from experiments.studies.simulatability.plain import (
    changed_lines,
    explanation_parts,
    input_lines,
)
from experiments.studies.simulatability.worded_case import MINUS, WordedCase
from participants.texts import load_words
from stimuli.studies.simulatability.stimulus import Boundary
from tests.experiments.studies.simulatability.laid import (
    SIZES,
    USUAL_SIZES,
    assert_says,
    assert_sound,
    pages_of,
    said_on,
    screens_at,
)
from tests.experiments.studies.simulatability.made_cases import CLASSES, case, rated, tasks
from tests.xai_backend.studies.simulatability.published import published
from tests.xai_backend.studies.simulatability.sheets.writing import (
    written,
    written_edits,
    written_input,
)

SHEETS = ("lime", "anchor", "prototype", "decision_boundary", "composite")
DOMAINS = tuple(CLASSES)
screens = cache(screens_at)
ALIKE = {
    "Baseline:": "Baseline evidence:",
    "Conditions for model": "Conditions for the model",
    MINUS: "-",
}
"""What the sheets write in two ways, and the sign."""


def plain(stimulus, language="en"):
    return WordedCase(stimulus, load_words("simulatability", language), plain=True)


def one_line(lines):
    """Return lines as one, without what isn't compared: blanks, and where a line ends."""
    text = " ".join(" ".join(lines).split())
    for own, other in ALIKE.items():
        text = text.replace(own, other)
    return text


def lines_of(stimulus):
    """Return an explanation's lines, view by view: a sheet has a cell for each."""
    said = plain(stimulus)
    found = (explanation_parts(said, view.explanations) for view in views_of(said))
    return [one_line(line for part in parts for line in part) for parts in found]


def with_ids(stimulus):
    return replace(stimulus, classes=tuple((name, name) for name, _ in stimulus.classes))


@pytest.mark.parametrize("method", SHEETS)
@pytest.mark.parametrize("domain", DOMAINS)
def test_lines_are_those_that_the_import_reads(domain, method):
    stimulus = with_ids(case(domain, method, changed=True))
    cells = written(stimulus.explanation, stimulus.original)
    assert lines_of(stimulus) == [one_line(cell.splitlines()) for cell in cells]
    said, edits = plain(stimulus), stimulus.edits
    assert input_lines(said, stimulus.original) == written_input(stimulus.original).split("\n")
    assert changed_lines(said, stimulus.original, edits) == written_edits(edits, stimulus.original)


@pytest.mark.slow
@pytest.mark.parametrize("method", SHEETS)
def test_every_published_explanation_is_written_as_in_its_sheet(method):
    """All 480 of the five methods; skipped where the sheets aren't there."""
    count = 0
    for domain in published().material.domains:
        for item in domain.items:
            if method not in item.explanations:
                continue
            stimulus = case(
                domain.name, None, original=item.original, edits=item.edits,
                classes=tuple((own, own) for own in domain.classes),
                explanation=item.explanations[method],
            )  # fmt: skip
            cells = written(stimulus.explanation, item.original)
            assert lines_of(stimulus) == [one_line(cell.splitlines()) for cell in cells]
            count += 1
    assert count == 96


@pytest.mark.parametrize("size_px", USUAL_SIZES)
@pytest.mark.parametrize(("domain", "language"), [("text", "en"), ("tabular", "de")])
def test_every_task_is_laid_out_whole_without_colours_bars_or_frames(size_px, language, domain):
    at = screens(size_px, language, presentation="plain")
    for task in tasks(domain).values():
        pages = pages_of(at, task)
        assert_sound(at, task, pages)
        said = plain(task.stimulus, language)
        expected = input_lines(said, task.stimulus.original)
        for view in views_of(said):
            expected += [
                line for part in explanation_parts(said, view.explanations) for line in part
            ]
        if task.stimulus.edits:
            expected += changed_lines(said, task.stimulus.original, task.stimulus.edits)
        assert_says(pages, expected)
        marked = [piece for page in pages for piece in page if piece.text and piece.ground]
        framed = [piece for page in pages for piece in page if piece.outline or piece.struck]
        assert not marked
        assert not framed


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("presentation", ["drawn", "plain"])
def test_a_rules_precision_is_drawn_but_not_written(presentation, language):
    at = screens(SIZES[0], language, presentation=presentation)
    (page,) = pages_of(at, rated(case("text", "anchor")))
    assert ("96%" in said_on(page)) == (presentation == "drawn")
    assert ("4%" in said_on(page)) == (presentation == "drawn")


HEADS = {
    ("drawn", "en"): ("Step to the other answer: ", "Steps to the other answer: "),
    ("drawn", "de"): ("Schritt zur anderen Antwort: ", "Schritte zur anderen Antwort: "),
    ("plain", "en"): ("Edits for changing prediction to", "Edits for changing prediction to"),
    ("plain", "de"): ("Änderungen, bis das Modell", "Änderungen, bis das Modell"),
}


@pytest.mark.parametrize(("how", "heads"), HEADS.items())
def test_a_path_of_one_step_is_told_as_one(how, heads):
    presentation, language = how
    at = screens(SIZES[1], language, presentation=presentation)
    whole = case("text", "decision_boundary")
    path = whole.explanation
    one = path.model_copy(update={"steps": path.steps[-1:]})
    assert isinstance(one, Boundary)
    for head, explanation in zip(heads, (one, path), strict=True):
        pages = pages_of(at, rated(replace(whole, explanation=explanation)))
        assert_says(pages, [head])
        steps = "".join(map(said_on, pages)).count("Step1" if language == "en" else "Schritt1")
        assert steps == 1

"""Figures of what was shown: from the pack's pictures, where they are at hand."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from analysis.cli import main
from analysis.data.tables import read_folder
from analysis.questions.question import Pictured
from analysis.report.seen import picture_of
from analysis.report.writer import render
from analysis.studies.progressive_reveal.inquiry import REVEAL
from analysis.studies.progressive_reveal.questions.participants import PARTICIPANTS
from analysis.studies.progressive_reveal.questions.seen import (
    SEEN,
    draw_examples,
    draw_reveals,
    pictures,
)
from analysis.studies.progressive_reveal.words import Methods
from participants.cli import main as participants_main
from stimuli.pack import Pack, open_pack, write_pack
from stimuli.studies.progressive_reveal.reveal import uncovered
from stimuli.studies.progressive_reveal.sketch import sketch
from stimuli.studies.progressive_reveal.tables import ITEMS, KEY
from tests.analysis.asking import analysing, asking
from tests.analysis.formats import formats_of
from tests.analysis.packs_on_disk import written
from tests.analysis.report.drawings import unreadable, widest_font
from tests.stimuli.studies.progressive_reveal.small import protocol_of

OF_SEEN = asking(REVEAL, SEEN)
FIGURES = {"reveals", "examples"}
LEFT_OUT = "figures of what was shown are left out"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A pack on disk with catch rounds, and a dataset of robots who saw it."""
    folder = tmp_path_factory.mktemp("seen")
    session = {"sittings": 1, "rounds_per_sitting": 12, "catch_rounds": 4, "copy_typing_words": 0}
    protocol = protocol_of(session=session, analysis={"replicates": 60})
    written(sketch(protocol), folder / "pack")
    arguments = ["--participants", "4", "--pack", folder / "pack", "--out", folder / "data"]
    words = ["simulate", "progressive_reveal", *map(str, arguments)]
    assert participants_main(words) == 0
    return folder


def analyse(place, out, *more):
    words = ["--data", place / "data", "--out", out, *more]
    assert main(["analyse", "progressive_reveal", *map(str, words)]) == 0
    results = json.loads((out / "results.json").read_text("utf-8"))
    return results, (out / "report.html").read_text("utf-8"), formats_of(out / "figures")


@pytest.fixture(scope="module")
def whole(place):
    with analysing(OF_SEEN):
        return analyse(place, place / "whole", "--pack", place / "pack")


def test_with_the_pack_the_figures_are_there(whole):
    results, page, figures = whole
    assert figures[".svg"] >= FIGURES
    assert LEFT_OUT not in page
    found = OF_SEEN.read_results(results)
    seen = found.of(SEEN)
    assert 1 <= len(seen.reveals) <= 2
    assert {row.method for row in seen.reveals[0].rows} == set(found.of(PARTICIPANTS).methods)
    assert len({one.name for one in seen.examples}) == len(seen.examples) <= 4


def test_the_data_folder_alone_says_in_one_line_what_is_missing(place, whole):
    dataset = read_folder("progressive_reveal", place / "data")
    results = OF_SEEN.analyse(dataset, None, (), lambda _: None)
    assert OF_SEEN.read_results(results).of(SEEN).classes is None
    page = render(OF_SEEN.build(results), dict.fromkeys(REVEAL.figures, ""))
    assert page.count(LEFT_OUT) == 1
    assert results[PARTICIPANTS.id] == whole[0][PARTICIPANTS.id]


def test_a_study_in_german_alone_is_simulated_and_its_classes_are_named(tmp_path):
    session = {"sittings": 1, "rounds_per_sitting": 12, "catch_rounds": 0, "copy_typing_words": 0}
    protocol = protocol_of(languages=["de"], session=session, analysis={"replicates": 20})
    drawn = sketch(protocol)
    files = {path: drawn.asset(path) for path in drawn.manifest.files}
    lines = files["classes.csv"].decode().splitlines(keepends=True)
    files["classes.csv"] = "".join(lines[:1] + [row for row in lines if ",de," in row]).encode()
    write_pack(tmp_path / "pack", protocol, "solutions", files, {"made": "sketch"})
    arguments = ["--participants", "2", "--pack", tmp_path / "pack", "--out", tmp_path / "data"]
    assert participants_main(["simulate", "progressive_reveal", *map(str, arguments)]) == 0
    dataset = replace(
        read_folder("progressive_reveal", tmp_path / "data"),
        pack=open_pack(tmp_path / "pack", "solutions"),
    )
    results = OF_SEEN.analyse(dataset, None, (), lambda _: None)
    named = {one.name for one in OF_SEEN.read_results(results).of(SEEN).reveals}
    assert named
    assert named <= {"Pfeil", "Wassertropfen", "Schlüssel", "Tannenbaum"}


def test_another_pack_is_refused_in_one_line(place, capsys):
    other = protocol_of(session={"catch_rounds": 0}).model_copy(update={"seed": 9})
    written(sketch(other), place / "other")
    words = ["--data", place / "data", "--pack", place / "other", "--out", place / "refused"]
    assert main(["analyse", "progressive_reveal", *map(str, words)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "the data are of pack" in error
    assert not (place / "refused").exists()


@pytest.mark.parametrize("drawn", [draw_reveals, draw_examples])
def test_words_keep_within_the_drawing_whoever_made_the_maps(place, whole, drawn):
    found = OF_SEEN.read_results(whole[0])
    seen = found.of(SEEN)
    shown = pictures(open_pack(place / "pack", "solutions"), seen)
    answer = Pictured(seen, shown, found.protocol, found)
    methods = Methods(found.of(PARTICIPANTS).methods, frozenset({"human"}))
    with widest_font():
        figure = drawn(SimpleNamespace(answer=answer, methods=methods))
        assert unreadable(figure) == ([], [])


def test_pictures_are_the_image_as_far_as_it_was_uncovered(place, whole):
    pack: Pack = open_pack(place / "pack", "solutions")
    seen = OF_SEEN.read_results(whole[0]).of(SEEN)
    found = pictures(pack, seen)
    key = {(row["item"], row["method"]): row["presentation"] for row in pack.table(KEY)}
    files = {row["presentation"]: row for row in pack.table(ITEMS)}
    for one in seen.examples:
        whole_image = found[one.item, "", 0]
        for row in one.rows:
            step_of = picture_of(pack.asset(files[key[one.item, row.method]]["steps_file"]), "L")
            open_pixels = uncovered(step_of, row.step)
            shown = found[one.item, row.method, row.step]
            assert (shown[~open_pixels] == 0).all()
            assert (shown[open_pixels] == whole_image[open_pixels]).all()
            before = uncovered(step_of, row.step - 1).mean()
            assert before - 1e-9 < row.share <= open_pixels.mean() + 1e-9
    for one in seen.reveals:
        for row in one.rows:
            shares = (found[one.item, row.method, row.step] > 0).any(axis=2).mean()
            assert shares == pytest.approx(row.share, abs=0.02)
    assert all(value.dtype == np.uint8 for value in found.values())

"""Artefacts of every released schema stay readable, and are still written the same way."""

import io
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from stimuli.maps.map_set import MapRecord, MapSet, read_map_set, write_map_set
from stimuli.maps.relevance import region_from_bytes
from stimuli.names import words_of
from stimuli.pack import open_pack
from stimuli.plates.plate import plate_from_bytes
from stimuli.studies.accept_reject.tables import ITEM_TABLE, ITEMS, KEY, LISTS
from stimuli.studies.human_ai_team import tables as team_tables
from stimuli.studies.progressive_reveal import tables as reveal_tables
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.reveal import TINTED, uncovered
from stimuli.studies.simulatability import tables as case_tables
from stimuli.studies.simulatability.stimulus import EDITS, EXPLANATION, INPUT, edited
from tests.stimuli.studies.simulatability.guessing import scores_of

GOLDEN = Path(__file__).parents[1] / "golden"


def test_pack_1_0_reads():
    """Its tables, and one plate and one region as a screen or an observer reads them."""
    pack = open_pack(GOLDEN / "pack-1.0", "solutions")
    assert pack.pack_id == "e19cd9688f2d97e42ab5a65a65105848"
    assert pack.protocol.study == "accept_reject"
    shown = {row["presentation"]: row for row in pack.table(ITEMS)}
    explained = next(row for row in pack.table(KEY) if row["explained"])
    row = shown[explained["presentation"]]
    plate = plate_from_bytes(pack.asset(row["plate_file"]))
    region = region_from_bytes(pack.asset(row["region_file"]))
    assert 1000 < len(plate.figure) < 5000
    assert 0.05 < plate.figure.mean() < 0.5
    assert 0.05 < region.mean() < 0.5
    assert {row["presentation"] for row in pack.table(LISTS)} == set(shown)
    assert explained["item"] in {row["item"] for row in pack.table(ITEM_TABLE)}


def test_pack_1_0_of_progressive_reveal_reads():
    """Its tables, and each schedule's pixels as the curves count them."""
    pack = open_pack(GOLDEN / "pack-1.0-progressive_reveal", "solutions")
    assert pack.pack_id == "798439e93b6e19eae266e96d4eb96972"
    assert pack.protocol.rounds == 4
    # What later versions of the protocol added doesn't change what a pack shows.
    assert pack.protocol.session.warm_up_rounds == 0
    key = {row["presentation"]: row for row in pack.table(reveal_tables.KEY)}
    pixels = {
        (row["item"], row["method"], row["step"]): row["pixels"]
        for row in pack.table(reveal_tables.CURVES)
    }
    tinted = 0
    for row in pack.table(reveal_tables.ITEMS):
        with Image.open(io.BytesIO(pack.asset(row["steps_file"]))) as image:
            step_of = np.asarray(image)
        tinted += int((step_of >= TINTED).sum())
        truth = key[row["presentation"]]
        for step in range(1, 16):
            counted = pixels[truth["item"], truth["method"], step]
            assert uncovered(step_of, step).sum() == counted
    assert tinted > 0
    assert {row["presentation"] for row in pack.table(reveal_tables.LISTS)} == set(key)
    assert len(pack.table(reveal_tables.ITEM_TABLE)) == 5 * 4
    names = Classes.of(pack.table(reveal_tables.CLASSES), "de").names
    assert [one.name for one in names] == ["Pfeil", "Schlüssel"]


def test_pack_1_0_of_human_ai_team_reads():
    """Its tables, each arm's help of every image, and pictures of one size."""
    pack = open_pack(GOLDEN / "pack-1.0-human_ai_team", "solutions")
    assert pack.pack_id == "43dca88d510d4010f46c876aa1672bf3"
    side = pack.protocol.images.size_px
    key = {row["presentation"]: row for row in pack.table(team_tables.KEY)}
    helps = Counter((row["presentation"], row["arm"]) for row in pack.table(team_tables.HELPS))
    for row in pack.table(team_tables.ITEMS):
        with Image.open(io.BytesIO(pack.asset(row["image_file"]))) as image:
            assert np.asarray(image).shape == (side, side, 3)
        name = row["presentation"]
        assert key[name]["ai_correct"] == (key[name]["true_label"] == row["shown_label"])
        arms = ("confidence", "gradcam", "nearest_neighbours", "text")
        assert [helps[name, arm] for arm in arms] == [0, 1, 3, 2]
    lists = pack.table(team_tables.LISTS)
    assert {row["presentation"] for row in lists} == set(key)
    assert Counter(row["list"] for row in lists) == dict.fromkeys(
        ("sheet-01", "sheet-02", "sheet-03"), pack.protocol.trials
    )
    weights = [row["weight"] for row in pack.table(team_tables.AVAILABLE)]
    assert sum(filter(None, weights)) == pytest.approx(1)
    german = words_of(pack.table(team_tables.LABELS), "de")
    assert german["disc"] == "Scheibe"
    for table in (team_tables.ARMS, team_tables.SAMPLES, team_tables.METRICS, team_tables.AI):
        assert pack.table(table)


def test_pack_1_0_of_simulatability_reads():
    """Its tables, every input with its change, and an explanation of each kind."""
    pack = open_pack(GOLDEN / "pack-1.0-simulatability", "solutions")
    assert pack.pack_id == "1b26630f107dfcb09a627cf6f79d4040"
    # Its rules stay as they were: drawn cases, and an end for who understands too little.
    assert pack.protocol.models.variant == "near_code"
    assert (pack.protocol.look.presentation, pack.protocol.understanding.then) == ("drawn", "end")
    key = {row["presentation"]: row for row in pack.table(case_tables.KEY)}
    for row in pack.table(case_tables.ITEMS):
        given = INPUT.validate_json(row["input"])
        changes = EDITS.validate_json(row["edits"] or "[]")
        assert (edited(given, changes) != given) == (row["use"] == "counterfactual")
        output = key[row["presentation"]]["original_output"]
        assert row["shown_output"] == (None if row["use"] == "forward" else output)
    explained = Counter(
        (row["method"], EXPLANATION.validate_json(row["explanation"]).kind)
        for row in pack.table(case_tables.EXPLANATIONS)
    )
    assert dict(explained) == dict.fromkeys(
        [
            ("lime", "lime"),
            ("anchor", "anchor"),
            ("prototype", "prototype"),
            ("decision_boundary", "boundary"),
            ("composite", "composite"),
            ("omission", "omission"),
            ("mine", "rationale"),
        ],
        2 * (4 + 8),
    )
    lists = pack.table(case_tables.LISTS)
    assert {row["presentation"] for row in lists} == set(key)
    assert {row["arm"] for row in lists} == set(pack.protocol.arms)
    assert all(2 * score.right == score.items for score in scores_of(pack))
    german = {r["term"]: r["word"] for r in pack.table(case_tables.WORDS) if r["language"] == "de"}
    assert german["positive"] == "positiv"
    for table in (case_tables.CLASSES, case_tables.METHODS, case_tables.MODELS):
        assert pack.table(table)


def map_set_1_0() -> MapSet:
    drawn = np.arange(320, dtype=np.float32).reshape(16, 20) / 8
    expert = MapRecord(
        "m1", "i1", "expert", "e1", "painting", "deutan", 8, "3", None, 2.5, "people"
    )
    silent = MapRecord(
        "m2", "i2", "model", None, None, None, None, "no_solution", 0.5, None, "network"
    )
    return MapSet((expert, silent), {"m1": drawn})


def test_map_set_1_0_reads_with_who_made_it():
    """The origin follows from the source; the file didn't say it."""
    golden = read_map_set(GOLDEN / "mapset-1.0")
    assert golden.records == map_set_1_0().records
    assert golden.maps["m1"].tolist() == map_set_1_0().maps["m1"].tolist()


def map_set_1_1() -> MapSet:
    first, second = map_set_1_0().records
    records = (replace(first, origin="imported", origin_note="ClickMe"), second)
    return MapSet(records, map_set_1_0().maps)


def test_map_set_1_1_reads_and_is_still_written_the_same(tmp_path):
    golden = GOLDEN / "mapset-1.1"
    assert read_map_set(golden).records == map_set_1_1().records
    write_map_set(tmp_path, map_set_1_1())
    for file in sorted(golden.iterdir()):
        assert (tmp_path / file.name).read_bytes() == file.read_bytes()

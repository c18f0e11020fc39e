"""Paintings: status 2, one line, nothing lost or half-written."""

import csv
import shutil
from dataclasses import replace

import numpy as np
import pytest

from stimuli.maps.map_set import MapSet, read_map_set, write_map_set


def first_map(value):
    def change(maps):
        name = sorted(maps.maps)[0]
        return replace(maps, maps={**maps.maps, name: value.astype(np.float32)})

    return change


def without_a_map(maps):
    name = sorted(maps.maps)[0]
    return replace(maps, maps={key: value for key, value in maps.maps.items() if key != name})


def without_a_row(maps):
    name = sorted(maps.maps)[0]
    return MapSet(tuple(record for record in maps.records if record.map != name), maps.maps)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (first_map(np.ones((64, 30))), "not square"),
        (first_map(np.ones((0, 0))), "is empty"),
        (first_map(np.ones((1, 1))), "is 1×1 px"),
        (first_map(np.full((64, 64), np.nan)), "finite"),
        (first_map(np.zeros((64, 64))), "painted nothing"),
        (without_a_map, "there is no map"),
        (without_a_row, "has no row"),
    ],
)
def test_paintings_that_cannot_be_used_are_named(refused, painted, tmp_path, change, words):
    tasks, maps = painted
    write_map_set(tmp_path / "maps", change(read_map_set(maps)))
    out = tmp_path / "out"
    said = refused(
        "build", "accept_reject", "--tasks", tasks, "--human-maps", tmp_path / "maps", "--out", out
    )
    assert words in said
    assert not out.exists()


def test_a_map_table_that_is_no_csv(refused, painted, tmp_path):
    shutil.copytree(painted[1], tmp_path / "maps")
    with (tmp_path / "maps" / "maps.csv").open("ab") as table:
        table.write(b"x" * (csv.field_size_limit() + 1))
    arguments = ["--tasks", painted[0], "--human-maps", tmp_path / "maps", "--out", tmp_path / "o"]
    assert "is not a CSV table" in refused("build", "accept_reject", *arguments)

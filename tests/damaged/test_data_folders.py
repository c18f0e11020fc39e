"""Copies of packs in data folders: whoever reads one refuses it if its seal is broken."""

import shutil

import pytest

from tests.participants.export.conftest import SIMULATED, simulated

__all__ = ["simulated"]  # a fixture


def change(copy):
    table = copy / "items.csv"
    table.write_bytes(table.read_bytes() + b"x")
    return "items.csv was changed since the pack was built"


def lose(copy):
    (copy / "lists.csv").unlink()
    return "lists.csv is missing"


def add(copy):
    (copy / "answers.csv").write_bytes(b"x")
    return "answers.csv does not belong to the pack"


@pytest.mark.parametrize(
    ("study", "damage"),
    [*((study, change) for study in SIMULATED), ("simulatability", lose), ("simulatability", add)],
)
def test_a_broken_seal_is_one_line_in_every_study(refused, simulated, tmp_path, study, damage):
    data, out, both = (tmp_path / name for name in ("data", "out", "both"))
    shutil.copytree(simulated[study].root, data)
    (copy,) = (data / "packs").iterdir()
    wanted = f"{copy}: {damage(copy)}; copy the pack again"
    assert wanted in refused("analyse", study, "--data", data, "--out", out)
    export = ("export", "psych-ds", "--data", data, "--purpose", "robot", "--out", out)
    assert wanted in refused(*export)
    merge = ("participants", "merge", data, "--into", both)
    assert wanted in refused(*merge)
    assert not out.exists()
    assert not (both / "sessions").exists()

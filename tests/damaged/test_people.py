"""People: status 2, one line, nothing lost or half-written."""

import sqlite3

import pytest

from participants.folder import LabFolder
from participants.registry import Registry
from tests.damaged.files import write


@pytest.mark.parametrize("rung", [0, -1, 10**12, 10**30])
def test_a_rung_that_no_ladder_has(refused, lab, rung):
    arguments = ["--role", "lead", "--axis", "deutan", "--rung", rung]
    assert f"rung is {rung}" in refused("participants", "enrol", *arguments)
    assert Registry.open(LabFolder.open(lab).registry_url).list() == ()


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("UPDATE meta SET value = 'registry/1.9'", "another version (registry/1.9)"),
        ("UPDATE meta SET value = 'notes'", "another version (notes)"),
        ("DROP TABLE sessions", "is it this lab's own"),
        ("ALTER TABLE people RENAME COLUMN role TO job", "is it this lab's own"),
    ],
)
def test_a_registry_of_another_version_or_program(refused, lab, sql, words):
    registry = Registry.open(LabFolder.open(lab).registry_url)
    registry.enrol("lead")
    registry.close()
    with sqlite3.connect(lab / "registry.sqlite") as connection:
        connection.execute(sql)
    connection.close()
    before = (lab / "registry.sqlite").read_bytes()
    said = refused("participants", "list")
    assert "registry.sqlite" in said
    assert words in said
    assert (lab / "registry.sqlite").read_bytes() == before


def test_a_registry_that_would_forget_everybody(refused, lab):
    write(lab / "lab.toml", 'schema = "lab/1.0"\nrig = "a"\nregistry = "sqlite://"\n')
    assert "keeps nothing" in refused("participants", "enrol", "--role", "lead")

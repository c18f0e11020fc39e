"""Each statement of a paper has a state here, and what the list of statements names is there."""

import re
from pathlib import Path

import pytest

from stimuli.catalogue import studies_of
from stimuli.deviations import differences
from stimuli.protocol import load_protocol

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
STUDIES = sorted(studies_of("stimuli"))
PUBLISHED, DIFFERS, NEVER, LATER = "as published", "differs", "can't be done", "not yet"
WHOLE = {"human_ai_team", "simulatability"}
"""Studies that leave no statement for later."""
HEADS = ["section", "statement", "state", "where, or why"]
NAMED = re.compile(r"`([^`]+)`")


def statements(study):
    """Return the rows of a study's list: section, statement, state, where or why."""
    text = (DOCS / f"statements_{study}.md").read_text("utf-8").partition("## Statements")[2]
    heads, _, *rows = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    )
    assert heads == HEADS
    assert all(len(row) == len(HEADS) and all(row) for row in rows)
    return rows


def is_there(name, protocol):
    """Say whether a name is a field of the protocol, a module, or a file of the suite."""
    module = ROOT / name.replace(".", "/")
    if (ROOT / name).is_file() or module.with_suffix(".py").is_file():
        return True
    place = protocol
    for key in name.split("."):
        if not isinstance(place, dict) or key not in place:
            return False
        place = place[key]
    return True


@pytest.mark.parametrize("study", STUDIES)
def test_a_list_says_what_it_leaves_out(study):
    text = (DOCS / f"statements_{study}.md").read_text("utf-8")
    assert "list leaves out related work" in " ".join(text.partition("| state")[0].split())


@pytest.mark.parametrize(
    ("study", "subjects"),
    [
        ("accept_reject", ["able to solve tasks"]),
        ("accept_reject_accuracy", ["able to solve tasks"]),
        ("human_ai_team", [
            "Two pilots", "466", "four layers", "Half of the teams' gain", "No margin",
            "validation comes before", "WordNet defines",
        ]),
        ("simulatability", [
            "32 students", "taken a course", "six largest", "higher for rows", "no margin",
        ]),
    ],
)  # fmt: skip
def test_subjects_that_were_missing_are_there(study, subjects):
    said = " ".join(row[1] for row in statements(study))
    assert [one for one in subjects if one not in said] == []


@pytest.mark.parametrize("study", STUDIES)
def test_every_statement_has_one_state(study):
    rows = statements(study)
    states = {PUBLISHED, DIFFERS, NEVER} | (set() if study in WHOLE else {LATER})
    assert {PUBLISHED, DIFFERS} <= {row[2] for row in rows} <= states
    said = [row[1] for row in rows]
    assert sorted(set(said)) == sorted(said)


@pytest.mark.parametrize("study", STUDIES)
def test_what_is_as_published_names_a_field_or_a_module_that_is_there(study):
    protocol = load_protocol(study).model_dump()
    for _, statement, state, where in statements(study):
        names = NAMED.findall(where)
        assert names or state != PUBLISHED, statement
        for name in names:
            assert " " in name or is_there(name, protocol), f"{statement} {name}"


@pytest.mark.parametrize("study", STUDIES)
def test_every_difference_is_declared_and_every_declared_one_is_listed(study):
    fields = [deviation.field for deviation in differences(load_protocol(study))]
    page = (DOCS / "deviations.md").read_text("utf-8")
    link = re.compile(rf"\[(\S+)\]\(deviations\.md#{study}-(\S+)\)")
    linked = set()
    for _, statement, state, where in statements(study):
        found = link.fullmatch(where)
        assert bool(found) == (state == DIFFERS), statement
        if found:
            assert found[1] == found[2]
            linked.add(found[2])
    # An anchor leads to one entry.
    assert sorted(linked) == sorted(fields)
    assert all(f'<a id="{study}-{field}"></a>' in page for field in fields)

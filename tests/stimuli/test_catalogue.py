"""The catalogue of studies: the suite's own, those from outside, and mistakes in naming them."""

import ast
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from stimuli.catalogue import (
    OUTSIDE,
    Later,
    declared_studies,
    outside_studies,
    studies_of,
    studies_of_the_lab,
)
from stimuli.errors import UserError

ROOMS = ("stimuli", "participants", "xai_backend", "experiments", "analysis")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """Write a study outside the suite, ``reading``, with modules by room."""
    monkeypatch.setattr(sys, "path", sys.path[:])
    made, before = [], {*sys.modules}

    def make(name="reading", parent=tmp_path, **modules):
        folder = parent / name
        folder.mkdir(parents=True)
        for module, text in {"__init__": "", **modules}.items():
            (folder / f"{module}.py").write_text(text, encoding="utf-8")
        made.append(folder)
        monkeypatch.setenv(OUTSIDE, os.pathsep.join(map(str, made)))
        return folder

    yield make
    names = {folder.name for folder in made}
    # Not Python's own json: a study here has its name.
    for module in [one for one in {*sys.modules} - before if one.partition(".")[0] in names]:
        del sys.modules[module]


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_lists_the_suites_own_studies_in_one_order(room, monkeypatch):
    monkeypatch.delenv(OUTSIDE, raising=False)
    found = studies_of(room)
    assert list(found) == [
        "accept_reject",
        "accept_reject_accuracy",
        "progressive_reveal",
        "human_ai_team",
        "simulatability",
    ]
    assert found.room == room
    assert len(found) == 5


def test_a_study_is_imported_when_it_is_asked_for_and_no_other():
    code = (
        "import sys; from stimuli.catalogue import studies_of; studies = studies_of('stimuli');"
        "list(studies); 'progressive_reveal' in studies;"
        "assert not [m for m in sys.modules if m.endswith('.study')];"
        "studies['progressive_reveal'];"
        "declared = [m for m in sys.modules if '.studies.' in m and m.endswith('.study')];"
        "assert declared == ['stimuli.studies.progressive_reveal.study'], declared"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_a_study_from_outside_stands_behind_the_suites_own(outside):
    outside(stimuli="STUDY = 'what it declares'\n")
    studies = studies_of("stimuli")
    assert list(studies)[-1] == "reading"
    assert len(studies) == 6
    assert studies["reading"] == studies.require("reading") == "what it declares"


def test_a_room_that_a_study_does_not_have_does_not_list_it(outside):
    """Such as one that nobody analyses here. Packs may follow from the protocol alone."""
    outside(stimuli="STUDY = 1\n", participants="STUDY = 2\n")
    there = [room for room in ROOMS if "reading" in studies_of(room)]
    assert there == [room for room in ROOMS if room not in ("analysis", "experiments")]
    with pytest.raises(KeyError):
        studies_of("analysis")["reading"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("accept_reject", "accept_reject is a study of the suite; rename the folder"),
        ("json", "Python has another module called json; rename the study"),
    ],
)
def test_a_name_that_is_taken_is_one_line(outside, name, said):
    folder = outside(name, stimuli="STUDY = 1\n")
    with pytest.raises(UserError) as mistake:
        list(studies_of("stimuli"))
    assert str(mistake.value) == f"{folder}: {said}"


def test_two_studies_of_one_name_are_one_line(outside, tmp_path):
    outside(stimuli="STUDY = 1\n")
    outside(parent=tmp_path / "other", stimuli="STUDY = 2\n")
    with pytest.raises(UserError, match="two studies are called reading; rename a folder"):
        list(studies_of("stimuli"))


def test_a_folder_that_is_not_there_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv(OUTSIDE, str(tmp_path / "gone"))
    with pytest.raises(UserError) as mistake:
        list(studies_of("stimuli"))
    assert str(mistake.value) == (
        f"lab.toml: studies: {tmp_path / 'gone'} is not a study (it has no __init__.py "
        "and no study.toml); mount its disk, or correct the list"
    )


@pytest.mark.parametrize("words", [["x", "--lab", "{}"], ["x", "--lab={}"], ["x"]])
def test_a_command_knows_the_studies_of_its_lab_folder(outside, monkeypatch, tmp_path, words):
    folder = outside(stimuli="STUDY = 1\n")
    monkeypatch.delenv(OUTSIDE)
    (tmp_path / "lab.toml").write_text('studies = ["reading"]\n', encoding="utf-8")
    if words == ["x"]:
        monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path))
    with studies_of_the_lab([word.format(tmp_path) for word in words]):
        assert outside_studies() == {"reading": folder}
        assert studies_of("stimuli")["reading"] == 1
    assert "reading" not in studies_of("stimuli")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("studies = 3\n", 'studies: write a list of folders, such as ["~/studies/moods"]'),
        ("studies = [3]\n", "studies: write a list of folders"),
        ("studies = [\n", "is not valid TOML"),
    ],
)
def test_a_list_of_studies_that_is_wrong_is_one_line(tmp_path, text, said):
    (tmp_path / "lab.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=re.escape(said)):
        declared_studies(tmp_path)


def test_a_fault_in_a_studys_own_module_is_not_hidden(outside):
    """That it lacks a library is the study's matter, and says so when the study is asked for."""
    outside(stimuli="import no_such_library\n")
    assert "reading" in studies_of("stimuli")
    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        studies_of("stimuli")["reading"]


@pytest.mark.parametrize(
    ("where", "said"),
    [("", "no study 'x'; take one of "), ("a.toml", "a.toml: no study 'x'; take")],
)
def test_an_unknown_study_is_one_line_that_names_those_there_are(where, said):
    with pytest.raises(UserError) as mistake:
        studies_of("stimuli").require("x", where)
    assert str(mistake.value).startswith(said)
    assert "accept_reject, accept_reject_accuracy, human_ai_team, progressive_reveal" in str(
        mistake.value
    )
    assert "x" not in studies_of("stimuli")


def later_in(declared: Any, asked: str = "") -> Iterator[tuple[str, Later]]:
    """Yield what a declaration names to be imported later, each with its field's type."""
    declared = getattr(declared, "__self__", declared)
    if isinstance(declared, Later):
        yield asked, declared
    elif isinstance(declared, Mapping):
        for value in declared.values():
            yield from later_in(value)
    elif is_dataclass(declared) and not isinstance(declared, type):
        for field in fields(declared):
            yield from later_in(getattr(declared, field.name), written(field.type))


def written(annotation: Any) -> str:
    """Return a type as it is written, without the modules of its names."""
    text = annotation if isinstance(annotation, str) else str(annotation)
    if isinstance(annotation, type) and not hasattr(annotation, "__args__"):
        text = annotation.__name__
    return re.sub(r"\b(\w+\.)+", "", text)


def asked_parameters(function_type: str) -> list[str]:
    """Return the types of the parameters in ``Callable[[...], ...]``."""
    for node in ast.walk(ast.parse(function_type, mode="eval")):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            parameters = node.slice.elts[0]
            if isinstance(parameters, ast.List):
                return [ast.unparse(parameter) for parameter in parameters.elts]
    raise LookupError(function_type)


@pytest.mark.parametrize("room", ROOMS[:4])
def test_what_a_study_names_for_later_is_there_and_takes_what_it_is_given(room):
    """Type checkers don't follow a name in a text, so this stands in for them."""
    named = [
        pair
        for study in studies_of(room)
        if (ROOT / room / "studies" / study).is_dir()
        for pair in later_in(studies_of(room)[study])
    ]
    assert named
    for function_type, later in named:
        loaded, asked = later.load(), asked_parameters(function_type)
        if not callable(loaded):  # the field has Later.load, which returns the value
            assert not asked
            assert re.search(rf"\b{type(loaded).__name__}\b", function_type), later.place
            continue
        signature = inspect.signature(loaded)
        taken = [written(parameter.annotation) for parameter in signature.parameters.values()]
        signature.bind(*asked)
        # It may take more than it is given, by default.
        pairs = zip(asked, taken, strict=False)
        fits = [wanted in ("Any", declared) for wanted, declared in pairs]
        assert all(fits), f"{later.place} takes {taken}, not {asked}"


def test_a_file_that_a_declaration_names_in_vain_is_told_by_name():
    with pytest.raises(ModuleNotFoundError, match=r"stimuli\.studies\.accept_reject\.nowhere"):
        Later("stimuli.studies.accept_reject.nowhere:plan")()
    with pytest.raises(AttributeError, match="no_such_plan"):
        Later("stimuli.catalogue:no_such_plan")()

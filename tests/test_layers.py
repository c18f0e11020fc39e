"""The rooms stand in layers, without circles, and a study has one name in all of them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from stimuli.catalogue import studies_of
from stimuli.studies import STUDIES

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("stimuli", "participants", "xai_backend", "experiments", "analysis")
STUDY_PLACES = tuple(f"{room}/studies" for room in ROOMS)
NAMES = re.compile(
    r"accept_?reject|progressive_?reveal|human_?ai_?team|simulatability", re.IGNORECASE
)
"""A study's name, in words and in the names of classes."""


def _module_names(folder: Path) -> set[str]:
    """Modules and packages that lie in a folder."""
    modules = {path.stem for path in folder.glob("*.py")}
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    return {name for name in modules | packages if not name.startswith("_")}


def _shared_modules() -> list[Path]:
    """The modules outside folders named after a study, but the rooms' catalogues."""
    catalogues = {ROOT / place / "__init__.py" for place in STUDY_PLACES}
    modules = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    return [
        path
        for path in [*modules, ROOT / "lab.py"]
        if path not in catalogues and not STUDIES.keys() & set(path.parts)
    ]


def test_import_contracts_hold():
    check = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    answer = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_no_shared_module_names_a_study():
    named = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in _shared_modules()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if NAMES.search(line)
    ]
    assert not named


@pytest.mark.parametrize("place", STUDY_PLACES)
def test_a_study_is_one_folder_of_its_name_in_every_room(place):
    assert _module_names(ROOT / place) == set(STUDIES)


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_lists_the_same_studies(room):
    assert set(studies_of(room)) == set(STUDIES)
    assert all(studies_of(room)[name] is not None for name in STUDIES)

"""The rooms stand in layers, without circles, and a study has one name in all of them."""

import subprocess
import sys
from pathlib import Path

import pytest

from stimuli.studies import STUDIES

ROOT = Path(__file__).resolve().parents[1]
STUDY_PLACES = (
    "stimuli/studies",
    "participants/studies",
    "xai_backend/studies",
    "experiments/studies",
    "analysis/studies",
)


def _module_names(folder: Path) -> set[str]:
    """Modules and packages that lie in a folder."""
    modules = {path.stem for path in folder.glob("*.py")}
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    return {name for name in modules | packages if not name.startswith("_")}


def _studies() -> set[str]:
    return set(STUDIES)


def test_import_contracts_hold():
    check = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    answer = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize("place", STUDY_PLACES)
def test_a_study_has_the_same_name_in_every_room(place):
    assert _studies() <= _module_names(ROOT / place)


@pytest.mark.parametrize("place", [place for place in STUDY_PLACES if place.endswith("studies")])
def test_a_studies_folder_holds_studies_only(place):
    assert _module_names(ROOT / place) <= _studies()


def test_there_is_a_study():
    assert "accept_reject" in _studies()

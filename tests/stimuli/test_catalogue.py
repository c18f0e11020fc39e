"""The catalogue of studies: the suite's own, those from outside, and mistakes in naming them."""

import subprocess
import sys
from pathlib import Path

import pytest

from stimuli.catalogue import OUTSIDE, Catalogue, studies_of
from stimuli.errors import UserError

ROOMS = ("stimuli", "participants", "xai_backend", "experiments", "analysis")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """Put a package of a study on the path: ``lab_….reading``, with modules by room."""
    made = []

    def make(**modules):
        name = f"lab_{tmp_path.name}".replace("-", "_")
        package = tmp_path / name / "reading"
        package.mkdir(parents=True)
        for room, text in modules.items():
            (package / f"{room}.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setenv(OUTSIDE, f"{name}.reading")
        made.append(name)
        return f"{name}.reading"

    yield make
    for module in [one for one in sys.modules if one.partition(".")[0] in made]:
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
    """Such as one that is never shown in a window; packs may follow from the protocol alone."""
    outside(stimuli="STUDY = 1\n", participants="STUDY = 2\n")
    there = [room for room in ROOMS if "reading" in studies_of(room)]
    assert there == ["stimuli", "participants", "xai_backend"]
    with pytest.raises(KeyError):
        studies_of("analysis")["reading"]


def test_several_packages_stand_in_the_order_in_which_they_are_named(
    outside, monkeypatch, tmp_path
):
    first = outside(stimuli="STUDY = 1\n")
    second = tmp_path / "another"
    second.mkdir()
    (second / "stimuli.py").write_text("STUDY = 2\n", encoding="utf-8")
    monkeypatch.setenv(OUTSIDE, f"{first},another")
    studies = Catalogue("stimuli", ())
    assert dict(studies) == {"reading": 1, "another": 2}
    del sys.modules["another.stimuli"], sys.modules["another"]


@pytest.mark.parametrize("package", ["no_such_lab", "no_such_lab.reading", "stimuli.no_such_study"])
def test_a_package_that_is_not_there_is_one_line(package, monkeypatch):
    monkeypatch.setenv(OUTSIDE, package)
    with pytest.raises(UserError) as mistake:
        list(studies_of("stimuli"))
    assert str(mistake.value) == (
        f"{OUTSIDE}: there is no package {package!r}; put its parent folder in PYTHONPATH, "
        "and a comma between two packages"
    )


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

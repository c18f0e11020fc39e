"""Pictures of every kind of screen, made in a real window; the lab's own data stay as they are."""

import re
import sys
from contextlib import closing

import pytest

from experiments.session.options import PictureOptions, ScreenSize
from experiments.session.pictures import OVERVIEW, named, picture_screens
from experiments.session.rehearsal import rehearsal_folder
from participants.cli import main as participants_main
from participants.folder import DataFolder, LabFolder
from participants.journal import read_journal
from participants.planning import rehearsal_plan
from participants.registry import Registry
from participants.session import Consent, Page, Question
from stimuli.pack import open_pack

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    return LabFolder.make(tmp_path_factory.mktemp("lab") / "lab")


@pytest.fixture(scope="module")
def pictured(lab, mini_pack, tmp_path_factory):
    out = tmp_path_factory.mktemp("pictures") / "screens"
    wanted = PictureOptions(["de"], ScreenSize(1280, 720))
    return picture_screens(mini_pack, out, wanted, lab.root)


def test_every_text_question_and_task_is_pictured_and_named(pictured, mini_pack):
    plan = rehearsal_plan(open_pack(mini_pack), "de", "CDF34HK", also_rare=True)
    paths = sorted((pictured.overview.parent / "de").glob("*.png"))
    names = [named(path)[1] for path in paths]
    assert len(paths) == pictured.pictures == len(set(names))
    for step in plan.steps:
        text = getattr(step, "question", None) or getattr(step, "text", None)
        if isinstance(step, Page | Consent | Question):
            assert any(re.fullmatch(rf"{text}(-\d+)?", name) for name in names), text
    assert {"trial-without", "trial-with"} <= set(names)
    page = (pictured.overview.parent / OVERVIEW).read_text(encoding="utf-8")
    assert re.findall(r'img src="de/([^"]+)"', page) == [path.name for path in paths]
    assert all(f"</span> {name}<" in page for name in names)


@pytest.mark.slow
def test_the_lab_knows_nothing_of_it(pictured, lab, capsys):
    rehearsals = DataFolder(lab.root / "rehearsals")
    (paths,) = rehearsals.sessions()
    journal = read_journal(paths.journal)
    assert journal.complete
    assert journal.header["purpose"] == "rehearsal"
    assert not list(lab.data.sessions())
    assert not lab.data.tables.exists()
    assert Registry.open(lab.registry_url).list() == ()
    assert participants_main(["participants", "counts", "--json", "--lab", str(lab.root)]) == 0
    assert '"sessions": []' in capsys.readouterr().out


@pytest.mark.slow
def test_screens_of_a_screening_are_pictured_and_decide_nothing(mini_pack, tmp_path):
    lab = LabFolder.make(tmp_path / "lab")
    wanted = PictureOptions(["en"], ScreenSize(1280, 720), screening=True)
    pictured = picture_screens(mini_pack, tmp_path / "screens", wanted, lab.root)
    names = {named(path)[1] for path in (tmp_path / "screens" / "en").glob("*.png")}
    gaps = {"gap-catch", "gap-deutan", "gap-protan", "gap-tritan"}
    assert {*gaps, "caps-full", "score-typed", "digit-short", "digit-gone", "digit-long"} <= names
    assert {"verdict_lead", "verdict_expert", "verdict_neither", "titration_found"} <= names
    title = "Screens of the screening for accept_reject"
    assert title in pictured.overview.read_text(encoding="utf-8")
    assert not list(lab.data.sessions())
    assert Registry.open(lab.registry_url).list() == ()
    with closing(Registry.open(rehearsal_folder(lab).registry_url)) as rehearsed:
        (nobody,) = rehearsed.list()
    assert (nobody.role, nobody.purpose, nobody.axis) == ("participant", "rehearsal", None)

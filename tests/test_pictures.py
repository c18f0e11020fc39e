"""The documentation's pictures: each that a page names is there, and all together stay small."""

import importlib
import json
import re
import shlex
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from docs.generated import GALLERY_FOLDERS, GALLERY_PARTS, METHOD_PICTURES, gallery_pages
from docs.photographs import FRUITS, photograph
from participants.dataset.table_files import read_table
from participants.folder import DataFolder
from tests.pictures.made import PROTOCOLS
from tests.pictures.methods import OF_PROTOTYPES, OF_PUBLISHED, OF_TRANSFORMER
from tests.pictures.saved import PICTURES
from tests.pictures.steps import MADE, save_steps
from tests.pictures.tutorial import PAGE, ROBOT, carry_out, read_tutorial

ROOT = Path(__file__).parents[1]
MOST_BYTES = 7_500_000
"""Every kind of screen of all studies in two languages; a plate takes 35 kB, a page of text 10."""
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))


def _named(page):
    """Return the picture files that a page shows, with their alternative texts."""
    shown = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text("utf-8"))
    return [(words, page.parent / file) for words, file in shown]


def test_each_picture_that_a_page_names_is_there_and_described():
    named = [(page.name, *one) for page in PAGES for one in _named(page)]
    assert len(named) > 10
    assert not [(page, file) for page, _, file in named if not file.exists()]
    assert not [(page, file) for page, words, file in named if len(words.split()) < 3]


def test_each_picture_is_on_a_page():
    gallery = "".join(gallery_pages().values())
    shown = {file.resolve() for page in PAGES for _, file in _named(page)}
    for picture in PICTURES.rglob("*.webp"):
        name = picture.relative_to(PICTURES.parent).as_posix()
        assert name in gallery or picture.resolve() in shown, name
    folders = {folder.name for folder in PICTURES.iterdir()}
    assert folders <= {*GALLERY_FOLDERS, METHOD_PICTURES, "tutorial", "scripts"}
    parts = {part.name for folder in GALLERY_FOLDERS for part in (PICTURES / folder).glob("*/")}
    assert parts <= {*GALLERY_PARTS}


def test_the_gallery_explains_its_photograph_by_every_method_of_the_suite():
    """By all but people's maps, which no program makes."""
    pytest.importorskip("torch")
    methods = importlib.import_module("xai_backend.methods").METHODS
    assert {*OF_PUBLISHED, *OF_TRANSFORMER, OF_PROTOTYPES} == set(methods)
    pictures = list((PICTURES / METHOD_PICTURES).iterdir())
    assert {picture.stem for picture in pictures} == set(methods)
    assert len({Image.open(picture).size for picture in pictures}) == 1


def test_pictures_are_small():
    assert sum(picture.stat().st_size for picture in PICTURES.rglob("*")) <= MOST_BYTES


def test_a_made_up_photograph_shows_its_fruit_and_is_always_the_same():
    """The middle, where the fruit always lies, has its colour."""
    seen = {name: photograph(name, 0) for name in FRUITS}
    assert np.array_equal(seen["lemon"], photograph("lemon", 0))
    for name, fruit in FRUITS.items():
        codes = seen[name]
        light = ((codes[245:265, 310:330] / 255) ** 2.2).mean(axis=(0, 1))
        wanted = np.array(fruit.colour) / sum(fruit.colour)
        assert np.abs(light / light.sum() - wanted).max() < 0.1, name


def test_the_tutorials_protocol_is_the_one_whose_pictures_are_shown():
    assert read_tutorial().protocol == (PROTOCOLS / "fruit.toml").read_text("utf-8")


def test_the_robot_that_is_watched_is_the_tutorials():
    assert f"`python3 lab.py {shlex.join(ROBOT)}`" in PAGE.read_text("utf-8")


def test_the_tutorial_shows_the_pictures_that_its_run_makes_and_no_others():
    shown = [file for _, file in _named(PAGE)]
    assert {file.parent for file in shown} == {PICTURES / "tutorial"}
    assert sorted(file.stem for file in shown) == sorted(MADE)


@pytest.fixture
def weights(tmp_path, monkeypatch):
    """Random weights where torchvision looks for the published ones, so that none are fetched."""
    torch = pytest.importorskip("torch")
    importlib.import_module("xai_backend.torchvision_fix")
    from torchvision.models import SqueezeNet1_1_Weights, squeezenet1_1

    file = Path(SqueezeNet1_1_Weights.IMAGENET1K_V1.url).name
    checkpoints = tmp_path / "torch" / "hub" / "checkpoints"
    checkpoints.mkdir(parents=True)
    torch.save(squeezenet1_1().state_dict(), checkpoints / file)
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "torch"))


def _carry_out(here, commands, monkeypatch):
    """Run the tutorial's commands in a folder, as its reader does."""
    from analysis.cli import main as analyse
    from docs.cli import main as docs
    from participants.cli import main as people
    from xai_backend.cli import main as build

    rooms = {"docs": docs, "build": build, "simulate": people, "analyse": analyse}
    (here / "fruit.toml").write_text(read_tutorial().protocol, "utf-8")
    monkeypatch.chdir(here)
    monkeypatch.setenv("PLAINSIGHT_LAB", str(here / "lab"))
    for words in commands:
        assert rooms[words[0]](list(words)) == 0, words


def _plain(name, number):
    """Return a picture that is soon made, in place of a made-up photograph."""
    return (
        np.random.default_rng(number)
        .integers(0, 256, (12, 16, 3), np.uint8)
        .repeat(40, 0)
        .repeat(40, 1)
    )


def test_the_tutorials_commands_make_a_pack_and_data(tmp_path, weights, monkeypatch):
    monkeypatch.setattr("docs.photographs.photograph", _plain)
    commands = read_tutorial().unattended
    assert [words[0] for words in commands] == ["docs", "build", "simulate", "analyse"]
    _carry_out(tmp_path, commands[:-1], monkeypatch)
    assert (tmp_path / "packs" / "fruit" / "pack.json").exists()
    assert (tmp_path / "data" / "fruit" / "tables" / "trials.csv").exists()


@pytest.mark.slow
@pytest.mark.window
@pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display")
def test_the_whole_tutorial_leads_to_a_report(tmp_path, weights):
    """Every command of the page but setup, in its order; its reader takes part by real keys.

    What they leave gives all pictures of the page.
    """
    here = tmp_path / "reader"
    here.mkdir()
    carried_out = []
    for one in carry_out(here):
        assert one.status == 0, (one.words, one.said)
        carried_out.append(one.words)
    assert tuple(carried_out) == read_tutorial().after_setup
    assert (here / "report" / "report.html").exists()
    assert (here / "report_own" / "report.html").exists()
    rows = read_table(DataFolder(here / "lab" / "data"), "progressive_reveal", "trials")
    assert Counter(row["purpose"] for row in rows) == {"pilot": 9, "robot": 9}
    assert all(row["recognised"] for row in rows if row["purpose"] == "pilot")
    own = json.loads((here / "report_own" / "results.json").read_text("utf-8"))["data"]
    assert (own["trials"], own["simulated_participants"]) == (9, 0)
    save_steps(here, tmp_path / "pictures")
    assert {picture.stem for picture in (tmp_path / "pictures").iterdir()} == MADE

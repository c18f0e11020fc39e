"""A lab's own method, one of captum's and maps from elsewhere, from the build to the report."""

import contextlib
import csv
import io
import json
import os
import shutil
import sys

import captum
import numpy as np
import pytest

import analysis.cli
import participants.cli
import xai_backend.cli
from stimuli.images.digits import load_digits
from stimuli.io.canonical import file_sha256, files_sha256
from stimuli.maps.origin import DETAILS
from stimuli.pack import open_pack
from stimuli.studies.progressive_reveal.tables import ITEM_TABLE
from tests.analysis.formats import page_alone
from tests.participants.export.validator import issues_of
from tests.xai_backend.studies.progressive_reveal.reveal_packs import TINY, written
from xai_backend.models import picture_cnn
from xai_backend.studies.progressive_reveal.images import digit_candidates

TEXTS = frozenset({".csv", ".tsv", ".json", ".md", ".html"})
METHODS = ("human", "mine", "deep", "theirs")
OWN = """\
import torch

def gradient(model, inputs, targets, power=1.0):
    inputs = inputs.clone().requires_grad_()
    score = model(inputs).gather(1, targets[:, None]).sum()
    (gradients,) = torch.autograd.grad(score, inputs)
    return (gradients * inputs).sum(dim=1).abs() ** power
"""
REVEAL = f"""\
[reveal]
methods = [{", ".join(f'"{method}"' for method in METHODS)}]
"""
NAMED = (
    "--method", "mine=own_methods:gradient", "--set", "mine.power=2",
    "--method", "deep=captum:InputXGradient",
)  # fmt: skip


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """A folder with a map of every digit."""
    maps = tmp_path_factory.mktemp("maps")
    chance = np.random.default_rng(1)
    for one in digit_candidates(load_digits("uci")):
        np.save(maps / f"{one.item}.npy", chance.normal(size=(28, 28)).astype(np.float32))
    return maps


@pytest.fixture
def lab(tmp_path, monkeypatch, theirs):
    """A working folder with a lab, a protocol, a method of one's own, and maps of every digit."""
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    monkeypatch.setattr(picture_cnn, "LEARNT_FROM", 60)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.delitem(sys.modules, "own_methods", raising=False)
    (tmp_path / "own_methods.py").write_text(OWN)
    written(tmp_path, TINY + REVEAL)
    shutil.copytree(theirs, tmp_path / "theirs", copy_function=os.link)
    return tmp_path


def build(*options):
    """Run the build; its status, and what it said."""
    said, wrong = io.StringIO(), io.StringIO()
    arguments = ["build", "progressive_reveal", "--protocol", "tiny.toml", *options]
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
        status = xai_backend.cli.main(arguments)
    return status, said.getvalue() + wrong.getvalue()


@pytest.mark.slow
def test_ones_own_methods_reach_the_report(lab):
    status, said = build(*NAMED, "--maps", "theirs=theirs", "--out", "pack", "--json")
    assert status == 0, said
    pack = open_pack(lab / "pack")
    about = json.loads(pack.asset("methods.json"))
    own = about["mine"]["method"]
    assert own["name"] == "own_methods:gradient"
    assert own["parameters"]["settings"] == [["power", 2.0]]
    assert len(own["parameters"]["code_sha256"]) == 64
    assert about["deep"]["method"]["name"] == "captum:InputXGradient"
    assert (about["theirs"]["origin"], about["theirs"]["origin_note"]) == ("imported", "theirs")
    assert about["theirs"]["signed"] is True
    origins = {row["method"]: row["map_origin"] for row in pack.table(ITEM_TABLE)}
    assert origins == {
        "human": "response_model", "mine": "network", "deep": "network", "theirs": "imported",
    }  # fmt: skip

    simulated = ["simulate", "progressive_reveal", "--pack", "pack", "--participants", "4"]
    assert participants.cli.main([*simulated, "--out", "data"]) == 0
    analysed = ["progressive_reveal", "--data", "data", "--out", "report"]
    with page_alone():
        assert analysis.cli.main(["analyse", *analysed]) == 0
    results = json.loads((lab / "report" / "results.json").read_text())
    assert set(results["participants"]["map_origins"]) == set(METHODS)
    page = (lab / "report" / "report.html").read_text()
    assert all(method in page for method in METHODS[1:])

    code = file_sha256(lab / "own_methods.py")
    maps = files_sha256(sorted((lab / "theirs").iterdir()), lab / "theirs")
    arms = {
        "human": ("response_model", "", "", ""),
        "mine": ("network", "own_methods:gradient", "power=2.0", code),
        "deep": ("network", "captum:InputXGradient", f"captum={captum.__version__}", ""),
        "theirs": ("imported", "", "", maps),
    }
    assert arms_in(lab / "data" / "tables" / "arms.csv", "map_origin") == arms
    assert arms_in(lab / "report" / "tables" / "arms.csv", "") == arms
    assert code[:12] in page
    exported = ["export", "bids", "--data", "data", "--out", "bids", "--purpose", "robot"]
    assert participants.cli.main(exported) == 0
    table = lab / "bids" / "stimuli" / "progressivereveal_arms.tsv"
    assert arms_in(table, "map_origin", nothing="n/a") == arms
    assert [issue for issue in issues_of(lab / "bids") if issue[0] == "error"] == []
    readme = (lab / "bids" / "README.md").read_text()
    assert f"method own_methods:gradient (power=2.0); function's file of SHA-256 {code[:12]}" in (
        readme
    )
    assert f"imported from theirs; files of SHA-256 {maps[:12]}" in readme
    for folder in ("pack", "data", "report", "bids"):
        texts = [path for path in (lab / folder).rglob("*") if path.suffix in TEXTS]
        assert not [path for path in texts if str(lab) in path.read_text(encoding="utf-8")]


def arms_in(table, prefix, nothing=""):
    """Origin, method, settings and hash of each arm of a table."""
    dialect = "excel-tab" if table.suffix == ".tsv" else "excel"
    with table.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, dialect=dialect))
    names = [prefix or "origin", *(f"{prefix}_{name}".strip("_") for name in DETAILS)]
    arm = "method" if prefix else "arm"
    return {
        row[arm]: tuple("" if row[name] == nothing else row[name] for name in names[:4])
        for row in rows
    }


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (NAMED, "theirs"),
        ((*NAMED, "--maps", "theirs=nowhere"), "nowhere: is no folder of maps"),
        ((*NAMED, "--maps", "their=theirs"), "--maps their: the protocol doesn't name their"),
        ((*NAMED, "--maps", "mine=theirs"), "--maps mine: --method gives its maps already"),
        ((*NAMED, "--maps", "theirs"), "--maps theirs: write NAME=DIR"),
        ((*NAMED, "--method", "deep=lrp"), "deep is given already"),
        (("--method", "captum:Saliency"), "write NAME=METHOD"),
        (("--set", "mine.power=2"), "write NAME.SETTING=VALUE, with a NAME of --method"),
        ((*NAMED, "--set", "deep.power=2"), "captum:InputXGradient has no setting 'power'"),
    ],
)
def test_what_does_not_fit_is_one_line_before_long_work(lab, options, words):
    status, said = build(*options)
    assert status == 2
    assert words in said
    assert len(said.strip().splitlines()) == 1


def test_a_protocol_runs_nobodys_code(lab):
    protocol = TINY + REVEAL.replace('"mine"', '"own_methods:gradient"')
    written(lab, protocol)
    status, said = build("--method", "deep=captum:InputXGradient", "--maps", "theirs=theirs")
    assert status == 2
    assert "reveal.methods" in said
    assert "own_methods" not in sys.modules

"""A table that names maps as METHOD:FILE: ``build`` makes them, and only where it has a network."""

import io

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision import models

from stimuli.catalogue import OUTSIDE
from stimuli.images.pictures import read_rgb
from stimuli.pack import open_pack
from stimuli.protocol import load_protocol
from stimuli.study import rules_as_pack
from tests.stimuli.table_study.tables_at_hand import DESIGN, OTHER, TABLE, write_study
from xai_backend.cli import main

MAPPED = TABLE.replace("a,main,Dog or wolf?,a.png,dog,wolf,map",
                       "a,main,Dog or wolf?,gradcam:a.png,dog,wolf,map")  # fmt: skip


@pytest.fixture
def study(tmp_path, monkeypatch):
    folder = write_study(tmp_path, OTHER + DESIGN, MAPPED)
    coarse = np.random.default_rng(3).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    Image.fromarray(coarse).resize((224, 224)).save(folder / "pictures" / "a.png")
    monkeypatch.setenv(OUTSIDE, str(folder))
    return folder


def test_the_map_is_in_the_pack_and_the_picture_itself_too(study, tmp_path):
    torch.manual_seed(8)
    torch.save(models.squeezenet1_1(num_classes=6).state_dict(), tmp_path / "net.pt")
    words = ["--model", "squeezenet1_1", "--weights", str(tmp_path / "net.pt")]
    out = tmp_path / "pack"
    assert main(["build", "wolves", *words, "--out", str(out)]) == 0
    pack = open_pack(out)
    picture = read_rgb(io.BytesIO(pack.asset("pictures/a.png"))).resize((224, 224))
    shown = read_rgb(io.BytesIO(pack.asset("pictures/gradcam/a.png")))
    assert shown.size == (224, 224)
    assert np.abs(np.asarray(picture, dtype=int) - np.asarray(shown, dtype=int)).mean() > 5
    assert b"gradcam/a.png" in pack.asset("items.csv")


def test_without_a_network_it_is_one_line(study, tmp_path, capsys):
    assert main(["build", "wolves", "--out", str(tmp_path / "pack")]) == 2
    assert capsys.readouterr().err == (
        "build wolves: the table names maps of gradcam; give the network with --model\n"
    )


def test_a_sketch_shows_the_picture_in_place_of_a_map(study):
    pack = rules_as_pack(load_protocol("wolves"))
    assert pack.asset("pictures/gradcam/a.png") == pack.asset("pictures/a.png")

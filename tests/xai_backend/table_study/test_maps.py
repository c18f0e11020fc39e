"""A table that names maps as METHOD:FILE: ``build`` makes them, and only where it has a network."""

import io

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision import models

from stimuli.catalogue import OUTSIDE
from stimuli.images.pictures import read_rgb
from stimuli.maps.metrics import NAMES
from stimuli.pack import open_pack
from stimuli.protocol import load_protocol
from stimuli.study import origins_in, rules_as_pack
from stimuli.table_study.tables import METRICS
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
    (tmp_path / "net.toml").write_text("side_px = 64\n")
    words = ["--model", "squeezenet1_1", "--weights", str(tmp_path / "net.pt")]
    out = tmp_path / "pack"
    assert main(["build", "wolves", *words, "--metrics", "--out", str(out)]) == 0
    pack = open_pack(out)
    (row,) = pack.table(METRICS)
    assert (row["presentation"], row["method"]) == ("a.2", "gradcam")
    assert all(isinstance(row[name], float) for name in NAMES)
    picture = read_rgb(io.BytesIO(pack.asset("pictures/a.png"))).resize((64, 64))
    shown = read_rgb(io.BytesIO(pack.asset("maps/gradcam/a.png")))
    assert shown.size == (64, 64)
    assert np.abs(np.asarray(picture, dtype=int) - np.asarray(shown, dtype=int)).mean() > 5
    assert b"gradcam/a.png" in pack.asset("items.csv")
    (origin,) = origins_in(pack).values()
    assert (origin.kind, origin.note, origin.method) == ("network", "squeezenet1_1", "gradcam")
    assert len(origin.weights_sha256) == 64


def test_pictures_of_one_name_in_other_places_have_maps_of_their_own(study, tmp_path):
    (study / "pictures" / "sub").mkdir()
    coarse = np.random.default_rng(4).integers(0, 256, (2, 8, 8, 3), dtype=np.uint8)
    for name, pixels in zip(("a.jpg", "sub/a.png"), coarse, strict=True):
        Image.fromarray(pixels).resize((224, 224)).save(study / "pictures" / name)
    table = study / "items.csv"
    lines = table.read_text("utf-8").replace("b.png,wolf,wolf,none", "gradcam:a.jpg,wolf,wolf,none")
    lines = lines.replace("b.png,wolf,wolf,map", "gradcam:sub/a.png,wolf,wolf,map")
    table.write_text(lines, "utf-8")
    torch.manual_seed(8)
    torch.save(models.squeezenet1_1(num_classes=6).state_dict(), tmp_path / "net.pt")
    words = ["--model", "squeezenet1_1", "--weights", str(tmp_path / "net.pt")]
    assert main(["build", "wolves", *words, "--out", str(tmp_path / "pack")]) == 0
    pack = open_pack(tmp_path / "pack")
    for name in ("a.png", "a.jpg", "sub/a.png"):
        picture, shown = (
            np.asarray(read_rgb(data).resize((32, 32)).convert("L"), dtype=float).ravel()
            for data in (
                io.BytesIO((study / "pictures" / name).read_bytes()),
                io.BytesIO(pack.asset(f"maps/gradcam/{name}")),
            )
        )
        assert np.corrcoef(picture, shown)[0, 1] > 0.5, name


def test_without_a_network_it_is_one_line(study, tmp_path, capsys):
    assert main(["build", "wolves", "--out", str(tmp_path / "pack")]) == 2
    assert capsys.readouterr().err == (
        "build wolves: the table names maps of gradcam; give the network with --model\n"
    )


def test_a_sketch_shows_the_picture_in_place_of_a_map(study):
    pack = rules_as_pack(load_protocol("wolves"))
    assert pack.asset("maps/gradcam/a.png") == pack.asset("pictures/a.png")


def test_the_nearest_example_of_the_networks_class_is_shown(study, tmp_path, capsys):
    table = study / "items.csv"
    table.write_text(MAPPED.replace("gradcam:", "nearest_neighbours:"), "utf-8")
    torch.manual_seed(8)
    state = models.squeezenet1_1(num_classes=6).state_dict()
    state["classifier.1.bias"][2] = 1000.0  # Every picture is of one class.
    torch.save(state, tmp_path / "net.pt")
    words = ["--model", "squeezenet1_1", "--weights", str(tmp_path / "net.pt")]
    build = ["build", "wolves", *words, "--out", str(tmp_path / "pack")]
    assert main(build) == 2
    assert "examples: is missing; the nearest of its pictures" in capsys.readouterr().err
    picture = np.asarray(read_rgb(study / "pictures" / "a.png"), dtype=int)
    (study / "examples").mkdir()
    rng = np.random.default_rng(5)
    near = np.clip(picture + rng.integers(-9, 10, picture.shape), 0, 255)
    for name, pixels in (("b", 255 - picture), ("near", near), ("c", picture[::-1])):
        Image.fromarray(pixels.astype(np.uint8)).save(study / "examples" / f"{name}.png")
    assert main(build) == 0
    pack = open_pack(tmp_path / "pack")
    shown = read_rgb(io.BytesIO(pack.asset("maps/nearest_neighbours/a.png"))).resize((32, 32))
    # The network sees the middle.
    whole = Image.fromarray(near.astype(np.uint8)).resize((256, 256))
    wanted = whole.crop((16, 16, 240, 240)).resize((32, 32))
    assert np.abs(np.asarray(shown, dtype=int) - np.asarray(wanted, dtype=int)).mean() < 4

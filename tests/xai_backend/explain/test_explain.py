"""A job that explains photographs: maps, table and overlays, whatever happens on the way."""

import contextlib
import csv
import json
from dataclasses import asdict

import numpy as np
import pytest
import safetensors
import torch
from PIL import Image
from safetensors.numpy import load_file

from stimuli.images.digits import load_digits
from stimuli.plates.masks import digit_mask
from stimuli.plates.plate import make_plate
from stimuli.workers import Workers
from tests.xai_backend.conftest import COARSE, stream_settings, training_settings
from tests.xai_backend.given import Told
from tests.xai_backend.requests import explain_request
from xai_backend.explain.answering import channels_last
from xai_backend.explain.job import explain
from xai_backend.explain.working import Album
from xai_backend.methods import method_of
from xai_backend.models.frame import InputFrame
from xai_backend.models.image_model import as_images
from xai_backend.models.plate_cnn import trained
from xai_backend.models.plate_reading import pictures_of
from xai_backend.models.torchvision_models import load_classifier
from xai_backend.progress import Silent


def request(here, out, **changes):
    values = {
        "model": "squeezenet1_1",
        "method": "gradcam",
        "images": here / "photos",
        "out": out,
        "weights": str(here / "net.pt"),
    }
    return explain_request(**{**values, **changes})


def test_maps_table_and_overlays_are_those_of_the_method(here, tmp_path):
    told = Told()
    explained = explain(request(here, tmp_path), told)
    assert (explained.images, explained.skipped) == (3, ("broken.jpg: is not a picture",))
    skipped, seen = told.lines
    assert skipped == "skipped: broken.jpg: is not a picture"
    assert "the central 224 × 224 px are cut out. 32% of their area is cut off" in seen
    maps = load_file(tmp_path / "maps.safetensors")
    assert sorted(maps) == ["a", "b.photo", "c"]
    assert {name.name for name in (tmp_path / "overlays").iterdir()} == {
        "a.png",
        "b.photo.png",
        "c.png",
    }
    with (tmp_path / "explanations.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["image", "target", "probability", "method", "seconds"]
    assert [row["image"] for row in rows] == ["a", "b.photo", "c"]
    classifier = load_classifier("squeezenet1_1", str(here / "net.pt"))
    photo = Image.open(here / "photos" / "b.photo.jpg")
    images = as_images(torch.from_numpy(classifier.frame.codes(photo).copy())[None])
    likely = classifier.model(images).softmax(1)[0]
    assert int(rows[1]["target"]) == int(likely.argmax())
    assert float(rows[1]["probability"]) == pytest.approx(float(likely.max()), abs=1e-6)
    assert rows[1]["method"] == "gradcam"
    assert float(rows[1]["seconds"]) > 0
    wanted = method_of("gradcam", {}).explain(classifier.model, images, likely.argmax()[None])[0]
    assert maps["b.photo"].dtype == np.float32
    assert maps["b.photo"].shape == (224, 224)
    assert np.abs(maps["b.photo"] - wanted.numpy()).max() <= 1e-4
    with Image.open(tmp_path / "overlays" / "a.png") as shown:
        assert (shown.mode, shown.width) == ("RGB", 224)
        assert shown.height > 224
    with safetensors.safe_open(tmp_path / "maps.safetensors", "numpy") as file:
        about = json.loads(file.metadata()["explanations"])
    assert about["weights_sha256"] == classifier.weights_sha256
    assert about["method"]["name"] == "gradcam"
    assert about["frame"] == {**asdict(InputFrame()), "border": [0, 0, 0]}


def test_a_map_is_the_same_in_any_folder_and_any_run(here, tmp_path):
    explain(request(here, tmp_path / "all", method="lrp"), Silent())
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "c.webp").write_bytes((here / "photos" / "c.webp").read_bytes())
    alone = request(here, tmp_path / "alone", method="lrp", images=tmp_path / "one")
    explain(alone, Silent())
    both = [load_file(tmp_path / name / "maps.safetensors")["c"] for name in ("all", "alone")]
    assert np.array_equal(*both)


def test_a_target_and_settings_are_heeded(here, tmp_path):
    settings = ("patch_px=112", "stride_px=112")
    asked = request(here, tmp_path, method="occlusion", settings=settings, target=4)
    explain(asked, Silent())
    maps = load_file(tmp_path / "maps.safetensors")
    assert len(np.unique(maps["a"])) <= 4
    assert ",4," in (tmp_path / "explanations.csv").read_text(encoding="utf-8")


def test_people_s_maps_come_in_the_network_s_frame(here, tmp_path):
    (tmp_path / "maps").mkdir()
    painted = np.zeros((26, 30))
    painted[13:, :] = 2
    np.save(tmp_path / "maps" / "b.photo.npy", painted)
    asked = request(here, tmp_path / "out", method="human", human_maps=tmp_path / "maps")
    explained = explain(asked, Silent())
    assert explained.images == 1
    assert [line.partition(":")[0] for line in explained.skipped] == ["a", "broken.jpg", "c"]
    shown = load_file(tmp_path / "out" / "maps.safetensors")["b.photo"]
    assert shown.shape == (224, 224)
    assert shown[:100].max() < 0.01
    assert shown[125:].min() > 1.99


class Interrupting(Silent):
    """Interrupts at the second step of a stage."""

    def __init__(self, title):
        self._title = title
        self.steps = 0

    def stage(self, title, total, done=0):
        @contextlib.contextmanager
        def counting():
            yield self._count if title == self._title else lambda steps: None

        return counting()

    def _count(self, steps):
        self.steps += 1
        if self.steps == 2:
            raise KeyboardInterrupt


def test_an_interrupted_job_goes_on_with_what_it_had(here, tmp_path):
    settings = ("samples=2",)
    (tmp_path / "net.pt").write_bytes((here / "net.pt").read_bytes())
    (tmp_path / "net.toml").write_text("side_px = 64")
    further = {"images": here / "many", "store": tmp_path / "store", "workers": Workers(here=True)}
    wanted = {"method": "smoothgrad", "settings": settings, "weights": str(tmp_path / "net.pt")}
    wanted |= further
    asked = request(here, tmp_path / "out", **wanted)
    photo = here / "photos" / "a.png"
    (here / "many").mkdir()
    for k in range(9):
        image = Image.open(photo).resize((64, 64)).rotate(30 * k)
        image.save(here / "many" / f"{k}.png")
    with pytest.raises(KeyboardInterrupt):
        explain(asked, Interrupting("explaining (smoothgrad)"))
    assert not list((tmp_path / "out").rglob("*.*"))
    shards = sorted((tmp_path / "store" / "shards").iterdir())
    assert len(shards) >= 2  # logits, and maps
    assert explain(asked, Silent()).images == 9
    assert set(shards) <= set((tmp_path / "store" / "shards").iterdir())
    first = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*.*")}
    again = request(here, tmp_path / "again", **wanted)
    explain(again, Silent())
    # The seconds that a map took are kept with it: even the table has the same bytes.
    for path, data in first.items():
        assert (tmp_path / "again" / path.relative_to(tmp_path / "out")).read_bytes() == data


@pytest.mark.parametrize(("fit", "size"), [("squash", (258, 224)), ("pad", (224, 194))])
def test_a_whole_photograph_is_shown_in_its_proportions(here, tmp_path, fit, size):
    (tmp_path / "net.pt").write_bytes((here / "net.pt").read_bytes())
    (tmp_path / "net.toml").write_text(f'fit = "{fit}"')
    told = Told()
    explain(request(here, tmp_path / "out", weights=str(tmp_path / "net.pt")), told)
    assert any(line.endswith("Nothing is cut off") for line in told.lines)
    assert load_file(tmp_path / "out/maps.safetensors")["b.photo"].shape == (224, 224)
    with Image.open(tmp_path / "out/overlays/b.photo.png") as shown:
        assert shown.width == size[0]
    page = (tmp_path / "out/sheet_gradcam.html").read_text(encoding="utf-8")
    assert f"aspect-ratio: {size[0]} / {size[1]}" in page
    assert "Nothing is cut off." in page


def test_a_photograph_that_changes_meanwhile_is_told_and_skipped(here, tmp_path):
    (tmp_path / "photos").mkdir()
    for name in ("a.png", "c.webp"):
        (tmp_path / "photos" / name).write_bytes((here / "photos" / name).read_bytes())
    frame = InputFrame()
    told = Told()
    album = Album(sorted((tmp_path / "photos").iterdir()), frame, told)
    album._kept.clear()
    Image.new("RGB", (300, 300)).save(tmp_path / "photos" / "a.png")
    assert [photo.stem for photo in album.photos()] == ["c"]
    assert album.pictures[0].load() is None
    assert told.lines == ["skipped: a.png: was changed meanwhile"]


def test_plates_are_explained_by_the_network_that_reads_them(tmp_path):
    """A plate's file is, at the network's size, exactly the picture that it was trained on."""
    digits = load_digits("uci")
    settings = training_settings(plates=32, stream=stream_settings(packings=2, digits_most=10))
    checkpoint = trained(settings, digits, tmp_path / "net", Silent())
    plate = make_plate(digit_mask(digits.images[1], COARSE), 1, 1, COARSE)
    (picture,) = pictures_of(plate, [("deutan", 0.09)], COARSE, 48)
    (tmp_path / "plates").mkdir()
    Image.fromarray(picture).save(tmp_path / "plates" / "one.png")
    (weights,) = (tmp_path / "net").glob("*.safetensors")
    asked = explain_request(
        model="plate_cnn",
        method="occlusion",
        settings=("patch_px=12", "stride_px=12"),
        images=tmp_path / "plates",
        out=tmp_path / "out",
        weights=str(weights),
        store=tmp_path / "store",
    )
    explain(asked, Silent())
    images = as_images(torch.from_numpy(picture[None].copy()))
    channels_last(checkpoint.model.network)
    target = checkpoint.model(images).argmax(1)
    wanted = method_of("occlusion", {"patch_px": 12, "stride_px": 12}).explain(
        checkpoint.model, images, target
    )
    found = load_file(tmp_path / "out" / "maps.safetensors")["one"]
    assert np.array_equal(found, wanted[0].numpy())

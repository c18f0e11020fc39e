import contextlib
import csv
import json
from dataclasses import replace

import numpy as np
import pytest
import safetensors
import torch
from PIL import Image
from safetensors.numpy import load_file
from torchvision import models

from stimuli.errors import UserError
from stimuli.images.digits import load_digits
from stimuli.plates.masks import digit_mask
from stimuli.plates.plate import make_plate
from stimuli.workers import Workers
from tests.xai_backend.conftest import COARSE, training_settings
from xai_backend import cli
from xai_backend.explain.album import Album
from xai_backend.explain.halving import with_halving
from xai_backend.explain.job import ExplainRequest, explain
from xai_backend.explain.overlay import (
    AGAINST,
    BOTH,
    DIMMED,
    FOR,
    SMOOTHING,
    STRENGTH,
    overlay,
    smoothed,
    strength_and_balance,
)
from xai_backend.methods import Execution, method_of
from xai_backend.methods.settings import typed_settings
from xai_backend.models.frame import InputFrame
from xai_backend.models.image_model import as_images
from xai_backend.models.plate_checkpoint import trained
from xai_backend.models.plate_reading import pictures_of
from xai_backend.models.torchvision_models import load_classifier
from xai_backend.networks import load_network
from xai_backend.progress import Silent


class Told(Silent):
    """Keeps what is said."""

    def __init__(self):
        self.lines = []

    def say(self, line):
        self.lines.append(line)


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A network's weights and a folder of photographs, one of them broken."""
    here = tmp_path_factory.mktemp("explain")
    torch.manual_seed(8)
    torch.save(models.squeezenet1_1(num_classes=6).state_dict(), here / "net.pt")
    generator = np.random.default_rng(3)
    (here / "photos").mkdir()
    for name, size in (("b.photo.jpg", (300, 260)), ("a.png", (256, 256)), ("c.webp", (90, 70))):
        coarse = generator.integers(0, 256, (8, 8, 3), dtype=np.uint8)
        Image.fromarray(coarse).resize(size).save(here / "photos" / name)
    (here / "photos" / "broken.jpg").write_bytes(b"no picture")
    (here / "photos" / "notes.txt").write_text("none", encoding="utf-8")
    return here


def request(here, out, **changes):
    values = {
        "model": "squeezenet1_1",
        "method": "gradcam",
        "images": here / "photos",
        "out": out,
        "weights": str(here / "net.pt"),
    }
    return ExplainRequest(**{**values, **changes})


def test_maps_table_and_overlays_are_those_of_the_method(here, tmp_path):
    told = Told()
    explained = explain(request(here, tmp_path), told)
    assert (explained.images, explained.skipped) == (3, ("broken.jpg: is not a picture",))
    assert told.lines == ["skipped: broken.jpg: is not a picture"]
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
    assert about["frame"] == {"resize_px": 256, "crop_px": 224, "interpolation": "bilinear"}


def test_a_map_is_the_same_in_any_folder_and_any_run(here, tmp_path):
    explain(request(here, tmp_path / "all", method="lrp"), Silent())
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "c.webp").write_bytes((here / "photos" / "c.webp").read_bytes())
    alone = request(here, tmp_path / "alone", method="lrp", images=tmp_path / "one")
    explain(alone, Silent())
    both = [load_file(tmp_path / name / "maps.safetensors")["c"] for name in ("all", "alone")]
    assert np.array_equal(*both)


def test_a_batch_of_any_size_changes_no_more_than_rounding(here, tmp_path):
    for batch in (1, 2):
        explain(request(here, tmp_path / str(batch), batch=batch), Silent())
    one, two = (load_file(tmp_path / str(b) / "maps.safetensors") for b in (1, 2))
    assert one.keys() == two.keys()
    for name in one:
        assert np.abs(one[name] - two[name]).max() <= 1e-4


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


def test_halving_goes_on_where_it_fits():
    tried, told = [], []

    def compute(execution):
        tried.append(execution.at_once)
        if (execution.at_once or 64) > 5:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return "maps"

    assert with_halving(compute, Execution(), told.append) == ("maps", Execution(at_once=4))
    assert tried == [None, 32, 16, 8, 4]
    assert told[-1] == "out of memory: continuing with 4 at once"


@pytest.mark.parametrize(
    "fault",
    [
        torch.OutOfMemoryError("CUDA out of memory"),
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried"),
    ],
)
def test_memory_that_never_suffices_is_one_line(fault):
    def compute(execution):
        raise fault

    with pytest.raises(UserError, match="even with one input at once"):
        with_halving(compute, Execution(at_once=3), lambda line: None)


def test_other_faults_are_not_taken_for_memory():
    def compute(execution):
        raise RuntimeError("shapes differ")

    with pytest.raises(RuntimeError, match="shapes differ"):
        with_halving(compute, Execution(), lambda line: None)


def test_real_memory_running_out_is_recognised(small_model):
    """An allocation that no machine grants, through torch itself."""
    with pytest.raises(UserError, match="out of memory"):
        with_halving(lambda execution: torch.empty(2**50), Execution(at_once=2), lambda line: None)


def test_overlays_tell_for_from_against_and_leave_zero_clear():
    codes = np.full((10, 10, 3), 200, dtype=np.uint8)
    relevance = np.zeros((10, 10), dtype=np.float32)
    relevance[:3], relevance[7:] = 1, -1
    shown = overlay(codes, relevance).astype(int)
    assert shown.shape == (10, 10, 3)
    assert shown[0, 5, 0] > shown[0, 5, 2] + 50
    assert shown[9, 5, 2] > shown[9, 5, 0] + 50
    assert np.ptp(shown[5, 5]) <= 1
    blank = overlay(codes, np.zeros((10, 10), dtype=np.float32))
    assert np.ptp(blank) == 0


def test_a_few_extremes_do_not_hide_the_rest():
    relevance = np.full((100, 100), 0.5, dtype=np.float32)
    relevance[0, :10] = 1000
    strength, _ = strength_and_balance(relevance)
    assert strength[50, 50] > 0.8
    lonely = np.zeros((100, 100), dtype=np.float32)
    lonely[3, 3] = -2
    strength, balance = strength_and_balance(lonely)
    assert strength[3, 3] == 1
    assert balance[3, 3] == -1
    assert strength[50, 50] == 0


def test_signs_that_change_from_pixel_to_pixel_are_strong_and_neither():
    """A chessboard in one half, as maps of gradients are; the other half is empty."""
    relevance = np.indices((224, 224)).sum(axis=0) % 2 * 2.0 - 1
    relevance[:, 112:] = 0
    strength, balance = strength_and_balance(relevance.astype(np.float32))
    assert strength[100, 50] > 0.95
    assert abs(balance[100, 50]) < 0.01
    assert strength[100, 150] < 0.01
    shown = overlay(np.full((224, 224, 3), 90, np.uint8), relevance.astype(np.float32))
    assert shown[100, 50].mean() > 1.5 * shown[100, 150].mean()
    red, green, blue = shown[100, 50].astype(int)
    assert min(red, blue) > green + 30  # pink, neither orange nor blue


def test_an_overlay_is_its_definition_at_the_size_of_the_image():
    """Grey, dimmed; on it a shaded colour between the two signs' and pink, by opacity."""
    random = np.random.default_rng(5)
    codes = random.integers(0, 256, (40, 30, 3), dtype=np.uint8)
    relevance = random.normal(size=(40, 30)).astype(np.float32)
    strength, balance = (part[..., None] for part in strength_and_balance(relevance))
    grey = np.asarray(Image.fromarray(codes).convert("L"), dtype=float)[..., None]
    colour = np.where(balance > 0, FOR, AGAINST) * abs(balance) + BOTH * (1 - abs(balance))
    on_top = colour * (0.5 + 0.5 * grey / 255)
    opacity = STRENGTH * strength
    expected = DIMMED * grey * (1 - opacity) + opacity * on_top
    shown = overlay(codes, relevance)
    assert np.abs(shown - expected).max() <= 0.501
    assert overlay(codes.repeat(2, axis=0), relevance).shape == (80, 30, 3)


@pytest.mark.parametrize("shape", [(40, 30), (5, 9), (224, 224)])
def test_smoothing_is_scipy_s(shape):
    from scipy.ndimage import gaussian_filter

    values = np.random.default_rng(1).normal(size=shape)
    spread = SMOOTHING * min(shape)
    expected = gaussian_filter(values, spread, mode="nearest")
    assert np.abs(smoothed(values, spread) - expected).max() <= 1e-14


def test_typed_settings_are_of_their_kind():
    usual = {"areas": (0.5,), "iterations": 800, "noise": 0.15, "absolute": True, "layer": ""}
    typed = ["areas=[0.1, 0.2]", "iterations=9", "noise=1", "absolute=false", "layer=features.9"]
    settings = typed_settings("some", usual, typed)
    wanted = {
        "areas": (0.1, 0.2),
        "iterations": 9,
        "noise": 1.0,
        "absolute": False,
        "layer": "features.9",
    }
    assert settings == wanted
    assert [type(value) for value in settings.values()] == [type(v) for v in wanted.values()]
    anything = typed_settings("some", {"of": None}, ["of=[1, 2]"])
    assert anything == {"of": (1, 2)}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--method magic", ["no explanation method 'magic'", "gradcam"]),
        ("--method gradcam --set leyer=x", ["no setting 'leyer'", "did you mean layer"]),
        ("--method occlusion --set patch_px=big", ["patch_px=big", "as 32 is written"]),
        ("--method occlusion --set patch_px=8 --set stride_px=9", ["stride_px is 9"]),
        ("--method occlusion --set patch_px=300", ["patch_px is 300", "224"]),
        ("--method gradcam --target 6", ["--target 6", "0 to 5"]),
        ("--method gradcam --compile", ["--compile goes with --method occlusion, not gradcam"]),
        ("--method occlusion --compile --set precision=bfloat16", ["float32 alone"]),
        ("--method gradcam --device cuda:77", ["cuda:77"]),
        ("--method gradcam --batch 0", ["batch"]),
        ("--method human", ["--human-maps"]),
        ("--method lrp --human-maps {here}", ["goes with --method human"]),
        ("--method gradcam --images {here}/none", ["none", "no folder"]),
        ("--method gradcam --images {here}/empty", ["empty", "contains no image"]),
        ("--method gradcam --images {here}/rubbish", ["none of 1 images"]),
        ("--method gradcam --out {here}/net.pt", ["net.pt", "can't be made"]),
        ("--method gradcam --weights {here}/photos/a.png", ["a.png", "not a file of weights"]),
        ("--method gradcam --model squeezenet1_2", ["squeezenet1_2", "did you mean"]),
    ],
)
def test_mistakes_are_one_line_and_leave_nothing(here, tmp_path, capsys, options, words):
    (here / "empty").mkdir(exist_ok=True)
    (here / "rubbish").mkdir(exist_ok=True)
    (here / "rubbish" / "a.png").write_bytes(b"rubbish")
    usual = {
        "--model": "squeezenet1_1",
        "--weights": str(here / "net.pt"),
        "--images": str(here / "photos"),
        "--out": str(tmp_path / "out"),
    }
    typed = options.format(here=here).split()
    command = ["explain", *typed]
    for name, value in usual.items():
        if name not in typed:
            command += [name, value]
    assert cli.main(command) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert all(word in last for word in words)
    assert not list((tmp_path / "out").rglob("*.*"))


def test_the_command_says_what_was_skipped_by_its_status(here, tmp_path, capsys):
    command = (
        f"explain --model squeezenet1_1 --weights {here / 'net.pt'} --method saliency_sod "
        f"--images {here / 'photos'} --out {tmp_path / 'out'}"
    )
    assert cli.main(command.split()) == 2
    said = capsys.readouterr()
    assert said.out.startswith("3 maps: ")
    assert said.err.strip().splitlines()[-1] == "1 skipped of 4: broken.jpg: is not a picture"
    assert len(load_file(tmp_path / "out" / "maps.safetensors")) == 3


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
    asked = request(here, tmp_path / "out", method="smoothgrad", settings=settings)
    here_alone = Workers(here=True)
    asked = replace(asked, images=here / "many", store=tmp_path / "store", workers=here_alone)
    photo = here / "photos" / "a.png"
    (here / "many").mkdir()
    for k in range(9):
        image = Image.open(photo).rotate(30 * k)
        image.save(here / "many" / f"{k}.png")
    with pytest.raises(KeyboardInterrupt):
        explain(asked, Interrupting("explaining (smoothgrad)"))
    assert not list((tmp_path / "out").rglob("*.*"))
    shards = sorted((tmp_path / "store" / "shards").iterdir())
    assert len(shards) >= 2  # logits, and maps
    assert explain(asked, Silent()).images == 9
    assert set(shards) <= set((tmp_path / "store" / "shards").iterdir())
    first = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*.*")}
    again = replace(asked, out=tmp_path / "again")
    explain(again, Silent())
    # The seconds that a map took are kept with it: even the table has the same bytes.
    for path, data in first.items():
        assert (tmp_path / "again" / path.relative_to(tmp_path / "out")).read_bytes() == data


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
    settings = training_settings()
    checkpoint = trained(settings, digits, tmp_path / "net", Silent())
    plate = make_plate(digit_mask(digits.images[1], COARSE), 1, 1, COARSE)
    (picture,) = pictures_of(plate, [("deutan", 0.09)], COARSE, 48)
    (tmp_path / "plates").mkdir()
    Image.fromarray(picture).save(tmp_path / "plates" / "one.png")
    (weights,) = (tmp_path / "net").glob("*.safetensors")
    asked = ExplainRequest(
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
    target = checkpoint.model(images).argmax(1)
    wanted = method_of("occlusion", {"patch_px": 12, "stride_px": 12}).explain(
        checkpoint.model, images, target
    )
    found = load_file(tmp_path / "out" / "maps.safetensors")["one"]
    assert np.array_equal(found, wanted[0].numpy())


def test_the_plate_network_asks_for_its_checkpoint_and_takes_no_other(here):
    with pytest.raises(UserError, match=r"plate_cnn: give --weights FILE"):
        load_network("plate_cnn")
    with pytest.raises(UserError, match=r"net\.pt: contains no valid checkpoint"):
        load_network("plate_cnn", str(here / "net.pt"))

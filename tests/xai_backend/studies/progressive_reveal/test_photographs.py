"""progressive_reveal packs of photographs: people's maps, networks of files, mistakes."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from participants.cli import main as participants
from participants.folder import DataFolder
from participants.studies.progressive_reveal.bubbles import bubble_counts
from stimuli.errors import UserError
from stimuli.maps.map_set import MapRecord, MapSet, write_map_set
from stimuli.maps.origin import IMPORTED, PEOPLE, RESPONSE_MODEL
from stimuli.pack import open_pack
from stimuli.studies.progressive_reveal.study import METHODS_FILE
from stimuli.studies.progressive_reveal.tables import CLASSES, ITEM_TABLE
from stimuli.studies.progressive_reveal.tasks import TASKS
from stimuli.study import simulated_people
from stimuli.workers import Workers
from tests.participants.studies.progressive_reveal.test_bubbling import mark
from tests.xai_backend.studies.progressive_reveal.reveal_packs import TINY, written
from xai_backend.explain.answering import classifier_at_hand
from xai_backend.models.frame import in_frame
from xai_backend.models.image_model import as_images
from xai_backend.progress import Silent
from xai_backend.studies.progressive_reveal import solvers as reveal_solvers
from xai_backend.studies.progressive_reveal.build import build, build_tasks, gather
from xai_backend.studies.progressive_reveal.images import photo_candidates
from xai_backend.studies.progressive_reveal.request import RevealRequest


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    """Three classes of six pictures of noise, a tiny SqueezeNet that names them, people's maps."""
    from torchvision.models import squeezenet1_1

    folder = tmp_path_factory.mktemp("photographs")
    rng = np.random.default_rng(0)
    for label in ("Sea_lion", "tench", "crane"):
        (folder / "set" / label).mkdir(parents=True)
        for number in range(6):
            noise = rng.integers(0, 255, (48, 64, 3), dtype=np.uint8)
            Image.fromarray(noise).save(folder / "set" / label / f"{label}-{number}.png")
    torch.manual_seed(3)
    torch.save(squeezenet1_1(num_classes=5).state_dict(), folder / "w.pt")
    (folder / "w.toml").write_text("resize_px = 72\nside_px = 64\n", encoding="utf-8")
    index = {
        "0": ["n00", "sea_lion"], "1": ["n01", "tench"], "2": ["n02", "crane"],
        "3": ["n03", "crane_machine"], "4": ["n04", "other"],
    }  # fmt: skip
    (folder / "classes.json").write_text(json.dumps(index), encoding="utf-8")
    (folder / "maps").mkdir()
    for path in sorted((folder / "set").glob("*/*.png")):
        if path.stem.endswith("5"):
            continue
        values = np.zeros((48, 64))
        values[10:30, 20:44] = rng.integers(1, 9, (20, 24))
        np.save(folder / "maps" / f"{path.stem}.npy", values.astype(np.float32))
    text = TINY.replace("patch_px = 14\nstride_px = 14", "patch_px = 32\nstride_px = 32")
    (folder / "own.toml").write_text(
        text + '[reveal]\nmethods = ["human", "lrp", "occlusion"]\n', encoding="utf-8"
    )
    return folder


def request_of(folder, **changes):
    fields = {
        "protocol_file": folder / "own.toml",
        "source": str(folder / "set"),
        "model": "squeezenet1_1",
        "weights": str(folder / "w.pt"),
        "classes": folder / "classes.json",
        "human_maps": (folder / "maps",),
        "out": folder / "pack",
        "workers": Workers(here=True),
    }
    return RevealRequest(**{**fields, **changes})


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    return tmp_path


def test_photographs_are_shown_where_there_are_peoples_maps(photographs, lab):
    request = request_of(photographs, out=lab / "pack")
    made = build(request, Silent())
    pack = open_pack(made.pack, "solutions")
    rows = list(pack.table(ITEM_TABLE))
    assert {row["class"] for row in rows} == {"Sea_lion", "tench", "crane"}
    assert not any(row["item"].endswith("-5.png") for row in rows)
    assert {row["model_class"] for row in rows} <= {
        None, "Sea_lion", "tench", "crane", "n03", "n04",
    }  # fmt: skip
    human = [row for row in rows if row["method"] == "human"]
    assert all(row["model_correct"] is None for row in human)
    # The middle square is 48 of 64 columns, each shown 64/48 as large: 20 × 24 px of the map.
    assert all(abs(row["final_pixels"] - 20 * 24 * (64 / 48) ** 2) < 200 for row in human)
    human = json.loads(pack.asset(METHODS_FILE))["human"]
    assert (human["origin"], human["origin_note"]) == (IMPORTED, "maps")
    words = {(row["class"], row["language"]): row["name"] for row in pack.table(CLASSES)}
    assert words == {
        ("Sea_lion", None): "Sea lion", ("tench", None): "tench", ("crane", None): "crane",
    }  # fmt: skip


def test_square_maps_are_of_the_picture_that_people_see(photographs, lab):
    """Maps of our own bubbling, say: they aren't cut a second time."""
    found = gather(request_of(photographs, human_maps=(_square_maps(photographs, lab),)), Silent())
    for values in found.by_method["human"].maps.values():
        assert values.shape == (64, 64)
        np.testing.assert_array_equal(values[0], np.arange(64))


def _square_maps(photographs, lab):
    folder = lab / "square"
    folder.mkdir()
    for path in (photographs / "set").glob("*/*.png"):
        np.save(folder / f"{path.stem}.npy", np.tile(np.arange(64, dtype=np.float32), (64, 1)))
    return folder


@pytest.mark.parametrize(
    ("marker", "origin"), [("CDF34HK", PEOPLE), ("robot-CDF34HK", RESPONSE_MODEL)]
)
def test_maps_that_robots_marked_in_a_session_are_no_peoples_maps(photographs, lab, marker, origin):
    """`annotate --robot` leaves a map set as people do; what is made of it must say who did."""
    paths = sorted((photographs / "maps").glob("*.npy"))
    values = {path.stem: np.load(path) for path in paths}
    records = (
        MapRecord(
            name, name, "expert", marker, "bubbles", None, None, "x", None, 1.0, origin, marker
        )
        for name in values
    )
    write_map_set(lab / "marked", MapSet(tuple(records), values))
    request = request_of(photographs, human_maps=(lab / "marked",), out=lab / "pack")
    pack = open_pack(build(request, Silent()).pack, "solutions")
    about = json.loads(pack.asset(METHODS_FILE))["human"]
    assert (about["origin"], about["origin_note"]) == (origin, marker)
    made = {row["map_origin"] for row in pack.table(ITEM_TABLE) if row["method"] == "human"}
    assert made == {origin}
    assert ("human" in simulated_people(pack)) == (origin == RESPONSE_MODEL)


@pytest.mark.slow
def test_what_people_bubbled_is_what_is_drawn_again(photographs, lab):
    """From the task pack to the map set of those who marked it, and on to a pack of its images."""
    request = request_of(photographs, human_maps=(), for_bubbling=True, out=None)
    made = build_tasks(request, Silent())
    assert made.pack.parent == lab / "lab" / "packs"
    assert made.pack.name.endswith("-tasks")
    tasks = open_pack(made.pack, "tasks")
    shown = {row["item"] for row in tasks.table(TASKS)}
    assert len(shown) == made.images == 8
    data = DataFolder(lab / "data")
    markers = [mark(data, tasks, code) for code in ("CDF34HK", "GHK56MN")]
    arguments = ["--data", str(data.root), "--out", str(lab / "marked")]
    assert participants(["participants", "mapset", *arguments]) == 0

    text = (photographs / "own.toml").read_text(encoding="utf-8")
    protocol = written(lab, text.replace(', "occlusion"]', "]"))
    changes = {"protocol_file": protocol, "human_maps": (lab / "marked",), "out": lab / "pack"}
    pack = open_pack(build(request_of(photographs, **changes), Silent()).pack, "solutions")
    rows = [row for row in pack.table(ITEM_TABLE) if row["method"] == "human"]
    assert {row["item"] for row in rows} == shown
    for row in rows:
        counts = [bubble_counts(marker.marked[row["item"]]) for marker in markers]
        mean = sum(own / own.max() for own in counts) / len(counts)
        uncovered = np.asarray(Image.fromarray(mean).resize((64, 64), Image.Resampling.BILINEAR))
        assert row["final_pixels"] == pytest.approx((uncovered > 0).sum(), rel=0.05)


def given_classes(photographs):
    """The class that the network gives each photograph, by itself."""
    classifier = classifier_at_hand("squeezenet1_1", str(photographs / "w.pt"), "cpu")
    names = ["Sea_lion", "tench", "crane", "n03", "n04"]
    given = {}
    for path in sorted((photographs / "set").glob("*/*.png")):
        item = f"{path.parent.name}/{path.name}"
        (one,) = (c for c in photo_candidates(photographs / "set") if c.item == item)
        codes = in_frame(one.read(64).picture, classifier.frame)
        with torch.no_grad():
            logits = classifier.model(as_images(torch.from_numpy(codes[None].copy())))
        given[item] = names[int(logits.argmax())]
    return given


def test_the_predicted_class_is_explained_on_demand(photographs, lab):
    """Where the network errs the map differs from the true class's; where it is right it doesn't.

    The probability in the tables stays that of the image's own class.
    """
    text = (photographs / "own.toml").read_text(encoding="utf-8")
    changed = text.replace("[system]\n", '[system]\nexplained_class = "predicted"\n')
    given = given_classes(photographs)
    true = gather(request_of(photographs), Silent())
    found = gather(request_of(photographs, protocol_file=written(lab, changed)), Silent())
    one, other = (gathered.by_method["occlusion"] for gathered in (true, found))
    assert (one.about["explained_class"], other.about["explained_class"]) == ("true", "predicted")
    assert one.answers == other.answers
    wrong = 0
    for picture in found.material.pictures:
        assert other.answers[picture.item].class_id == given[picture.item]
        same = np.array_equal(one.maps[picture.item], other.maps[picture.item])
        assert same == (given[picture.item] == picture.class_id)
        wrong += not same
    assert wrong


def test_only_images_that_the_network_names_rightly_are_shown_on_demand(
    photographs, lab, monkeypatch
):
    names = ["Sea_lion", "tench", "crane", "n03", "n04"]
    right = {1, 2, 4}

    def said(work, pictures):
        """A network that is right about some of the numbers of each class."""
        answers = {}
        for picture in pictures:
            label, _, file = picture.name.partition("/")
            known = int(file[-5]) in right
            answers[picture.name] = np.eye(5, dtype=np.float32)[names.index(label) if known else 4]
        return answers

    monkeypatch.setattr(reveal_solvers.Precompute, "logits", said)
    text = (photographs / "own.toml").read_text(encoding="utf-8")
    asked = text.replace("[images]\n", "[images]\nonly_correct = true\n")
    request = request_of(photographs, protocol_file=written(lab, asked))
    drawn = gather(request, Silent()).drawn
    assert {int(one.stem[-1]) for one in drawn.mapped} <= right
    assert {int(one.stem[-1]) for one in drawn.left} >= {0, 3, 5}
    usual = gather(request_of(photographs), Silent()).drawn
    assert {int(one.stem[-1]) for one in usual.mapped} & {0, 3}
    right.clear()
    right.add(1)
    refused = (
        r"images with a human map, images that squeezenet1_1 names rightly: "
        r"0 of 3 classes have 2 images"
    )
    with pytest.raises(UserError, match=refused):
        gather(request, Silent())


def test_a_published_list_is_shown_and_one_without_a_map_is_refused(photographs, lab):
    names = [f"{label}-{k}" for label in ("Sea_lion", "tench", "crane") for k in (3, 1)]
    (lab / "list.txt").write_text("\n".join(names), encoding="utf-8")
    found = gather(request_of(photographs, images=lab / "list.txt"), Silent())
    assert {one.stem for one in found.drawn.main} == set(names)
    (lab / "list.txt").write_text("\n".join([*names[:-1], "crane-5"]), encoding="utf-8")
    with pytest.raises(UserError, match=r"crane/crane-5.png is none of .*, images with"):
        gather(request_of(photographs, images=lab / "list.txt"), Silent())


@pytest.mark.slow
def test_protopnet_learns_from_photographs_that_nobody_is_shown(photographs, lab, monkeypatch):
    text = (photographs / "own.toml").read_text(encoding="utf-8")
    protocol = written(lab, text.replace('"occlusion"]', '"protopnet"]\nprototype_beside = true'))
    learnt = []
    train = reveal_solvers.protopnet

    def spied(plain, pictures, *rest):
        learnt.append(pictures)
        return train(plain, pictures, *rest)

    monkeypatch.setattr(reveal_solvers, "protopnet", spied)
    found = gather(request_of(photographs, protocol_file=protocol), Silent())
    (pictures,) = learnt
    shown = {picture.item for picture in found.material.pictures}
    assert len(pictures) == 18 - len(shown)
    assert shown.isdisjoint(pictures.names)
    beside = found.material.methods["protopnet"].prototypes
    assert set(beside) == shown
    assert all(max(part.shape[:2]) == 32 for part in beside.values())
    (trained,) = (lab / "lab" / "cache" / "checkpoints").glob("protopnet-*.safetensors")
    again = gather(request_of(photographs, protocol_file=protocol, protopnet=trained), Silent())
    assert len(learnt) == 1
    for item, values in found.by_method["protopnet"].maps.items():
        np.testing.assert_array_equal(again.by_method["protopnet"].maps[item], values)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"human_maps": ()}, "human maps: give --human-maps DIR .* or --robot-bubblers 5"),
        ({"protopnet": Path("p.safetensors")}, "reveal.methods doesn't name protopnet"),
        ({"source": "nowhere"}, "--source nowhere: there is no such file or folder; take uci"),
        ({"classes": None}, "nothing says what its outputs are"),
        ({"workers": Workers(scheduler="nowhere")}, "can't be reached"),
    ],
)
def test_a_mistake_is_one_line_before_anything_long(photographs, lab, changes, said):
    with pytest.raises(UserError, match=said) as refused:
        build(request_of(photographs, **changes), Silent())
    assert "\n" not in str(refused.value)
    assert not (lab / "lab" / "cache" / "checkpoints").exists()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "images_per_class = 2",
            "images_per_class = 5",
            "images with a human map: 0 images are left",
        ),
        ("patch_px = 32", "patch_px = 300", "patch_px is 300, larger than what squeezenet1_1"),
        ('"occlusion"', '"magic"', "no explanation method 'magic'"),
    ],
)
def test_a_protocol_that_asks_for_too_much_is_refused(photographs, lab, old, new, said):
    own = (photographs / "own.toml").read_text(encoding="utf-8").replace(old, new)
    if "per_class" in old:
        own = own.replace("rounds_per_sitting = 6", "rounds_per_sitting = 15")
    with pytest.raises(UserError, match=said):
        build(request_of(photographs, protocol_file=written(lab, own)), Silent())


def test_a_network_that_does_not_know_a_class_is_refused_by_name(photographs, lab):
    with (lab / "outputs.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([["label"], *([name] for name in "abcde")])
    with pytest.raises(UserError, match="class Sea_lion is none of its outputs"):
        build(request_of(photographs, classes=lab / "outputs.csv"), Silent())
    (lab / "others").mkdir()
    np.save(lab / "others" / "whale.npy", np.ones((48, 64)))
    with pytest.raises(UserError, match="--human-maps: none of its maps is of an image"):
        build(request_of(photographs, human_maps=(lab / "others",)), Silent())
    names = ["sea lion", "tench", "crane", "Crane", "other"]
    twice = {str(k): [f"n{k}", name] for k, name in enumerate(names)}
    (lab / "twice.json").write_text(json.dumps(twice), encoding="utf-8")
    with pytest.raises(UserError, match="class crane is several of its outputs"):
        build(request_of(photographs, classes=lab / "twice.json"), Silent())

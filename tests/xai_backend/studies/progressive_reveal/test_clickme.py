"""ClickMe's own files: read as they are written, one line for what is none."""

import json
import struct

import numpy as np
import pytest

from stimuli.errors import UserError
from stimuli.pack import open_pack
from stimuli.studies.progressive_reveal.study import CLICKME, METHODS_FILE
from stimuli.study import simulated_people
from tests.xai_backend.studies.progressive_reveal.records import (
    clickme_record,
    crc32c,
    example,
    framed,
    written_records,
)
from tests.xai_backend.studies.progressive_reveal.test_photographs import (  # noqa: F401
    lab,
    photographs,
    request_of,
)
from xai_backend.progress import Silent
from xai_backend.studies.progressive_reveal import clickme
from xai_backend.studies.progressive_reveal.build import build, gather
from xai_backend.studies.progressive_reveal.clickme import (
    clickme_candidates,
    record_files,
    records_of,
)

LABELS = ("n00", "n01", "n02", "n03", "n04")


def made(seed, label, side=32):
    """A photograph of noise, and bubbles on a part of it."""
    rng = np.random.default_rng(seed)
    heatmap = np.zeros((side, side), np.float32)
    heatmap[4:20, 6:26] = rng.integers(1, 5, (16, 20))
    return rng.integers(0, 256, (side, side, 3)), heatmap, label


@pytest.fixture
def records(tmp_path):
    """Six photographs of each of three classes, in two files of a folder."""
    folder = tmp_path / "clickme"
    folder.mkdir()
    rows = [made(seed, seed % 3) for seed in range(18)]
    for part, name in enumerate(("val-0.tfrecords", "val-1.tfrecords")):
        data = [clickme_record(*row) for row in rows[part * 9 : part * 9 + 9]]
        written_records(folder / name, data)
    return folder


def test_checksums_are_those_of_the_definition():
    """The check value of the catalogue of CRCs, and random bytes by division."""
    assert crc32c(b"123456789") == 0xE3069283
    for data in (b"123456789", bytes(8), np.random.default_rng(1).bytes(40)):
        crc = crc32c(data)
        assert clickme.masked_crc(data) == ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def test_what_was_written_is_read(records):
    files = record_files(records)
    assert [path.name for path in files] == ["val-0.tfrecords", "val-1.tfrecords"]
    candidates, maps = clickme_candidates(files, LABELS)
    assert len(candidates) == len(maps) == 18
    assert [one.item for one in candidates] == sorted(maps)
    for seed in range(18):
        image, heatmap, label = made(seed, seed % 3)
        item = f"n0{label}/val-{seed // 9}-{seed % 9:06d}"
        (one,) = (candidate for candidate in candidates if candidate.item == item)
        assert one.class_id == LABELS[label]
        np.testing.assert_array_equal(one.read(32).picture, image)
        np.testing.assert_array_equal(maps[item], heatmap)
    assert "elsewhere" not in maps


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"no record at all, but some text", "is not a TFRecord, or damaged after 0 records"),
        (clickme_record(*made(0, 1))[:-20], "is cut off after 0 records"),
        (framed(example(image=b"", heatmap=b"")), "record 1: contains no label"),
        (clickme_record(*made(0, 7)), "its label is 7, but --classes has 5 classes"),
        (framed(struct.pack("B", 0x0B)), "record 1: can't be read"),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_line(data, said, tmp_path):
    path = written_records(tmp_path / "x.tfrecords", [data])
    with pytest.raises(UserError, match=said) as refused:
        clickme_candidates([path], LABELS)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("features", "said"),
    [
        ({"heatmap": b""}, "contains no image"),
        ({"image": bytes(5), "heatmap": b""}, "contains no image"),
        ({"image": bytes(12 * 5), "heatmap": b""}, "its image is not a square"),
    ],
)
def test_a_record_without_its_pictures_is_refused_when_it_is_read(features, said, tmp_path):
    path = written_records(tmp_path / "x.tfrecords", [framed(example(label=1, **features))])
    (record,) = records_of(path)
    with pytest.raises(UserError, match=said):
        record.image()


def test_a_pack_of_clickmes_files_says_where_its_maps_come_from(records, photographs, lab):  # noqa: F811
    request = request_of(photographs, source=str(records), human_maps=(), out=lab / "pack")
    pack = open_pack(build(request, Silent()).pack, "solutions")
    about = json.loads(pack.asset(METHODS_FILE))["human"]
    assert (about["origin"], about["origin_note"]) == (CLICKME.kind, CLICKME.note)
    assert (CLICKME.kind, CLICKME.note) == ("imported", "ClickMe")
    assert "human" not in simulated_people(pack)
    found = gather(request_of(photographs, source=str(records), human_maps=(), out=lab / "x"),
                   Silent())  # fmt: skip
    for item, values in found.by_method["human"].maps.items():
        assert values.shape == (64, 64)
        assert values[:4].max() == 0, item

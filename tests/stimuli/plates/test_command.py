"""The plates verb, as a user and as a program meet it."""

import csv
import gzip
import hashlib

import numpy as np
import pytest
from PIL import Image, ImageDraw

from stimuli.cli import main
from stimuli.images.digits import load_digits
from stimuli.plates import collection
from stimuli.plates.spec import PlateSpec


def _run(out, *more):
    return main(["plates", "--out", str(out), *map(str, more)])


def _rows(path):
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    return list(csv.DictReader(text.splitlines()))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp("plates")
    assert _run(out, "--count", 3, "--axis", "protan", "--contrast", 0.05, "--size", 128) == 0
    return out


def test_each_plate_names_its_digit_and_its_picture(made):
    uci = load_digits("uci")
    plates = _rows(made / "plates.csv")
    assert len(plates) == 3
    for row in plates:
        assert int(row["digit"]) == uci.labels[int(row["source_index"])]
        assert (row["axis"], float(row["contrast"])) == ("protan", 0.05)
        with Image.open(made / row["file"]) as picture:
            assert picture.size == (128, 128)
            assert picture.mode == "RGB"


def test_the_same_seed_gives_the_same_bytes_and_more_plates_begin_alike(made, tmp_path):
    args = ("--axis", "protan", "--contrast", 0.05, "--size", 128)
    assert _run(tmp_path / "again", "--count", 3, *args) == 0
    for file in sorted(made.iterdir()):
        again = tmp_path / "again" / file.name
        assert again.read_bytes() == file.read_bytes(), file.name
    assert _run(tmp_path / "more", "--count", 4, *args, "--no-png") == 0
    assert [r["seed"] for r in _rows(tmp_path / "more" / "plates.csv")[:3]] == [
        r["seed"] for r in _rows(made / "plates.csv")
    ]
    assert _run(tmp_path / "other", "--count", 3, *args, "--seed", 2, "--no-png") == 0
    digest = {
        hashlib.sha256((folder / "dots.csv.gz").read_bytes()).hexdigest()
        for folder in (made, tmp_path / "other")
    }
    assert len(digest) == 2


def test_zero_contrast_is_a_plate_without_a_numeral(tmp_path):
    assert _run(tmp_path, "--count", 2, "--contrast", 0, "--no-png") == 0
    assert {row["digit"] for row in _rows(tmp_path / "plates.csv")} == {"no_numeral"}
    assert {row["figure"] for row in _rows(tmp_path / "dots.csv.gz")} == {"0"}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--axis", "daltan"), "take one of deutan, protan, tritan"),
        (("--contrast", 0.3), "largest that fits is 0.1882"),
        (("--contrast", -0.1), "must be 0 or more"),
        (("--contrast", "nan"), "must be 0 or more"),
        (("--count", 0), "at least 1"),
        (("--count", "many"), "--count"),
        (("--size", 2), "32 to 4096"),
        (("--seed", -1), "0 or more"),
        (("--workers", -1), "0 to 1024"),
        (("--digits", "nist"), "uci, mnist, or a folder"),
        (("--colour", "red"), "--colour"),
    ],
)
def test_a_users_mistake_is_one_line_and_status_2(tmp_path, capsys, more, said):
    assert _run(tmp_path / "o", *more) == 2
    line = capsys.readouterr().err
    assert said in line
    assert line.count("\n") == 1
    assert not (tmp_path / "o").exists()


def test_a_file_in_the_way_is_a_users_mistake(tmp_path, capsys):
    (tmp_path / "o").write_text("here", encoding="utf-8")
    assert _run(tmp_path / "o", "--count", 1) == 2
    assert "--out" in capsys.readouterr().err


def _stop_at(monkeypatch, plate):
    honest = collection._dot_lines

    def stop(made, request):
        if made.number == plate:
            raise KeyboardInterrupt
        return honest(made, request)

    monkeypatch.setattr(collection, "_dot_lines", stop)


def test_a_run_interrupted_at_once_leaves_nothing(tmp_path, monkeypatch):
    _stop_at(monkeypatch, 0)
    assert _run(tmp_path, "--count", 1, "--no-png") == 130
    assert list(tmp_path.iterdir()) == []


def _visible(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_an_interrupted_run_leaves_whole_files_and_goes_on_where_it_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(collection, "STRETCH", 2)
    args = ("--count", 6, "--size", 64, "--workers", 1)
    assert _run(tmp_path / "whole", *args) == 0
    whole = _visible(tmp_path / "whole")
    with monkeypatch.context() as patched:
        _stop_at(patched, 3)
        assert _run(tmp_path / "cut", *args) == 130
    left = {p.name for p in (tmp_path / "cut").iterdir() if p.is_file()}
    assert left == {f"plate-00000{k}.png" for k in range(4)}
    for name in left:
        assert (tmp_path / "cut" / name).read_bytes() == whole[name]

    made = []
    honest = collection._save_picture
    monkeypatch.setattr(
        collection, "_save_picture", lambda s, file, p: (made.append(file), honest(s, file, p))
    )
    assert _run(tmp_path / "cut", *args) == 0
    assert made == [f"plate-00000{k}.png" for k in range(2, 6)]
    assert _visible(tmp_path / "cut") == whole


def test_what_an_other_request_left_half_done_is_not_taken_up(tmp_path, monkeypatch):
    monkeypatch.setattr(collection, "STRETCH", 2)
    args = ("--count", 4, "--no-png", "--workers", 1)
    with monkeypatch.context() as patched:
        _stop_at(patched, 2)
        assert _run(tmp_path / "one", *args, "--seed", 5) == 130
    assert _run(tmp_path / "one", *args, "--seed", 6) == 0
    assert _run(tmp_path / "two", *args, "--seed", 6) == 0
    assert _visible(tmp_path / "one") == _visible(tmp_path / "two")


def test_the_files_are_the_same_whatever_the_number_of_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(collection, "STRETCH", 2)
    args = ("--count", 5, "--size", 32, "--contrast", 0.03)
    assert _run(tmp_path / "one", *args, "--workers", 1) == 0
    assert _run(tmp_path / "two", *args, "--workers", 2) == 0
    assert _visible(tmp_path / "one") == _visible(tmp_path / "two")
    dots = _rows(tmp_path / "two" / "dots.csv.gz")
    assert [int(plate) for plate in dict.fromkeys(dot["plate"] for dot in dots)] == list(range(5))


@pytest.mark.parametrize(
    "more",
    [
        (),
        pytest.param(("--axis", "tritan", "--contrast", 0.06), marks=pytest.mark.slow),
        pytest.param(("--contrast", 0), marks=pytest.mark.slow),
        pytest.param(("--axis", "protan"), marks=pytest.mark.slow),
    ],
)
def test_the_table_of_dots_alone_redraws_the_picture(tmp_path, more):
    colour_science = pytest.importorskip("colour")
    """Independent reading: Pillow's ellipses, 24 × supersampled, averaged as light."""
    size, fine = 96, 24
    assert _run(tmp_path, "--count", 1, "--size", size, *more) == 0
    for row in _rows(tmp_path / "plates.csv"):
        big = Image.new("RGB", (size * fine, size * fine), PlateSpec().ground_srgb)
        draw = ImageDraw.Draw(big)
        for dot in _rows(tmp_path / "dots.csv.gz"):
            if dot["plate"] == row["plate"]:
                x, y, r = (float(dot[key]) for key in ("x", "y", "radius"))
                box = [(x - r + 1), (1 - y - r), (x + r + 1), (1 - y + r)]
                colour = tuple(int(dot[key]) for key in ("red", "green", "blue"))
                left, top, right, low = (v / 2 * size * fine for v in box)
                draw.ellipse((left, top, right - 1, low - 1), fill=colour)
        # One row of the plate's pixels after the other: all at once would take .5 GB.
        rows = np.asarray(big).reshape(size, fine, size, fine, 3)
        light = [colour_science.models.eotf_sRGB(row / 255).mean(axis=(0, 2)) for row in rows]
        drawn = colour_science.models.eotf_inverse_sRGB(np.array(light)) * 255
        with Image.open(tmp_path / row["file"]) as picture:
            apart = np.abs(np.asarray(picture) - drawn)
        assert apart.max() <= 16
        assert apart.mean() <= 1.5

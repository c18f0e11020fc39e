import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from torchvision.models import ResNet18_Weights
from torchvision.transforms import InterpolationMode, functional

from stimuli.errors import UserError
from xai_backend.metrics.localisation import cropped
from xai_backend.models.frame import (
    InputFrame,
    Normalise,
    cut_line,
    photos_in,
    read_photo,
    seen_line,
    upright,
)
from xai_backend.models.image_model import as_images


def photo(width, height, seed=0):
    codes = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(codes)


@pytest.mark.parametrize("size", [(320, 240), (241, 333), (500, 256), (97, 64)])
def test_the_frame_is_torchvision_s_preset(size):
    preset = ResNet18_Weights.IMAGENET1K_V1.transforms()
    codes = InputFrame().codes(photo(*size))
    assert codes.shape == (224, 224, 3)
    normalise = Normalise(tuple(preset.mean), tuple(preset.std))
    ours = normalise(as_images(torch.from_numpy(codes.copy())[None]))[0]
    assert (ours - preset(photo(*size))).abs().max() <= 1e-5


@given(
    width=st.integers(1, 70),
    height=st.integers(1, 70),
    resize_px=st.integers(1, 60),
    crop_px=st.integers(1, 60),
    interpolation=st.sampled_from(["bilinear", "bicubic", "lanczos"]),
    mode=st.sampled_from(["RGB", "L", "F"]),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_any_frame_is_torchvision_s_to_the_pixel(
    width, height, resize_px, crop_px, interpolation, mode
):
    one = photo(width, height).convert(mode)
    if max(one.size) * resize_px > 600 * min(one.size):
        return  # a strip, enlarged to thousands of pixels
    shrunk = functional.resize(one, [resize_px], InterpolationMode(interpolation))
    expected = functional.center_crop(shrunk, [crop_px, crop_px])
    found = InputFrame(resize_px, crop_px, interpolation).picture(one)
    assert found.mode == mode
    assert np.array_equal(np.asarray(found), np.asarray(expected))


SIZES = [(57, 40), (31, 70), (48, 48), (9, 12)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("resize_px", [24, 31])
def test_a_squashed_picture_loses_its_proportions_and_what_torchvision_cuts(size, resize_px):
    whole = functional.resize(photo(*size), [resize_px, resize_px])
    found = InputFrame(resize_px, 24, fit="squash").picture(photo(*size))
    assert np.array_equal(np.asarray(found), np.asarray(functional.center_crop(whole, [24, 24])))


@pytest.mark.parametrize("size", SIZES)
def test_a_padded_picture_is_whole_and_in_the_middle_of_its_border(size):
    frame = InputFrame(24, 24, fit="pad", border=(10, 20, 30))
    found = frame.codes(photo(*size))
    left, top, right, lower = frame.placed(size).visible(24)
    whole = photo(*size).resize((right - left, lower - top), Image.Resampling.BILINEAR)
    assert max(right - left, lower - top) == 24
    assert abs(left - (24 - right)) <= 1
    assert abs(top - (24 - lower)) <= 1
    assert np.array_equal(found[top:lower, left:right], np.asarray(whole))
    border = np.ones((24, 24), bool)
    border[top:lower, left:right] = False
    assert (found[border] == frame.border).all()
    assert frame.cut_share(size) == 0
    # A map has no colour, and nothing is relevant in the border.
    assert not np.asarray(frame.picture(photo(*size).convert("F")))[border].any()


def test_an_odd_number_of_pixels_is_cut_as_the_library_rounds():
    for odd_px, start in (("even", 4), ("down", 3)):
        codes = np.asarray(photo(31, 24))
        found = InputFrame(24, 24, odd_px=odd_px).codes(photo(31, 24))
        assert np.array_equal(found, codes[:, start : start + 24])


FRAMES = [
    InputFrame(30, 24),
    InputFrame(20, 24),
    InputFrame(24, 24, fit="squash"),
    InputFrame(30, 24, fit="squash"),
    InputFrame(24, 24, fit="pad"),
    InputFrame(30, 24, fit="pad"),
]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("size", [(120, 80), (60, 150), (90, 90)])
def test_a_place_on_the_photograph_is_found_again_in_its_frame(frame, size):
    """A white box, framed, is where `cropped` says; the map's peak is on it in the overlay."""
    width, height = size
    box = (0.4 * width, 0.45 * height, 0.6 * width, 0.7 * height)
    drawn = Image.new("L", size)
    drawn.paste(255, tuple(map(round, box)))
    shown = np.asarray(frame.picture(drawn), dtype=np.float32)
    rows, columns = np.nonzero(shown > 127)
    left, top, right, lower = cropped(box, size, frame)
    seen = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
    assert np.abs(np.subtract(seen, (left, top, right, lower))).max() <= 1
    # Looked at, the picture has the photograph's proportions again.
    map_in_frame = np.repeat(shown[..., None].astype(np.uint8), 3, axis=2)
    upright_map, upright_picture = (upright(one, frame, size) for one in (shown, map_in_frame))
    assert upright_map.shape == upright_picture.shape[:2]
    rows, columns = np.nonzero(upright_map > 127)
    ratio = (np.ptp(columns) + 1) / (np.ptp(rows) + 1)
    assert ratio == pytest.approx(0.2 * width / (0.25 * height), rel=0.3)
    assert frame.cut_share(size) == pytest.approx(_cut_share(frame, size), abs=0.05)


def _cut_share(frame, size):
    """The share of a photograph's pixels that can't change what the network sees."""
    width, height = size
    x = Image.fromarray(np.tile(np.arange(width, dtype=np.float32), (height, 1)))
    y = Image.fromarray(np.tile(np.arange(height, dtype=np.float32)[:, None], (1, width)))
    left, top, right, lower = frame.placed(size).visible(frame.crop_px)
    across, down = (np.asarray(frame.picture(one))[top:lower, left:right] for one in (x, y))
    sides = [
        (np.ptp(one) + np.ptp(one) / (n - 1))
        for one, n in ((across, right - left), (down, lower - top))
    ]
    return 1 - sides[0] * sides[1] / (width * height)


CENTRE = "and the central 224 × 224 px are cut out. "


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (InputFrame(), f"to 256 px, {CENTRE}52% of their area is cut off, 62% of one at most"),
        (InputFrame(224, 224), f"the shorter side is resized to 224 px, {CENTRE}37% of their area"),
        (InputFrame(224, 224, fit="squash"), "squashed to 224 × 224 px. Nothing is cut off"),
        (InputFrame(256, 224, fit="squash"), f"squashed to 256 × 256 px, {CENTRE}23% "),
        (InputFrame(224, 224, fit="pad"), "the longer side is resized to 224 px, and a border"),
    ],
)
def test_what_is_cut_off_is_said(frame, said):
    line = seen_line("net", frame, [(400, 300), (200, 400)])
    assert line.startswith("what net sees of photographs: ")
    assert said in line
    assert (cut_line("net", frame, [(400, 300)]) is None) == ("Nothing" in line)


def test_photos_are_turned_the_way_the_camera_says(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    photo(40, 20).save(tmp_path / "a.jpg", exif=exif)
    assert read_photo(tmp_path / "a.jpg").size == (20, 40)


@pytest.mark.parametrize("mode", ["L", "P", "RGBA", "LA", "1"])
def test_photos_of_any_mode_become_rgb(tmp_path, mode):
    photo(30, 30).convert(mode).save(tmp_path / "a.png")
    assert read_photo(tmp_path / "a.png").mode == "RGB"


def test_what_is_no_picture_is_one_line(tmp_path):
    whole = tmp_path / "whole.jpg"
    photo(60, 60).save(whole)
    wrong = {
        "text.jpg": b"this is a letter",
        "empty.png": b"",
        "torn.jpg": whole.read_bytes()[: whole.stat().st_size // 2],
    }
    for name, data in wrong.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(UserError, match=name) as line:
            read_photo(tmp_path / name)
        assert "\n" not in str(line.value)
    with pytest.raises(UserError, match=r"none.png: can't be read"):
        read_photo(tmp_path / "none.png")


def test_a_folder_s_photos_come_by_name_and_other_files_stay_out(tmp_path):
    for name in ("b.JPG", "a.png", ".hidden.png", "notes.txt", "c.jpeg"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "folder.png").mkdir()
    assert [path.name for path in photos_in(tmp_path)] == ["a.png", "b.JPG", "c.jpeg"]
    (tmp_path / "A.gif").write_bytes(b"x")
    with pytest.raises(UserError, match=r"A.gif and a.png would share one name"):
        photos_in(tmp_path)

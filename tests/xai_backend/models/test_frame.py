import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from torchvision.models import ResNet18_Weights
from torchvision.transforms import InterpolationMode, functional

from stimuli.errors import UserError
from xai_backend.models.frame import InputFrame, Normalise, photos_in, read_photo
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
    interpolation=st.sampled_from(["bilinear", "bicubic"]),
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


def test_a_patch_blackened_before_or_after_normalising_is_the_same():
    normalise = Normalise((0.5, 0.4, 0.3), (0.2, 0.2, 0.1))
    images = torch.rand(1, 3, 8, 8)
    black = images.clone()
    black[..., 2:5, 3:6] = 0
    after = normalise(images)
    after[..., 2:5, 3:6] = normalise(torch.zeros(1, 3, 1, 1))
    assert torch.equal(normalise(black), after)


def test_impossible_frames_are_refused():
    with pytest.raises(ValueError, match="impossible"):
        InputFrame(resize_px=0)
    with pytest.raises(ValueError, match="not bilinear or bicubic"):
        InputFrame(interpolation="nearest")


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


def test_a_folder_without_photos_is_one_line(tmp_path):
    with pytest.raises(UserError, match="contains no image"):
        photos_in(tmp_path)
    with pytest.raises(UserError, match="is no folder"):
        photos_in(tmp_path / "none")

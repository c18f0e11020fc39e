"""Image files of any depth as 8-bit RGB."""

import io

import numpy as np
import pytest
from PIL import Image

from stimuli.errors import UserError
from stimuli.images.pictures import pixels_of, read_rgb

RAMP = np.linspace(0, 65535, 256).reshape(16, 16)


def file_of(image, kind, **options):
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    stream.seek(0)
    return stream


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "PPM"])
def test_grey_of_16_bits_is_scaled_to_8(kind):
    image = Image.fromarray(RAMP.astype(np.uint16))
    read = np.asarray(read_rgb(file_of(image, kind)))
    expected = np.rint(RAMP / 257)
    assert (read == expected[:, :, None]).all()


@pytest.mark.parametrize("values", [RAMP.astype(np.float32), RAMP.astype(np.int32)])
def test_values_without_a_stated_range_are_refused(values):
    with pytest.raises(ValueError, match="32 bits"):
        read_rgb(file_of(Image.fromarray(values), "TIFF"))


def test_a_photograph_is_turned_the_way_its_camera_says():
    photo = Image.new("RGB", (8, 4))
    turned = Image.Exif()
    turned[0x0112] = 6
    assert read_rgb(file_of(photo, "JPEG", exif=turned)).size == (4, 8)


def test_a_picture_that_would_fill_the_memory_is_refused(monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    bomb = file_of(Image.new("L", (100, 100)), "PNG").read()
    with pytest.raises(UserError, match="is not an image"):
        pixels_of(bomb, "pack")

"""Image files of any depth as 8-bit RGB."""

import io
import struct
import zlib

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


@pytest.mark.parametrize("factor", [1, 2])
def test_a_picture_that_would_fill_the_memory_is_refused(monkeypatch, factor):
    """Beyond Pillow's limit, and beyond twice the limit."""
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 3_000_000)
    bomb = file_of(Image.new("L", (2000, 2000 * factor)), "PNG")
    with pytest.raises(ValueError, match="has more than 3 million pixels; make it smaller"):
        read_rgb(bomb)
    with pytest.raises(UserError, match="is not an image"):
        pixels_of(bomb.getvalue(), "pack")


def of_12_bits(bands):
    """Return a PNG of 16 bits whose values are a sensor's of 12; Pillow writes no such colours."""
    codes = np.linspace(0, 4095, 64 * bands).reshape(8, 8, bands).astype(">u2")
    lines = b"".join(b"\0" + row.tobytes() for row in codes)
    head = struct.pack(">IIBBBBB", 8, 8, 16, 0 if bands == 1 else 2, 0, 0, 0)

    def chunk(kind, data):
        whole = kind + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return io.BytesIO(b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts))


def of_frames(kind):
    frames = [Image.new("RGB", (8, 8), (shade, 0, 0)) for shade in (0, 200)]
    return file_of(frames[0], kind, save_all=True, append_images=frames[1:])


def of_alpha(lowest):
    image = Image.new("RGBA", (8, 8), (9, 9, 9, 255))
    image.putpixel((3, 3), (255, 0, 0, lowest))
    return file_of(image, "PNG")


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: of_12_bits(1), "nearly black: of its 16 bits only 12"),
        (lambda: of_12_bits(3), "nearly black: of its 16 bits only 12"),
        (lambda: of_frames("GIF"), "has 2 frames"),
        (lambda: of_frames("TIFF"), "has 2 frames"),
        (lambda: of_alpha(254), "has transparent pixels"),
        (lambda: file_of(Image.new("L", (1, 1)), "PNG"), "is 1 × 1 pixels"),
        (lambda: file_of(Image.new("L", (3000, 2)), "PNG"), "is 3000 × 2 pixels, more a line"),
    ],
)
def test_a_picture_that_can_be_shown_in_several_ways_is_refused(make, why):
    with pytest.raises(ValueError, match=why):
        read_rgb(make())


def test_opaque_pictures_and_a_cameras_own_are_read():
    assert read_rgb(of_alpha(255)).getpixel((3, 3)) == (255, 0, 0)
    assert read_rgb(of_frames("MPO")).size == (8, 8)
    assert read_rgb(file_of(Image.new("I;16", (8, 8)), "PNG")).getextrema()[0] == (0, 0)

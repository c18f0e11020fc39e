import numpy as np
import pytest
from PIL import Image
from safetensors.numpy import save_file

from stimuli.errors import UserError
from stimuli.maps.map_set import MapRecord, MapSet, write_map_set
from xai_backend.methods.human import Human, read_human_maps, read_maps
from xai_backend.models.frame import InputFrame

FRAME = InputFrame(resize_px=32, crop_px=24)


def record(name, item, solver):
    return MapRecord(name, item, "expert", solver, "painting", None, None, "3", None, 4.0, "people")


def test_png_and_npy_maps_are_read_by_stem(tmp_path):
    counts = np.arange(32 * 48, dtype=np.uint8).reshape(32, 48)
    Image.fromarray(counts).save(tmp_path / "cat.png")
    np.save(tmp_path / "dog.npy", counts.astype(np.float64) - 5)
    human = read_human_maps(tmp_path)
    assert np.array_equal(human.maps["cat"], counts)
    assert human.maps["dog"].dtype == np.float32
    assert human.maps["dog"].min() == 0


def test_sixteen_bit_png_keeps_its_counts(tmp_path):
    counts = np.zeros((16, 16), dtype=np.uint16)
    counts[3, 5] = 40000
    Image.fromarray(counts).save(tmp_path / "a.png")
    assert read_human_maps(tmp_path).maps["a"].max() == 40000


def test_a_map_is_framed_as_its_photo_is():
    """A map that is the photo's own red channel stays its red channel in the frame."""
    at = np.linspace(0, 255, 96)
    smooth = ((at[None, :] + at[:64, None]) / 2).astype(np.uint8)
    photo = Image.fromarray(np.repeat(smooth[..., None], 3, axis=2))
    maps = Human({"a": smooth.astype(np.float32)}).explain(["a"], [(96, 64)], FRAME)
    assert maps.shape == (1, 24, 24)
    assert abs(maps[0].numpy() - FRAME.codes(photo)[..., 0]).max() <= 1.5


def test_experts_maps_of_an_item_are_averaged(tmp_path):
    one = np.zeros((16, 16), dtype=np.float32)
    one[0] = 4
    other = np.zeros((16, 16), dtype=np.float32)
    other[:, 0] = 1
    records = (record("m1", "plate", "E1"), record("m2", "plate", "E2"))
    write_map_set(tmp_path, MapSet(records, {"m1": one, "m2": other}))
    mean = read_human_maps(tmp_path).maps["plate"]
    assert mean[0, 0] == 1
    assert mean[0, 3] == mean[3, 0] == 0.5
    assert mean[4, 4] == 0


def test_what_can_t_be_is_one_line(tmp_path):
    with pytest.raises(UserError, match="contains neither a map set nor"):
        read_human_maps(tmp_path)
    with pytest.raises(UserError, match="is no folder of maps"):
        read_human_maps(tmp_path / "none")
    np.save(tmp_path / "a.npy", np.zeros((3, 4, 5)))
    with pytest.raises(UserError, match="not one number a pixel"):
        read_human_maps(tmp_path)
    np.save(tmp_path / "a.npy", np.full((16, 16), np.nan))
    with pytest.raises(UserError, match=r"numbers (is|are) (NaN|infinite)"):
        read_human_maps(tmp_path)
    np.save(tmp_path / "a.npy", np.ones((7, 7)))
    with pytest.raises(UserError, match="is 7×7 px; maps need at least 16"):
        read_human_maps(tmp_path)
    np.save(tmp_path / "a.npy", np.array([[{}]]), allow_pickle=True)
    with pytest.raises(UserError, match=r"a.npy: is not a readable map"):
        read_human_maps(tmp_path)
    np.save(tmp_path / "a.npy", np.ones((20, 30)))
    Image.new("L", (30, 20)).save(tmp_path / "a.png")
    with pytest.raises(UserError, match="two maps of a"):
        read_human_maps(tmp_path)
    (tmp_path / "a.png").unlink()
    human = read_human_maps(tmp_path)
    with pytest.raises(UserError, match=r"b: there is no map of this image; add b\.png"):
        human.explain(["b"], [(30, 20)], FRAME)
    with pytest.raises(UserError, match="not the same proportions"):
        human.explain(["a"], [(30, 30)], FRAME)


def test_maps_of_another_program_keep_their_sign(tmp_path):
    values = np.linspace(-1, 1, 400, dtype=np.float32).reshape(20, 20)
    np.save(tmp_path / "a.npy", values)
    save_file({"b": values, "c": -values}, tmp_path / "maps.safetensors")
    read = read_maps(tmp_path)
    assert set(read.maps) == {"a", "b", "c"}
    assert np.array_equal(read.maps["b"], values)
    assert np.array_equal(read_human_maps(tmp_path).maps["c"], np.maximum(-values, 0))

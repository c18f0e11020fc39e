import numpy as np
import pytest
from safetensors.numpy import save

from stimuli.errors import UserError
from stimuli.maps.map_set import MapRecord, MapSet, map_set_from_bytes, read_map_set, write_map_set


def record(name: str, **changes) -> MapRecord:
    values = {
        "map": name, "item": "i1", "source": "expert", "solver_id": "e1", "method": "painting",
        "axis": "deutan", "rung": 8, "answer": "3", "confidence": None, "rt_s": 2.5,
        "origin": "people",
    }  # fmt: skip
    return MapRecord(**{**values, **changes})


@pytest.fixture
def map_set():
    rng = np.random.Generator(np.random.PCG64(1))
    maps = {name: rng.random((16, 24), dtype=np.float32) for name in ("m1", "m2")}
    silent = record("m3", answer="no_solution", rt_s=None, axis=None, rung=None)
    return MapSet((record("m1"), record("m2"), silent), maps)


def test_a_map_set_reads_back_bit_for_bit(tmp_path, map_set):
    write_map_set(tmp_path, map_set)
    again = read_map_set(tmp_path)
    assert again.records == map_set.records
    assert {n: m.tobytes() for n, m in again.maps.items()} == {
        n: m.tobytes() for n, m in map_set.maps.items()
    }


def test_its_bytes_do_not_depend_on_the_order_of_the_maps(map_set):
    turned = MapSet(map_set.records, dict(reversed(map_set.maps.items())))
    assert turned.files() == map_set.files()


@pytest.mark.parametrize(
    ("records", "maps", "word"),
    [
        ([record("m1"), record("m1")], {}, "twice"),
        ([record("m1")], {"m2": np.zeros((2, 2), np.float32)}, "no row"),
        ([record("m1")], {"m1": np.zeros((2, 2), np.float64)}, "float32"),
        ([record("m1")], {"m1": np.zeros((2,), np.float32)}, "float32"),
        ([record("m1")], {"m1": np.zeros((0, 0), np.float32)}, "is empty"),
        ([record("m1")], {"m1": np.ones((1, 1), np.float32)}, "is 1×1 px.* at least 16 px a side"),
    ],
)
def test_a_map_set_that_disagrees_with_itself_is_refused(records, maps, word):
    files = MapSet(tuple(records), maps).files()
    with pytest.raises(UserError, match=word):
        map_set_from_bytes(files["maps.csv"], files["maps.safetensors"], "here")


def test_a_folder_without_maps_and_torn_tensors_are_told(tmp_path, map_set):
    with pytest.raises(UserError, match="not a map set"):
        read_map_set(tmp_path)
    write_map_set(tmp_path, map_set)
    whole = (tmp_path / "maps.safetensors").read_bytes()
    (tmp_path / "maps.safetensors").write_bytes(whole[:-5])
    with pytest.raises(UserError, match=r"maps\.safetensors"):
        read_map_set(tmp_path)


def test_its_version_stands_with_the_tensors(map_set):
    """None, a newer one and another artefact's are one line."""
    files = map_set.files()
    tensors = {name: map_set.maps[name] for name in sorted(map_set.maps)}
    assert files["maps.safetensors"] == save(tensors, metadata={"schema": "mapset/1.0"})
    with pytest.raises(UserError, match="schema is None"):
        map_set_from_bytes(files["maps.csv"], save(tensors), "here")
    for tag, message in (
        ("mapset/1.2", r"here: maps\.safetensors: written by a newer version \(mapset/1\.2\)"),
        ("pack/1.0", "schema is 'pack/1.0', not 'mapset/1.0'"),
    ):
        with pytest.raises(UserError, match=message):
            map_set_from_bytes(files["maps.csv"], save(tensors, metadata={"schema": tag}), "here")

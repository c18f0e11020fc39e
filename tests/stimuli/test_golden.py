"""Artefacts of every released schema stay readable, and are still written the same way."""

from pathlib import Path

import numpy as np

from stimuli.maps import MapRecord, MapSet, read_map_set
from stimuli.pack import open_pack

GOLDEN = Path(__file__).parents[1] / "golden"


def test_pack_1_0_reads():
    pack = open_pack(GOLDEN / "pack-1.0")
    assert pack.pack_id == "8baf84e4d68ee156e6c151e32f34a689"
    assert pack.asset("items.csv").startswith(b"presentation,")
    assert pack.protocol.study == "accept_reject"


def map_set_1_0() -> MapSet:
    drawn = np.arange(12, dtype=np.float32).reshape(3, 4) / 8
    expert = MapRecord("m1", "i1", "expert", "e1", "painting", "deutan", 8, "3", None, 2.5)
    silent = MapRecord("m2", "i2", "model", None, None, None, None, "no_solution", 0.5, None)
    return MapSet((expert, silent), {"m1": drawn})


def test_map_set_1_0_reads_and_is_written_the_same():
    golden = read_map_set(GOLDEN / "mapset-1.0")
    assert golden.records == map_set_1_0().records
    assert golden.maps["m1"].tolist() == map_set_1_0().maps["m1"].tolist()
    for name, data in map_set_1_0().files().items():
        assert (GOLDEN / "mapset-1.0" / name).read_bytes() == data

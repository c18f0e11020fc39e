import os
import signal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.errors import UserError
from xai_backend.methods.lrp import Lrp
from xai_backend.methods.occlusion import Occlusion
from xai_backend.store import TensorStore, logits_key, map_key


def tensors(*keys):
    return {key: np.full((4, 5), int(key[1:]), dtype=np.float32) for key in keys}


@settings(deadline=None, max_examples=15)
@given(st.lists(st.lists(st.integers(0, 30), min_size=1, unique=True), max_size=5))
def test_what_was_put_can_be_got_and_nothing_else(tmp_path_factory, parts):
    folder = tmp_path_factory.mktemp("store")
    store, put = TensorStore(folder), {}
    for part in parts:
        some = tensors(*(f"k{n}" for n in part))
        store.put(some, {})
        put |= some
    wanted = [f"k{n}" for n in range(31)]
    for reader in (store, TensorStore(folder)):
        assert reader.missing(wanted) == [key for key in wanted if key not in put]
        held = reader.get(sorted(put))
        assert all(np.array_equal(held[key], put[key]) for key in put)
        assert all(held[key].dtype == np.float32 for key in put)
        reader.close()


@pytest.mark.parametrize("damage", ["gone", "garbage", "empty"])
def test_the_index_is_made_anew_from_the_shards(tmp_path, damage):
    store = TensorStore(tmp_path)
    store.put(tensors("k1", "k2"), {"machine": "this"})
    store.put(tensors("k3"), {})
    store.close()
    index = tmp_path / "index.sqlite"
    index.unlink() if damage == "gone" else index.write_bytes(b"x" * 9000 * (damage == "garbage"))
    again = TensorStore(tmp_path)
    assert again.missing(["k1", "k2", "k3", "k4"]) == ["k4"]
    assert again.get(["k2"])["k2"][0, 0] == 2


def test_torn_files_are_ignored_and_shards_that_vanished_are_forgotten(tmp_path):
    store = TensorStore(tmp_path)
    store.put(tensors("k1"), {})
    (shard,) = (tmp_path / "shards").iterdir()
    store.put(tensors("k2"), {})
    store.close()
    (tmp_path / "shards" / f"{'a' * 40}.safetensors").write_bytes(shard.read_bytes()[:60])
    (tmp_path / "shards" / ".half-x.part").write_bytes(b"half")
    shard.unlink()
    assert TensorStore(tmp_path).missing(["k1", "k2"]) == ["k1"]


def test_a_flipped_bit_is_noticed(tmp_path):
    store = TensorStore(tmp_path)
    store.put(tensors("k1"), {})
    (shard,) = (tmp_path / "shards").iterdir()
    data = bytearray(shard.read_bytes())
    data[-1] ^= 1
    shard.write_bytes(bytes(data))
    with pytest.raises(UserError, match=f"{shard.name}: was damaged"):
        store.get(["k1"])


def write_on(folder, pipe):
    """Keep one tensor after the other, each announced by a line, until killed."""
    store, number = TensorStore(folder), 0
    while True:
        if store.missing([f"k{number}"]):
            store.put({f"k{number}": np.full((60, 60), number, dtype=np.float32)}, {})
            os.write(pipe, f"{number}\n".encode())
        number += 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
def test_killed_in_mid_write_it_loses_nothing_that_was_finished(tmp_path):
    finished = -1
    for announced in (1, 2, 4, 7):
        read, write = os.pipe()
        if not (child := os.fork()):
            write_on(tmp_path, write)
        os.close(write)
        with os.fdopen(read) as lines:
            printed = [int(lines.readline()) for _ in range(announced)]
            os.kill(child, signal.SIGKILL)
            printed += map(int, lines)
        os.waitpid(child, 0)
        # The last may have been kept without having been announced.
        assert printed[0] in (finished + 1, finished + 2)
        finished = printed[-1]
        keys = [f"k{n}" for n in range(finished + 1)]
        store = TensorStore(tmp_path)
        held = store.get(keys)
        assert [int(held[key][7, 7]) for key in keys] == list(range(finished + 1))
        store.close()


def test_keys_hang_on_all_that_determines_a_map():
    picture = np.zeros((8, 8, 3), dtype=np.uint8)
    other = picture.copy()
    other[0, 0, 0] = 1
    keys = [
        map_key(Occlusion(8, 4), "w", picture, 1),
        map_key(Occlusion(8, 2), "w", picture, 1),
        map_key(Occlusion(8, 4), "v", picture, 1),
        map_key(Occlusion(8, 4), "w", other, 1),
        map_key(Occlusion(8, 4), "w", picture.reshape(4, 16, 3), 1),
        map_key(Occlusion(8, 4), "w", picture, 2),
        map_key(Lrp(), "w", picture, 1),
        logits_key("w", picture),
    ]
    assert len(set(keys)) == len(keys)
    assert map_key(Occlusion(8, 4), "w", picture.copy(), 1) == keys[0]


@pytest.mark.skipif(os.name != "posix", reason="a writer's lock is of POSIX")
def test_what_a_killed_writer_left_is_removed_and_what_is_being_written_stays(tmp_path):
    import fcntl

    TensorStore(tmp_path).close()
    left, written = (tmp_path / "shards" / f".{name}-.part" for name in ("left", "written"))
    for path in (left, written):
        path.write_bytes(b"half")
    with written.open("rb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        TensorStore(tmp_path).close()
        assert (left.exists(), written.exists()) == (False, True)

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.io.canonical import canonical_json, file_sha256, hash_of, keyed_order, seed_of

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)  # fmt: skip


@given(JSON_VALUES)
def test_canonical_json_reads_back_as_the_same_value(value):
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(st.text(), st.integers(), max_size=8))
def test_hash_does_not_depend_on_the_order_of_keys(table):
    assert hash_of(table) == hash_of(dict(reversed(table.items())))


def test_nan_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        canonical_json({"x": float("nan")})


def test_file_hash_is_the_hash_of_its_bytes(tmp_path):
    data = bytes(range(256)) * 9000  # more than one chunk
    (tmp_path / "f").write_bytes(data)
    assert file_sha256(tmp_path / "f") == hashlib.sha256(data).hexdigest()


@given(st.lists(st.integers(), unique=True))
def test_keyed_order_is_a_permutation_that_ignores_the_given_order(values):
    assert keyed_order(values, "key") == keyed_order(values[::-1], "key")
    assert sorted(keyed_order(values, "key")) == sorted(values)


def test_seeds_differ_by_key_and_fit_63_bits():
    seeds = {seed_of("plate", k) for k in range(1000)}
    assert len(seeds) == 1000
    assert all(0 <= seed < 2**63 for seed in seeds)

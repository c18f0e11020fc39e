import pytest

from stimuli.errors import UserError
from stimuli.versions import Schema

SCHEMA = Schema("thing", (lambda d: {**d, "a": 1}, lambda d: {**d, "b": d["a"] + 1}))


def test_an_older_minor_version_is_read_by_its_steps():
    assert SCHEMA.upgrade({"schema": "thing/1.0"}, "f") == {"schema": "thing/1.2", "a": 1, "b": 2}
    assert SCHEMA.upgrade({"schema": "thing/1.1", "a": 5}, "f")["b"] == 6


def test_the_present_version_is_left_as_it_is():
    assert SCHEMA.upgrade({"schema": "thing/1.2", "x": 0}, "f") == {"schema": "thing/1.2", "x": 0}


@pytest.mark.parametrize(
    ("tag", "word"),
    [
        ("thing/1.3", "newer"),
        ("thing/2.0", "newer"),
        ("other/2.0", "right file"),
        (None, "right file"),
        ("thing/x.y", "right file"),
    ],
)
def test_a_foreign_version_is_one_line_that_names_the_file(tag, word):
    with pytest.raises(UserError, match=word) as caught:
        SCHEMA.upgrade({"schema": tag}, "pack.json")
    assert "pack.json" in str(caught.value)
    assert "\n" not in str(caught.value)

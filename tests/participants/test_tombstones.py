import pytest

from participants.dataset.custody import Roll
from participants.tombstones import add_tombstones, read_tombstones
from stimuli.errors import UserError

EARLY, LATE = "2026-01-01T00:00:00.000000Z", "2026-02-01T00:00:00.000000Z"


def test_a_folder_without_tombstones_is_not_made_for_them(data):
    add_tombstones(data, {})
    assert not data.root.exists()
    assert read_tombstones(data) == {}


def test_tombstones_add_up_and_the_earlier_date_of_a_code_stays(data):
    add_tombstones(data, {"CDF34HK": LATE})
    add_tombstones(data, {"CDF34HK": EARLY, "GHK56MN": LATE})
    add_tombstones(data, {"CDF34HK": LATE})
    assert read_tombstones(data) == {"CDF34HK": EARLY, "GHK56MN": LATE}
    assert Roll.without_registry(data).gone([]) == {"CDF34HK", "GHK56MN"}
    assert data.tombstones.read_text() == (f"code,withdrawn_utc\nCDF34HK,{EARLY}\nGHK56MN,{LATE}\n")


def test_a_damaged_file_is_said_and_never_taken_for_an_empty_one(data):
    add_tombstones(data, {"CDF34HK": EARLY})
    data.tombstones.write_text("code\nCDF34HK\n")
    with pytest.raises(UserError, match="column missing: withdrawn_utc"):
        Roll.of(data)

"""Tables of progressive_reveal of every released version stay readable."""

import json
from pathlib import Path

from participants.dataset.table_files import read_table, schema_of, write_table
from participants.folder import DataFolder

GOLDEN = Path(__file__).parents[3] / "golden"
STUDY = "progressive_reveal"

NAMED = {
    "participant": "CDF34HK", "session": "20260102T090000Z-CDF34HK-abcd", "purpose": "main",
    "rig": "rig-1", "trial": 3, "item": "bear-2", "condition": "lrp", "rt_s": 21.512346,
    "onset_s": 104.25, "shown_s": None, "frames_planned": None, "frames_dropped": 1,
    "pack_id": "0123456789abcdef0123456789abcdef", "protocol_hash": "f" * 64,
    "repeat_of": None, "counts": True, "presentation": "p0119e426820a", "list": "l07",
    "sitting": 1, "position": 1, "class": "bear", "method": "lrp", "recognised": True,
    "step": 6, "pixels": 2622, "step_first_key": 5, "pixels_first_key": 2185,
    "image_pixels": 65536, "final_pixels": 6553, "attempts": 2, "answers": "Hund|Bär",
    "first_attempt_right": False, "censored": False, "left": False, "model_correct": True,
    "typing_s": 0.21875, "guess_rate": 0.0625, "robot": None,
}  # fmt: skip
LEFT = NAMED | {
    "trial": 4, "position": 2, "item": "cat-1", "class": "cat", "condition": "human",
    "method": "human", "rt_s": None, "recognised": False, "step": 2, "pixels": 500,
    "step_first_key": 2, "pixels_first_key": 500, "final_pixels": 3750, "attempts": 0,
    "answers": None, "censored": True, "left": True, "model_correct": None, "typing_s": None,
    "purpose": "robot", "robot": "viewer",
}  # fmt: skip
LEFT_OUT = {"20260101T090000Z-GHK56MN-abcd": "sessions/…/journal.jsonl, line 7: was changed"}
ITEM = {
    "item": "bear-2", "class": "bear", "method": "lrp", "use": "main", "model_class": "bear",
    "model_correct": True, "target_probability": 0.875, "final_pixels": 6553,
    "image_pixels": 65536, "ran_out": False, "human_correlation": 0.25,
}  # fmt: skip
HUMAN = ITEM | {
    "method": "human", "model_class": None, "model_correct": None, "target_probability": None,
    "final_pixels": 3750, "human_correlation": None,
}  # fmt: skip
CURVE = {
    "item": "bear-2", "method": "lrp", "step": 1, "pixels": 437, "human_correlation": -0.125,
    "object_share": None,
}  # fmt: skip

PERSON = {
    "participant": "CDF34HK", "session": "20260102T090000Z-CDF34HK-abcd", "purpose": "main",
    "rig": "rig-1", "pack_id": "0123456789abcdef0123456789abcdef", "list": "l07",
    "language": "de", "complete": True, "visits": 3, "rounds": 102, "recognised": 85, "left": 1,
    "typing_s": 0.21875, "gender": "woman", "age": "25_34", "field": "skip",
    "machine_learning": "heard", "robot": None,
}  # fmt: skip
SOMEBODY = PERSON | {
    "complete": False, "visits": 1, "rounds": 34, "recognised": 20, "left": 0, "typing_s": None,
    "gender": None, "age": None, "field": None, "machine_learning": None, "robot": "viewer",
}  # fmt: skip


SINCE_1_1 = dict.fromkeys(("catch", "keystrokes", "table_walk", "map_origin"))
OF_ITEMS_SINCE_1_1 = dict.fromkeys(("map_origin", "map_origin_note"))
ROUNDS = [
    NAMED | {"catch": None, "keystrokes": 7, "table_walk": 1, "map_origin": "network"},
    LEFT | {"catch": "hidden", "keystrokes": 0, "table_walk": 0, "map_origin": "response_model"},
]
SHOWN = [row | {"shown_s": shown_s} for row, shown_s in zip(ROUNDS, (21.9, 5.0167), strict=True)]
ITEMS = [
    ITEM | {"map_origin": "network", "map_origin_note": "resnet50"},
    HUMAN | {"map_origin": "people", "map_origin_note": None},
]


def write_golden(root: Path) -> None:
    data = DataFolder(root)
    write_table(data, STUDY, "trials", SHOWN, LEFT_OUT)
    write_table(data, STUDY, "items", ITEMS)
    write_table(data, STUDY, "curves", [CURVE])
    write_table(data, STUDY, "people", [PERSON, SOMEBODY])


def test_tables_of_version_1_0_of_the_study_read():
    data = DataFolder(GOLDEN / "progressive_reveal-1.0")
    assert read_table(data, STUDY, "trials") == [row | SINCE_1_1 for row in (NAMED, LEFT)]
    assert read_table(data, STUDY, "items") == [row | OF_ITEMS_SINCE_1_1 for row in (ITEM, HUMAN)]
    assert read_table(data, STUDY, "curves") == [CURVE]
    assert read_table(data, STUDY, "people") == [PERSON, SOMEBODY]


def test_tables_with_catch_rounds_and_origins_read():
    data = DataFolder(GOLDEN / "progressive_reveal-1.1")
    assert read_table(data, STUDY, "trials") == ROUNDS
    assert read_table(data, STUDY, "items") == ITEMS


def test_trials_with_durations_read():
    assert read_table(DataFolder(GOLDEN / "progressive_reveal-1.2"), STUDY, "trials") == SHOWN


def test_tables_are_still_written_the_same(tmp_path):
    """A table that comes out otherwise is another version, with a golden one of its own."""
    write_golden(tmp_path)
    golden = GOLDEN / "progressive_reveal-1.2" / "tables"
    for name, tag, schema in (
        ("trials", "trials/1.4", schema_of(STUDY, "trials")),
        ("items", "items/1.2", schema_of(STUDY, "items")),
        ("curves", "curves/1.0", schema_of(STUDY, "curves")),
        ("people", "people/1.0", schema_of(STUDY, "people")),
    ):
        written = (tmp_path / "tables" / f"{name}.csv").read_bytes()
        assert written == (golden / f"{name}.csv").read_bytes()
        described = json.loads((golden / f"{name}.json").read_text(encoding="utf-8"))
        assert described["schema"] == tag
        assert tuple(described["columns"]) == schema.names

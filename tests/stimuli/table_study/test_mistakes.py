"""A mistake in a table or in study.toml is one line that names its place."""

import pytest

from stimuli.catalogue import OUTSIDE
from stimuli.errors import UserError
from stimuli.protocol import load_protocol
from stimuli.study import rules_as_pack
from tests.stimuli.table_study.tables_at_hand import DESIGN, OTHER, TABLE, write_study

ROW = "a,main,Dog or wolf?,a.png,dog,wolf,map,x"
IN_THE_TABLE = (
    (
        "row 4, column right: 'wolff' is not one of the answers dog, wolf; did you mean 'wolf'?",
        ROW,
        ROW.replace("png,dog", "png,wolff"),
    ),
    ("row 4, column advice: 'cat' is not one of the answers", ROW, ROW.replace(",wolf,", ",cat,")),
    (
        "row 4, column help: 'mpa' is no level of the factor: none, map; did you mean map?",
        ROW,
        ROW.replace("map", "mpa"),
    ),
    ("row 4, column help: is empty; a main item needs a level", ROW, ROW.replace("map", "")),
    ("row 4, column phase: 'mian' is not practice, main, catch", ROW, ROW.replace("main", "mian")),
    (
        "row 4, column picture: pictures/aa.png is missing; did you mean a.png?",
        ROW,
        ROW.replace("a.png", "aa.png"),
    ),
    (
        "row 4, column picture: '../a.png' leads out of the folder pictures",
        ROW,
        ROW.replace("a.png", "../a.png"),
    ),
    (
        "row 4, column picture: 'Grad CAM' is no name of a method; write METHOD:FILE",
        ROW,
        ROW.replace("a.png", "Grad CAM:a.png"),
    ),
    (
        "row 4, column picture: pictures/items.csv is missing",
        ROW,
        ROW.replace("a.png", "items.csv"),
    ),
    (
        "row 4, column text: is empty, and so are picture, left_picture, right_picture",
        ROW,
        ROW.replace("Dog or wolf?,a.png", ","),
    ),
    (
        "row 4, column item: a stands in row 3 with the same levels",
        ROW,
        ROW.replace("map", "none"),
    ),
    (
        "row 7, column right: is empty; a catch item needs its right answer",
        "Press dog.,,dog",
        "Press dog.,,",
    ),
    ("row 4: not as many cells as the header has", ROW, f"{ROW},y"),
    ("the header names column item twice", "item,phase", "item,item"),
    ("items.csv: column rigth is unknown; did you mean right?", "advice,help", "rigth,help"),
    (
        "items.csv: column colour is unknown; name it under [factors] or in other_columns",
        "note\n",
        "colour\n",
    ),
    (
        "items.csv: column help is missing; study.toml names it as a factor",
        "help,note",
        "note,text",
    ),
    ("items.csv: column answers: study.toml has answers for all items", "question", "answers"),
    ("items.csv: has no main items", "main", "practice"),
    (
        "items.csv: b has 1 of 2 versions; write a line for each",
        "b,main,Dog or wolf?,b.png,wolf,wolf,map,x\n",
        "",
    ),
    (
        "items.csv: has 0 catch items; session.catch_right wants 1 right",
        "c1,catch,Press dog.,,dog,dog,,x\n",
        "",
    ),
)
IN_THE_FILE = (
    (
        "trial: give answers or a scale, not both",
        "[advice]",
        'scale = { steps = 7, low = "a", high = "b" }\n[advice]',
    ),
    ("trial: keys must differ: f, f", 'ratings = ["sure"]', 'keys = ["f", "f"]'),
    (
        "trial: 3 different answers are needed, one a key: dog, wolf",
        'ratings = ["sure"]',
        'keys = ["f", "g", "j"]',
    ),
    (
        "study.toml: advice.key: must be a key that is the same",
        'when = "after_answer"',
        'when = "after_answer"\nkey = "zz"',
    ),
    ("study.toml: session.lists: must be 1 or more (given: 0)", "lists = 4", "lists = 0"),
    ("factors.help.levels: must have 2 or more entries, and has 1", '["none", "map"]', '["map"]'),
    ("study.toml: title: is missing", "title", "untitled"),
    ("trial.limit: unknown key; did you mean limit_s?", 'ratings = ["sure"]', "limit = 3.0"),
    (
        "advice.when: 'later' is not with_item, after_answer or on_key, nor a factor with these",
        "after_answer",
        "later",
    ),
    (
        "advice.when: 'help' is not with_item, after_answer or on_key, nor a factor with these",
        "after_answer",
        "help",
    ),
    ("tests: test 1: hlep is no factor; known: help", 'factor = "help"', 'factor = "hlep"'),
    (
        "tests: test 1: help has no level maps; it has none, map",
        '["map", "none"]\n',
        '["maps", "none"]\n',
    ),
    (
        "tests: test 1: levels: two different levels of help are needed",
        '["map", "none"]\n',
        '["map", "map"]\n',
    ),
    (
        "tests: test 1: rating needs a scale, or a question of trial.ratings",
        '"accuracy"',
        '"rating"',
    ),
    (
        "tests: test 1: over_reliance needs a factor and two of its levels",
        '"accuracy"\nfactor = "help"\nlevels = ["map", "none"]',
        '"over_reliance"',
    ),
    (
        "session.blocks: size is no factor that varies within people",
        "catch_right = 1",
        'blocks = "size"',
    ),
    (
        "factors: 'Help me': use small letters, digits and _",
        "[factors.help]",
        '[factors."Help me"]',
    ),
    (
        "items.csv: column help: no main item has the level both",
        '["none", "map"]',
        '["none", "map", "both"]',
    ),
    (
        "items.csv: test 1 of study.toml, choice: no answer is or stands for 'cat'; known: dog, ",
        '"accuracy"',
        '"choice"\nanswer = "cat"',
    ),
    ("session.lists of study.toml must be a multiple of 2, not 3", "lists = 4", "lists = 3"),
    ("trial: typed: give no answers and no scale", 'ratings = ["sure"]', "typed = true"),
    (
        "trial: device: answers are typed on the keyboard, not on the mouse",
        'answers = ["dog", "wolf"]',
        'typed = true\ndevice = "mouse"',
    ),
    (
        "tests: test 1: typed answers can be compared by a factor: in accuracy, time and ratings",
        'answers = ["dog", "wolf"]\nratings = ["sure"]\n\n[advice]\nwhen = "after_answer"\n',
        'typed = true\n[advice]\nwhen = "after_answer"\n[[tests]]\nmeasure = "accuracy"\n',
    ),
    (
        "advice.when: on_key can't be where answers are typed",
        'answers = ["dog", "wolf"]\nratings = ["sure"]\n\n[advice]\nwhen = "after_answer"',
        'typed = true\n[advice]\nwhen = "on_key"',
    ),
    ("advice.key: f also chooses an answer", 'when = "after_answer"', 'when = "on_key"\nkey = "f"'),
)


def refusal(folder, monkeypatch, design, table):
    study = write_study(folder, OTHER + design, table)
    monkeypatch.setenv(OUTSIDE, str(study))
    with pytest.raises(UserError) as refused:
        rules_as_pack(load_protocol("wolves"))
    said = str(refused.value)
    assert "\n" not in said
    assert said.startswith(str(study))
    return said


def test_the_study_itself_is_fine(tmp_path, monkeypatch):
    monkeypatch.setenv(OUTSIDE, str(write_study(tmp_path)))
    assert rules_as_pack(load_protocol("wolves")).asset("items.csv").count(b"\n") == 7


@pytest.mark.parametrize(("said", "old", "new"), IN_THE_TABLE)
def test_a_mistake_in_the_table_is_named_with_its_line(tmp_path, monkeypatch, said, old, new):
    assert old in TABLE
    assert said in refusal(tmp_path, monkeypatch, DESIGN, TABLE.replace(old, new))


@pytest.mark.parametrize(("said", "old", "new"), IN_THE_FILE)
def test_a_mistake_in_the_file_is_named_with_its_key(tmp_path, monkeypatch, said, old, new):
    assert old in DESIGN
    assert said in refusal(tmp_path, monkeypatch, DESIGN.replace(old, new), TABLE)


def test_an_item_that_lacks_the_line_of_an_arm_is_named(tmp_path, monkeypatch):
    design = OTHER + DESIGN.replace('["none", "map"]', '["none", "map"]\nvary = "between"', 1)
    table = TABLE.replace("b,main,Dog or wolf?,b.png,wolf,wolf,map,x\n", "")
    monkeypatch.setenv(OUTSIDE, str(write_study(tmp_path, design, table)))
    with pytest.raises(UserError, match="column help: b has no line with map, and a has one for"):
        rules_as_pack(load_protocol("wolves"))
    # Items of their own in each arm are no mistake.
    own = table.replace("a,main,Dog or wolf?,a.png,dog,wolf,none,x\n", "")
    (tmp_path / "wolves" / "items.csv").write_text(own, encoding="utf-8")
    assert rules_as_pack(load_protocol("wolves"))

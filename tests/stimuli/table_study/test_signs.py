"""What a study from a table shows is checked before it is sealed, wherever it is written."""

import pytest

from stimuli.catalogue import OUTSIDE
from stimuli.protocol import load_protocol
from stimuli.study import rules_as_pack, unshowable
from tests.stimuli.table_study.tables_at_hand import DESIGN, OTHER, TABLE, write_study

ANSWERS = 'answers = ["dog", "wolf"]'
RULES = OTHER + DESIGN
RATING = RULES.replace(ANSWERS, 'scale = { steps = 5, low = "not", high = "very@" }')
RATING = RATING.replace("catch_right = 1", "catch_right = 0").replace("accuracy", "rating")
UNRATED = "item,picture,advice_text,help,note\na,a.png,see,none,x\na,a.png,see,map,x\n"
TYPED = RULES.replace(ANSWERS, "typed = true")
WORDS = TABLE.replace("a.png", "words").replace("picture", "text")
TOLD = TABLE.replace("advice", "advice_text")


@pytest.mark.parametrize(
    ("design", "table"),
    [
        (RULES, TABLE.replace("Dog or wolf?", "Dog or wolf@?")),
        (RULES, WORDS.replace("b.png", "words@")),
        (RULES, TOLD.replace("wolf,map", "wolf@,map")),
        (RULES.replace('"wolf"', '"wolf@"'), TABLE.replace("wolf,", "wolf@,")),
        (TYPED, TABLE.replace("wolf,wolf", "wolf@,wolf@")),
        (RATING, UNRATED),
    ],
)
@pytest.mark.parametrize("sign", ["好", "✅"])
def test_a_sign_that_no_screen_shows_is_named(tmp_path, monkeypatch, design, table, sign):
    folder = write_study(tmp_path, design.replace("@", sign), table.replace("@", sign))
    monkeypatch.setenv(OUTSIDE, str(folder))
    told = unshowable(rules_as_pack(load_protocol("wolves")))
    assert f"the items: DejaVu Sans has no sign {sign!r}, as in " in told

"""A lab's own texts are refused where screens can't set them, by the text's name."""

import pytest

from experiments.screens.library import Library
from stimuli.errors import UserError
from tests.fonts import made_font


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Read 漢.", "text consent (en): the typeface DejaVu Sans has no sign '漢'"),
        ("שלום 好", "text consent (en): a text from right to left can't have signs of other fonts"),
        ("ภาษา", "text consent (en): the script Thai has no blanks between words"),
    ],
)
def test_a_text_that_no_screen_sets_is_refused(tmp_path, text, why):
    own = tmp_path / "human_ai_team" / "en" / "consent.md"
    own.parent.mkdir(parents=True)
    own.write_text(f"---\nversion: 1\n---\n{text}\n", encoding="utf-8")
    font = made_font("好", tmp_path / "han.ttf").read_bytes()
    with pytest.raises(UserError) as refused:
        Library("human_ai_team", "en", tmp_path, (font,)).text("consent", {})
    assert str(refused.value).startswith(why)

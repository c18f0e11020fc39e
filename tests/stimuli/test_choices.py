"""The files of a pack that follow from a study's own items."""

from types import SimpleNamespace

import pytest

from stimuli.choices import ChoiceItem, choice_files, item_table
from stimuli.errors import UserError


@pytest.mark.parametrize("picture", ["../../secret.png", "/secret.png", "linked.png"])
def test_a_picture_outside_the_studys_folder_is_refused(picture, tmp_path):
    (tmp_path / "secret.png").write_bytes(b"secret")
    pictures = tmp_path / "study" / "pictures"
    pictures.mkdir(parents=True)
    (pictures / "linked.png").symlink_to(tmp_path / "secret.png")
    rules = SimpleNamespace(items=(ChoiceItem(answers=("a", "b"), picture=picture),), lists=1)
    with pytest.raises(UserError, match=r"leads out of this folder|is a link"):
        choice_files(rules, item_table(), 1, pictures.parent)

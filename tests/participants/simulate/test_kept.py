"""One simulation a folder."""

import pytest

from participants.folder import DataFolder
from participants.simulate.run import alone
from stimuli.errors import UserError


def test_two_simulations_do_not_write_to_one_folder_at_once(tmp_path):
    folder, again, other = (DataFolder(tmp_path / name) for name in ("a", "b/../a", "other"))
    with alone(folder):
        with pytest.raises(UserError, match="another simulation writes here"), alone(again):
            pass
        with alone(other):
            pass
    with alone(again):
        pass
    assert list(tmp_path.iterdir()) == []

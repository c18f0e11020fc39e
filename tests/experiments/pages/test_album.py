"""Pictures of screens, which may show what a participant reads and answers."""

from types import SimpleNamespace

import numpy as np

from experiments.pages.context import Album
from tests.modes import modes_below


def test_pictures_are_private(tmp_path):
    stage = SimpleNamespace(pixels_of=lambda picture: np.zeros((2, 2, 3), np.uint8))
    album = Album(tmp_path / "shots")
    for name in ("consent", "trial", "consent"):
        album.keep(name, stage, None)
    assert sorted(path.name for path in tmp_path.glob("*/*")) == ["01-consent.png", "02-trial.png"]
    assert modes_below(tmp_path / "shots") == {"folders": {0o700}, "files": {0o600}}

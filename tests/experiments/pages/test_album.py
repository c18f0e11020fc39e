"""Pictures of screens, which may show what a participant reads and answers."""

from types import SimpleNamespace

import numpy as np

from experiments.pages.context import Album
from experiments.session.pictures import _numbered_anew
from tests.modes import modes_below


def test_pictures_are_private(tmp_path):
    stage = SimpleNamespace(pixels_of=lambda picture: np.zeros((2, 2, 3), np.uint8))
    album = Album(tmp_path / "shots")
    for name in ("consent", "trial", "consent"):
        album.keep(name, stage, None)
    assert sorted(path.name for path in tmp_path.glob("*/*")) == [
        "001-consent.png",
        "002-trial.png",
    ]
    assert modes_below(tmp_path / "shots") == {"folders": {0o700}, "files": {0o600}}


def test_more_than_99_pictures_keep_the_order_in_which_they_were_shown(tmp_path):
    stage = SimpleNamespace(pixels_of=lambda picture: np.zeros((2, 2, 3), np.uint8))
    album = Album(tmp_path)
    names = [f"screen-{at}" for at in range(101)]
    for name in names:
        album.keep(name, stage, None)
    kept = [path.stem.partition("-")[2] for path in _numbered_anew(tmp_path)]
    assert kept == names

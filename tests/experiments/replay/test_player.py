"""The reel, its film and its window, on pictures made up; real sessions are in ``windows``."""

import random

import cv2
import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from experiments.cli import main
from experiments.replay.reel import Reel, clock, write_film
from participants.folder import LabFolder

SIZE_PX = (160, 90)
PICTURES = 12


@pytest.fixture(scope="module")
def app():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QT_QPA_PLATFORM", "offscreen")
        return QApplication.instance() or QApplication([])


@pytest.fixture
def reel(tmp_path):
    """Grey pictures for whole milliseconds each, the last until the end."""
    made, at_ms = Reel(tmp_path), 0
    for number in range(PICTURES):
        made.add(at_ms / 1000, np.full((*SIZE_PX[::-1], 3), 20 * number, np.uint8))
        at_ms += random.randint(5, 400)
    made.tell(0.0, "#1")
    return made, at_ms / 1000


def test_a_picture_that_stays_is_no_new_one_and_a_delay_moves_those_after_it(reel):
    made, _ = reel
    times = [shot.t_s for shot in made.shots]
    made.add(times[-1] + 1, np.full((*SIZE_PX[::-1], 3), 20 * (PICTURES - 1), np.uint8))
    made.delay(5, 0.25)
    assert [shot.t_s for shot in made.shots] == [*times[:5], *(t_s + 0.25 for t_s in times[5:])]


def test_a_film_has_each_picture_at_its_millisecond(reel, tmp_path):
    """Read back by another library: a picture's grey tells which it is."""
    made, ends_s = reel
    write_film(list(made.moments(ends_s)), tmp_path / "film.webm")
    film, came = cv2.VideoCapture(str(tmp_path / "film.webm")), {}
    while film.grab():
        _, frame = film.retrieve()
        grey = round(float(frame[: SIZE_PX[1] - 8].mean()) / 20)
        came.setdefault(grey, film.get(cv2.CAP_PROP_POS_MSEC))
    told = {number: shot.t_s * 1000 for number, shot in enumerate(made.shots)}
    assert came == pytest.approx(told, abs=0.51)


def test_the_window_plays_pauses_and_steps_by_keys(app, reel):
    from experiments.replay.player import Player

    made, ends_s = reel
    moments = list(made.moments(ends_s))
    player = Player(moments)
    player.show()
    assert player.screen().availableGeometry().contains(player.rect())
    for key, shown in ((Qt.Key.Key_Right, 1), (Qt.Key.Key_Right, 2), (Qt.Key.Key_Left, 1)):
        QTest.keyClick(player, key)
        assert (player.slider.value(), player.playing) == (shown, False)
    QTest.keyClick(player, Qt.Key.Key_Space)
    assert player.playing
    QTest.keyClick(player, Qt.Key.Key_Space)
    assert not player.playing
    player.slider.setValue(len(moments) - 1)
    QTest.keyClick(player, Qt.Key.Key_Right)
    assert player.slider.value() == len(moments) - 1
    player.close()


@pytest.mark.parametrize(
    ("t_s", "told"), [(0.0, "00:00.000"), (61.0004, "01:01.000"), (3599.9996, "60:00.000")]
)
def test_a_time_is_written_in_minutes_seconds_and_milliseconds(t_s, told):
    assert clock(t_s) == told


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("nobody",), "type `participants show CODE`"),
        (("nobody", "--trials", "8-3"), "name the first and the last"),
        (("nobody", "--trials", "some"), "name the first and the last"),
        (("../elsewhere",), "elsewhere"),
    ],
)
def test_what_cannot_be_shown_again_is_refused_in_one_line(tmp_path, words, why, capsys):
    lab = LabFolder.make(tmp_path / "lab")
    assert main(["replay", *words, "--lab", str(lab.root)]) == 2
    line = capsys.readouterr().err
    assert why in line
    assert line.count("\n") == 1

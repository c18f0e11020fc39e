"""A window that plays a replay: to and fro, at its pace or picture by picture."""

import sys
from bisect import bisect_right
from collections.abc import Sequence

from PyQt6.QtCore import QElapsedTimer, QSize, Qt, QTimer
from PyQt6.QtGui import QCloseEvent, QImage, QKeyEvent, QPixmap, QResizeEvent
from PyQt6.QtWidgets import QApplication, QLabel, QPushButton, QSlider, QVBoxLayout, QWidget

from experiments.engine.display import require_display
from experiments.replay.reel import Moment, with_strip

STEP_MS = 8
"""How often the player looks which picture is due."""
PLAY, PAUSE = "▶", "❚❚"
USUAL_SIZE, SHARE = QSize(1180, 760), 0.9
"""Of the window; on a small screen it has this share of each side, since a frame lies around it."""


class Player(QWidget):
    """Shows the moments of a replay.

    Space plays and pauses; the arrow keys lead to the picture before and after.

    Parameters
    ----------
    moments
        What it shows, in order.
    """

    def __init__(self, moments: Sequence[Moment]) -> None:
        super().__init__()
        self._moments = moments
        self._starts_s = [moment.t_s for moment in moments]
        self._shown = -1
        self._since, self._from_s = QElapsedTimer(), self._starts_s[0]
        self.picture, self.slider, self.button = (
            QLabel(),
            QSlider(Qt.Orientation.Horizontal),
            QPushButton(PLAY),
        )
        self.picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.picture.setMinimumSize(640, 360)
        self.slider.setRange(0, len(moments) - 1)
        for part in (self.slider, self.button):
            part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout = QVBoxLayout(self)
        layout.addWidget(self.picture, 1)
        layout.addWidget(self.slider)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        self.slider.valueChanged.connect(self._show)
        self.slider.sliderPressed.connect(self.pause)
        self.button.clicked.connect(self.toggle)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)
        self.setWindowTitle("Plainsight")
        if (screen := self.screen()) is not None:
            self.resize(USUAL_SIZE.boundedTo(screen.availableSize() * SHARE))
        self._show(0)

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._timer.isActive()

    def toggle(self) -> None:
        """Play, or pause."""
        if self.playing:
            self.pause()
            return
        if self._shown == len(self._moments) - 1:
            self.slider.setValue(0)
        self._from_s = self._starts_s[self._shown]
        self._since.start()
        self._timer.start(STEP_MS)
        self.button.setText(PAUSE)

    def pause(self) -> None:
        """Stay at this picture."""
        self._timer.stop()
        self.button.setText(PLAY)

    def step(self, pictures: int) -> None:
        """Go so many pictures on, or back."""
        self.pause()
        self.slider.setValue(self._shown + pictures)

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:  # noqa: N802
        """Play, pause or step by keys."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if a0 is not None and a0.key() == Qt.Key.Key_Space:
            self.toggle()
        elif a0 is not None and a0.key() in steps:
            self.step(steps[Qt.Key(a0.key())])
        else:
            super().keyPressEvent(a0)

    def resizeEvent(self, a0: QResizeEvent | None) -> None:  # noqa: N802
        """Let the picture fit."""
        super().resizeEvent(a0)
        self._draw()

    def closeEvent(self, a0: QCloseEvent | None) -> None:  # noqa: N802
        """Stop playing."""
        self.pause()
        super().closeEvent(a0)

    def _go_on(self) -> None:
        now_s = self._from_s + self._since.elapsed() / 1000
        self.slider.setValue(bisect_right(self._starts_s, now_s) - 1)
        if now_s >= self._moments[-1].until_s:
            self.pause()

    def _show(self, number: int) -> None:
        self._shown = number
        self._draw()

    def _draw(self) -> None:
        picture = with_strip(self._moments[self._shown])
        width, height = picture.size
        image = QImage(picture.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888)
        keep, smooth = (
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        self.picture.setPixmap(QPixmap.fromImage(image).scaled(self.picture.size(), keep, smooth))


def play(moments: Sequence[Moment]) -> None:
    """Open the player, and return once it is closed."""
    require_display()
    application = QApplication.instance() or QApplication(sys.argv[:1])
    player = Player(moments)
    player.show()
    player.toggle()
    application.exec()

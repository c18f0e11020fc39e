"""The bar above the pages: the three steps, the PC, the day and the other language."""

from PyQt6.QtWidgets import QFrame, QHBoxLayout

from experiments.launch.gui.look import Look, button, label, set_property
from participants.texts.rig import RigWords

STEPS = ("who", "ready", "after")


class Bar(QFrame):
    """Shows which step is the present one; its buttons are connected by the window."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("bar")
        self._title, self._rig = label(name="title"), label(name="quiet")
        self._steps = [label(name="step") for _ in STEPS]
        self.language, self.today = button(), button()
        row = QHBoxLayout(self)
        row.setContentsMargins(look.px(16), look.px(8), look.px(16), look.px(8))
        row.setSpacing(look.px(22))
        for part in (self._title, *self._steps, self._rig):
            part.setWordWrap(False)
        row.addWidget(self._title)
        for step in self._steps:
            row.addWidget(step)
        row.addStretch(1)
        for last in (self._rig, self.today, self.language):
            row.addWidget(last)

    def show_step(self, page: int) -> None:
        """Mark the step of a page; the page of the day is none, and needs no button to it."""
        for at, step in enumerate(self._steps):
            set_property(step, "here", at == page)
        self.today.setVisible(page < len(self._steps))

    def name_of(self, page: int, words: RigWords) -> str:
        """Return a page's name in one line."""
        name = self._steps[page].text() if page < len(self._steps) else words["today"]
        return " ".join(name.split())

    def retranslate(self, words: RigWords, rig: str) -> None:
        """Show all words anew; `rig` names this PC."""
        self._title.setText(words["title"])
        self._rig.setText(words.filled("rig", rig=rig))
        self.language.setText(words["other_language"])
        self.today.setText(words["show_today"])
        for step, name in zip(self._steps, STEPS, strict=True):
            step.setText(words[f"step_{name}"])

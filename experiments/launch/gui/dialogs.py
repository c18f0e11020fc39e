"""Two dialogs: enrolling somebody, and withdrawing somebody's data."""

from PyQt6 import QtWidgets
from PyQt6.QtCore import Qt

from experiments.launch.gui.look import CONTROL, Look, button, filled, label
from experiments.launch.packs import CANDIDATE, Enrolment
from participants.enrolment import LEAD
from participants.new_person import NewPerson
from participants.texts.rig import RigWords
from participants.texts.translation import translated_in


class EnrolDialog(QtWidgets.QDialog):
    """Asks for the role, purpose and place that somebody is enrolled with."""

    def __init__(
        self,
        parent: QtWidgets.QWidget,
        look: Look,
        can: Enrolment,
        words: RigWords,
        *,
        screens: bool,
    ) -> None:
        super().__init__(parent)
        self._can = can
        self.setWindowTitle(words["enrol_title"])
        self.setMinimumWidth(look.px(520))
        self.role, self.purpose, self.place = (
            QtWidgets.QComboBox(),
            QtWidgets.QComboBox(),
            QtWidgets.QComboBox(),
        )
        for role in can.roles:
            name = "candidate" if screens and role == CANDIDATE else role
            self.role.addItem(words[f"role_{name}"])
        for purpose in can.purposes:
            self.purpose.addItem(words[f"purpose_{purpose}"])
        for axis, rung in can.places:
            self.place.addItem(f"{axis} {rung}")
        # Nobody has an axis and a rung by default: both are of a screening, and are chosen.
        self.place.setPlaceholderText(words["enrol_place_choose"])
        self.place.setCurrentIndex(-1)
        form = QtWidgets.QFormLayout()
        form.setSpacing(look.px(10))
        fields = {"role": self.role, "purpose": self.purpose, "place": self.place}
        for name, field in fields.items():
            form.addRow(words[f"enrol_{name}"], field)
            if (beside := form.labelForField(field)) is not None:
                # As high as the field that it names, so that both are on one line.
                beside.setMinimumHeight(look.px(CONTROL))
        self.enrol = button("primary")
        self.enrol.setText(words["enrol_do"])
        parts = (label(words["enrol_about"]), form, _buttons(self, self.enrol, words))
        layout = QtWidgets.QVBoxLayout(self)
        filled(layout, *parts, margin_px=look.px(20), between_px=look.px(14))
        self.enrol.clicked.connect(self.accept)
        self.role.currentIndexChanged.connect(lambda _: self._show_place(form))
        self.place.currentIndexChanged.connect(lambda _: self._show_place(form))
        self._show_place(form)

    @property
    def chosen(self) -> NewPerson:
        """What was chosen."""
        role = self._can.roles[self.role.currentIndex()]
        purpose = self._can.purposes[self.purpose.currentIndex()]
        if role != LEAD or not self._can.places:
            return NewPerson(role, purpose=purpose)
        axis, rung = self._can.places[self.place.currentIndex()]
        return NewPerson(role, axis, rung, purpose)

    def _show_place(self, form: QtWidgets.QFormLayout) -> None:
        role = self._can.roles[self.role.currentIndex()]
        asked = role == LEAD and bool(self._can.places)
        form.setRowVisible(self.place, asked)
        self.enrol.setEnabled(not asked or self.place.currentIndex() >= 0)


class WithdrawDialog(QtWidgets.QDialog):
    """Shows what is stored about a person, and asks for the code before it is removed."""

    def __init__(
        self, parent: QtWidgets.QWidget, look: Look, code: str, preview: str, words: RigWords
    ) -> None:
        super().__init__(parent)
        self._code = code
        self.setWindowTitle(words.filled("withdraw_title", code=code))
        self.resize(look.px(820), look.px(460))
        lines = (translated_in(line, words) for line in preview.splitlines())
        self.preview = QtWidgets.QPlainTextEdit("\n".join(lines))
        self.preview.setReadOnly(True)
        self.preview.setTabChangesFocus(True)
        self.typed, asked = QtWidgets.QLineEdit(), label(words.filled("withdraw_code", code=code))
        self.typed.setObjectName("code")
        asked.setBuddy(self.typed)
        self.remove = button("danger")
        self.remove.setText(words["withdraw_do"])
        self.remove.setEnabled(False)
        filled(
            QtWidgets.QVBoxLayout(self),
            label(words["withdraw_about"], "heading"),
            (self.preview, 1),
            filled(QtWidgets.QHBoxLayout(), (asked, 2), (self.typed, 1)),
            _buttons(self, self.remove, words),
            margin_px=look.px(20),
            between_px=look.px(12),
        )
        self.typed.textChanged.connect(self._compare)
        self.remove.clicked.connect(self.accept)
        self.typed.setFocus()

    def _compare(self, typed: str) -> None:
        self.remove.setEnabled(typed.strip().upper() == self._code)


def _buttons(
    dialog: QtWidgets.QDialog, does: QtWidgets.QPushButton, words: RigWords
) -> QtWidgets.QHBoxLayout:
    cancel = button()
    cancel.setText(words["cancel"])
    cancel.setAutoDefault(False)
    # A bar-code reader sends Enter at the end: Enter must do nothing here.
    does.setAutoDefault(False)
    cancel.clicked.connect(dialog.reject)
    aside = (cancel, 0, Qt.AlignmentFlag.AlignRight)
    return filled(QtWidgets.QHBoxLayout(), 1, aside, does)

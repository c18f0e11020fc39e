"""The first page: which study, and who."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from PyQt6 import QtWidgets
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFontDatabase

from experiments.launch.gui.code_field import CodeField
from experiments.launch.gui.look import (
    LEFT,
    SIGNS,
    Look,
    Message,
    Rows,
    Say,
    button,
    card,
    filled,
    label,
)
from experiments.launch.packs import Candidate, FoundPack, HowFar
from participants.command_line import local_minute, whole_minute_from
from participants.texts.rig import RigWords
from participants.texts.translation import translated_in


class StudyPage(QtWidgets.QWidget):
    """Shows the packs and the people who may come; emits the code that was chosen."""

    asked = pyqtSignal(str)
    """Emitted with the code that was typed, scanned or picked."""
    pack_chosen = pyqtSignal()
    enrol_asked = pyqtSignal()
    look_asked = pyqtSignal()

    def __init__(self, look: Look, rig: str) -> None:
        super().__init__()
        self._rig = rig
        self._code_font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        self._code_font.setPixelSize(look.px(16))
        self._packs: tuple[FoundPack, ...] = ()
        self._people: tuple[Candidate, ...] = ()
        self.packs, self.people, self.code = (
            QtWidgets.QListWidget(),
            _table(look),
            CodeField(),
        )
        self.code.setObjectName("code")
        self.code.setMaxLength(12)
        self.packs.setWordWrap(True)
        self.packs.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._texts = {name: label(name=name) for name in ("heading", "heading2", "no_packs")}
        self._texts["heading2"].setObjectName("heading")
        self._texts["no_packs"].setObjectName("quiet")
        self._code_label, self._people_label = label(), label()
        self._texts["heading"].setBuddy(self.packs)
        self._code_label.setBuddy(self.code)
        self._people_label.setBuddy(self.people)
        self.words, self._nobody = Message(), label(name="quiet")
        self.enrol, self.look_again, self.next = button(), button(), button("primary")
        self._lay_out(look)
        self.packs.currentItemChanged.connect(self._choose)
        # A scan comes after a click; who chooses by arrow keys stays in the list.
        self.packs.clicked.connect(lambda _: self.code.setFocus())
        self.people.itemActivated.connect(self._pick)
        self.people.chosen.connect(self._copy)
        self.code.returnPressed.connect(self._ask)
        self.next.clicked.connect(self._ask)
        self.enrol.clicked.connect(self.enrol_asked)
        self.look_again.clicked.connect(self.look_asked)

    def _lay_out(self, look: Look) -> None:
        left = card(
            look,
            self._texts["heading"],
            self._texts["no_packs"],
            (self.packs, 1),
            0,
            (self.look_again, 0, LEFT),
        )
        right = card(
            look,
            self._texts["heading2"],
            self._code_label,
            filled(QtWidgets.QHBoxLayout(), (self.code, 1), self.next),
            self.words,
            self._people_label,
            self._nobody,
            (self.people, 1),
            0,
            (self.enrol, 0, LEFT),
        )
        columns, wide_px = QtWidgets.QHBoxLayout(self), look.px(16)
        filled(columns, (left, 2), (right, 3), margin_px=wide_px, between_px=wide_px)
        self.setTabOrder(self.packs, self.code)
        self.setTabOrder(self.code, self.next)
        self.setTabOrder(self.next, self.people)
        self.setTabOrder(self.people, self.enrol)
        self.setTabOrder(self.enrol, self.look_again)

    @property
    def pack(self) -> FoundPack | None:
        """The chosen pack."""
        row = self.packs.currentRow()
        return self._packs[row] if 0 <= row < len(self._packs) else None

    def show_packs(self, packs: Sequence[FoundPack], folder: Path, words: RigWords) -> None:
        """Show the packs; select the one selected before, or the only one."""
        before, self._packs = self.pack, tuple(packs)
        self.packs.blockSignals(True)
        self.packs.clear()
        for pack in packs:
            self.packs.addItem(_pack_item(pack, words))
        only = 0 if len(packs) == 1 else -1
        same = (at for at, pack in enumerate(packs) if before and pack.folder == before.folder)
        self.packs.setCurrentRow(next(same, only))
        self.packs.blockSignals(False)
        self._texts["no_packs"].setText(words.filled("no_packs", folder=str(folder)))
        self._texts["no_packs"].setVisible(not packs)
        self.packs.setVisible(bool(packs))
        self.enrol.setEnabled(self.pack is not None and not self.pack.refusal)

    def show_how_far(self, by_folder: Mapping[Path, HowFar], words: RigWords) -> None:
        """Tell of each pack how many people completed it, of how many; who is full, in colour."""
        for row, pack in enumerate(self._packs):
            item, far = self.packs.item(row), by_folder.get(pack.folder)
            if item is None or far is None:
                continue
            name = "without_plan" if far.planned is None else "full" if far.is_full else "of_plan"
            count = words.filled(name, complete=str(far.complete), planned=str(far.planned))
            item.setText(f"{_pack_item(pack, words).text()}, {count}")
            if far.is_full:
                item.setForeground(QColor(SIGNS["warn"][1]))

    def show_people(self, people: Sequence[Candidate], words: RigWords) -> None:
        """Show the people who may come; whose code is entered stays chosen."""
        self._people = tuple(people)
        self.people.blockSignals(True)
        self.people.clear()
        for person in people:
            item = QtWidgets.QTreeWidgetItem(self._cells(person, words))
            item.setFont(0, self._code_font)
            self.people.addTopLevelItem(item)
            if person.code == self.code.text():
                self.people.setCurrentItem(item)
        self.people.blockSignals(False)
        for column in range(self.people.columnCount()):
            self.people.resizeColumnToContents(column)
        self._show_nobody(words)
        self.people.setVisible(bool(people))
        self._people_label.setVisible(bool(people))

    def _show_nobody(self, words: RigWords) -> None:
        """Say why nobody is shown; a pack that can't be used says why itself."""
        chosen = self.pack
        self._nobody.setText(words["choose_study" if chosen is None else "nobody"])
        usable = chosen is None or not chosen.refusal
        self._nobody.setVisible(bool(self._packs) and not self._people and usable)

    def retranslate(self, words: RigWords) -> None:
        """Show all words in another language."""
        self.words.retranslate(words)
        self._texts["heading"].setText(words["study"])
        self._texts["heading2"].setText(words["person"])
        self._code_label.setText(words["code"])
        self._people_label.setText(words["people"])
        self.enrol.setText(words["enrol"])
        self.look_again.setText(words["look_again"])
        self.next.setText(words["next"])

    def show_code(self, code: str) -> None:
        """Show a person's code; the next scan replaces it."""
        self.code.setText(code)
        self.code.selectAll()

    def refuse(self, say: Say) -> None:
        """Show why the code is refused; the next scan replaces the code."""
        self.words.tell(say, "fail")
        self.wait_for_scan()

    def wait_for_scan(self) -> None:
        """Give the code the keyboard; the next scan replaces what is there."""
        self.code.setFocus()
        self.code.selectAll()

    def begin_again(self) -> None:
        """Wait for the next code."""
        self.code.clear()
        self.code.setFocus()

    def _cells(self, candidate: Candidate, words: RigWords) -> list[str]:
        time = whole_minute_from(candidate.from_utc) if candidate.when == "later" else ""
        if candidate.when == "overdue" and candidate.until_utc:
            time = local_minute(candidate.until_utc)
        purpose = "" if candidate.purpose == "main" else candidate.purpose
        rig = (
            words.filled("on_rig", rig=candidate.rig)
            if candidate.rig not in ("", self._rig)
            else ""
        )
        return [candidate.code, words.filled(f"when_{candidate.when}", time=time), purpose, rig]

    def _choose(self, item: QtWidgets.QListWidgetItem | None) -> None:
        """Choose a pack; one that got the keyboard by Tab is highlighted too."""
        if item is not None:
            item.setSelected(True)
        self.pack_chosen.emit()

    def _pick(self) -> None:
        self._copy(self.people.currentItem())
        self._ask()

    def _copy(self, item: QtWidgets.QTreeWidgetItem | None) -> None:
        if item is not None:
            self.show_code(item.text(0))

    def _ask(self) -> None:
        self.asked.emit(self.code.text())


def _pack_item(pack: FoundPack, words: RigWords) -> QtWidgets.QListWidgetItem:
    """Return a pack's row; one that can't be used has the sign and colour of what fails."""
    if pack.refusal:
        sign, colour = SIGNS["fail"]
        # Its folder is named above; a long path would be cut.
        reason = translated_in(pack.refusal, words).replace(f"{pack.folder}{os.sep}", "")
        reason = reason.removeprefix(f"{pack.folder}: ")
        refused = QtWidgets.QListWidgetItem(f"{sign} {pack.folder.name}\n{reason}")
        refused.setForeground(QColor(colour))
        return refused
    return QtWidgets.QListWidgetItem(
        f"{pack.study}\n{pack.folder.name}\n{words[f'pack_{pack.kind}']}"
    )


def _table(look: Look) -> Rows:
    """Return a list with columns: code, when, purpose, rig."""
    table = Rows()
    table.setColumnCount(4)
    table.setHeaderHidden(True)
    table.setIndentation(look.px(4))
    return table

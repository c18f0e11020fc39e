"""The people: who there is, a person's page, and what an experimenter does at any time."""

from collections.abc import Callable
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

from PyQt6 import QtWidgets
from PyQt6.QtCore import Qt, QUrl, pyqtSignal
from PyQt6.QtGui import QAction, QDesktopServices, QKeySequence, QShortcut

from experiments.launch import people
from experiments.launch.gui.after_page import last_lines, output_lines
from experiments.launch.gui.aside import attempted, later
from experiments.launch.gui.code_field import CodeField
from experiments.launch.gui.dialogs import WithdrawDialog
from experiments.launch.gui.look import (
    Look,
    Message,
    Page,
    Rows,
    Say,
    button,
    card,
    filled,
    keep_room,
    label,
    word,
)
from experiments.launch.gui.sections import section_card
from experiments.launch.packs import FoundPack
from experiments.launch.starting import ProcessOutput, keep_note, withdraw
from participants.command_line import local_minute
from participants.day.person import PersonPage, person_sections
from participants.day.sections import load_day_words, money
from participants.folder import LabFolder
from participants.overview.command import Listed
from participants.registry.tables import NOTE_KINDS, REMARK
from participants.texts.rig import RigWords
from participants.texts.translation import translated_in

ACTS: Final = ("note_keep", "pay", "receipt", "card", "book", "unbook", "withdraw")
OF_LAB: Final = ("sheet_day", "sheet_calendar", "sheet_more", "backup_now")
MORE: Final[tuple[people.Sheet, ...]] = ("cards", "labels", "receipts", "checklist")
OF_PACK: Final[tuple[people.Sheet, ...]] = ("consent", "debrief", "keys")


class PeoplePage(Page):
    """Shows everybody, and the page of who is chosen."""

    back_asked = pyqtSignal()

    def __init__(self, look: Look, lab: LabFolder) -> None:
        super().__init__()
        self._look, self._lab = look, lab
        self._spoken: RigWords
        self._day: RigWords
        self._everybody: tuple[Listed, ...] = ()
        self.page: PersonPage | None = None
        # Whose page was asked for last; one that comes later than it is wanted is dropped.
        self._wanted = ""
        self._pack: FoundPack | None = None
        self.more = {name: QAction(self) for name in (*MORE, *OF_PACK)}
        self.sought, self.list, self.area = (
            CodeField(),
            Rows(),
            QtWidgets.QScrollArea(),
        )
        self.code, self.about = label(name="code"), label(name="quiet")
        self.words, self.open_sheet = Message(), button()
        self._sheet: Path | None = None
        self.note, self.kind = QtWidgets.QLineEdit(), QtWidgets.QComboBox()
        self.at, self.rig = QtWidgets.QLineEdit(), QtWidgets.QComboBox()
        self.acts = {name: button("danger" if name == "withdraw" else "") for name in ACTS}
        self.of_lab = {name: button() for name in OF_LAB}
        self.back = button("primary")
        self._labels = {name: label() for name in ("find", "note", "at")}
        self._prepare()
        self._lay_out()
        self._connect()

    def _prepare(self) -> None:
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidgetResizable(True)
        rules = self._lab.settings.appointments
        tomorrow = date.today() + timedelta(days=1)
        self.at.setText(f"{tomorrow} {rules.first}")
        self.rig.addItems(rules.rigs or [self._lab.settings.rig])
        beside = {"find": self.sought, "note": self.note, "at": self.at}
        for name, field in beside.items():
            self._labels[name].setBuddy(field)
            self._labels[name].setWordWrap(False)

    def _lay_out(self) -> None:
        look = self._look
        self.open_sheet.setVisible(False)
        keep_room(self.open_sheet)
        left = card(look, self._labels["find"], self.sought, (self.list, 1))
        others = (self.acts[name] for name in ("pay", "receipt", "card", "withdraw"))
        right = card(
            look,
            self.code,
            self.about,
            (self.area, 1),
            _row(self._labels["note"], self.note, self.kind, self.acts["note_keep"]),
            _row(self._labels["at"], self.at, self.rig, self.acts["book"], self.acts["unbook"]),
            _row(*others),
        )
        columns = filled(QtWidgets.QHBoxLayout(), (left, 2), (right, 3), between_px=look.px(16))
        message_row = filled(QtWidgets.QHBoxLayout(), (self.words, 1), self.open_sheet)
        parts = ((columns, 1), message_row, _row(self.back, None, *self.of_lab.values()))
        layout = QtWidgets.QVBoxLayout(self)
        filled(layout, *parts, margin_px=look.px(16), between_px=look.px(12))

    def _connect(self) -> None:
        self.sought.textChanged.connect(lambda _: self._show_list())
        self.sought.returnPressed.connect(self._choose_first)
        self.list.chosen.connect(self._chosen)
        self.back.clicked.connect(self.back_asked)
        self.open_sheet.clicked.connect(lambda _: self._open_sheet())
        QShortcut(QKeySequence("Esc"), self).activated.connect(self.back.click)
        self.note.textChanged.connect(lambda _: self._enable())
        self.note.returnPressed.connect(self.acts["note_keep"].click)
        for name, does in {
            "note_keep": self.keep_note, "pay": self.pay, "book": self.appoint,
            "unbook": self.cancel, "withdraw": self.ask_withdrawal,
            "receipt": partial(self.write_sheet, "receipts"),
            "card": partial(self.write_sheet, "cards"),
        }.items():  # fmt: skip
            self.acts[name].clicked.connect(lambda _, does=does: does())
        self.of_lab["sheet_day"].clicked.connect(lambda _: self.write_sheet("day", of_person=False))
        self.of_lab["sheet_calendar"].clicked.connect(
            lambda _: self.write_sheet("calendar", of_person=False)
        )
        menu = QtWidgets.QMenu(self)
        for name, action in self.more.items():
            menu.addAction(action)
            of_person = partial(self.write_sheet, name, of_person=False)
            action.triggered.connect(lambda _, does=of_person: does())
        self.of_lab["sheet_more"].setMenu(menu)
        self.of_lab["backup_now"].clicked.connect(lambda _: self.back_up())

    # --- what is shown ---------------------------------------------------------------

    def retranslate(self, words: RigWords) -> None:
        """Show all words in another language; ``words`` are the window's."""
        self._spoken, self._day = words, load_day_words(words.language, self._lab.texts)
        others = {"back": self.back, "open_sheet": self.open_sheet}
        for name, control in {**self.acts, **self.of_lab, **others}.items():
            control.setText(words["people_withdraw" if name == "withdraw" else name])
        for name, beside in self._labels.items():
            beside.setText(words[f"people_{name}"])
        self.words.retranslate(words)
        self._name_sheets()
        at = self.kind.currentIndex() if self.kind.count() else NOTE_KINDS.index(REMARK)
        self.kind.clear()
        self.kind.addItems([words[f"kind_{kind}"] for kind in NOTE_KINDS])
        self.kind.setCurrentIndex(at)
        columns = ("code", "state", "study")
        self.list.setHeaderLabels([self._day[f"head_{name}"] for name in columns])
        self._show_list()
        self._show_page()

    def _name_sheets(self) -> None:
        """Name the sheets; those of a pack need one that is chosen."""
        pack = self._pack.folder.name if self._pack else "…"
        for name, action in self.more.items():
            action.setText(self._spoken.filled(f"sheet_{name}", pack=pack))
            action.setEnabled(name in MORE or self._pack is not None)

    def open(self, pack: FoundPack | None) -> None:
        """Show nobody yet, read the list of people, and take the pack for the sheets."""
        self._pack = pack
        self._name_sheets()
        self.sought.clear()
        self._leave_person()
        self._read()

    def _read(self) -> None:
        self._say_nothing()
        self.sought.setFocus()
        self._do(partial(people.everybody, self._lab), self._learn_everybody)

    def _learn_everybody(self, everybody: tuple[Listed, ...]) -> None:
        self._everybody = everybody
        self._show_list()
        self._show_page()

    def _show_list(self) -> None:
        """Show those whose code, state, study, role or purpose has what was typed.

        A person who isn't among them isn't shown at the right any more.
        """
        typed = self.sought.text().strip().lower()
        self.list.blockSignals(True)
        self.list.clear()
        for listed in reversed(self._everybody):
            cells = self._cells(listed)
            if typed not in " ".join(cells).lower():
                continue
            item = QtWidgets.QTreeWidgetItem(cells[: self.list.columnCount()])
            self.list.addTopLevelItem(item)
            if listed.person.code == self._wanted:
                self.list.setCurrentItem(item)
        self.list.blockSignals(False)
        if self.list.currentItem() is None:
            self._leave_person()
        # The last column takes the room that is left.
        for column in range(self.list.columnCount() - 1):
            self.list.resizeColumnToContents(column)

    @property
    def _is_nobody(self) -> bool:
        """Whether nobody has what was typed."""
        typed = self.sought.text().strip()
        return bool(typed and self._everybody) and self.list.topLevelItemCount() == 0

    def _leave_person(self) -> None:
        """Show nobody at the right; what could be done with somebody can't be done."""
        self.page, self._wanted = None, ""
        self._show_page()

    def _cells(self, person: Listed) -> list[str]:
        day, state = self._day, f"state_{person.state.replace(' ', '_')}"
        role = day.words.get(f"role_{person.person.role}", person.person.role)
        return [
            person.person.code,
            day.words.get(state, person.state),
            person.study or "",
            role,
            person.person.purpose,
        ]

    def _choose_first(self) -> None:
        self.list.setCurrentItem(self.list.topLevelItem(0))

    def _chosen(self, item: QtWidgets.QTreeWidgetItem) -> None:
        self._say_nothing()
        self.look_at(item.text(0))

    def look_at(self, code: str) -> None:
        """Read a person's page."""
        self._wanted = code
        self._do(partial(people.person_page, self._lab, code), self._learn_page)

    def _learn_page(self, page: PersonPage) -> None:
        if page.person.code != self._wanted:
            return
        if self.page is None or page.person.code != self.page.person.code:
            self.note.clear()
        self.page = page
        self._show_page()

    def _show_page(self) -> None:
        page, day = self.page, self._day
        inside = QtWidgets.QWidget()
        inside.setObjectName("inside")
        column = QtWidgets.QVBoxLayout(inside)
        column.setContentsMargins(0, 0, self._look.px(12), 0)
        if page is None:
            self.about.setText(self._spoken[self._nobody_shown])
        else:
            person = page.person
            self.code.setText(person.code)
            role = day.words.get(f"role_{person.role}", person.role)
            enrolled = local_minute(person.enrolled_utc)
            purpose = self._spoken[f"purpose_{person.purpose}"]
            facts = {"role": role, "purpose": purpose, "time": enrolled}
            self.about.setText(self._spoken.filled("people_about", **facts))
            for section in person_sections(page, day):
                column.addWidget(section_card(self._look, section, day))
        self.code.setVisible(page is not None)
        column.addStretch(1)
        self.area.setWidget(inside)
        self._enable()

    @property
    def _nobody_shown(self) -> str:
        """Name of the words that say why nobody is shown."""
        if self._is_nobody:
            return "people_unknown"
        return "people_choose" if self._everybody else "people_nobody"

    def _enable(self) -> None:
        """Enable what can be done with this person now."""
        page = self.page
        for name in ACTS:
            self.acts[name].setEnabled(page is not None)
        due = 0 if page is None else page.due_cents
        self.acts["pay"].setText(
            self._spoken.filled("pay", sum=money(due, self._spoken))
            if due
            else self._spoken["paid"]
        )
        self.acts["pay"].setEnabled(due > 0)
        self.acts["receipt"].setEnabled(page is not None and page.receipt_cents > 0)
        self.acts["note_keep"].setEnabled(page is not None and bool(self.note.text().strip()))
        ahead = page is not None and page.ahead is not None
        self.acts["book"].setText(self._spoken["move" if ahead else "book"])
        self.acts["unbook"].setEnabled(ahead)

    # --- what is done ----------------------------------------------------------------

    def keep_note(self) -> None:
        """Keep a note on this person."""
        kind, text = NOTE_KINDS[self.kind.currentIndex()], self.note.text()
        work = partial(keep_note, self._lab, self._person, kind, text)

        def then(text: str) -> None:
            self.note.clear()
            self._report(word("note_kept", text=text))

        self._do(work, then)

    def pay(self) -> None:
        """Record that what is due was paid."""
        due = 0 if self.page is None else self.page.due_cents
        work = partial(people.pay, self._lab, self._person)
        self._do(work, lambda _: self._report(partial(_paid, due)))

    def appoint(self) -> None:
        """Book this person, or move the appointment."""
        ahead = self.page is not None and self.page.ahead is not None
        rig = self.rig.currentText()
        at = self.at.text()
        work = partial(people.appoint, self._lab, self._person, at, rig, ahead=ahead)
        self._do(
            work,
            lambda appointment: self._report(
                word("booked", time=local_minute(appointment.begins_utc))
            ),
        )

    def cancel(self) -> None:
        """Cancel this person's appointment."""
        work = partial(people.cancel, self._lab, self._person)
        self._do(
            work,
            lambda appointment: self._report(
                word("unbooked", time=local_minute(appointment.begins_utc))
            ),
        )

    def write_sheet(self, sheet: people.Sheet, *, of_person: bool = True) -> None:
        """Write a sheet, of this person, of the chosen pack or of the lab."""
        of, language = self._person if of_person else "", self._spoken.language
        if sheet in OF_PACK and self._pack is not None:
            of, has = str(self._pack.folder), self._pack.languages
            language = language if language in has else has[0]
        work = partial(people.write_sheet, self._lab, sheet, language, of)
        self._busy("working")
        self._do(work, self._written)

    def _written(self, sheet: Path) -> None:
        """Say where a sheet is, and offer to open it."""
        self._report(word("sheet_written", file=str(sheet)))
        self._sheet = sheet
        self.open_sheet.setVisible(True)

    def _open_sheet(self) -> None:
        """Open the sheet that was written last, in the program that the system has for it."""
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._sheet)))

    def back_up(self) -> None:
        """Back the lab up."""
        self._busy("working")
        work = partial(people.back_up_now, self._lab)
        self._do(work, lambda message: self._report(partial(_backed_up, message)))

    def ask_withdrawal(self) -> None:
        """Show what would be removed, and ask for confirmation."""
        self._busy("withdrawing")
        code = self._person
        later(
            self, partial(withdraw, self._lab, code, confirmed=False), partial(self._confirm, code)
        )

    def _confirm(self, code: str, output: ProcessOutput) -> None:
        self.release()
        self._say_nothing()
        if not output.out.strip():
            self.words.tell(partial(output_lines, output), "fail")
            return
        dialog = WithdrawDialog(self, self._look, code, output.out.strip(), self._spoken)
        if dialog.exec() == QtWidgets.QDialog.DialogCode.Accepted:
            self._busy("removing")
            later(self, partial(withdraw, self._lab, code, confirmed=True), self._withdrawn)

    def _withdrawn(self, output: ProcessOutput) -> None:
        self.release()
        if not output.status:
            self.sought.clear()
            self._leave_person()
        self._read()
        self.words.tell(partial(last_lines, output), "fail" if output.status else "pass")

    @property
    def _person(self) -> str:
        return "" if self.page is None else self.page.person.code

    def _busy(self, name: str) -> None:
        self._say_nothing()
        self.hold()
        self.words.tell(word(name), "warn")

    def _say_nothing(self) -> None:
        self.words.clear()
        self.open_sheet.setVisible(False)

    def _report(self, say: Say) -> None:
        """Say what was done, and read the page again."""
        self._say_nothing()
        self.words.tell(say)
        if self.page is not None:
            self.look_at(self.page.person.code)

    def _do(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do work in a thread, then show what came of it, or why not."""

        def learn(attempt: tuple[Any, str]) -> None:
            self.release()
            done, refusal = attempt
            if refusal:
                self._say_nothing()
                self.words.tell(partial(translated_in, refusal), "fail")
            else:
                then(done)

        later(self, partial(attempted, work), learn)


def _paid(cents: int, words: RigWords) -> str:
    return words.filled("paid_now", sum=money(cents, words))


def _backed_up(message: str, words: RigWords) -> str:
    return words.filled("backed_up", text=translated_in(message, words))


def _row(*parts: QtWidgets.QWidget | None) -> QtWidgets.QHBoxLayout:
    """Return widgets in a row; fields take the room, and None is room."""
    row = QtWidgets.QHBoxLayout()
    for part in parts:
        if part is None:
            row.addStretch(1)
        else:
            row.addWidget(part, int(isinstance(part, QtWidgets.QLineEdit)))
    if all(part is not None and isinstance(part, QtWidgets.QPushButton) for part in parts):
        row.addStretch(1)
    return row

"""The start window: it leads from one page to the next and starts the session."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from PyQt6 import QtWidgets
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QCloseEvent

from experiments.launch.examination import (
    WORDS,
    Entered,
    Examined,
    Line,
    Options,
    Readiness,
    RequestedSession,
    check_lines,
    doctor_line,
    examine,
    next_words,
    readiness,
)
from experiments.launch.gui.after_page import AfterPage, output_lines
from experiments.launch.gui.aside import Aside, attempted, later, show_whole
from experiments.launch.gui.dialogs import EnrolDialog, WithdrawDialog
from experiments.launch.gui.look import Bar, Look, filled, word
from experiments.launch.gui.people_page import PeoplePage
from experiments.launch.gui.ready_page import ReadyPage
from experiments.launch.gui.study_page import StudyPage
from experiments.launch.gui.today_page import TodayPage
from experiments.launch.packs import (
    Candidate,
    FoundPack,
    HowFar,
    candidates,
    enrol_here,
    enrolment_for,
    found_packs,
    how_far,
)
from experiments.launch.starting import (
    Ended,
    ProcessOutput,
    Start,
    door_command,
    keep_note,
    ran,
    withdraw,
)
from experiments.rig.verdict import STYLES, last_examination
from participants.folder import LabFolder
from participants.registry import check_code
from participants.texts import load_checklist
from participants.texts.rig import (
    CheckWords,
    RigWords,
    load_check_words,
    load_rig_words,
    rig_languages,
)
from participants.texts.translation import translated_in
from participants.watching.progress import load_watch_words
from stimuli.errors import UserError

WHO, READY, AFTER, TODAY, PEOPLE = range(5)


class LaunchWindow(QtWidgets.QWidget):
    """The start window.

    Parameters
    ----------
    lab
        The lab folder.
    options
        Options passed to every session.
    packs
        Folders of packs besides those in the lab folder.
    look
        Its sizes.
    """

    def __init__(
        self, lab: LabFolder, options: Options, packs: tuple[Path, ...], look: Look
    ) -> None:
        super().__init__()
        self.setObjectName("window")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.lab, self.options, self._more, self._look = lab, options, packs, look
        self._examination: Examined | None = None
        self._people: tuple[Candidate, ...] = ()
        self._refused = ""
        # What is being checked; the answer to anything else is dropped.
        self._asked: RequestedSession | None = None
        self._before_today = WHO
        self._aside = Aside(self, look, lab)
        self.words = self._load(lab.settings.language)
        self.who = StudyPage(look, lab.settings.rig)
        self.ready, self.after = ReadyPage(look), AfterPage(look)
        self.day, self.everybody = TodayPage(look, lab), PeoplePage(look, lab)
        self.pages = QtWidgets.QStackedWidget()
        for page in (self.who, self.ready, self.after, self.day, self.everybody):
            self.pages.addWidget(page)
        self.bar = Bar(look)
        layout, parts = QtWidgets.QVBoxLayout(self), (self.bar, (self.pages, 1))
        filled(layout, *parts, margin_px=0, between_px=0)
        self._connect()
        self.retranslate()
        self.look_for_packs()
        self.go_to(WHO)

    def _connect(self) -> None:
        self.bar.language.clicked.connect(self.switch_language)
        self.who.pack_chosen.connect(self.choose_another)
        self.who.look_asked.connect(self.look_for_packs)
        self.who.enrol_asked.connect(self.ask_enrol)
        self.who.asked.connect(self.ask_for)
        self.ready.changed.connect(self.judge)
        self.ready.language_chosen.connect(lambda language: self.examine(language))
        self.ready.back_asked.connect(self.next_person)
        self.ready.start_asked.connect(self.start)
        self.ready.doctor_asked.connect(self.run_doctor)
        for asked, does in (
            (self.after.note_asked, self.after.note.setFocus),
            (self.after.withdrawal_asked, self.ask_withdrawal),
            (self.after.again_asked, self.go_on_with_person),
            (self.after.next_asked, self.next_person),
        ):
            asked.connect(partial(self.keep_note, does))
        self.bar.today.clicked.connect(self.show_today)
        self.bar.people.clicked.connect(self.show_people)
        for beside in (self.day, self.everybody):
            beside.back_asked.connect(self.come_back)

    # --- words -----------------------------------------------------------------------

    def _load(self, language: str) -> RigWords:
        return load_rig_words(WORDS, language, self.lab.texts)

    @property
    def _watching(self) -> RigWords:
        """Words of the view of a session."""
        return load_watch_words(self.words.language, self.lab.texts)

    def switch_language(self) -> None:
        """Show the window in the next language that it has."""
        self.words = self._load(self._next_language)
        self.retranslate()

    @property
    def _next_language(self) -> str:
        has = rig_languages(self.lab.texts)
        return has[(has.index(self.words.language) + 1) % len(has)]

    def _name_of(self, language: str) -> str:
        """Return a language's name in itself; its tag where the window doesn't have it."""
        has = language in rig_languages(self.lab.texts)
        return self._load(language)["language_name"] if has else language

    def retranslate(self) -> None:
        """Show all words in the current language."""
        words = self.words
        self.bar.retranslate(words, self.lab.settings.rig, self._name_of(self._next_language))
        self.who.retranslate(words)
        self._show_packs(found_packs(self.lab, self._more))
        self.who.show_people(self._people, words)
        self.after.retranslate(words)
        self.day.retranslate(words)
        self.everybody.retranslate(words)
        self._show_examination()
        self._name_window()

    def _name_window(self) -> None:
        """Name the page in the window's title, for screen readers and the task bar."""
        name = self.bar.name_of(self.pages.currentIndex(), self.words)
        self.setWindowTitle(f"{self.words['title']}: {name}")

    def go_to(self, page: int) -> None:
        """Show a page."""
        self.pages.setCurrentIndex(page)
        self.bar.show_step(page)
        self._name_window()

    # --- the day ---------------------------------------------------------------------

    def show_today(self) -> None:
        """Show the day; Back returns to the previous page."""
        self._leave_for(TODAY)
        self.day.look_at_day()

    def show_people(self) -> None:
        """Show everybody; Back returns to the previous page."""
        self._leave_for(PEOPLE)
        pack = self.who.pack
        self.everybody.open(None if pack is None or pack.refusal else pack)

    def _leave_for(self, page: int) -> None:
        """Go to a page beside the three steps; from there Back leads to the step."""
        if self.pages.currentIndex() <= AFTER:
            self._before_today = self.pages.currentIndex()
        self.go_to(page)

    def come_back(self) -> None:
        """Go back to the step; who may come may have changed."""
        self.go_to(self._before_today)
        if self._before_today == WHO:
            self.who.wait_for_scan()
            self.choose_pack()

    # --- study and person ------------------------------------------------------------

    def look_for_packs(self) -> None:
        """Look for packs, and for people who may come."""
        self._show_packs(found_packs(self.lab, self._more))
        self.who.wait_for_scan()
        self.choose_pack()

    def _show_packs(self, packs: tuple[FoundPack, ...]) -> None:
        self.who.show_packs(packs, self.lab.packs, self.words)
        later(self, partial(attempted, partial(how_far, self.lab, packs)), self._learn_how_far)

    def _learn_how_far(self, attempt: tuple[dict[Path, HowFar] | None, str]) -> None:
        self.who.show_how_far(attempt[0] or {}, self.words)

    def choose_another(self) -> None:
        """Choose another pack; the message about the last one goes."""
        self.who.words.clear()
        self.choose_pack()

    def choose_pack(self) -> None:
        """Show the people who may come for the chosen pack, and drop a check of another."""
        pack = self.who.pack
        if self._asked is not None and self._asked.pack != pack:
            self._ask_nothing()
        usable = pack is not None and not pack.refusal
        self.who.enrol.setEnabled(usable)
        if pack is None or not usable:
            self._show_people(())
        else:
            work = partial(candidates, self.lab, pack, robots=self.options.robot is not None)
            later(self, partial(attempted, work), partial(self._learn_people, pack))

    def _learn_people(
        self, pack: FoundPack, attempt: tuple[tuple[Candidate, ...] | None, str]
    ) -> None:
        people, refusal = attempt
        if pack != self.who.pack:
            return
        self._show_people(people or ())
        if refusal:
            self._refuse_who(refusal)

    def _show_people(self, people: tuple[Candidate, ...]) -> None:
        self._people = people
        self.who.show_people(people, self.words)

    def _refuse_who(self, line: str) -> None:
        """Show on the first page what a command would refuse, in the window's language."""
        self.who.refuse(partial(translated_in, line))

    def ask_enrol(self) -> None:
        """Ask how to enrol somebody, and enrol them."""
        pack = self.who.pack
        if pack is None:
            self.who.refuse(word("choose_study"))
            return
        look_up = partial(enrolment_for, pack, robots=self.options.robot is not None)
        can, refusal = attempted(look_up)
        if can is None:
            self._refuse_who(refusal)
            return
        dialog = EnrolDialog(self, self._look, can, self.words, screens=pack.screens)
        if dialog.exec() == QtWidgets.QDialog.DialogCode.Accepted:
            self.who.enrol.setEnabled(False)
            work = partial(enrol_here, self.lab, pack, dialog.chosen)
            later(self, partial(attempted, work), self._learn_enrolled)

    def _learn_enrolled(self, attempt: tuple[str | None, str]) -> None:
        code, refusal = attempt
        self.who.enrol.setEnabled(True)
        if code is None:
            self._refuse_who(refusal)
            return
        self.who.show_code(code)
        self.who.wait_for_scan()
        self.who.words.tell(word("enrolled"))
        self.choose_pack()

    def ask_for(self, typed: str) -> None:
        """Continue with a person's code, if it is valid."""
        pack = self.who.pack
        if pack is None or not typed.strip():
            self.who.refuse(word("choose_study" if pack is None else "type_code"))
            return
        try:
            code = check_code(typed)
        except UserError as mistake:
            self._refuse_who(str(mistake))
            return
        self.who.show_code(code)
        usual = (self.words.language, self.lab.settings.language, *pack.languages)
        asked = RequestedSession(
            pack, code, next(language for language in usual if language in pack.languages)
        )
        # A second Enter with the same code doesn't restart the check.
        if asked != self._asked:
            self.who.words.tell(word("checking"), "warn")
            self.who.next.setEnabled(False)
            self._examine(asked, self._meet)

    def _ask_nothing(self) -> None:
        """Drop the check that is running."""
        self._asked = None
        self.who.next.setEnabled(True)
        self.who.words.clear()

    # --- before the session ----------------------------------------------------------

    def _examine(self, session: RequestedSession, then: Callable[[Examined], None]) -> None:
        """Examine a session in another thread; only what was asked last gets a result."""
        self._asked = session

        def learn(examination: Examined) -> None:
            if examination.asked == self._asked:
                self._asked = None
                then(examination)

        later(self, partial(examine, self.lab, session, self.options), learn)

    def _meet(self, examination: Examined) -> None:
        """Show the page of the person whose session was examined, or why none can begin."""
        self.who.next.setEnabled(True)
        if examination.following is None or examination.refusal:
            self._refuse_who(examination.refusal)
            return
        self.who.words.clear()
        self._refused = ""
        self._examination = examination
        self.ready.begin(examination)
        self._show_examination()
        self.go_to(READY)
        points = list(self.ready.checklist.points.values())
        (points[0] if examination.checklist else self.ready.start).setFocus()

    def examine(self, language: str) -> None:
        """Examine the session again in the chosen language."""
        if self._examination is not None:
            self._examine(replace(self._examination.asked, language=language), self._learn)
            self.judge()

    def _learn(self, examination: Examined) -> None:
        self._examination = examination
        self._show_examination()

    def _show_examination(self) -> None:
        """Show the result of the examination."""
        examination, words = self._examination, self.words
        text = load_checklist(words.language, self.lab.texts)
        self.ready.retranslate(words, text, examination)
        if examination is None or examination.following is None:
            return
        following, pack = examination.following, examination.asked.pack
        person = examination.request.person
        what = next_words(following, self.options.robot, words, self._watching)
        purpose = words[f"purpose_{following.purpose}"]
        about = f"{pack.study}, {pack.folder.name}\n{words['next_is']}: {what}\n"
        self.ready.show_person(following.code, f"{about}{words['as_purpose']}: {purpose}")
        chosen = following.language or person.language or self.lab.settings.language
        kept = following.language is not None
        offered = (chosen,) if kept else pack.languages
        note = "" if len(offered) > 1 else words["language_kept" if kept else "language_only"]
        self.ready.show_languages(
            {language: self._name_of(language) for language in offered}, chosen, note
        )
        self.ready.show_lines(self._lines(examination))
        self.ready.show_checklist(needed=examination.checklist)
        self.judge()

    def _lines(self, examination: Examined) -> list[Line]:
        """Return the lines about the PC."""
        words, checks = self.words, self._checks
        doctor = doctor_line(last_examination(self.lab), datetime.now(UTC), words, checks)
        return [doctor, *check_lines(examination.findings, words, checks)]

    @property
    def _entered(self) -> Entered:
        return replace(self.ready.entered, refused=self._refused)

    @property
    def _checks(self) -> CheckWords:
        return load_check_words(self.words.language, self.lab.texts)

    def _readiness(self, examination: Examined) -> Readiness:
        text = load_checklist(self.words.language, self.lab.texts)
        return readiness(examination, self._entered, text, self._checks)

    def judge(self) -> None:
        """Show whether the session may begin; it may not while it is examined."""
        if not self.ready.isEnabled():
            self.ready.show_busy(self.words["doctor_runs"])
        elif self._asked is not None:
            self.ready.show_busy(self.words["checking"])
        elif self._examination is not None:
            status = {line.status for line in self._lines(self._examination)}
            worst = next(level for level in STYLES if level in status)
            self.ready.show_readiness(self._readiness(self._examination), self.words, worst)

    def run_doctor(self) -> None:
        """Run the doctor on this PC; its own window comes in front of this one."""
        command = door_command("doctor", "--unattended", "--lab", str(self.lab.root))
        self.ready.hold()
        self.judge()
        later(self, partial(ran, command), self._learn_of_doctor)

    def _learn_of_doctor(self, _output: ProcessOutput) -> None:
        show_whole(self)
        self.ready.release()
        self.examine(self.ready.chosen_language)

    # --- the session and after it ----------------------------------------------------

    def start(self) -> None:
        """Start the session in a separate process; the window is hidden meanwhile."""
        examination, entered = self._examination, self._entered
        if examination is None or not self._readiness(examination).may_start:
            return
        text = load_checklist(self.words.language, self.lab.texts)
        start = Start(self.lab, self.options, examination, entered, text)
        self._aside.during(start.run, self.end, self._watching)

    def end(self, ended: Ended) -> None:
        """Show a session's outcome."""
        self._refused = ended.overridable
        self.after.show_ended(ended, self.words)
        self.go_to(AFTER)

    def keep_note(self, then: Callable[[], object]) -> None:
        """Save the note on the person, if there is one, and go on; one that is refused stays."""
        if not self.after.isEnabled():
            return
        note = self.after.written
        if note is None:
            then()
            return
        self.after.show_busy("keeping")
        work = partial(keep_note, self.lab, self.after.person, *note)

        def learn(attempt: tuple[str | None, str]) -> None:
            kept, refusal = attempt
            if kept is None:
                self.go_to(AFTER)
                self.after.say(partial(translated_in, refusal))
                self.after.note.setFocus()
                return
            self.after.show_kept(kept)
            then()

        later(self, partial(attempted, work), learn)

    def ask_withdrawal(self) -> None:
        """Show which of the person's data would be removed, and ask for confirmation."""
        self.after.show_busy("withdrawing")
        later(self, partial(withdraw, self.lab, self.after.person, confirmed=False), self._confirm)

    def _confirm(self, output: ProcessOutput) -> None:
        code, preview = self.after.person, output.out.strip()
        if not preview:
            self.after.say(partial(output_lines, output))
            return
        self.after.take()
        dialog = WithdrawDialog(self, self._look, code, preview, self.words)
        if dialog.exec() == QtWidgets.QDialog.DialogCode.Accepted:
            self.after.show_busy("removing")
            work = partial(withdraw, self.lab, code, confirmed=True)
            later(self, work, lambda output: self.after.show_withdrawn(output, self.words))

    def go_on_with_person(self) -> None:
        """Examine the same person's session again."""
        refused = self._refused

        def meet(examination: Examined) -> None:
            self.after.take()
            self.go_to(WHO)
            self._meet(examination)
            self._refused = refused
            self.judge()

        if self._examination is not None:
            self.after.show_busy("checking")
            self._examine(self._examination.asked, meet)

    def next_person(self) -> None:
        """Wait for the next person."""
        self._examination = None
        self._ask_nothing()
        self.who.begin_again()
        self.go_to(WHO)
        self.choose_pack()

    def closeEvent(self, a0: QCloseEvent | None) -> None:  # noqa: N802
        """End the program, once no session runs and no note is unsaved: either would be lost."""
        if a0 is not None:
            a0.ignore()
        if not self._aside.away:
            self.keep_note(QtWidgets.QApplication.quit)

    def keep_last_note(self) -> None:
        """Save the note if the program is ended from elsewhere; UserError if it is refused."""
        note = self.after.written
        if note is not None and self.after.isEnabled():
            keep_note(self.lab, self.after.person, *note)

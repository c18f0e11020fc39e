"""The start window's pages without a screen: what is typed, what may be started, two languages."""

import re
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from experiments.launch.starting import Ended, Outcome, ProcessOutput
from experiments.rig.checks.clocks import CLOCK
from experiments.rig.checks.finding import Check, Finding
from experiments.rig.verdict import keep_examination
from experiments.session import command
from experiments.session.options import PersonOptions
from experiments.session.preflight import OR_OVERRIDE
from participants.day.figures import Came
from participants.notes import note, notes_of
from participants.overview.due import Due
from participants.registry import Registry, waiting
from participants.session.qualification import Missed
from participants.texts.load import placeholders_in
from participants.texts.rig import load_check_words
from participants.texts.translation import OF_NO_CHECK
from stimuli.colour.spaces import srgb_decode
from tests.experiments.session.registered import half_done


def scan(window, text):
    from PyQt6.QtCore import Qt
    from PyQt6.QtTest import QTest

    QTest.keyClicks(window.who.code, text)
    QTest.keyClick(window.who.code, Qt.Key.Key_Return)


def test_a_scanned_code_leads_to_the_checks_and_a_wrong_one_says_why(window, code):
    wrong = code[:-1] + ("3" if code[-1] != "3" else "4")
    scan(window, wrong)
    assert window.pages.currentIndex() == 0
    assert "is not a participant code" in window.who.words.text()
    window.who.code.clear()
    scan(window, code.lower())
    assert window.pages.currentIndex() == 1
    assert window.ready.code.text() == code
    assert not window.ready.start.isEnabled()
    assert window.ready.words.text() == window.words["tick_points"]
    window.ready.checklist.tick_all()
    assert window.ready.start.isEnabled()


def test_a_second_scan_replaces_the_first(window, code, monkeypatch):
    """A reader of bar codes types at once, whatever the window does with the code before."""
    from experiments.launch.gui import window as module

    monkeypatch.setattr(module, "later", lambda *_: None)
    for _ in range(2):
        scan(window, code)
        assert window.who.code.text() == code
        assert window.who.words.text() == window.words["checking"]
    for show, beside in ((window.show_today, window.day), (window.show_people, window.everybody)):
        # A field that loses the keyboard to another page has nothing selected.
        window.who.code.deselect()
        show()
        beside.back.click()
        scan(window, code)
        assert window.who.code.text() == code


def test_a_box_that_is_not_ticked_is_seen(window, code):
    """Its frame has three times less light than the white around it, as WCAG asks (1.4.11)."""
    from PyQt6.QtWidgets import QStyle, QStyleOptionButton

    scan(window, code)
    window.setStyleSheet(window._look.style())
    box = window.ready.checklist.points["warm_up"]
    option = QStyleOptionButton()
    box.initStyleOption(option)
    part = QStyle.SubElement.SE_CheckBoxIndicator
    shown = box.grab(box.style().subElementRect(part, option, box)).toImage()
    middle = shown.height() // 2
    frame = min(lightness(shown.pixelColor(x, middle)) for x in range(shown.width()))
    assert (1.0 + 0.05) / (frame + 0.05) >= 3.0


def lightness(colour):
    """Return relative luminance, as WCAG defines it."""
    return srgb_decode((colour.redF(), colour.greenF(), colour.blueF())) @ (0.2126, 0.7152, 0.0722)


def test_enter_of_a_bar_code_reader_starts_nothing_once_the_person_is_chosen(
    window, code, monkeypatch
):
    from PyQt6.QtCore import Qt
    from PyQt6.QtTest import QTest

    started = []
    monkeypatch.setattr(window._aside, "during", lambda *_: started.append(True))
    scan(window, code)
    window.ready.checklist.tick_all()
    window.ready.start.setFocus()
    QTest.keyClicks(window.ready.start, code)
    QTest.keyClick(window.ready.start, Qt.Key.Key_Return)
    assert not started
    QTest.keyClick(window.ready.start, Qt.Key.Key_Space)
    assert started


def test_another_language_keeps_what_was_entered(window, code):
    scan(window, code)
    window.ready.checklist.points["hdr"].setChecked(True)
    window.switch_language()
    assert window.words.language == "de"
    assert "Sitzung" in window.ready.start.text()
    assert window.ready.checklist.ticked == {"hdr"}
    assert window.ready.language.currentText() == "English"
    assert window.ready.chosen_language == "en"


def test_a_new_session_is_in_the_windows_language_and_one_that_goes_on_in_its_own(
    window, code, lab, mini_pack
):
    """A German window offers German first; a box that can't be changed is off and says why."""
    window.switch_language()
    scan(window, code)
    assert (window.ready.chosen_language, window.ready.language.isEnabled()) == ("de", True)
    with closing(Registry.open(lab.registry_url)) as registry:
        half_done(lab, registry, mini_pack, PersonOptions(code, language="en"))
    window.next_person()
    scan(window, code)
    assert (window.ready.chosen_language, window.ready.language.isEnabled()) == ("en", False)
    assert window.ready.language.toolTip() == window.words["language_kept"]


def test_after_a_session_a_note_is_kept_that_names_nobody(window, code, lab):
    window.end(Ended(Outcome("complete", code, "s-1", trials=40)))
    assert window.pages.currentIndex() == 2
    assert not window.after.again.isVisible()
    window.after.note.setPlainText("call 0171 2345678")
    window.after.keep.click()
    assert "looks like a telephone number" in window.after.words.text()
    window.after.note.setPlainText("fire alarm")
    window.after.keep.click()
    assert "fire alarm" in window.after.words.text()
    window.after.next.click()
    assert (window.pages.currentIndex(), window.who.code.text()) == (0, "")


WAYS_OUT = {
    "next": lambda window: window.after.next.click(),
    "again": lambda window: window.after.again.click(),
    "withdraw": lambda window: window.after.withdraw.click(),
    "close": lambda window: window.close(),
}


def type_note(window, text):
    type_into(window.after.note, text)


def type_into(field, text):
    from PyQt6.QtTest import QTest

    QTest.keyClicks(field, text)


@pytest.mark.parametrize("way", WAYS_OUT)
def test_no_way_out_loses_a_note_that_was_typed(way, window, code, lab, monkeypatch):
    """It is kept before the page is left; one that can't be kept keeps the page and the window."""
    from PyQt6.QtWidgets import QApplication

    from experiments.launch.gui import window as module

    done = []
    monkeypatch.setattr(QApplication, "quit", lambda: done.append("close"))
    monkeypatch.setattr(
        module, "withdraw", lambda *_, **__: done.append("asked") or ProcessOutput(2, "", "")
    )
    scan(window, code)
    window.end(Ended(Outcome("stopped", code, "s-1", trials=40)))
    type_note(window, "call 0171 2345678")
    WAYS_OUT[way](window)
    assert (window.pages.currentIndex(), done, window.isVisible()) == (2, [], True)
    assert "looks like a telephone number" in window.after.words.text()
    assert window.after.note.toPlainText() == "call 0171 2345678"
    window.after.note.clear()
    type_note(window, "fire alarm")
    window.show_today()
    window.day.back.click()
    WAYS_OUT[way](window)
    with closing(Registry.open(lab.registry_url)) as registry:
        assert [row["text"] for row in notes_of(registry, lab.data)] == ["fire alarm"]
    assert window.pages.currentIndex() == {"next": 0, "again": 1}.get(way, 2)
    assert done == {"withdraw": ["asked"], "close": ["close"]}.get(way, [])
    assert window.after.written is None


def test_the_result_says_if_somebody_else_is_needed(window, code):
    for ending, needed in (("disqualified", True), ("left_for_good", True), ("complete", False)):
        window.end(Ended(Outcome(ending, code, "s-1", trials=40)))
        assert (window.words["replacement"] in window.after.more.text()) == needed
        assert window.after.ending.text() == window.words[f"ending_{ending}"]


def test_the_result_says_why_somebody_is_disqualified_and_that_pilots_are_not_replaced(
    window, code
):
    missed = Missed(trials=4, right=1, needed=3)
    for purpose, needed in (("main", True), ("pilot", False)):
        outcome = Outcome("disqualified", code, "s-1", trials=40, purpose=purpose, missed=missed)
        window.end(Ended(outcome))
        assert "1 of 4 checked answers was right; 3 are needed" in window.after.more.text()
        assert (window.words["replacement"] in window.after.more.text()) == needed


def test_flagged_trials_are_counted_by_cause_and_many_are_told_to_somebody(window, code):
    for flagged, lost, parts in (
        (0, 0, ["frames_fine"]),
        (2, 2, ["flagged_lost", "flagged_few"]),
        (15, 5, ["flagged_lost", "flagged_other", "flagged_many"]),
    ):
        window.end(Ended(Outcome("complete", code, "s-1", trials=40, flagged=flagged, lost=lost)))
        counts = {"flagged_lost": lost, "flagged_other": flagged - lost}
        told = (
            window.words.filled(name, count=str(counts.get(name, 0)), trials="40") for name in parts
        )
        assert window.after.more.text() == " ".join(told)


def test_a_program_that_is_ended_from_elsewhere_keeps_the_note(window, code, lab):
    window.end(Ended(Outcome("crashed", code)))
    type_note(window, "fire alarm")
    window.keep_last_note()
    with closing(Registry.open(lab.registry_url)) as registry:
        assert [row["text"] for row in notes_of(registry, lab.data)] == ["fire alarm"]


def test_while_somebody_is_removed_the_page_takes_nothing_and_then_no_note(
    window, code, monkeypatch
):
    from experiments.launch.gui import window as module
    from experiments.launch.gui.dialogs import WithdrawDialog

    at_once, waiting = module.later, []
    monkeypatch.setattr(module, "later", lambda *work: waiting.append(work))
    monkeypatch.setattr(WithdrawDialog, "exec", lambda _: WithdrawDialog.DialogCode.Accepted)
    monkeypatch.setattr(module, "withdraw", lambda *_, **__: ProcessOutput(0, "people, 1", ""))
    window.end(Ended(Outcome("stopped", code, "s-1", trials=40)))
    for asked in range(2):
        window.after.withdraw.click()
        assert not window.after.isEnabled()
        assert len(waiting) == asked + 1
        at_once(*waiting[asked])
    assert window.after.isEnabled()
    assert not window.after.note.isVisible()
    assert "people, 1" in window.after.words.text()


def test_without_packs_the_window_says_where_they_belong(window, lab):
    (lab.packs / "first").unlink()
    window.look_for_packs()
    assert str(lab.packs) in window.who._texts["no_packs"].text()
    assert not window.who.enrol.isEnabled()


def test_a_lab_folder_without_its_folder_of_packs_opens_too(window, lab):
    shutil.rmtree(lab.packs)
    window.who.look_again.click()
    assert str(lab.packs) in window.who._texts["no_packs"].text()
    assert window.who.pack is None


def test_what_was_said_is_said_again_in_another_language(window, code, lab):
    """In the same colour, on each page: a refusal, what is missing, what was kept."""
    scan(window, code + "9")
    said = {window.who.words: "ist kein Code"}
    window.show_people()
    window.everybody.look_at(code)
    type_into(window.everybody.note, "call 0171 2345678")
    window.everybody.acts["note_keep"].click()
    said[window.everybody.words] = "Telefonnummer"
    window.end(Ended(Outcome("stopped", code, "s-1", trials=40)))
    type_note(window, "fire alarm")
    window.after.keep.click()
    said[window.after.words] = "Festgehalten: "
    before = {words: (words.text(), words.property("status")) for words in said}
    window.switch_language()
    for words, part in said.items():
        assert part in words.text()
        assert words.property("status") == before[words][1]
    window.switch_language()
    assert {words: (words.text(), words.property("status")) for words in said} == before


def test_while_a_session_is_examined_again_it_cannot_be_started(window, code, monkeypatch):
    """Neither a tick nor another language of the window calls ready what isn't checked yet."""
    from experiments.launch.gui import window as module

    scan(window, code)
    window.ready.checklist.tick_all()
    at_once, waiting = module.later, []
    monkeypatch.setattr(module, "later", lambda *work: waiting.append(work))
    window.examine("de")
    for change in (window.ready.checklist.changed.emit, window.switch_language):
        change()
        assert not window.ready.start.isEnabled()
        assert window.ready.words.text() == window.words["checking"]
    at_once(*waiting[0])
    assert window.ready.start.isEnabled()


def mnemonics(shown):
    """Return the letters that Alt chooses among the controls that are visible."""
    from PyQt6.QtWidgets import QAbstractButton, QLabel

    controls = [one for one in shown.findChildren(QAbstractButton) if one.isVisible()]
    buddies = [one for one in shown.findChildren(QLabel) if one.isVisible() and one.buddy()]
    texts = [one.text().replace("&&", "") for one in (*controls, *buddies)]
    return [text.split("&")[1][0].lower() for text in texts if "&" in text]


def test_no_two_visible_controls_of_a_page_share_a_letter(window, code):
    from experiments.launch.gui.dialogs import EnrolDialog, WithdrawDialog
    from experiments.launch.packs import enrolment_for

    def pages():
        window.next_person()
        yield window
        scan(window, code)
        window.ready.reason.show()
        window.ready._reason_label.show()
        yield window
        window.end(Ended(Outcome("stopped", code, "s-1", trials=40)))
        yield window
        window.show_today()
        yield window
        window.show_people()
        window.everybody.look_at(code)
        window.everybody.open_sheet.show()
        yield window
        can = enrolment_for(window.who.pack, robots=False)
        enrolling = EnrolDialog(window, window._look, can, window.words, screens=True)
        enrolling.role.setCurrentIndex(can.roles.index("lead"))
        for dialog in (
            enrolling,
            WithdrawDialog(window, window._look, code, "registry: people, 1", window.words),
        ):
            dialog.show()
            yield dialog
            dialog.close()

    seen = []
    for _ in range(2):
        for shown in pages():
            keys = mnemonics(shown)
            assert len(keys) == len(set(keys)), (window.words.language, window.windowTitle(), keys)
            seen.append(len(keys))
        window.switch_language()
    assert seen == [9, 9, 9, 4, 17, 5, 3] * 2


def test_the_day_is_shown_in_the_words_of_its_page_and_leads_back(window, code, lab):
    from PyQt6.QtWidgets import QLabel

    from participants.day.figures import day_of
    from participants.day.sections import figures_of, load_day_words, sections_of

    with closing(Registry.open(lab.registry_url)) as registry:
        note(registry, "incident", "fire alarm", code)
        day = day_of(lab, registry)
    scan(window, code)
    window.bar.today.click()
    for language in ("en", "de"):
        words = load_day_words(language)
        said = {text for one in window.day.findChildren(QLabel) for text in one.text().split("! ")}
        wanted = {part for one in figures_of(day, words) for part in (one.name, one.value)}
        for section in sections_of(day, words):
            wanted |= {section.title, *section.lines}
            wanted |= {str(v) for row in section.rows for v in row.values() if v is not None}
        assert "fire alarm" in wanted
        assert {text for text in wanted if "GiB" not in text} <= said
        window.switch_language()
    window.day.back.click()
    assert window.ready.code.text() == code
    assert window.pages.currentWidget() is window.ready


def test_asking_again_while_a_person_is_checked_does_not_begin_the_check_again(
    window, code, monkeypatch
):
    from experiments.launch.gui import window as module

    at_once, waiting = module.later, []
    monkeypatch.setattr(module, "later", lambda *work: waiting.append(work))
    scan(window, code)
    scan(window, code)
    (check,) = waiting
    at_once(*check)
    waiting.clear()
    window.end(Ended(Outcome("refused", code)))
    window.after.again.click()
    window.after.again.click()
    assert not window.after.again.isEnabled()
    (check,) = waiting
    at_once(*check)
    assert window.pages.currentWidget() is window.ready


def test_a_study_chosen_while_another_is_checked_is_not_called_ready(
    window, code, lab, mini_pack, monkeypatch
):
    """What was checked, what is shown and what would be started is one pack, or nothing."""
    from PyQt6.QtCore import Qt
    from PyQt6.QtTest import QTest

    from experiments.launch.gui import window as module

    copied = lab.packs / "second"
    shutil.copytree(mini_pack, copied)
    (copied / "items.csv").write_text("x", encoding="utf-8")
    window.look_for_packs()
    at_once, waiting = module.later, []
    monkeypatch.setattr(module, "later", lambda *work: waiting.append(work))
    scan(window, code)
    QTest.keyClick(window.who.packs, Qt.Key.Key_Down)
    assert window.who.pack.folder == copied
    for work in waiting:
        at_once(*work)
    assert window.pages.currentIndex() == 0
    assert window.who.next.isEnabled()
    assert not window.who.words.isVisible()
    waiting.clear()
    scan(window, code)
    for work in waiting:
        at_once(*work)
    assert window.pages.currentIndex() == 0
    assert "items.csv" in window.who.words.text()


def test_only_the_people_of_the_chosen_study_are_shown(window, code, lab, mini_tasks, monkeypatch):
    """However long it takes to read those of the study that was chosen before."""
    from PyQt6.QtCore import Qt
    from PyQt6.QtTest import QTest

    from experiments.launch.gui import window as module

    (lab.packs / "second").symlink_to(mini_tasks)
    window.look_for_packs()
    at_once, waiting = module.later, []
    monkeypatch.setattr(module, "later", lambda *work: waiting.append(work))
    window.choose_pack()
    QTest.keyClick(window.who.packs, Qt.Key.Key_Down)
    for work in reversed(waiting):
        at_once(*work)
    assert window.who.people.topLevelItemCount() == 0


def test_what_was_said_of_one_study_is_gone_once_another_is_chosen(window, code, lab):
    """And a study that can't be used isn't one for which nobody is enrolled."""
    from PyQt6.QtCore import Qt
    from PyQt6.QtTest import QTest

    (lab.packs / "second").mkdir()
    (lab.packs / "second" / "pack.json").write_text("{", encoding="utf-8")
    window.who.packs.setCurrentRow(-1)
    window.who.look_again.click()
    assert window.who._nobody.text() == window.words["choose_study"]
    QTest.keyClick(window.who.packs, Qt.Key.Key_Home)
    scan(window, code + "9")
    assert window.who.words.isVisible()
    QTest.keyClick(window.who.packs, Qt.Key.Key_Down)
    assert window.who.pack.refusal
    assert not window.who.words.isVisible()
    assert not window.who._nobody.isVisible()


def test_a_chosen_pack_that_is_gone_leaves_none_chosen(window, lab, mini_tasks):
    from PyQt6.QtCore import Qt
    from PyQt6.QtTest import QTest

    (lab.packs / "second").symlink_to(mini_tasks)
    (lab.packs / "third").symlink_to(mini_tasks)
    window.look_for_packs()
    QTest.keyClick(window.who.packs, Qt.Key.Key_Down)
    (lab.packs / "second").unlink()
    window.who.look_again.click()
    assert window.who.pack is None


def accept(monkeypatch):
    """Confirm the dialog in which somebody is enrolled."""
    from experiments.launch.gui.dialogs import EnrolDialog

    monkeypatch.setattr(EnrolDialog, "exec", lambda _: EnrolDialog.DialogCode.Accepted)


def test_a_lead_is_enrolled_only_at_a_place_that_somebody_chose(window):
    from PyQt6.QtCore import Qt
    from PyQt6.QtTest import QTest

    from experiments.launch.gui.dialogs import EnrolDialog
    from experiments.launch.packs import enrolment_for

    can = enrolment_for(window.who.pack, robots=False)
    dialog = EnrolDialog(window, window._look, can, window.words, screens=True)
    dialog.show()
    assert dialog.chosen.role == "participant"
    QTest.keyClick(dialog.role, Qt.Key.Key_Down)
    assert not dialog.enrol.isEnabled()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        QTest.keyClick(dialog, key)
    assert dialog.isVisible()
    QTest.keyClick(dialog.place, Qt.Key.Key_Down)
    assert dialog.enrol.isEnabled()
    assert (dialog.chosen.axis, dialog.chosen.rung) == ("deutan", 2)
    dialog.close()


def test_a_refusal_names_no_option_of_the_terminal(window, code):
    window.end(Ended(Outcome("refused", code, lines=(f"clock: was set{OR_OVERRIDE}",))))
    assert window.after.said.text() == "clock: was set"


def test_a_pack_that_was_moved_away_is_named_and_the_window_stays(window, code, lab, monkeypatch):
    accept(monkeypatch)
    (lab.packs / "first").rename(lab.root / "elsewhere")
    for ask in (window.who.enrol.click, lambda: scan(window, code)):
        window.who.words.clear()
        ask()
        assert str(lab.packs / "first") in window.who.words.text()
    (lab.root / "elsewhere").rename(lab.packs / "first")
    scan(window, code)
    assert window.ready.code.text() == code


def test_a_registry_that_another_program_holds_is_named_and_nothing_is_lost(
    window, code, lab, monkeypatch
):
    accept(monkeypatch)
    monkeypatch.setattr(waiting, "BUSY_TIMEOUT_S", 0.01)
    held = sqlite3.connect(lab.root / "registry.sqlite", isolation_level=None)
    held.execute("BEGIN EXCLUSIVE")
    for ask in (window.choose_pack, window.who.enrol.click, lambda: scan(window, code)):
        window.who.words.clear()
        ask()
        assert "another program holds it" in window.who.words.text()
    window.end(Ended(Outcome("complete", code, "s-1")))
    window.after.note.setPlainText("fire alarm")
    window.after.keep.click()
    assert "another program holds it" in window.after.words.text()
    held.close()
    window.after.keep.click()
    assert "fire alarm" in window.after.words.text()
    window.next_person()
    window.who.enrol.click()
    with closing(Registry.open(lab.registry_url)) as registry:
        assert {one.code for one in registry.list()} == {code, window.who.code.text()}


def test_a_pc_that_doctor_finds_unfit_is_never_said_to_be_ready(window, lab, code, monkeypatch):
    from experiments.launch.gui import window as module

    findings = [Finding("memory", "fail", "too little", "close other programs")]

    def doctor(words):
        assert words[2] == "doctor"
        assert not window.ready.isEnabled()
        assert window.isVisible()
        assert window.ready.words.text() == window.words["doctor_runs"]
        keep_examination(lab, findings, datetime.now(UTC))
        return ProcessOutput(2, "", "")

    monkeypatch.setattr(module, "ran", doctor)
    scan(window, code)
    window.ready.doctor.setFocus()
    window.ready.doctor.click()
    # It went to the bar's first button meanwhile.
    assert window.focusWidget() is window.ready.doctor
    window.ready.checklist.tick_all()
    words = window.ready.words
    assert (words.text(), words.property("status")) == (window.words["may_start_unfit"], "warn")
    assert window.ready.start.isEnabled()
    findings.clear()
    window.ready.doctor.click()
    assert (words.text(), words.property("status")) == (window.words["may_start"], "pass")


def test_a_session_that_begins_for_a_reason_is_not_said_to_be_ready(window, code, monkeypatch):
    failed = CLOCK.failed("early", "set_linux", now="2025-01-01 00:00")
    monkeypatch.setattr(command, "without_window", lambda *_, **__: [failed])
    scan(window, code)
    window.ready.checklist.tick_all()
    assert not window.ready.start.isEnabled()
    type_into(window.ready.reason, "the clock is a simulated one")
    assert window.ready.start.isEnabled()
    words = window.ready.words
    assert (words.text(), words.property("status")) == (window.words["may_start_reason"], "warn")


def test_a_german_window_shows_no_english_sentence_of_a_check(window, lab, code, monkeypatch):
    """Every sentence of every check is found; one check fails, here and in doctor."""
    from PyQt6.QtWidgets import QAbstractButton, QLabel

    english = {
        check: words
        for check, words in load_check_words("en").tables.items()
        if check not in OF_NO_CHECK
    }
    texts = [text for words in english.values() for text in words.values()]
    warned = [
        Check(check, "").warned(name, name, **dict.fromkeys(placeholders_in(text), "7"))
        for check, words in english.items()
        for name, text in words.items()
    ]
    failed = CLOCK.failed("early", "set_linux", now="2025-01-01 00:00")
    keep_examination(lab, [failed], datetime.now(UTC))
    monkeypatch.setattr(command, "without_window", lambda *_, **__: [failed, *warned])
    window.switch_language()
    scan(window, code)
    shown = [one.text() for one in window.findChildren((QLabel, QAbstractButton))]
    text = "\n".join(shown)
    assert text.count("die Uhrzeit ist 2025-01-01 00:00 UTC; die Uhr stellen: ") == 3
    german = "\n".join(
        text for words in load_check_words("de").tables.values() for text in words.values()
    )
    parts = {part for sentence in texts for part in re.split(r"\{[^}]*\}", sentence)}
    assert not [
        part for part in parts if len(part.split()) > 1 and part not in german and part in text
    ]


def test_the_chosen_study_and_person_are_highlighted_and_reached_by_keys(window, code, lab):
    who = window.who
    assert who._texts["heading"].buddy() is who.packs
    assert who.packs.item(0).isSelected()
    who.people.setCurrentItem(who.people.topLevelItem(0))
    assert who.code.text() == code
    window.switch_language()
    window.choose_pack()
    assert [item.text(0) for item in who.people.selectedItems()] == [code]


def test_the_checks_are_scrolled_by_keys(window, code):
    from PyQt6.QtCore import Qt
    from PyQt6.QtTest import QTest
    from PyQt6.QtWidgets import QScrollArea

    scan(window, code)
    area = next(one for one in window.ready.findChildren(QScrollArea) if one.focusPolicy().value)
    area.verticalScrollBar().setRange(0, 1000)
    QTest.keyClick(area, Qt.Key.Key_PageDown)
    assert area.verticalScrollBar().value() > 0


def test_a_pack_that_cannot_be_used_looks_unlike_the_others(window, lab, code):
    (lab.packs / "broken").mkdir()
    (lab.packs / "broken" / "pack.json").write_text("{", encoding="utf-8")
    window.look_for_packs()
    rows = {item.text().split("\n")[0]: item for item in map(window.who.packs.item, range(2))}
    assert set(rows) == {"✕ broken", "accept_reject"}
    assert "is not readable JSON" in rows["✕ broken"].text()
    assert rows["✕ broken"].foreground().color() != rows["accept_reject"].foreground().color()


def test_nothing_of_the_day_is_clipped_and_it_says_while_it_reads(
    window, lab, code, app, monkeypatch
):
    from experiments.launch.gui import today_page
    from experiments.launch.gui.look import Look

    day, stamp = today_page._day_here(lab), "2026-03-01T18:22:00.000000Z"
    study, rig = "accept_reject_accuracy", "rig-downstairs"
    came = Came(code, study, "main", rig, "unfinished", stamp, stamp)
    again = Due(code, "s-1", study, "main", rig, 3, stamp, stamp, stamp, "overdue")
    day = replace(day, came=(came,), due=(again,))
    monkeypatch.setattr(today_page, "_day_here", lambda _: day)
    at_once, waiting = today_page.later, []
    monkeypatch.setattr(today_page, "later", lambda *work: waiting.append(work))
    app.setStyleSheet(Look(1.0).style())
    try:
        window.resize(1280, 720)
        for _ in range(2):
            window.show_today()
            if window.day._day is None:
                assert window.day.words.text() == window.day._spoken["reading"]
            at_once(*waiting.pop())
            assert not window.day.words.isVisible()
            inside, area = window.day.area.widget(), window.day.area
            assert today_page.least_width_px(inside) <= area.viewport().width()
            window.switch_language()
    finally:
        app.setStyleSheet("")

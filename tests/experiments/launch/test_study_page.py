"""The start window's first page without a screen: the study and the person."""

import shutil
import sqlite3
from contextlib import closing

from experiments.launch.starting import Ended, Outcome
from experiments.session.preflight import OR_OVERRIDE
from participants.registry import Registry, waiting
from tests.experiments.launch.typing_in import scan


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


def test_the_chosen_study_and_person_are_highlighted_and_reached_by_keys(window, code, lab):
    who = window.who
    assert who._texts["heading"].buddy() is who.packs
    assert who.packs.item(0).isSelected()
    who.people.setCurrentItem(who.people.topLevelItem(0))
    assert who.code.text() == code
    window.switch_language()
    window.choose_pack()
    assert [item.text(0) for item in who.people.selectedItems()] == [code]


def test_a_pack_that_cannot_be_used_looks_unlike_the_others(window, lab, code):
    (lab.packs / "broken").mkdir()
    (lab.packs / "broken" / "pack.json").write_text("{", encoding="utf-8")
    window.look_for_packs()
    rows = {item.text().split("\n")[0]: item for item in map(window.who.packs.item, range(2))}
    assert set(rows) == {"✕ broken", "accept_reject"}
    assert "is not readable JSON" in rows["✕ broken"].text()
    assert rows["✕ broken"].foreground().color() != rows["accept_reject"].foreground().color()

"""People at any time, by real keys and clicks in the window, held against the commands."""

import json
import os
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QDesktopServices
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLabel

from experiments.launch import people
from experiments.launch.packs import found_packs, how_far
from experiments.launch.starting import ProcessOutput
from participants.appointments.book import appointments_of
from participants.cli import main
from participants.day import person
from participants.notes import notes_of
from participants.registry import NewSession, Registry
from participants.session.qualification import Missed
from stimuli.pack import Pack, open_pack
from stimuli.pack.folder import read_manifest
from stimuli.protocol import protocol_hash
from tests.experiments.sheets.pdf_text import pages_of
from tests.experiments.windows.forked import Forked

COMPLETE = "s-1"


def ran(command):
    """Run a command as the window does, in a process that has its modules already."""
    _, door, *words = command
    process = Forked(Path(door), *words, environment=os.environ)
    out, err = process.communicate()
    return ProcessOutput(process.returncode, out, err)


@pytest.fixture
def shown(window, code, lab, monkeypatch):
    """The window's page of people; the person has completed a session that earns 12 euros."""
    monkeypatch.setattr(people, "ran", ran)
    text = (lab.root / "lab.toml").read_text(encoding="utf-8")
    text = text.replace("per_session = 0.0", "per_session = 12.0")
    (lab.root / "lab.toml").write_text(text, encoding="utf-8")
    pack_id = read_manifest(lab.packs / "first").pack_id
    with closing(Registry.open(lab.registry_url)) as registry:
        new = NewSession(COMPLETE, code, "lead", "accept_reject", pack_id, "pilot", "rig-1")
        registry.start_session(new)
        registry.finish_session(COMPLETE)
        registry.enrol("participant")
    QTest.mouseClick(window.bar.people, Qt.MouseButton.LeftButton)
    page = window.everybody
    QTest.keyClicks(page.sought, code)
    QTest.keyClick(page.sought, Qt.Key.Key_Return)
    return page


def click(page, name):
    QTest.mouseClick({**page.acts, **page.of_lab}[name], Qt.MouseButton.LeftButton)


def choose(page, name):
    """Open the menu of sheets, go down to one by keys, and choose it."""
    menu = page.of_lab["sheet_more"].menu()
    menu.popup(page.mapToGlobal(page.rect().center()))
    while menu.activeAction() is not page.more[name]:
        QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)


def told(lab, capsys, *words):
    """What a command says of the lab."""
    capsys.readouterr()
    assert main(["participants", *words, "--lab", str(lab.root), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_scan_finds_a_person_and_their_page_is_that_of_show(shown, code, lab, capsys):
    assert shown.list.topLevelItemCount() == 1
    assert shown.code.text() == code
    details = told(lab, capsys, "show", code)
    assert set(shown.page.details) == set(details)
    assert shown.page.details["sessions"][0]["session"] == COMPLETE
    shown.sought.clear()
    listed = {one["code"] for one in told(lab, capsys, "list")}
    items = (shown.list.topLevelItem(at) for at in range(shown.list.topLevelItemCount()))
    assert {item.text(0) for item in items} == listed


def test_who_comes_to_the_page_again_finds_nobody_chosen(shown, window, code, lab):
    """A code that is typed at once is that of the next person, not one more of the last."""
    QTest.keyClicks(shown.note, "came late")
    for leave in (shown.back, window.bar.today):
        QTest.mouseClick(leave, Qt.MouseButton.LeftButton)
        QTest.mouseClick(window.bar.people, Qt.MouseButton.LeftButton)
        assert (shown.sought.text(), shown.code.isVisible()) == ("", False)
        assert not any(made.isEnabled() for made in shown.acts.values())
        with closing(Registry.open(lab.registry_url)) as registry:
            other = next(one.code for one in registry.list() if one.code != code)
        QTest.keyClicks(shown.sought, other)
        QTest.keyClick(shown.sought, Qt.Key.Key_Return)
        assert (shown.code.text(), shown.note.text()) == (other, "")


def test_the_page_says_why_somebody_was_disqualified(shown, code, lab, monkeypatch):
    monkeypatch.setattr(person, "missed_of", lambda *_: Missed(trials=4, right=1, needed=3))
    with closing(Registry.open(lab.registry_url)) as registry:
        registry.disqualify_session(COMPLETE)
    shown.look_at(code)
    said = " ".join(one.text() for one in shown.area.findChildren(QLabel))
    assert "1 of 4 checked answers was right; 3 are needed" in said
    assert shown._day["nobody_replaces"] in said


def test_while_nobody_has_what_is_typed_nobody_is_shown(shown, window, code):
    QTest.keyClicks(shown.sought, code)
    assert shown.page is None
    assert not any(made.isEnabled() for made in shown.acts.values())
    assert shown.about.text() == window.words["people_unknown"]
    shown.sought.clear()
    assert shown.about.text() == window.words["people_choose"]


def test_a_page_that_was_read_too_late_is_not_shown(shown, code, monkeypatch):
    """The registry may answer for one person after another was asked for."""
    from experiments.launch.gui import people_page

    at_once, waiting = people_page.later, []
    monkeypatch.setattr(people_page, "later", lambda *work: waiting.append(work))
    shown.look_at(code)
    QTest.keyClicks(shown.sought, "9")
    at_once(*waiting.pop())
    assert shown.page is None


def test_a_note_on_a_no_show_is_kept_and_one_that_names_somebody_stays(shown, code, lab):
    assert not shown.acts["note_keep"].isEnabled()
    for text in ("ask Mrs Miller", "didn't come, didn't call"):
        shown.note.clear()
        QTest.keyClicks(shown.note, text)
        QTest.keyClick(shown.note, Qt.Key.Key_Return)
        if "Miller" in text:
            assert shown.note.text() == text
            assert "looks like a name" in shown.words.text()
    with closing(Registry.open(lab.registry_url)) as registry:
        (kept,) = notes_of(registry, lab.data)
    assert (kept["code"], kept["text"], kept["kind"]) == (
        code,
        "didn't come, didn't call",
        "note",
    )
    assert shown.note.text() == ""


def test_a_payment_is_recorded_once_and_payments_says_so(shown, code, lab, capsys):
    assert "12.00" in shown.acts["pay"].text()
    click(shown, "pay")
    (account,) = told(lab, capsys, "payments")
    assert (account["paid"], account["due"]) == ("12.00", "0.00")
    assert not shown.acts["pay"].isEnabled()


def test_a_receipt_is_written_again_after_the_payment_and_opened(shown, code, lab, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    assert not shown.open_sheet.isVisible()
    click(shown, "pay")
    click(shown, "receipt")
    QTest.mouseClick(shown.open_sheet, Qt.MouseButton.LeftButton)
    receipt = lab.root / "sheets" / f"receipts-{code}.pdf"
    assert opened == [str(receipt)]
    assert "12.00 EUR" in pages_of(receipt.read_bytes())[0]
    click(shown, "backup_now")
    assert not shown.open_sheet.isVisible()


def test_an_appointment_is_booked_moved_refused_and_cancelled(shown, code, lab):
    def booked():
        with closing(Registry.open(lab.registry_url)) as registry:
            return [one.begins for one in appointments_of(registry)]

    first = (datetime.now(UTC) + timedelta(days=9)).replace(minute=0, second=0, microsecond=0)
    for begins, then in (
        (first, [first]),
        (first + timedelta(hours=2), None),
        (first - timedelta(days=99), None),
    ):
        shown.at.clear()
        QTest.keyClicks(shown.at, begins.astimezone().strftime("%Y-%m-%d %H:%M"))
        click(shown, "book")
        if begins < datetime.now(UTC):
            assert "has passed" in shown.words.text()
        else:
            assert booked() == (then or [begins])
    assert booked() == [first + timedelta(hours=2)]
    shown.at.clear()
    QTest.keyClicks(shown.at, "3 pm")
    click(shown, "book")
    assert shown.words.text() == "3 pm: must be a time such as 2026-12-03 10:00"
    click(shown, "unbook")
    assert booked() == []
    assert not shown.acts["unbook"].isEnabled()


def test_somebody_who_writes_later_is_withdrawn_from_their_page(
    shown, code, lab, monkeypatch, capsys
):
    from PyQt6.QtCore import QTimer
    from PyQt6.QtWidgets import QApplication

    def confirm():
        dialog = QApplication.activeModalWidget()
        assert code in dialog.windowTitle()
        QTest.keyClicks(dialog.typed, code)
        QTest.mouseClick(dialog.remove, Qt.MouseButton.LeftButton)

    QTimer.singleShot(0, confirm)
    click(shown, "withdraw")
    assert code not in {one["code"] for one in told(lab, capsys, "list")}
    assert shown.page is None
    assert not shown.acts["withdraw"].isEnabled()


def test_sheets_and_the_backup_are_those_of_their_commands(shown, code, lab, monkeypatch):
    asked = []
    real = people.ran
    monkeypatch.setattr(people, "ran", lambda words: asked.append(words[2:]) or real(words))
    for name, file in (
        ("card", f"cards-{code}.pdf"), ("receipt", f"receipts-{code}.pdf"),
        ("sheet_day", "day.pdf"), ("sheet_calendar", "calendar.ics"), ("cards", "cards.pdf"),
        ("labels", "labels.pdf"), ("receipts", "receipts.pdf"), ("checklist", "checklist.pdf"),
        ("consent", "consent-first.pdf"), ("debrief", "debrief-first.pdf"),
        ("keys", "keys-first.pdf"),
    ):  # fmt: skip
        if name in shown.more:
            choose(shown, name)
        else:
            click(shown, name)
        assert (lab.root / "sheets" / file).stat().st_size > 100, shown.words.text()
    click(shown, "backup_now")
    assert "no second place is named" in shown.words.text()
    assert [words[0] for words in asked] == [
        *["sheets"] * 3, "participants", *["sheets"] * 7, "backup",
    ]  # fmt: skip


def test_page_one_tells_a_study_that_is_full_and_one_without_a_plan(window, lab):
    packs = found_packs(lab)
    assert [one.planned for one in how_far(lab, packs).values()] == [None]
    assert window.words["without_plan"] in window.who.packs.item(0).text()
    manifest = read_manifest(lab.packs / "first")
    rules = protocol_hash(Pack(manifest, lambda path: b"").protocol)
    plan = {"study": "accept_reject", "participants": 1, "protocol_hash": rules}
    lab.data.make().copy_pack(open_pack(lab.packs / "first"))
    (lab.root / "plan").mkdir()
    (lab.root / "plan" / "preregistration.json").write_text(json.dumps(plan), encoding="utf-8")
    with closing(Registry.open(lab.registry_url)) as registry:
        other = registry.enrol("lead", axis="deutan", rung=2)
        new = NewSession("s-2", other, "lead", "accept_reject", manifest.pack_id, "main", "rig-1")
        for told_so in ("of_plan", "full"):
            window.look_for_packs()
            counts = {"complete": str(int(told_so == "full")), "planned": "1"}
            wanted = window.words.filled(told_so, **counts)
            assert window.who.packs.item(0).text().endswith(wanted)
            if told_so == "of_plan":
                registry.start_session(new)
                registry.finish_session("s-2")

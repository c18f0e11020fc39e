"""The start window's second page without a screen: what may be started."""

import re
from datetime import UTC, datetime

from experiments.launch.starting import ProcessOutput
from experiments.rig.checks.clocks import CLOCK
from experiments.rig.checks.finding import Check, Finding
from experiments.rig.verdict import keep_examination
from experiments.session import command
from participants.texts.load import placeholders_in
from participants.texts.rig import load_check_words
from participants.texts.translation import OF_NO_CHECK
from stimuli.colour.spaces import srgb_decode
from tests.experiments.launch.typing_in import scan, type_into


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


def test_the_checks_are_scrolled_by_keys(window, code):
    from PyQt6.QtCore import Qt
    from PyQt6.QtTest import QTest
    from PyQt6.QtWidgets import QScrollArea

    scan(window, code)
    area = next(one for one in window.ready.findChildren(QScrollArea) if one.focusPolicy().value)
    area.verticalScrollBar().setRange(0, 1000)
    QTest.keyClick(area, Qt.Key.Key_PageDown)
    assert area.verticalScrollBar().value() > 0

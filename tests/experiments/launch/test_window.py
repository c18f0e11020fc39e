"""The start window without a screen: its day, its languages and its letters."""

from contextlib import closing
from dataclasses import replace

from experiments.launch.starting import Ended, Outcome
from experiments.session.options import PersonOptions
from participants.day.figures import Came
from participants.notes import note
from participants.overview.due import Due
from participants.registry import Registry
from tests.experiments.launch.typing_in import scan, type_into, type_note
from tests.experiments.session.registered import half_done


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

"""The start window by an X server's keys and clicks, without a session."""

from contextlib import closing

import pytest

from experiments.launch import examination
from experiments.launch.examination import Options
from experiments.launch.gui.look import Look
from experiments.launch.gui.window import READY, LaunchWindow
from experiments.session import command
from participants.folder import LabFolder
from participants.registry import Registry

pytestmark = pytest.mark.window(tolerance_ms=200)


@pytest.fixture
def lab(tmp_path, mini_pack):
    made = LabFolder.make(tmp_path / "lab")
    (made.packs / "first").symlink_to(mini_pack)
    return made


@pytest.fixture
def codes(lab):
    """Two people."""
    with closing(Registry.open(lab.registry_url)) as registry:
        enrolled = [
            registry.enrol("lead", axis="deutan", rung=2, purpose="pilot") for _ in range(2)
        ]
    return sorted(enrolled)


@pytest.fixture
def window(app, hand, lab, codes, monkeypatch):
    monkeypatch.setattr(examination, "require_free_display", lambda: None)
    monkeypatch.setattr(command, "without_window", lambda *_, **__: [])
    look = Look.for_screen(1280, 720)
    app.setStyleSheet(look.style())
    shown = LaunchWindow(lab, Options(), (), look)
    hand.show(shown)
    hand.until(lambda: shown.who.people.topLevelItemCount() == len(codes))
    yield shown
    shown.deleteLater()
    app.setStyleSheet("")


def test_a_scan_replaces_the_code_wherever_somebody_clicked(hand, window, codes):
    """A click or a key may leave the cursor anywhere, and nothing selected."""
    for code in codes:
        hand.click(window.who.code)
        hand.press("End")
        assert not window.who.code.hasSelectedText()
        hand.scan(code)
        hand.until(lambda: window.pages.currentIndex() == READY)
        assert window.ready.code.text() == code
        hand.press("Escape")
        hand.until(lambda: window.who.code.hasFocus())
        window.who.show_code(code)


def test_a_scan_finds_a_person_whatever_was_sought_before(hand, window, codes):
    hand.click(window.bar.people)
    page = window.everybody
    for code in codes:
        hand.click(page.sought)
        hand.press("Control_L", "a")
        hand.scan(code)
        hand.until(lambda code=code: page.page is not None and page.page.person.code == code)
        assert page.sought.text().upper() == code


def test_tab_into_the_people_keeps_the_code_and_arrows_choose_the_first(hand, window, codes):
    first = window.who.people.topLevelItem(0).text(0)
    other = next(code for code in codes if code != first)
    hand.click(window.who.code)
    hand.type(other)
    hand.press("Tab")
    hand.press("Tab")
    hand.until(window.who.people.hasFocus)
    assert window.who.code.text().upper() == other
    assert not window.who.people.selectedItems()
    hand.press("Down")
    assert window.who.code.text() == first
    assert [one.text(0) for one in window.who.people.selectedItems()] == [first]
    hand.press("Down")
    assert window.who.code.text() == other


def test_a_study_that_is_reached_by_its_letter_is_highlighted(hand, window, lab, mini_tasks):
    (lab.packs / "second").symlink_to(mini_tasks)
    window.who.packs.setCurrentRow(-1)
    hand.click(window.who.look_again)
    hand.until(lambda: window.who.packs.count() == 2)
    assert window.who.pack is None
    hand.press("Alt_L", "s")
    hand.until(lambda: window.who.pack is not None)
    assert window.who.packs.currentItem().isSelected()


def test_typing_goes_where_the_cursor_is(hand, window, codes):
    """Hands are slower than a reader: one wrong sign is put right in its place."""
    code = codes[0]
    hand.click(window.who.code)
    hand.type(code[1:])
    hand.press("Home")
    hand.type(code[0])
    assert window.who.code.text().upper() == code

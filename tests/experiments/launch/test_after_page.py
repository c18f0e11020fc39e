"""The start window's last page without a screen: what came out, and the note."""

from contextlib import closing

import pytest

from experiments.launch.starting import Ended, Outcome, ProcessOutput
from participants.notes import notes_of
from participants.registry import Registry
from participants.session.qualification import Missed
from tests.experiments.launch.typing_in import scan, type_note


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

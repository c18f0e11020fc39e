"""Dragging and clicking caps, by the pointer's own events."""

import pytest

from experiments.engine.input import Press
from experiments.engine.window_events import PointerEvent
from experiments.screening.caps_screen import CapsBoard, CapsWork
from experiments.screens.look import Look
from participants.screening.trials import Arrangement

TRAY = (7, 3, 12, 1, 9, 5, 15, 2, 11, 8, 4, 14, 6, 13, 10)
BOARD = CapsBoard(Look((1280, 720), (30, 30, 30)), TRAY)
DONE = (1000, 650, 1200, 700)
FULL = Arrangement(tuple(range(1, 16)))


class Hand:
    """Moves the pointer over a board."""

    def __init__(self, arrangement=Arrangement()):
        self.moves = []
        self.work = CapsWork(BOARD, arrangement, DONE, lambda *move: self.moves.append(move))

    def do(self, kind, at, button=None):
        self.work.pointer(PointerEvent(kind, *at, button))

    def drag(self, start, *way):
        self.do("down", start, "left")
        for at in way:
            self.do("move", at)
        self.do("up", way[-1], "left")

    def click(self, at):
        self.drag(at, at)

    @property
    def row(self):
        return self.work.arrangement.row


def at(where, place):
    return BOARD.middle((where, place))


def of(cap):
    return at("tray", TRAY.index(cap))


def test_a_drag_puts_a_cap_where_it_is_let_go():
    hand = Hand()
    hand.drag(of(1), at("row", 5), at("row", 1))
    hand.drag(of(2), at("row", 9))
    hand.drag(of(3), at("row", 1))
    assert hand.row == (3, 1, 2)
    assert hand.moves == [(1, 1), (2, 9), (3, 1)]


def test_a_dragged_cap_goes_with_the_pointer_and_leaves_its_place():
    hand = Hand()
    hand.do("down", of(1), "left")
    assert hand.work.held is None
    hand.do("move", (640, 300))
    assert (hand.work.held, hand.work.held_at) == (1, (640, 300))
    hand.do("up", (640, 10), "left")
    assert hand.work.held is None
    assert hand.moves == []


def test_a_cap_is_clicked_and_then_a_place():
    hand = Hand()
    hand.click(of(5))
    assert hand.work.chosen == 5
    hand.click(at("row", 1))
    assert (hand.row, hand.work.chosen) == ((5,), None)
    hand.click(of(6))
    hand.click(at("row", 1))
    assert hand.row == (6, 5)


def test_another_cap_of_the_tray_is_chosen_instead_and_the_same_one_no_more():
    hand = Hand()
    hand.click(of(5))
    hand.click(of(6))
    assert hand.work.chosen == 6
    hand.click(of(6))
    assert hand.work.chosen is None
    assert hand.moves == []


def test_a_cap_goes_back_to_the_tray_by_drag_or_clicks():
    hand = Hand(Arrangement((4, 8)))
    hand.drag(at("row", 1), at("tray", 0))
    hand.click(at("row", 1))
    hand.click(of(8))
    assert hand.row == ()
    assert hand.moves == [(4, None), (8, None)]


def test_the_fixed_cap_neither_moves_nor_makes_room():
    hand = Hand(Arrangement((4,)))
    hand.drag(at("row", 0), at("row", 3))
    hand.drag(of(5), at("row", 0))
    hand.click(of(6))
    hand.click(at("row", 0))
    assert hand.row == (4,)
    assert hand.moves == []


def test_what_changes_nothing_is_no_move():
    hand = Hand(Arrangement((4, 8)))
    hand.drag(at("row", 2), at("row", 1), at("row", 2))
    hand.drag(of(5), (640, 300), of(5))
    assert hand.moves == []


@pytest.mark.parametrize("button", ["right", "middle"])
def test_other_buttons_do_nothing(button):
    hand = Hand()
    hand.do("down", of(5), button)
    hand.do("move", at("row", 1))
    hand.do("up", at("row", 1), button)
    assert hand.row == ()


def test_only_a_full_row_is_done_by_key_or_click():
    for arrangement, done in ((Arrangement((1, 2)), False), (FULL, True)):
        hand = Hand(arrangement)
        hand.work.press(Press("return", 1.0, chord=True))
        assert not hand.work.done
        hand.work.press(Press("return", 1.0))
        assert hand.work.done == done
        hand = Hand(arrangement)
        hand.click((1100, 675))
        assert hand.work.done == done


def test_a_held_cap_is_put_back_when_the_board_is_taken_away():
    hand = Hand()
    hand.do("down", of(1), "left")
    hand.do("move", at("row", 1))
    hand.work.drop()
    hand.do("up", at("row", 1), "left")
    assert (hand.work.held, hand.row) == (None, ())

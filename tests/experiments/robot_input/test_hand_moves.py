"""A robot's hand keeps moves and presses in the order of their times."""

from experiments.robot_input.input_events import InputQueue, Move, Stroke


def test_moves_go_between_a_buttons_press_and_its_release():
    input_queue = InputQueue()
    input_queue.add(Stroke("left", 1e9, hold_s=0.5, device="mouse"))
    input_queue.add_moves([Move(5, 6, 1e9 + 0.2), Move(3, 4, 1e9 - 0.1)])
    acts = [input_queue.pop() for _ in range(4)]
    assert [act.place_px for act in acts] == [(3, 4), None, (5, 6), None]
    assert [act.down for act in acts] == [False, True, False, False]
    assert not input_queue


def test_a_hand_that_is_stopped_lets_go_of_the_button_and_moves_no_more():
    input_queue = InputQueue()
    input_queue.add(Stroke("left", 1e9, hold_s=0.5, device="mouse"))
    input_queue.add_moves([Move(5, 6, 1e9 + 0.2)])
    assert input_queue.pop().down
    input_queue.forget()
    release = input_queue.pop()
    assert (release.key, release.down, release.place_px) == ("left", False, None)
    assert not input_queue


def test_what_is_prepared_counts_from_its_onset_and_is_done_once():
    input_queue = InputQueue()
    input_queue.prepare((Stroke("b", 0.4), Move(5, 6, 0.3), Stroke("a", 0.1)))
    assert not input_queue
    input_queue.begin(1e9)
    input_queue.begin(2e9)
    acts = [input_queue.pop() for _ in range(5)]
    assert [act.key for act in acts if act.down or act.place_px] == ["a", "move", "b"]
    assert acts[0].at_s == 1e9 + 0.1
    assert not any(act.reported for act in acts), "nobody reads hundreds of reports in a round"
    assert not input_queue


def test_a_hand_that_is_stopped_lets_go_of_what_is_prepared():
    input_queue = InputQueue()
    input_queue.prepare((Stroke("a", 0.1),))
    input_queue.forget()
    input_queue.begin(1e9)
    assert not input_queue

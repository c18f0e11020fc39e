"""Letters that every session uses are keys of every keyboard, as a protocol's are."""

from experiments.pages.interruptions import END_KEY
from experiments.pages.waiting import ABORT_KEY, NOTE_KEY, PAUSE_KEY
from experiments.strokes.presenter import ERASER_KEY
from participants.studies.accept_reject.annotation import NO_SOLUTION_KEY
from stimuli.keys import LETTERS


def test_no_fixed_key_lies_elsewhere_on_another_keyboard():
    keys = {PAUSE_KEY, NOTE_KEY, ABORT_KEY, END_KEY, ERASER_KEY, NO_SOLUTION_KEY}
    assert keys <= set(LETTERS)

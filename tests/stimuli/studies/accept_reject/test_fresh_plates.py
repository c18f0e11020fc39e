"""Plates for titration."""

import numpy as np
import pytest

from stimuli.errors import UserError
from stimuli.images.digits import Digits, load_digits
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.tasks import draw_tasks, fresh_plates, spare_digits


@pytest.fixture(scope="module")
def protocol() -> AcceptReject:
    changes = {
        "plates": {"source": "uci"},
        "solutions": {"trials_per_run": 40, "practice_trials": 4},
    }
    loaded = load_protocol("accept_reject", changes=changes)
    assert isinstance(loaded, AcceptReject)
    return loaded


@pytest.fixture(scope="module")
def digits() -> Digits:
    return load_digits("uci")


def test_no_pack_shows_what_a_titration_shows(protocol, digits) -> None:
    tasks = draw_tasks(protocol, digits)
    shown = {task.source_index for task in tasks}
    spare = spare_digits(protocol, digits)
    assert not shown & set(spare)
    assert shown - {None} | set(spare) == set(digits.held_out_indices.tolist())
    packings = {task.packing_seed for task in tasks}
    fresh = fresh_plates(protocol, "CODE", 1, digits)
    of_pack = {task.plate(fresh.spec).packing.x.tobytes() for task in tasks[:20]}
    of_titration = {fresh.draw(number)[0].packing.x.tobytes() for number in range(20)}
    assert len(packings) == len(tasks)
    assert not of_pack & of_titration
    assert len(of_titration) == 20


def test_a_repeat_and_another_person_get_other_plates_and_a_resumed_one_the_same(
    protocol, digits
) -> None:
    def draw(code: str, attempt: int) -> list[tuple[bytes, int]]:
        fresh = fresh_plates(protocol, code, attempt, digits)
        drawn = [fresh.draw(number) for number in range(8)]
        return [(plate.lms.tobytes(), digit) for plate, digit in drawn]

    first = draw("CODE", 1)
    assert draw("CODE", 1) == first
    for other in (draw("CODE", 2), draw("EDOC", 1)):
        assert not {plate for plate, _ in first} & {plate for plate, _ in other}


def test_too_few_images_are_one_line(protocol, digits) -> None:
    fewer = load_protocol(
        "accept_reject", changes={"plates": {"source": "uci"}, "solutions": {"lists": 4}}
    )
    left = spare_digits(fewer, digits)
    kept = np.setdiff1d(digits.held_out_indices, np.array(left[1:], dtype=int))
    few = Digits(digits.images, digits.labels, "uci", digits.train_indices, kept)
    with pytest.raises(UserError, match="leave too few for a titration"):
        fresh_plates(fewer, "CODE", 1, few)

import pytest

from stimuli.images.digits import load_digits
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import load_protocol, protocol_hash
from stimuli.studies.accept_reject import solutions
from stimuli.studies.accept_reject.compose import compose_solutions
from stimuli.studies.accept_reject.sketch import SketchRates, sketch_tasks

SMALL = {
    "plates": {
        "source": "uci",
        "axes": ["deutan"],
        "ladder_deutan": [0.02, 0.04, 0.09],
    },
    # Few trials: all kinds of controls come only where they are split evenly.
    "solutions": {"trials_per_run": 26, "practice_trials": 4, "lists": 4, "least_matched": 0},
    "experts": {"no_numeral_share": 0.05, "high_contrast_share": 0.05},
}
RATES = SketchRates(expert_abstention=0.2, system_error=0.2)


def small_protocol(**changes):
    return load_protocol("accept_reject", changes={**SMALL, **changes})


@pytest.fixture(autouse=True, scope="session")
def regions_drawn_once():
    """Draw each region once: packs are composed of the same paintings again and again."""
    drawn, draw = {}, solutions.REGION_OF["discs"]

    def drawn_once(values, *more):
        key = (values.tobytes(), values.shape, more)
        if key not in drawn:
            drawn[key] = draw(values, *more)
        return drawn[key].copy()

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(solutions.REGION_OF, "discs", drawn_once)
        yield


@pytest.fixture(scope="session")
def protocol():
    return small_protocol()


@pytest.fixture(scope="session")
def tasks(protocol):
    """A task pack in memory and one expert's map set."""
    return sketch_tasks(protocol, None, RATES, load_digits("uci"))


@pytest.fixture(scope="session")
def pack(tasks):
    """The solution pack of these tasks: lists at each of three rungs."""
    task_pack, painted = tasks
    files = compose_solutions(task_pack, [painted])
    protocol = task_pack.protocol
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


ONE_LIST = {**SMALL["solutions"], "trials_per_run": 18, "lists": 1, "rungs": [3]}


@pytest.fixture(scope="session")
def few_tasks():
    """A task pack for one list at one rung, which is soon composed, and its map set."""
    return sketch_tasks(small_protocol(solutions=ONE_LIST), None, RATES, load_digits("uci"))

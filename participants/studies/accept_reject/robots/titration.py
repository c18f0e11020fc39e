"""The rung that suits a robot: what titration finds for a person."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np

from participants.studies.accept_reject.robots.leads import SLIGHT_DEFICIT
from participants.studies.accept_reject.robots.percept import templates_of
from stimuli.colour.spaces import Axis
from stimuli.errors import UserError
from stimuli.images.digits import Digits, load_digits
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.pack import Pack
from stimuli.plates.observer import DigitTemplates, Observer, ShownPlate, reading_rate
from stimuli.plates.plate import Plate, plate_from_bytes
from stimuli.plates.templates import digits_in_mind
from stimuli.studies.accept_reject.lists import list_places
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.sketch import sketch
from stimuli.studies.accept_reject.tables import ITEMS, KEY, NO_NUMERAL
from stimuli.studies.accept_reject.tasks import draw_tasks, plate_spec

ROBOT_AXIS: Final = "deutan"
TITRATION_PLATES = 160
FOR_ANYONE = "high_contrast"


def robot_rung(pack: Pack, rungs: Collection[int] | None = None) -> int:
    """Return the rung where the ``lead`` robot reads nearest the protocol's target share.

    Deterministic; takes about a second.

    Parameters
    ----------
    pack
        A solution pack or a sketch.
    rungs
        Rungs to choose from, e.g. those for which the pack has lists; the whole
        ladder if None.
    """
    protocol = pack.protocol
    assert isinstance(protocol, AcceptReject)
    rates = reading_rates(protocol, plates_of(pack), templates_of(pack))
    return nearest_rung(protocol, rates, rungs)


def nearest_rung(
    protocol: AcceptReject, rates: Mapping[int, float], rungs: Collection[int] | None = None
) -> int:
    """Return the rung whose rate is nearest ``titration.target_share``."""
    target = protocol.titration.target_share
    wanted = [rung for rung in rates if rungs is None or rung in rungs]
    return min(wanted, key=lambda rung: (abs(rates[rung] - target), rung))


def reading_rates(
    protocol: AcceptReject,
    plates: Sequence[tuple[Plate, int]],
    templates: DigitTemplates,
    observer: Observer = SLIGHT_DEFICIT,
    axis: Axis = ROBOT_AXIS,
) -> Mapping[int, float]:
    """Return the share of plates whose digit an observer names in time, by rung.

    Time is ``trial.cutoff_s``; plates and noise of the looks are the same at each
    rung of the ladder.
    """
    spec = plate_spec(protocol.plates)
    return {
        rung: reading_rate(
            observer,
            templates,
            [(ShownPlate(plate, axis, contrast, spec), digit) for plate, digit in plates],
            protocol.trial.cutoff_s,
            np.random.Generator(np.random.PCG64(seed_of("titration", protocol.seed))),
        )
        for rung, contrast in enumerate(protocol.plates.ladder(axis), start=1)
    }


def plates_of(pack: Pack) -> list[tuple[Plate, int]]:
    """Return up to `TITRATION_PLATES` plates of a pack with their digits, in keyed order.

    It reads the key, since a robot is titrated before its session, as a person is. Plates that
    anyone can read say nothing about a rung.
    """
    label_of = {
        row["presentation"]: str(row["true_label"])
        for row in pack.table(KEY)
        if row["true_label"] != NO_NUMERAL and row["control_kind"] != FOR_ANYONE
    }
    digits = {
        str(row["plate_file"]): int(label_of[row["presentation"]])
        for row in pack.table(ITEMS)
        if row["presentation"] in label_of
    }
    chosen = keyed_order(digits, "titration")[:TITRATION_PLATES]
    return [(plate_from_bytes(pack.asset(path)), digits[path]) for path in chosen]


def robots_place(pack: Pack) -> tuple[str, int]:
    """Return the robots' axis, and the rung of a pack's lists that suits them.

    Raises
    ------
    UserError
        If the pack has no list on the robots' axis.
    """
    rungs = {rung for axis, rung in list_places(pack).values() if axis == ROBOT_AXIS}
    if not rungs:
        raise UserError(f"pack {pack.pack_id}: has no {ROBOT_AXIS} list, which robots need")
    return ROBOT_AXIS, robot_rung(pack, rungs)


def sketch_for_robots(protocol: AcceptReject, digits: Digits | None = None) -> Pack:
    """Return a sketch whose lists are at the rung that suits robots.

    Parameters
    ----------
    protocol
        Must have plates on the robots' axis.
    digits
        Source of the digits; UCI's if None.
    """
    if ROBOT_AXIS not in protocol.plates.axes:
        raise UserError(f"protocol: plates.axes lacks {ROBOT_AXIS}, which robots need")
    digits = load_digits("uci") if digits is None else digits
    spec = plate_spec(protocol.plates)
    tasks = [task for task in draw_tasks(protocol, digits) if task.use == "main"]
    plates = [(task.plate(spec), int(task.true_label)) for task in tasks[:TITRATION_PLATES]]
    templates = digits_in_mind(digits, spec)
    rung = nearest_rung(protocol, reading_rates(protocol, plates, templates))
    return sketch(protocol, places=[(ROBOT_AXIS, rung)], digits=digits)

"""Plates for a lead's titration."""

from types import MappingProxyType

from stimuli.colour.cones import Axis
from stimuli.errors import UserError
from stimuli.images.digits import Digits, load_digits
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.plates.masks import digit_mask
from stimuli.plates.plate import Plate, make_plate
from stimuli.screening.fresh import FreshPlates
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.tasks import plate_spec, spare_digits

NUMERALS = 10


def fresh_plates(
    protocol: AcceptReject, code: str, attempt: int, digits: Digits | None = None
) -> FreshPlates:
    """Return the plates of a person's titration.

    Parameters
    ----------
    protocol
        Its packs show none of these digits, and none of these dots.
    code, attempt
        Whose, and the how-manieth titration: each has plates of its own.
    digits
        Where digits come from; the protocol's source if None.

    Raises
    ------
    UserError
        If the source can't be read, or the packs leave no image of some numeral.
    """
    digits = load_digits(protocol.plates.source) if digits is None else digits
    key = ("titration", protocol.seed, code, attempt)
    images: dict[int, list[int]] = {numeral: [] for numeral in range(NUMERALS)}
    for index in keyed_order(spare_digits(protocol, digits), *key):
        images[int(digits.labels[index])].append(index)
    if not all(images.values()):
        raise UserError(
            f"digits {digits.source}: the packs of this protocol leave too few for a titration; "
            "take fewer trials_per_run or another plates.source"
        )
    spec = plate_spec(protocol.plates)

    def draw(number: int) -> tuple[Plate, int]:
        numeral = seed_of("numeral", *key, number) % NUMERALS
        # Where images run out they come again, on dots of their own.
        image = images[numeral][number % len(images[numeral])]
        seeds = (seed_of("plate", *key, number), seed_of("packing", *key, number))
        return make_plate(digit_mask(digits.images[image], spec), *seeds, spec), numeral

    plates = protocol.plates
    ladders: dict[Axis, tuple[float, ...]] = {axis: plates.ladder(axis) for axis in plates.axes}
    return FreshPlates(spec, MappingProxyType(ladders), plates.size_deg, draw)

"""S at work: the network's answer to every plate at every rung, with its explanation."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from stimuli.colour.spaces import Axis
from stimuli.maps.map_set import MapRecord, MapSet
from stimuli.maps.origin import NETWORK
from stimuli.plates.plate import Plate
from stimuli.plates.spec import PlateSpec
from xai_backend.explain.precompute import Codes, Picture, Precompute
from xai_backend.methods import Method
from xai_backend.models.image_model import probability
from xai_backend.models.plate_reading import pictures_of
from xai_backend.progress import Reporter

Place = tuple[Axis, int, float]
Question = tuple[str, Axis, int]


@dataclass(frozen=True, slots=True)
class Solved:
    """What S made of plates.

    Attributes
    ----------
    maps
        Answers with their probabilities and maps.
    halved_to
        By map: inputs at once to which a lack of memory drove its computation, which may
        change a map's last digits.
    """

    maps: MapSet
    halved_to: Mapping[str, int]


def solve(
    work: Precompute,
    methods: Mapping[str, Method],
    solver_id: str,
    pictures: Mapping[Question, Codes],
) -> Solved:
    """Return the most likely digit of each picture, its probability and its map by each method.

    Parameters
    ----------
    work
        S's network, the store of what it has solved, and who computes the rest.
    methods
        How answers are explained, by the protocol's names; a picture's records come in this order.
    solver_id
        By which S is known in the pack.
    pictures
        uint8 (H, W, 3) by (item, axis, rung).

    Raises
    ------
    UserError
        If workers can't be had or the store can't be written; what is done stays.
    """
    names = {question: _name(question) for question in pictures}
    shown = [Picture.of(names[question], codes) for question, codes in pictures.items()]
    logits = work.logits(shown)
    answers = {name: int(values.argmax()) for name, values in logits.items()}
    wanted = [answers[picture.name] for picture in shown]
    found = {method: work.maps(how, shown, wanted) for method, how in methods.items()}
    records = tuple(
        MapRecord(
            map=_map_name(name, method, methods),
            item=item,
            source="model",
            solver_id=solver_id,
            method=method,
            axis=axis,
            rung=rung,
            answer=str(answers[name]),
            confidence=probability(logits[name], answers[name]),
            rt_s=None,
            origin=NETWORK,
            origin_note=solver_id,
        )
        for (item, axis, rung), name in names.items()
        for method in methods
    )
    explained = {
        _map_name(name, method, methods): one
        for method in methods
        for name, one in found[method].items()
    }
    halved_to = {name: one.halved_to for name, one in explained.items() if one.halved_to}
    return Solved(MapSet(records, {name: one.values for name, one in explained.items()}), halved_to)


def draw_pictures(
    plates: Mapping[str, Plate],
    places: Sequence[Place],
    spec: PlateSpec,
    input_px: int,
    reporter: Reporter,
) -> dict[Question, Codes]:
    """Return every plate at every place (axis, rung, contrast) as the network sees it."""
    pictures: dict[Question, Codes] = {}
    with reporter.stage("drawing plates", len(plates)) as advance:
        for item, plate in plates.items():
            drawn = pictures_of(plate, [(axis, c) for axis, _, c in places], spec, input_px)
            for (axis, rung, _), picture in zip(places, drawn, strict=True):
                pictures[item, axis, rung] = picture
            advance(1)
    return pictures


def _name(question: Question) -> str:
    item, axis, rung = question
    return f"{item}-{axis}-{rung}"


def _map_name(picture: str, method: str, methods: Iterable[str]) -> str:
    """Return a map's name: the picture's, and of further methods with the method's behind it."""
    return picture if method == next(iter(methods)) else f"{picture}-{method}"

"""What progressive_reveal declares to this room."""

from typing import Final

from stimuli.io.tables import Row
from stimuli.maps.origin import IMPORTED, Origin, origin_in
from stimuli.names import ShownText, shown_texts
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.protocol import HUMAN, ProgressiveReveal
from stimuli.studies.progressive_reveal.tables import ARMS, CLASSES
from stimuli.study import Study

ARMS_FILE: Final = "arms.csv"
METHODS_FILE: Final = "methods.json"
_ORIGIN: Final = "map_origin"
CLICKME: Final = Origin(IMPORTED, "ClickMe")


def maps_by_method(pack: Pack) -> dict[str, Origin]:
    """Return who made the maps of each method of a solution pack, as far as it is known."""
    if pack.manifest.kind != "solutions":
        return {}
    return {str(row["method"]): origin_in(row, _ORIGIN) for row in pack.table(ARMS)}


def arm_rows(pack: Pack) -> tuple[Row, ...]:
    """Return the rows of a solution pack's table of arms."""
    return tuple(pack.table(ARMS))


def origins_of(pack: Pack) -> dict[str, Origin]:
    """Return who made what a pack shows, by what it is in words."""
    return {
        "the human maps" if method == HUMAN else f"the maps of method {method}": origin
        for method, origin in maps_by_method(pack).items()
        if origin.kind
    }


def texts_of(pack: Pack, language: str) -> tuple[ShownText, ...]:
    """Return the names of classes; see `stimuli.study.Study.texts`."""
    rows, usual = pack.table(CLASSES), pack.protocol.languages[0]
    return shown_texts("the names of classes", rows, ("class",), "name", language, usual)


STUDY = Study(
    package=__package__ or "",
    protocol=ProgressiveReveal,
    ground_srgb=lambda protocol: protocol.images.ground_srgb,
    origins=origins_of,
    texts=texts_of,
)

"""What simulatability declares to the stimuli room, such as who made each method's explanations."""

from stimuli.maps.origin import Origin, origin_in
from stimuli.names import ShownText, shown_texts
from stimuli.pack import Pack
from stimuli.studies.simulatability.protocol import NO_EXPLANATION, Simulatability
from stimuli.studies.simulatability.stimulus import TextInput
from stimuli.studies.simulatability.tables import ITEMS, METHODS, WORDS
from stimuli.study import Study


def origins_by_method(pack: Pack) -> dict[str, Origin]:
    """Return who made the explanations of each method, as far as it is known."""
    return {str(row["method"]): origin_in(row, "origin") for row in pack.table(METHODS)}


def origins_of(pack: Pack) -> dict[str, Origin]:
    """Return who made what a pack shows, by what it is in words."""
    return {
        f"the explanations of method {method}": origin
        for method, origin in origins_by_method(pack).items()
        if method != NO_EXPLANATION
    }


def texts_of(pack: Pack, language: str) -> tuple[ShownText, ...]:
    """Return the sentences and all names; see `stimuli.study.Study.texts`."""
    inputs = (str(row["input"]) for row in pack.table(ITEMS) if row["domain"] == "text")
    sentences = tuple(" ".join(TextInput.model_validate_json(one).tokens) for one in inputs)
    what, keys = "the names of classes, columns and values", ("domain", "kind", "term")
    usual = pack.protocol.languages[0]
    names = shown_texts(what, pack.table(WORDS), keys, "word", language, usual)
    return ShownText("the sentences", sentences), *names


STUDY = Study(
    package=__package__ or "",
    protocol=Simulatability,
    ground_srgb=lambda protocol: protocol.look.ground_srgb,
    origins=origins_of,
    texts=texts_of,
)

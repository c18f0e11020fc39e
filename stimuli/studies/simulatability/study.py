"""What simulatability declares to the stimuli room, such as who made each method's explanations."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stimuli.maps.origin import Origin, origin_in
from stimuli.names import ShownText, shown_texts
from stimuli.pack import Pack
from stimuli.studies.simulatability.protocol import NO_EXPLANATION, Simulatability
from stimuli.studies.simulatability.stimulus import EDITS, EXPLANATION, TextInput
from stimuli.studies.simulatability.tables import EXPLANATIONS, ITEMS, METHODS, WORDS
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
    items = pack.table(ITEMS)
    inputs = (str(row["input"]) for row in items if row["domain"] == "text")
    sentences = tuple(TextInput.model_validate_json(text).text for text in inputs)
    edits = (EDITS.validate_json(str(row["edits"])) for row in items if row["edits"])
    changes = tuple(edit.new for item_edits in edits for edit in item_edits)
    what, keys = "the names of classes, columns and values", ("domain", "kind", "term")
    usual = pack.protocol.languages[0]
    names = shown_texts(what, pack.table(WORDS), keys, "word", language, usual)
    methods = shown_texts("the methods' names", pack.table(METHODS), ("method",), "name", language)
    explanations = tuple(_explanation_texts(pack))
    return (
        ShownText("the sentences", sentences),
        *(ShownText(f"the {what}", texts, language) for what, texts in
          (("changes", changes), ("explanations", explanations))),
        *names,
        *methods,
    )  # fmt: skip


def _explanation_texts(pack: Pack) -> Iterator[str]:
    """Yield all texts of explanations."""
    for row in pack.table(EXPLANATIONS):
        explanation = EXPLANATION.validate_json(str(row["explanation"]))
        yield from _texts(explanation.model_dump())


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in plain values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | Sequence):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)


STUDY = Study(
    package=__package__ or "",
    protocol=Simulatability,
    ground_srgb=lambda protocol: protocol.look.ground_srgb,
    origins=origins_of,
    texts=texts_of,
)

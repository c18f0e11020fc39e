"""What simulatability declares to this room."""

from stimuli.languages import ShownText, untranslated_names
from stimuli.pack import Pack
from stimuli.studies.simulatability.inputs import TextInput
from stimuli.studies.simulatability.origins import origins_of
from stimuli.studies.simulatability.protocol import Simulatability
from stimuli.studies.simulatability.tables import ITEMS, WORDS
from stimuli.study import Study


def texts_of(pack: Pack, language: str) -> tuple[ShownText, ...]:
    """Return the sentences, and names without a translation; see `stimuli.study.Study.texts`."""
    inputs = (str(row["input"]) for row in pack.table(ITEMS) if row["domain"] == "text")
    words = (word for one in inputs for word in TextInput.model_validate_json(one).tokens)
    names = untranslated_names(
        "the names of classes, columns and values",
        pack.table(WORDS),
        ("domain", "kind", "term"),
        "word",
        language,
        pack.protocol.languages[0],
    )
    return ShownText("the sentences", " ".join(words)), names


STUDY = Study(
    package=__package__ or "",
    protocol=Simulatability,
    ground_srgb=lambda protocol: protocol.look.ground_srgb,
    origins=origins_of,
    texts=texts_of,
)

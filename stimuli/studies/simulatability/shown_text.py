"""The text that inputs show."""

from stimuli.languages import ShownText, untranslated_names
from stimuli.pack import Pack
from stimuli.studies.simulatability.inputs import TextInput
from stimuli.studies.simulatability.tables import ITEMS, WORDS


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

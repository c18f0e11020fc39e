"""The text that people read as answers."""

from stimuli.languages import ShownText, untranslated_names
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.tables import CLASSES


def texts_of(pack: Pack, language: str) -> tuple[ShownText, ...]:
    """Return names without a translation; see `stimuli.study.Study.texts`."""
    rows, usual = pack.table(CLASSES), pack.protocol.languages[0]
    return (untranslated_names("the names of classes", rows, ("class",), "name", language, usual),)

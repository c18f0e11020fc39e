"""The text that people read as answers."""

from stimuli.cases.texts import untranslated_texts
from stimuli.languages import ShownText, untranslated_names
from stimuli.pack import Pack
from stimuli.studies.accept_reject_accuracy.tables import LABELS


def texts_of(pack: Pack, language: str) -> tuple[ShownText, ...]:
    """Return names and texts without a translation; see `stimuli.study.Study.texts`."""
    rows, usual = pack.table(LABELS), pack.protocol.languages[0]
    return (
        untranslated_names("the names of labels", rows, ("label",), "name", language, usual),
        untranslated_texts(pack, language),
    )

"""The text that stimuli show: beside images, or in their place."""

from stimuli.cases.texts import untranslated_texts
from stimuli.languages import ShownText, untranslated, untranslated_names
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.tables import HELPS, LABELS


def texts_of(pack: Pack, language: str) -> tuple[ShownText, ...]:
    """Return labels, definitions and helps in words; see `stimuli.study.Study.texts`."""
    labels = pack.table(LABELS)
    meanings = untranslated(labels, ("label",), "definition", language)
    helps = untranslated(pack.table(HELPS), ("presentation", "arm", "place"), "help_text", language)
    return (
        untranslated_names(
            "the names of labels", labels, ("label",), "name", language, pack.protocol.languages[0]
        ),
        ShownText("the definitions", " ".join(meanings)),
        untranslated_texts(pack, language),
        ShownText("the explanations in words", " ".join(helps)),
    )

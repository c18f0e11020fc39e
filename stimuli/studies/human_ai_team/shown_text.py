"""The text that stimuli show: beside images, or in their place."""

from stimuli.io.tables import Row
from stimuli.languages import ShownText, untranslated, untranslated_names
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.tables import HELPS, LABELS, TEXTS


def texts_of(pack: Pack, language: str) -> tuple[ShownText, ...]:
    """Return labels, definitions and helps in words; see `stimuli.study.Study.texts`."""
    labels = pack.table(LABELS)
    meanings = untranslated(labels, ("label",), "definition", language)
    judged = untranslated(texts_in(pack), ("presentation",), "case_text", language)
    helps = untranslated(pack.table(HELPS), ("presentation", "arm", "place"), "help_text", language)
    return (
        untranslated_names(
            "the names of labels", labels, ("label",), "name", language, pack.protocol.languages[0]
        ),
        ShownText("the definitions", " ".join(meanings)),
        ShownText("the texts that are judged", " ".join(judged)),
        ShownText("the explanations in words", " ".join(helps)),
    )


def texts_in(pack: Pack) -> tuple[Row, ...]:
    """Return the texts that a pack lets people judge; a pack of images has none."""
    there = f"{TEXTS.name}.csv" in pack.manifest.files
    return tuple(pack.table(TEXTS)) if there else ()

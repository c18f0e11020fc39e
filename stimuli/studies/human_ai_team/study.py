"""What human_ai_team declares to this room."""

from stimuli.cases import untranslated_texts
from stimuli.names import ShownText, untranslated, untranslated_names
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.origins import origins_of
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.studies.human_ai_team.tables import HELPS, LABELS
from stimuli.study import Study


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


STUDY = Study(
    package=__package__ or "",
    protocol=HumanAiTeam,
    ground_srgb=lambda protocol: protocol.images.ground_srgb,
    origins=origins_of,
    texts=texts_of,
)

"""What human_ai_team declares to this room."""

from stimuli.cases import judged_texts
from stimuli.names import ShownText, shown_texts
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.origins import origins_of
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.studies.human_ai_team.tables import HELPS, LABELS
from stimuli.study import Study


def texts_of(pack: Pack, language: str) -> tuple[ShownText, ...]:
    """Return labels, definitions and helps in words; see `stimuli.study.Study.texts`."""
    labels, usual = pack.table(LABELS), pack.protocol.languages[0]
    helps = pack.table(HELPS), ("presentation", "arm", "place"), "help_text"
    return (
        *shown_texts("the names of labels", labels, ("label",), "name", language, usual),
        *shown_texts("the definitions", labels, ("label",), "definition", language),
        *judged_texts(pack, language),
        *shown_texts("the explanations in words", *helps, language),
    )


STUDY = Study(
    package=__package__ or "",
    protocol=HumanAiTeam,
    ground_srgb=lambda protocol: protocol.images.ground_srgb,
    origins=origins_of,
    texts=texts_of,
)

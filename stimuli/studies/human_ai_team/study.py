"""What human_ai_team declares to this room."""

from typing import Final

from stimuli.cases import judged_texts
from stimuli.io.tables import Row
from stimuli.maps.origin import Origin, origin_in
from stimuli.names import ShownText, shown_texts
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.protocol import HumanAiTeam, help_kind
from stimuli.studies.human_ai_team.tables import ARM_COUNTS, ARMS, HELPS, KEY, LABELS
from stimuli.study import Study

_SHOWN: Final = {"heatmap": "the maps", "examples": "the examples", "text": "the texts"}


def helps_by_arm(pack: Pack) -> dict[str, Origin]:
    """Return who made the help of each arm, as far as it is known."""
    return {str(row["arm"]): origin_in(row, "help_origin") for row in pack.table(ARMS)}


def origins_of(pack: Pack) -> dict[str, Origin]:
    """Return who made what a pack shows, by what it is in words."""
    return {
        f"{_SHOWN[help_kind(arm)]} of arm {arm}": origin
        for arm, origin in helps_by_arm(pack).items()
        if help_kind(arm) in _SHOWN
    }


def arm_counts(pack: Pack) -> tuple[Row, ...]:
    """Return what a pack counts of its arms."""
    return tuple(pack.table(ARM_COUNTS))


def examples_learned(pack: Pack, arm: str) -> bool:
    """Return whether a pack says that an arm's examples are images the network learned from."""
    return any(row["examples_learned"] for row in arm_counts(pack) if row["arm"] == arm)


def swapped_labels(pack: Pack) -> int:
    """Return how many validation images have a wrong label that the AI didn't give."""
    return sum(bool(row["swapped"]) for row in pack.table(KEY) if row["role"] == "validation")


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

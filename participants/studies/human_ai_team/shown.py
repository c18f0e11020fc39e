"""What a sheet of a pack shows in an arm, in a language's words.

Also which texts and words describe an arm's help and the labels, before and after the trials.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Final, cast

from participants.planning import require_shown, rows_of_list
from participants.session import Phase
from participants.studies.human_ai_team.trial import NO, YES
from stimuli.cases import texts_in
from stimuli.io.tables import Row, whole_number
from stimuli.maps.origin import PEOPLE, RESPONSE_MODEL
from stimuli.names import rows_in
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE, RATIONALE, HelpKind, help_kind
from stimuli.studies.human_ai_team.stimulus import PriorStimulus, TeamStimulus
from stimuli.studies.human_ai_team.study import examples_learned, helps_by_arm, swapped_labels
from stimuli.studies.human_ai_team.tables import HELPS, ITEMS, KEY, LABELS, LISTS, SAMPLES

MAPS: Final = "maps"
OF_ARMS: Final[Mapping[str, str]] = {
    HUMAN_ALONE: "alone",
    "gradcam": "heatmap",
    "extremal_perturbation": "heatmap",
    "salient_object": "salient",
    RATIONALE: "rationale",
}
OF_KINDS: Final[Mapping[HelpKind, str]] = {
    "none": "none",
    "heatmap": MAPS,
    "examples": "examples",
    "text": "words",
}
"""Names of texts by kind of help. Of maps that a lab supplies, only the makers are known."""
OF_MAPS: Final[Mapping[str, str]] = {PEOPLE: "people", RESPONSE_MODEL: "simulated"}


@dataclass(frozen=True, slots=True)
class ArmTexts:
    """The texts that a session in an arm of a pack shows.

    Attributes
    ----------
    help, debrief
        Names of the texts that explain the help, before and after.
    swapped
        Number of labels in validation that aren't the AI's.
    """

    help: str
    debrief: str
    swapped: int

    @property
    def debrief_checks(self) -> str:
        """Name of the text about validation."""
        return "debrief_swapped" if self.swapped else "debrief_checks"


def texts_of(pack: Pack, arm: str) -> ArmTexts:
    """Return which texts a session in an arm shows."""
    about = "learned" if examples_learned(pack, arm) else help_texts(arm)
    after = about
    if about == MAPS:
        after = OF_MAPS.get(helps_by_arm(pack)[arm].kind, MAPS)
    return ArmTexts(f"help_{about}", f"debrief_{after}", swapped_labels(pack))


def help_texts(arm: str) -> str:
    """Return the name for an arm's texts and words about its help, such as ``heatmap``.

    The text is ``help_heatmap``, and a screen's words are ``heatmap`` and ``note_heatmap``.
    """
    return OF_ARMS.get(arm) or OF_KINDS[help_kind(arm)]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The presentations of one sheet, in one arm.

    Attributes
    ----------
    phases
        What each presentation is for, in the order in which they are shown.
    stimuli
        What each of them shows.
    prior
        The question before each of them.
    right
        The right answers, for practice and validation only.
    """

    phases: Mapping[str, Phase]
    stimuli: Mapping[str, TeamStimulus]
    prior: Mapping[str, PriorStimulus]
    right: Mapping[str, str]

    def of(self, *phases: Phase) -> tuple[str, ...]:
        """Return the presentations of some phases, in order."""
        return tuple(name for name, phase in self.phases.items() if phase in phases)


def shown_by(pack: Pack, list_id: str, arm: str, language: str) -> Sheet:
    """Return what a sheet shows; the key is opened only for practice and validation.

    Raises
    ------
    UserError
        If the pack has no such sheet, or lacks something that the sheet names.
    """
    rows = rows_of_list(pack, LISTS, list_id, "position")
    phases = {str(row["presentation"]): cast(Phase, row["phase"]) for row in rows}
    items = {str(row["presentation"]): row for row in pack.table(ITEMS)}
    require_shown(pack, phases, items)
    items = {name: items[name] for name in phases}
    helps = _helps(pack, arm, language)
    words = rows_in(language, pack.table(LABELS))
    texts = texts_in(pack, language)
    return Sheet(
        phases,
        {
            name: replace(
                _stimulus(row, arm, helps.get(name, []), words), case_text=texts.get(name)
            )
            for name, row in items.items()
        },
        _prior(pack, items, words),
        _right(pack, {name for name, phase in phases.items() if phase != "main"}),
    )


def _helps(pack: Pack, arm: str, language: str) -> dict[str, list[Row]]:
    """Return an arm's rows of ``helps.csv`` by presentation, in order of their places."""
    of_arm = [row for row in pack.table(HELPS) if row["arm"] == arm]
    helps: dict[str, list[Row]] = {}
    for place in sorted({whole_number(row["place"]) for row in of_arm}):
        here = (row for row in of_arm if row["place"] == place)
        for name, row in rows_in(language, here, "presentation").items():
            helps.setdefault(name, []).append(row)
    return helps


def _stimulus(item: Row, arm: str, helps: list[Row], words: Mapping[str, Row]) -> TeamStimulus:
    label = str(item["shown_label"])
    alone = arm == HUMAN_ALONE
    texts = [str(row["help_text"]) for row in helps if row["help_text"] is not None]
    return TeamStimulus(
        image_file=str(item["image_file"] or ""),
        shown_label=label,
        label_name=str(words[label]["name"]),
        confidence_percent=None if alone else whole_number(item["confidence_percent"]),
        arm=arm,
        help_files=tuple(str(row["help_file"]) for row in helps if row["help_file"] is not None),
        help_text=texts[0] if texts else None,
    )


def _prior(
    pack: Pack, items: Mapping[str, Row], words: Mapping[str, Row]
) -> dict[str, PriorStimulus]:
    samples: dict[str, list[str]] = {}
    for row in sorted(pack.table(SAMPLES), key=itemgetter("label", "place")):
        samples.setdefault(str(row["label"]), []).append(str(row["image_file"]))
    stimuli = {}
    for name, item in items.items():
        label = str(item["shown_label"])
        definition = words[label]["definition"]
        stimuli[name] = PriorStimulus(
            label_name=str(words[label]["name"]),
            definition=None if definition is None else str(definition),
            sample_files=tuple(samples.get(label, ())),
        )
    return stimuli


def _right(pack: Pack, names: set[str]) -> dict[str, str]:
    """Return the right answers; the key isn't opened if none is wanted."""
    if not names:
        return {}
    key = {str(row["presentation"]): row for row in pack.table(KEY)}
    return {name: YES if key[name]["ai_correct"] else NO for name in names}

"""What a sheet of a pack shows in an arm, in a language's words."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from participants.planning import require_shown, rows_of_list
from participants.studies.human_ai_team.trial import NO, YES
from stimuli.errors import UserError
from stimuli.io.tables import Row
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE
from stimuli.studies.human_ai_team.stimulus import PriorStimulus, TeamStimulus
from stimuli.studies.human_ai_team.tables import HELPS, ITEMS, KEY, LABELS, LISTS, SAMPLES


@dataclass(frozen=True, slots=True)
class Sheet:
    """The presentations of one sheet, in one arm.

    Attributes
    ----------
    practice, validation, main
        Presentation ids, in the sheet's order.
    stimuli
        What each of them shows.
    prior
        What is asked about each of them before.
    right
        The right answers, of practice and validation alone.
    """

    practice: tuple[str, ...]
    validation: tuple[str, ...]
    main: tuple[str, ...]
    stimuli: Mapping[str, TeamStimulus]
    prior: Mapping[str, PriorStimulus]
    right: Mapping[str, str]


def shown_by(pack: Pack, list_id: str, arm: str, language: str) -> Sheet:
    """Return what a sheet shows; the key is opened for practice and validation alone.

    Raises
    ------
    UserError
        If the pack has no such sheet, the sheet names what the pack doesn't hold, or a label has
        no words in the language.
    """
    own = rows_of_list(pack, LISTS, list_id, "phase")
    practice, validation, main = (
        tuple(str(row["presentation"]) for row in own if row["phase"] == phase)
        for phase in ("practice", "validation", "main")
    )
    wanted = {*practice, *validation, *main}
    items = {
        str(row["presentation"]): row
        for row in pack.table(ITEMS)
        if row["presentation"] in wanted
    }
    require_shown(pack, wanted, items)
    helps = _helps(pack, arm)
    words = _words(pack, language)
    return Sheet(
        practice,
        validation,
        main,
        {name: _stimulus(row, arm, helps.get(name, []), words) for name, row in items.items()},
        _prior(pack, items, words),
        _right(pack, {*practice, *validation}),
    )


def _helps(pack: Pack, arm: str) -> dict[str, list[Row]]:
    rows = sorted(
        (row for row in pack.table(HELPS) if row["arm"] == arm),
        key=itemgetter("presentation", "place"),
    )
    return {str(name): list(own) for name, own in groupby(rows, itemgetter("presentation"))}


def _words(pack: Pack, language: str) -> dict[str, Row]:
    rows = {str(row["label"]): row for row in pack.table(LABELS) if row["language"] == language}
    if not rows:
        raise UserError(f"pack {pack.pack_id}: labels.csv has no words in {language!r}")
    return rows


def _stimulus(item: Row, arm: str, helps: list[Row], words: Mapping[str, Row]) -> TeamStimulus:
    label = str(item["shown_label"])
    alone = arm == HUMAN_ALONE
    texts = [str(row["help_text"]) for row in helps if row["help_text"] is not None]
    return TeamStimulus(
        image_file=str(item["image_file"]),
        shown_label=label,
        label_name=str(words[label]["name"]),
        confidence_percent=None if alone else int(item["confidence_percent"]),
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
    found = {}
    for name, item in items.items():
        label = str(item["shown_label"])
        definition = words[label]["definition"]
        found[name] = PriorStimulus(
            label_name=str(words[label]["name"]),
            definition=None if definition is None else str(definition),
            sample_files=tuple(samples.get(label, ())),
        )
    return found


def _right(pack: Pack, wanted: set[str]) -> dict[str, str]:
    """Return the right answers; the key isn't opened where none is wanted."""
    if not wanted:
        return {}
    key = {str(row["presentation"]): row for row in pack.table(KEY)}
    return {name: YES if key[name]["ai_correct"] else NO for name in wanted}

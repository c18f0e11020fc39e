"""What a list of a pack shows, and the right decision for each practice trial.

Some practice trials are worked examples: solutions that leads see explained before practice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from participants.planning import require_shown, rows_of_list
from participants.session import Page
from stimuli.colour.spaces import axis_named
from stimuli.io.tables import Row, text_or_none
from stimuli.pack import Pack
from stimuli.studies.accept_reject.assessment import Solution
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.shares import Expectation, expected
from stimuli.studies.accept_reject.stimulus import PlateStimulus
from stimuli.studies.accept_reject.tables import ITEMS, KEY, LISTS, PRACTICE_RUN, SHAM_RUN

WITHOUT_RUN, WITH_RUN = 1, 2
LEAST_PRACTICE_FOR_EXAMPLES: Final = 4
OUTLINED_EXAMPLE: Final = "example_accept_outlined"


@dataclass(frozen=True, slots=True)
class ShownList:
    """The presentations of one list.

    Attributes
    ----------
    practice, without, explained, sham
        Presentation ids, in the list's order; ``sham`` is empty where the pack has no
        second run without explanations.
    stimuli
        What each of them shows.
    right
        The decisions that the guidelines require, for practice presentations only.
    """

    practice: tuple[str, ...]
    without: tuple[str, ...]
    explained: tuple[str, ...]
    sham: tuple[str, ...]
    stimuli: Mapping[str, Solution]
    right: Mapping[str, Expectation]


def shown_by(pack: Pack, protocol: AcceptReject, list_id: str) -> ShownList:
    """Return what a list shows; the key is opened only for its practice presentations.

    Raises
    ------
    UserError
        If the pack has no such list, or lacks something that the list names.
    """
    rows = rows_of_list(pack, LISTS, list_id, "run")
    runs = {
        run: tuple(str(row["presentation"]) for row in rows if row["run"] == run)
        for run in (PRACTICE_RUN, WITHOUT_RUN, WITH_RUN, SHAM_RUN)
    }
    stimuli = _stimuli(pack, protocol, {name for run in runs.values() for name in run})
    shown_label = {name: stimuli[name].shown_label for name in runs[PRACTICE_RUN]}
    return ShownList(
        runs[PRACTICE_RUN],
        runs[WITHOUT_RUN],
        runs[WITH_RUN],
        runs[SHAM_RUN],
        stimuli,
        right_decisions(pack, shown_label),
    )


def _stimuli(pack: Pack, protocol: AcceptReject, names: set[str]) -> dict[str, PlateStimulus]:
    stimuli = {
        str(row["presentation"]): stimulus_of(row, protocol)
        for row in pack.table(ITEMS)
        if row["presentation"] in names
    }
    require_shown(pack, names, stimuli)
    return stimuli


def stimulus_of(row: Row, protocol: AcceptReject) -> PlateStimulus:
    """Return what a row of ``items.csv`` shows."""
    axis, rung = axis_named(str(row["axis"])), int(row["rung"] or 0)
    region = row["region_file"]
    return PlateStimulus(
        plate_file=str(row["plate_file"]),
        region_file=None if region is None else str(region),
        shown_label=str(row["shown_label"]),
        axis=axis,
        rung=rung,
        contrast=protocol.plates.ladder(axis)[rung - 1],
    )


def right_decisions(pack: Pack, shown_label: Mapping[str, str]) -> dict[str, Expectation]:
    """Return the decision that the guidelines require for each practice presentation, by id.

    Only the true label is to be accepted; if nobody knows whether the lead sees it, only if the
    lead does. The key isn't opened if there is no practice.

    Parameters
    ----------
    pack
        Whose key is opened.
    shown_label
        Id of the label that each presentation shows.
    """
    if not shown_label:
        return {}
    key = {row["presentation"]: row for row in pack.table(KEY)}
    return {
        name: expected(
            text_or_none(key[name]["control_kind"]), is_true=label == key[name]["true_label"]
        )
        for name, label in shown_label.items()
    }


def example_pages(shown_list: ShownList, *, outlined: bool = False) -> list[Page]:
    """Return worked examples: a practice presentation to accept, and one to reject.

    With ``outlined``, the one to accept has an outline, if there is such a presentation, and the
    one to reject has none. So leads know both kinds of solutions before the questions about them.
    """
    if len(shown_list.practice) < LEAST_PRACTICE_FOR_EXAMPLES:
        return []
    accepted = _first_of(shown_list, "accept", outlined=outlined)
    rejected = _first_of(shown_list, "reject", outlined=False)
    pages = []
    for name, text in ((accepted, "example_accept"), (rejected, "example_reject")):
        if name is not None:
            stimulus = shown_list.stimuli[name]
            if name == accepted and stimulus.region_file is not None:
                text = OUTLINED_EXAMPLE
            values = {"label": stimulus.shown_label}
            pages.append(Page(f"example-{name}", text, values, stimulus))
    return pages


def _first_of(shown_list: ShownList, decision: str, *, outlined: bool) -> str | None:
    """Return the first practice presentation with a decision, preferably one outlined as asked."""
    fitting = [name for name in shown_list.practice if shown_list.right[name] == decision]
    as_wanted = (n for n in fitting if (shown_list.stimuli[n].region_file is not None) == outlined)
    return next(as_wanted, fitting[0] if fitting else None)

"""What a list of an accuracy pack shows, in a language's words."""

from participants.planning import require_shown, rows_of_list
from participants.studies.accept_reject.shown import Shown, right_decisions
from stimuli.images.names import words_of
from stimuli.images.predictions import NO_SOLUTION
from stimuli.pack import Pack
from stimuli.studies.accept_reject.tables import LISTS, PRACTICE_RUN
from stimuli.studies.accept_reject_accuracy.stimulus import ImageStimulus
from stimuli.studies.accept_reject_accuracy.tables import ITEMS, LABELS, RUN


def shown_by(pack: Pack, list_id: str, language: str) -> Shown:
    """Return what a list shows; the key is opened for its practice presentations alone.

    Raises
    ------
    UserError
        If the pack has no such list, or the list names what the pack doesn't hold.
    """
    own = rows_of_list(pack, LISTS, list_id, "run")
    practice, main = (
        tuple(str(row["presentation"]) for row in own if row["run"] == run)
        for run in (PRACTICE_RUN, RUN)
    )
    labels = {str(row["presentation"]): row for row in pack.table(ITEMS)}
    require_shown(pack, {*practice, *main}, labels)
    words = {**words_of(pack.table(LABELS), language), NO_SOLUTION: NO_SOLUTION}
    stimuli = {
        name: ImageStimulus(
            str(labels[name]["image_file"]), words[str(labels[name]["shown_label"])]
        )
        for name in (*practice, *main)
    }
    shown_label = {name: str(labels[name]["shown_label"]) for name in practice}
    return Shown(practice, main, (), (), stimuli, right_decisions(pack, shown_label))

"""How often strategies without the model are right in a pack."""

from stimuli.pack import Pack
from stimuli.studies.simulatability.compose import Score, scores
from stimuli.studies.simulatability.tables import CLASSES, ITEMS, KEY


def scores_of(pack: Pack) -> list[Score]:
    """Return the score of each strategy in each test of a pack, and in its short half."""
    return list(scores(pack.table(ITEMS), pack.table(KEY), pack.table(CLASSES)))

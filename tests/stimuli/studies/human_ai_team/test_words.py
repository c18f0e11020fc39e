"""Words by language: a label's own, else those for any."""

from stimuli.studies.human_ai_team.compose import label_rows
from stimuli.studies.human_ai_team.tables import LABELS

NAMES = {("n1", ""): "tench", ("n1", "de"): "Schleie", ("n2", ""): "wren"}
MEANINGS = {("n1", ""): "A fish.", ("n2", "de"): "Ein kleiner Vogel.", ("n3", ""): "Of no image."}


def test_each_row_is_whole():
    """Who has but a word or a definition in a language gets the other in the one for any."""
    rows = label_rows({"n1", "n2", "bare_id"}, NAMES, MEANINGS)
    assert [tuple(row.values()) for row in rows] == [
        ("bare_id", None, "bare id", None),
        ("n1", None, "tench", "A fish."),
        ("n1", "de", "Schleie", "A fish."),
        ("n2", None, "wren", None),
        ("n2", "de", "wren", "Ein kleiner Vogel."),
    ]
    assert LABELS.from_csv(LABELS.to_csv(rows), "labels.csv") == rows

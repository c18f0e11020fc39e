"""What progressive_reveal declares to this room."""

from analysis.studies.progressive_reveal.power.command import power
from analysis.study import Study, TableBeside
from stimuli.catalogue import Late

STUDY = Study(
    analyse=Late(f"{__package__}.results:analyse_progressive_reveal"),
    report=Late(f"{__package__}.present:REPORT").imported,
    beside={
        "items": TableBeside(("item",), "Item table, with --trials."),
        "curves": TableBeside(
            ("item", "method", "step", "pixels"),
            "Table of what each image uncovers step by step, with --trials.",
        ),
        "arms": TableBeside(("method",)),
        "people": TableBeside(("participant", "session")),
    },
    power=power,
    registered=Late(f"{__package__}.registered:registered"),
    pictures=Late(f"{__package__}.seen:pictures"),
    # Where a round ended without the right answer, the last step is meant.
    may_be_empty=frozenset({"step", "pixels"}),
)

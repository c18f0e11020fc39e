"""Trial rows of accept_reject from a journal and what its pack says."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from participants.dataset.table_files import choice_cells, main_trials
from participants.journal import Event, Journal
from participants.session import counting_trials
from participants.studies.accept_reject.plan import QUESTIONS, SOURCE_OF
from stimuli.io.tables import Row, whole_number
from stimuli.pack import Pack
from stimuli.studies.accept_reject.origins import arm_rows
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.tables import ITEM_TABLE, ITEMS, KEY
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy, Rules
from stimuli.studies.accept_reject_accuracy.tables import ITEMS as IMAGES


@dataclass(frozen=True, slots=True)
class ShownSolutions:
    """A pack's data on its presentations."""

    items: Mapping[str, Row]
    key: Mapping[str, Row]
    item_table: tuple[Row, ...]
    arms: tuple[Row, ...]
    protocol: Rules


def solutions_of(pack: Pack) -> ShownSolutions:
    """Return a pack's data on its presentations."""
    protocol = pack.protocol
    assert isinstance(protocol, AcceptReject | AcceptRejectAccuracy)
    shown = IMAGES if isinstance(protocol, AcceptRejectAccuracy) else ITEMS
    return ShownSolutions(
        items={str(row["presentation"]): row for row in pack.table(shown)},
        key={str(row["presentation"]): row for row in pack.table(KEY)},
        item_table=tuple(pack.table(ITEM_TABLE)),
        arms=arm_rows(pack),
        protocol=protocol,
    )


def lead_rows(journal: Journal, shown: ShownSolutions) -> list[Row]:
    """Return the rows of a session's main trials and of their repeats."""
    ends = main_trials(journal)
    counting = counting_trials(end for _, end, _ in ends)
    answers = {event["step"]: event["value"] for event in journal.of("answer")}
    rows = [
        choice_cells(part, end, shown_s)
        | _trial_row(part, end, shown, counting)
        | _answers_at_the_end(end["presentation"], answers)
        for part, end, shown_s in ends
    ]
    return sorted(rows, key=lambda row: whole_number(row["trial"]))


def _answers_at_the_end(presentation: str, answers: Mapping[str, JsonValue]) -> Row:
    """Return the lead's answers about this solution, and about all solutions."""
    asked = {"guessed_source": f"{SOURCE_OF[0]}-{presentation}"} | {
        name: name for name, _ in QUESTIONS
    }
    return {
        column: None if answers.get(step) is None else str(answers[step])
        for column, step in asked.items()
    }


def _trial_row(part: Event, end: Event, shown: ShownSolutions, counting: frozenset[int]) -> Row:
    item, key = shown.items[end["presentation"]], shown.key[end["presentation"]]
    rules = shown.protocol.trial
    from_trial = {name: end[name] for name in ("run", "in_time", "accepted", "repeat_of")}
    from_key = {
        name: key[name]
        for name in (
            "item", "solver", "solver_id", "method", "explained", "true_label", "control_kind",
        )
    }  # fmt: skip
    return {
        **from_trial,
        **from_key,
        **{name: item.get(name) for name in ("axis", "rung", "shown_label")},
        "solver_origin": key["solver_origin"],
        "order": part["order"],
        "condition": "with" if key["explained"] else "without",
        "cutoff_mode": rules.cutoff_mode,
        "cutoff_s": rules.cutoff_s,
        "counts": end["trial"] in counting,
    }

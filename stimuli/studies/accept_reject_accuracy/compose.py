"""From labelled images or texts and S's answers to a solution pack: lists, opaque ids, files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stimuli.cases import TextCase, check_labels, check_text, texts_file
from stimuli.errors import UserError
from stimuli.images.pictures import of_one_length
from stimuli.images.sets import Answers, abstaining
from stimuli.io.canonical import hash_of
from stimuli.io.tables import Row
from stimuli.maps.origin import IMPORTED, NETWORK, UNKNOWN, Origin
from stimuli.names import Names, name_rows
from stimuli.studies.accept_reject.origins import ARMS_FILE, Arm, arms_file
from stimuli.studies.accept_reject.tables import ITEM_TABLE, KEY, LISTS
from stimuli.studies.accept_reject_accuracy.lists import Entry, Shown, lists_of
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from stimuli.studies.accept_reject_accuracy.tables import ITEMS, LABELS, PREDICTIONS

ID_DIGITS = 12

Lists = Mapping[str, Sequence[Entry]]


@dataclass(frozen=True, slots=True)
class Tasks:
    """What there is to judge.

    Attributes
    ----------
    labels
        The data set's label by item.
    answers
        S's answers by item.
    pictures
        Each item's PNG, all of one size (`pictures.framed`); none of texts.
    names
        What labels are called.
    system_id
        Which classifier S is.
    expert_id
        Which data set's labels E's are.
    origins
        Who gave the answers, by solver (S and E), as far as more is known.
    texts
        Each item's text by language, if texts are judged.
    """

    labels: Mapping[str, str]
    answers: Answers
    pictures: Mapping[str, bytes]
    names: Names
    system_id: str
    expert_id: str
    origins: Mapping[str, Origin] = field(default_factory=dict)
    texts: Mapping[str, TextCase] = field(default_factory=dict)

    @property
    def arms(self) -> dict[Arm, Origin]:
        """Who gave the answers; nobody explains them."""
        usual = {"S": Origin(NETWORK, self.system_id), "E": Origin(IMPORTED, self.expert_id)}
        return {(name, None): origin for name, origin in {**usual, **self.origins}.items()}


def compose_solutions(protocol: AcceptRejectAccuracy, tasks: Tasks) -> dict[str, bytes]:
    """Return the files of a solution pack.

    Raises
    ------
    UserError
        If there are too few images or texts for the protocol, two labels have one name, or a text
        or its label has no room on a screen.
    """
    answers = abstaining(tasks.answers, protocol.system.abstain_below)
    content = {item: hash_of(data.hex()) for item, data in tasks.pictures.items()}
    content |= {item: hash_of(dict(case)) for item, case in tasks.texts.items()}
    said = {item: [ranked[0].label, tasks.labels[item]] for item, ranked in answers.items()}
    key = hash_of(["accuracy", protocol.seed, content, said])
    lists = lists_of(protocol, tasks.labels, answers, key)
    shown = _distinct(lists, key)
    judged = {one.item for one in shown.values()}
    file_of = {item: _image_file(item, key) for item in judged & tasks.pictures.keys()}
    images = {file_of[item]: tasks.pictures[item] for item in file_of}
    labels = {one.label for one in shown.values()} | set(tasks.labels.values())
    return {
        **of_one_length(images),
        **(_texts(protocol, tasks, shown) if tasks.texts else {}),
        "items.csv": ITEMS.to_csv(
            {
                "presentation": name,
                "image_file": file_of.get(one.item),
                "shown_label": one.label,
            }
            for name, one in shown.items()
        ),
        "labels.csv": LABELS.to_csv(name_rows(labels, tasks.names)),
        "lists.csv": LISTS.to_csv(_list_rows(lists, key)),
        "key.csv": KEY.to_csv(_key_rows(shown, tasks)),
        "predictions.csv": PREDICTIONS.to_csv(_prediction_rows(answers)),
        "item_table.csv": ITEM_TABLE.to_csv(_item_rows(tasks, answers)),
        ARMS_FILE: arms_file(tasks.arms),
    }


def _distinct(lists: Lists, key: str) -> dict[str, Shown]:
    """Return every presentation once, by its opaque id, in the ids' order."""
    shown = {entry.shown for entries in lists.values() for entry in entries}
    named = {_opaque(one, key): one for one in shown}
    if len(named) != len(shown):
        raise UserError("two presentations drew one id; change the protocol's seed")
    return dict(sorted(named.items()))


def _texts(
    protocol: AcceptRejectAccuracy, tasks: Tasks, shown: Mapping[str, Shown]
) -> dict[str, bytes]:
    """Return the table of texts; UserError if a screen has no room for one or for its label."""
    for item, case in tasks.texts.items():
        check_text(item, case, protocol.languages)
    check_labels(((one.item, one.label) for one in shown.values()), tasks.names)
    return texts_file(
        {name: tasks.texts[one.item] for name, one in shown.items()}, protocol.languages
    )


def _opaque(shown: Shown, key: str) -> str:
    origin = [shown.item, shown.label, shown.solver, shown.control_kind]
    return f"p{hash_of([key, origin])[:ID_DIGITS]}"


def _image_file(item: str, key: str) -> str:
    return f"assets/images/{hash_of([key, 'image', item])[:ID_DIGITS]}.png"


def _list_rows(lists: Lists, key: str) -> Iterable[Row]:
    for name in sorted(lists):
        for entry in lists[name]:
            yield {
                "list": name,
                "run": entry.run,
                "position": entry.position,
                "presentation": _opaque(entry.shown, key),
            }


def _key_rows(shown: Mapping[str, Shown], tasks: Tasks) -> Iterable[Row]:
    solver_ids = {"S": tasks.system_id, "E": tasks.expert_id, "control": None}
    arms = tasks.arms
    for name, one in shown.items():
        yield {
            "presentation": name,
            "item": one.item,
            "solver": one.solver,
            "solver_id": solver_ids[one.solver],
            "method": None,
            "explained": False,
            "true_label": tasks.labels[one.item],
            "control_kind": one.control_kind,
            "solver_origin": arms.get((one.solver, None), UNKNOWN).kind or None,
            "solver_origin_note": solver_ids[one.solver],
        }


def _prediction_rows(answers: Answers) -> Iterable[Row]:
    for item in sorted(answers):
        for place, answer in enumerate(answers[item], start=1):
            yield {
                "item": item,
                "place": place,
                "label": answer.label,
                "confidence": answer.confidence,
            }


def _item_rows(tasks: Tasks, answers: Answers) -> Iterable[Row]:
    for item in sorted(tasks.labels):
        first = answers[item][0]
        yield {
            "item": item,
            "method": None,
            "axis": None,
            "rung": None,
            "true_label": tasks.labels[item],
            "model_label": first.label,
            "model_confidence": first.confidence,
            "expert_id": tasks.expert_id,
            "expert_label": tasks.labels[item],
            "region_area": None,
            "region_iou": None,
            "expert_origin": IMPORTED,
            "expert_origin_note": tasks.expert_id,
        }

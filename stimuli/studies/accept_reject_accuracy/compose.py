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
from stimuli.studies.accept_reject.tables import ITEM_TABLE, KEY, LABELLED, LISTS
from stimuli.studies.accept_reject_accuracy.lists import Entry, Presentation, lists_of
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from stimuli.studies.accept_reject_accuracy.tables import LABELS, PREDICTIONS

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
    labels_of = {item: [ranked[0].label, tasks.labels[item]] for item, ranked in answers.items()}
    key = hash_of(["accuracy", protocol.seed, content, labels_of])
    lists = lists_of(protocol, tasks.labels, answers, key)
    presentations = _distinct(lists, key)
    judged = {presentation.item for presentation in presentations.values()}
    file_of = {item: _image_file(item, key) for item in judged & tasks.pictures.keys()}
    images = {file_of[item]: tasks.pictures[item] for item in file_of}
    labels = {presentation.label for presentation in presentations.values()} | set(
        tasks.labels.values()
    )
    return {
        **of_one_length(images),
        **(_texts(protocol, tasks, presentations) if tasks.texts else {}),
        "items.csv": LABELLED.to_csv(
            {
                "presentation": name,
                "image_file": file_of.get(presentation.item),
                "shown_label": presentation.label,
            }
            for name, presentation in presentations.items()
        ),
        "labels.csv": LABELS.to_csv(name_rows(labels, tasks.names)),
        "lists.csv": LISTS.to_csv(_list_rows(lists, key)),
        "key.csv": KEY.to_csv(_key_rows(presentations, tasks)),
        "predictions.csv": PREDICTIONS.to_csv(_prediction_rows(answers)),
        "item_table.csv": ITEM_TABLE.to_csv(_item_rows(tasks, answers)),
        ARMS_FILE: arms_file(tasks.arms),
    }


def _distinct(lists: Lists, key: str) -> dict[str, Presentation]:
    """Return every presentation once, by its opaque id, in the ids' order."""
    distinct = {entry.presentation for entries in lists.values() for entry in entries}
    named = {_opaque(presentation, key): presentation for presentation in distinct}
    if len(named) != len(distinct):
        raise UserError("two presentations drew one id; change the protocol's seed")
    return dict(sorted(named.items()))


def _texts(
    protocol: AcceptRejectAccuracy, tasks: Tasks, presentations: Mapping[str, Presentation]
) -> dict[str, bytes]:
    """Return the table of texts; UserError if a screen has no room for one or for its label."""
    for item, case in tasks.texts.items():
        check_text(item, case, protocol.languages)
    check_labels(
        ((presentation.item, presentation.label) for presentation in presentations.values()),
        tasks.names,
    )
    return texts_file(
        {name: tasks.texts[presentation.item] for name, presentation in presentations.items()},
        protocol.languages,
    )


def _opaque(presentation: Presentation, key: str) -> str:
    origin = [presentation.item, presentation.label, presentation.solver, presentation.control_kind]
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
                "presentation": _opaque(entry.presentation, key),
            }


def _key_rows(presentations: Mapping[str, Presentation], tasks: Tasks) -> Iterable[Row]:
    solver_ids = {"S": tasks.system_id, "E": tasks.expert_id, "control": None}
    arms = tasks.arms
    for name, presentation in presentations.items():
        yield {
            "presentation": name,
            "item": presentation.item,
            "solver": presentation.solver,
            "solver_id": solver_ids[presentation.solver],
            "method": None,
            "explained": False,
            "true_label": tasks.labels[presentation.item],
            "control_kind": presentation.control_kind,
            "solver_origin": arms.get((presentation.solver, None), UNKNOWN).kind or None,
            "solver_origin_note": solver_ids[presentation.solver],
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

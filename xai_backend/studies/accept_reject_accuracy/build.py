"""Build accuracy packs from labelled images or texts and a classifier's answers.

Texts instead of images change parts of the protocol.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from stimuli.cases import Cases
from stimuli.errors import UserError
from stimuli.images.pictures import framed
from stimuli.images.sets import Answer, Answers, LabelledImage, abstaining, read_predictions
from stimuli.maps.origin import NETWORK, Origin
from stimuli.names import Names, read_names
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject_accuracy.compose import Tasks, compose_solutions
from stimuli.studies.accept_reject_accuracy.lists import outside_answers
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from stimuli.studies.accept_reject_accuracy.tables import RESERVED
from stimuli.workers import check_reachable
from xai_backend.ilsvrc.folder import read_set
from xai_backend.models.frame import read_photo
from xai_backend.packs.differences import OF_COMMAND, of_build, stated
from xai_backend.packs.lab_tables import read_answers
from xai_backend.packs.origins import imported, name_in_pack
from xai_backend.packs.sealed import about, checked_out, sealed
from xai_backend.packs.text_cases import (
    LabelledText,
    cases_of,
    read_texts,
)
from xai_backend.progress import Reporter
from xai_backend.store import opened_store
from xai_backend.studies.accept_reject_accuracy.request import AccuracyRequest

MOST_TRIALS: Final = 100
LIMIT_S: Final = 90.0
"""Time limit for texts without a protocol file: reading a text takes longer than looking at an
image."""
NAME = "accept_reject_accuracy"
HASH_DIGITS = 8


def text_changes(*, by_file: bool) -> dict[str, Any]:
    """Return the changes of a protocol for texts; in a lab's own file only the cases change."""
    changes: dict[str, Any] = {"cases": "texts"}
    if not by_file:
        changes["solutions"] = {"most_trials": MOST_TRIALS}
        changes["trial"] = {"cutoff_s": LIMIT_S, "limit_s": LIMIT_S}
    return changes


def text_set(source: Path) -> dict[str, LabelledText]:
    """Return a set of texts, sorted by item.

    Raises
    ------
    UserError
        As `read_texts`, or if there are fewer than two labels.
    """
    found = read_texts(source, RESERVED)
    if len({one.label for one in found.values()}) < 2:
        raise UserError(
            f"{source}: all {len(found)} texts have one label; a set needs texts of at least two"
        )
    return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True)
class Built:
    """The result of a build.

    Attributes
    ----------
    pack, pack_id, kind
        The solution pack.
    images, right
        Number of images (or texts) in the pack, and number on which S gives the data set's label as
        a lead sees its answers: a withheld answer (``system.abstain_below``) isn't right.
    outside
        Number on which S gives a label that isn't in the set.
    cases
        What is judged: images or texts.
    """

    pack: Path
    pack_id: str
    kind: str
    images: int
    right: int
    outside: int
    cases: Cases


def build(request: AccuracyRequest, reporter: Reporter) -> Built:
    """Build a solution pack from labelled images or texts and a classifier's answers.

    Raises
    ------
    UserError
        On any mistake in the request.
    """
    begun = datetime.now(UTC)
    protocol = _protocol(request)
    if request.workers is not None:
        check_reachable(request.workers)
    out = checked_out(request.out, protocol, "solutions")
    if request.source is None:
        request = _of_digits(request, protocol, reporter)
    source = Path(str(request.source)).expanduser()
    own = dict(read_names(request.names)) if request.names else {}
    images: Sequence[LabelledImage] = ()
    texts: Mapping[str, LabelledText] = {}
    if protocol.cases == "texts":
        texts = text_set(source)
        labels = {item: one.label for item, one in texts.items()}
    else:
        given = read_set(source, request.truth, RESERVED)
        images, own = given.images, {**given.synsets.names, **own}
        labels = {image.item: image.label for image in images}
    answers, system_id, names, system = _solved(request, labels, images, own, reporter)
    tasks = Tasks(
        labels=labels,
        answers=answers,
        pictures=_pictures(images, protocol, reporter) if images else {},
        names={**names, **own},
        system_id=system_id,
        expert_id=source.stem,
        origins={"S": system},
        texts={item: one.texts for item, one in texts.items()},
    )
    files = compose_solutions(protocol, tasks)
    pack = sealed(out, protocol, "solutions", files, about(begun, request.device), reporter)
    said = abstaining(answers, protocol.system.abstain_below)
    right = sum(said[item][0].label == label for item, label in labels.items())
    outside = len(outside_answers(labels, said))
    return Built(out, pack.pack_id, "solutions", len(labels), right, outside, protocol.cases)


def _protocol(request: AccuracyRequest) -> AcceptRejectAccuracy:
    changes: dict[str, Any] = {} if request.seed is None else {"seed": request.seed}
    if cases_of(request.source, NAME, request.protocol_file) == "texts":
        changes |= text_changes(by_file=request.protocol_file is not None)
    protocol = load_protocol(NAME, request.protocol_file, changes)
    assert isinstance(protocol, AcceptRejectAccuracy)
    data = of_build(
        "--source",
        "Tasks are the inputs of a labelled test set, and S is a classifier. Which isn't stated.",
        _data(request, protocol),
        OF_COMMAND,
    )
    return stated(protocol, request.protocol_file, [data])


def _data(request: AccuracyRequest, protocol: AcceptRejectAccuracy) -> str:
    """Return what is judged and who is S, in a sentence."""
    if request.source is None:
        return "Tasks are digits, and S is a small network that is trained on some of them."
    table = request.predictions or request.answers
    system = f"the answers in {table.name}" if table else name_in_pack(str(request.model))
    return f"Tasks are the {protocol.cases} of {Path(request.source).name}, and S is {system}."


def _of_digits(
    request: AccuracyRequest, protocol: AcceptRejectAccuracy, reporter: Reporter
) -> AccuracyRequest:
    # Only if a network is needed: torch takes a second to load.
    from xai_backend.studies.accept_reject_accuracy.classify import with_digits

    return with_digits(request, protocol, reporter)


def _solved(
    request: AccuracyRequest,
    labels: Mapping[str, str],
    images: Sequence[LabelledImage],
    names: Names,
    reporter: Reporter,
) -> tuple[Answers, str, Mapping[tuple[str, str], str], Origin]:
    """Return S's answers, S's name, the names of its labels, and the origin of the answers."""
    if request.predictions is not None:
        answers = read_predictions(request.predictions, labels.keys())
        origin = imported(request.predictions)
        return answers, f"predictions-{origin.sha256[:HASH_DIGITS]}", {}, origin
    if request.answers is not None:
        answers = _recorded(request.answers, labels, names, reporter, others=request.other_answers)
        origin = imported(request.answers)
        return answers, f"answers-{origin.sha256[:HASH_DIGITS]}", {}, origin
    # Only if a network is needed: torchvision takes a second to load.
    from xai_backend.explain.answering import Network, classifier_at_hand
    from xai_backend.explain.precompute import Precompute, checked_workers
    from xai_backend.models.classifier import say_if_mostly_wrong
    from xai_backend.packs.subject import classes_of, names_of_classes
    from xai_backend.studies.accept_reject_accuracy.classify import classify

    name, device = str(request.model), request.device
    classifier = classifier_at_hand(name, request.weights, device)
    workers = checked_workers(request.workers, device)
    classes = classes_of(classifier, request.classes)
    network = Network(name, request.weights, device, classifier.weights_sha256)
    with opened_store() as store:
        work = Precompute(network, classifier.preprocessing, store, workers, reporter=reporter)
        answers = classify(work, classifier, images, classes)
    right = sum(answers[image.item][0].label == image.label for image in images)
    say_if_mostly_wrong(reporter, classifier.name, right, len(images))
    system_id = f"{classifier.name}-{classifier.weights_sha256[:HASH_DIGITS]}"
    origin = Origin(NETWORK, classifier.name, weights_sha256=classifier.weights_sha256)
    return answers, system_id, names_of_classes(request.classes), origin


def _recorded(
    path: Path, labels: Mapping[str, str], names: Names, reporter: Reporter, *, others: bool
) -> Answers:
    """Return the answers of a table; UserError if it has errors or an item has no answer."""
    found = read_answers(path, list(labels), sorted(set(labels.values())), names, others=others)
    missing = sorted(labels.keys() - found.keys())
    if missing:
        raise UserError(
            f"{path}: no answer to {len(missing)} of {len(labels)} items, e.g. {missing[0]}"
        )
    if any(one.rationale for one in found.values()):
        reporter.say(
            f"{path.name}: rationales aren't shown; beside S's labels only, they would tell whose "
            "labels these are (human_ai_team has an arm for them)"
        )
    return {item: (Answer(one.answer, one.confidence),) for item, one in sorted(found.items())}


def _pictures(
    images: Sequence[LabelledImage], protocol: AcceptRejectAccuracy, reporter: Reporter
) -> dict[str, bytes]:
    look = protocol.images
    pictures: dict[str, bytes] = {}
    with reporter.stage("framing images", len(images)) as advance:
        for image in images:
            photo = read_photo(image.path)
            pictures[image.item] = framed(photo, look.size_px, look.ground_srgb)
            advance(1)
    return pictures

"""The source of a pack: its images, the AI, and the training images beside them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from stimuli.images.digits import DIGIT_WORDS, Digits, load_digits
from stimuli.io.canonical import keyed_order
from stimuli.names import Names, read_names
from stimuli.studies.human_ai_team import protocol as protocols
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.workers import Workers
from xai_backend.explain.precompute import (
    FEW_BATCHES,
    FEW_BATCHES_OF_A_SMALL_NETWORK,
    Precompute,
    checked_workers,
)
from xai_backend.ilsvrc.folder import ImageSet, given_boxes, read_set
from xai_backend.ilsvrc.truth import Synsets
from xai_backend.models.classifier import Classifier, outputs_of
from xai_backend.models.frame import InputFrame
from xai_backend.models.picture_cnn import (
    ERRING,
    FEW,
    digit_network,
    digits_to_learn_from,
    never_learnt,
    numbers_of,
)
from xai_backend.packs.lab_tables import Recorded
from xai_backend.packs.subject import Subject, names_of_classes, subject
from xai_backend.progress import Reporter
from xai_backend.store import TensorStore
from xai_backend.studies.human_ai_team.ai import (
    Ai,
    answered,
    picture_answers,
    subject_of,
    text_candidates,
    without_network,
)
from xai_backend.studies.human_ai_team.images import (
    Candidate,
    Jpeg,
    digit_candidates,
    photo_candidates,
)
from xai_backend.studies.human_ai_team.protocol import framed
from xai_backend.studies.human_ai_team.request import DIGIT_SOURCES, TeamRequest

SET_ASIDE = 4
"""If there are no training images, one in this many images of each class is set aside as one."""
MOST_JUDGED = 30_000
"""Most digits that may be judged: the rarest bin needs so many."""
BREEDS = "breeds.csv"


@dataclass(frozen=True, slots=True)
class Source:
    """Everything that a pack is made from.

    Attributes
    ----------
    protocol
        With the network's frame.
    of
        The classifier.
    judged, train
        Images that people may judge, and training images, which help them.
    names
        Names of the labels.
    trained_on
        Description of the training images, in words.
    learned
        Whether the network has learned from them, as far as is known.
    definitions
        Definitions of labels, as far as the images' layout has them.
    truth
        Where the labels come from, in words.
    held_out
        Images that nobody judges, on which the AI's temperature is fitted.
    recorded
        A table's answers to all images, if no network answers.
    """

    protocol: HumanAiTeam
    of: Subject
    judged: tuple[Candidate, ...]
    train: tuple[Candidate, ...]
    names: Names
    trained_on: str
    learned: bool
    definitions: Names = field(default_factory=dict)
    truth: str = ""
    held_out: tuple[Candidate, ...] = ()
    recorded: Mapping[str, Recorded] | None = None


def source_of(request: TeamRequest, protocol: HumanAiTeam, reporter: Reporter) -> Source:
    """Return images and classifier; the digits' network is trained unless it is there already.

    Raises
    ------
    UserError
        If images or network aren't available, or a class isn't among its outputs.
    """
    lab_names = read_names(request.names) if request.names else {}
    if request.of_digits:
        digits = load_digits(DIGIT_SOURCES[request.source or "digits"])
        return _held_out(_digits(digits, protocol, request, lab_names, reporter))
    if request.answers is not None:
        return _recorded(request, request.answers, protocol, lab_names, reporter)
    return _held_out(_photographs(request, protocol, lab_names, reporter))


def ai_of(source: Source, request: TeamRequest, store: TensorStore, reporter: Reporter) -> Ai:
    """Return the AI: the classifier with what computes its answers."""
    work = Precompute(
        source.of.network,
        source.of.classifier.preprocessing,
        store,
        checked_workers(request.workers, request.device),
        reporter=reporter,
        few_batches=FEW_BATCHES_OF_A_SMALL_NETWORK if request.of_digits else FEW_BATCHES,
    )
    if source.recorded is not None:
        work = replace(work, compute=without_network, workers=Workers(here=True))
        return Ai(source.of, work, recorded=picture_answers(source.recorded, source.of.outputs))
    return Ai(source.of, work, source.protocol.system.temperature)


def _digits(
    digits: Digits,
    protocol: HumanAiTeam,
    request: TeamRequest,
    lab_names: Names,
    reporter: Reporter,
) -> Source:
    seed, device = protocol.seed, request.device
    weights = digit_network(digits, seed, device, reporter, ERRING, FEW)
    classes = tuple(map(str, range(10)))
    of = subject(protocol.system.network, weights, device, classes)
    size, jpeg = protocol.images.size_px, Jpeg.of(protocol.attack)
    numbers = numbers_of(digits_to_learn_from(digits, seed, FEW))
    judged = never_learnt(digits, numbers)[:MOST_JUDGED]
    return Source(
        protocol,
        of,
        tuple(digit_candidates(digits, judged, size, jpeg)),
        tuple(digit_candidates(digits, numbers, size, jpeg)),
        {**DIGIT_WORDS, **lab_names},
        f"the {len(numbers)} digits that the network learns from",
        learned=True,
    )


def _photographs(
    request: TeamRequest, protocol: HumanAiTeam, lab_names: Names, reporter: Reporter
) -> Source:
    from xai_backend.explain.answering import classifier_at_hand

    name, device = request.model or protocol.system.network, request.device
    classifier = classifier_at_hand(name, request.weights, device)
    frame = classifier.frame.of_squares
    protocol = framed(protocol, request, frame)
    image_set, candidates, train = _given_images(request, protocol, frame)
    candidates, train, trained_on = _beside(request, protocol, candidates, train)
    if request.train is not None and request.train_learned:
        trained_on += ", from which the network has learned"
    classes = sorted({candidate.label for candidate in (*candidates, *train)})
    order = _outputs_in_order(request, image_set.synsets, classifier, reporter)
    names = {**_names(image_set, protocol), **names_of_classes(request.classes), **lab_names}
    return Source(
        protocol,
        subject(name, request.weights, device, classes, request.classes, order),
        tuple(candidates),
        tuple(train),
        names,
        trained_on,
        request.train_learned,
        image_set.synsets.definitions,
        image_set.truth,
    )


def _recorded(
    request: TeamRequest, table: Path, protocol: HumanAiTeam, lab_names: Names, reporter: Reporter
) -> Source:
    """Return the images to which a table has answers."""
    if protocol.cases == "texts":
        return _recorded_texts(request, table, protocol, lab_names, reporter)
    frame = InputFrame(protocol.images.resize_px, protocol.images.size_px)
    image_set, candidates, train = _given_images(request, protocol, frame)
    names = {**_names(image_set, protocol), **lab_names}
    recorded, labels = answered(
        table, [*candidates, *train], names, reporter, others=request.other_answers
    )
    candidates, train = (
        [candidate for candidate in images if candidate.item in recorded]
        for images in (candidates, train)
    )
    candidates, train, trained_on = _beside(request, protocol, candidates, train)
    return Source(
        protocol,
        subject_of(table, labels, protocol),
        tuple(candidates),
        tuple(train),
        names,
        trained_on,
        learned=False,
        definitions=image_set.synsets.definitions,
        truth=image_set.truth,
        recorded=recorded,
    )


def _given_images(
    request: TeamRequest, protocol: HumanAiTeam, frame: InputFrame
) -> tuple[ImageSet, list[Candidate], list[Candidate]]:
    """Return the set of --source, its images as they are judged, and those of --train."""
    jpeg = Jpeg.of(protocol.attack)
    image_set = read_set(Path(str(request.source)).expanduser(), request.truth)
    boxes = (
        image_set.boxes if request.boxes is None else given_boxes(request.boxes, image_set.images)
    )
    learning = () if request.train is None else read_set(Path(request.train).expanduser()).images
    return (
        image_set,
        photo_candidates(image_set.images, frame, jpeg, boxes),
        photo_candidates(learning, frame, jpeg),
    )


def _beside(
    request: TeamRequest,
    protocol: HumanAiTeam,
    candidates: list[Candidate],
    train: list[Candidate],
) -> tuple[list[Candidate], list[Candidate], str]:
    """Return judged and training images, some set aside if none are given, and what these are."""
    if request.train is not None:
        return candidates, train, "images that the lab gave"
    train = set_aside(candidates, protocol.seed)
    taken = {candidate.item for candidate in train}
    left = [candidate for candidate in candidates if candidate.item not in taken]
    return left, train, f"one of {SET_ASIDE} images of each class, which nobody judges"


def _names(image_set: ImageSet, protocol: HumanAiTeam) -> Names:
    """Return the names of a set's labels, and of breeds of dogs."""
    return {**image_set.synsets.names, **breed_names(protocol.images.labels)}


def _recorded_texts(
    request: TeamRequest, table: Path, protocol: HumanAiTeam, lab_names: Names, reporter: Reporter
) -> Source:
    """Return the texts to which a table has answers; all of them may be judged."""
    candidates = text_candidates(Path(str(request.source)).expanduser())
    recorded, labels = answered(
        table, candidates, lab_names, reporter, others=request.other_answers
    )
    return Source(
        protocol,
        subject_of(table, labels, protocol),
        tuple(candidate for candidate in candidates if candidate.item in recorded),
        (),
        lab_names,
        "none: texts are judged",
        learned=False,
        recorded=recorded,
    )


def _outputs_in_order(
    request: TeamRequest, synsets: Synsets, classifier: Classifier, reporter: Reporter
) -> tuple[str, ...]:
    """Return a layout's WordNet ids if the network has as many outputs, but no such ids.

    Networks for ILSVRC have their outputs in this order.
    """
    categories = classifier.categories or ()
    if request.classes or not synsets.order or set(synsets.order) & set(categories):
        return ()
    if outputs_of(classifier) != len(synsets.order):
        return ()
    reporter.say(
        f"the {len(synsets.order)} outputs of {classifier.name} are taken for the images' WordNet "
        "ids in their order; if they aren't, give --classes FILE"
    )
    return synsets.order


def breed_names(labels: Collection[str]) -> Names:
    """Return the English and German names of labels that are breeds of Stanford Dogs."""
    if not labels:
        return {}
    breeds = read_names(Path(protocols.__file__).with_name(BREEDS))
    return {key: word for key, word in breeds.items() if key[0] in labels}


def set_aside(candidates: Sequence[Candidate], seed: int) -> list[Candidate]:
    """Return the images of each class that are set aside as training images, drawn by the seed."""
    return _drawn(candidates, seed, "set aside", lambda count: -(-count // SET_ASIDE))


def _held_out(source: Source) -> Source:
    """Return a source with some of its images held out, if the protocol fits a temperature."""
    rule = source.protocol.system
    if rule.calibration == "none":
        return source
    aside = _drawn(
        source.judged,
        source.protocol.seed,
        "calibration",
        lambda count: round(rule.calibration_share * count),
    )
    items = {candidate.item for candidate in aside}
    judged = tuple(candidate for candidate in source.judged if candidate.item not in items)
    return replace(source, judged=judged, held_out=tuple(aside))


def _drawn(
    candidates: Sequence[Candidate], seed: int, why: str, many: Callable[[int], int]
) -> list[Candidate]:
    """Return drawn images of each class; ``many`` gives their number from the class's size."""
    by_label: dict[str, dict[str, Candidate]] = {}
    for candidate in candidates:
        by_label.setdefault(candidate.label, {})[candidate.item] = candidate
    return [
        of_label[item]
        for _, of_label in sorted(by_label.items())
        for item in keyed_order(of_label, seed, why)[: many(len(of_label))]
    ]

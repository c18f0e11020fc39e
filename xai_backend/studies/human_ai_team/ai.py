"""What the AI says of pictures or texts: one label each, and how confident it is.

The AI is a network, or a table of answers that were recorded beforehand. Texts instead of images
need such a table; they change the protocol and the build.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from stimuli.cases import LONGEST as LONGEST_TEXT
from stimuli.errors import UserError
from stimuli.io.canonical import file_sha256
from stimuli.names import ANY_LANGUAGE, Names
from stimuli.protocol import Deviation
from stimuli.studies.human_ai_team.protocol import RATIONALE, HumanAiTeam
from xai_backend.explain.answering import Answer, Batch, Network
from xai_backend.explain.precompute import Picture, Precompute
from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import InputFrame
from xai_backend.models.image_model import ImageModel, as_images, probability
from xai_backend.packs.differences import with_deviations
from xai_backend.packs.lab_tables import Recorded, missing_line, read_answers
from xai_backend.packs.subject import Subject
from xai_backend.packs.text_cases import read_texts
from xai_backend.progress import Reporter
from xai_backend.provenance import provenance
from xai_backend.studies.human_ai_team.draw import Judged
from xai_backend.studies.human_ai_team.images import Candidate

DIGITS = 6
"""Decimals of a probability that are kept; further ones differ between machines."""


@dataclass(frozen=True, slots=True, eq=False)
class PictureAnswer:
    """The AI's answer to a picture.

    Attributes
    ----------
    output
        Number of the largest output.
    label
        Its label.
    confidence
        Its probability, 0…1.
    logits
        float32 (K,): logits of all outputs, divided by the temperature.
    """

    output: int
    label: str
    confidence: float
    logits: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Ai:
    """The classifier whose labels are judged.

    Attributes
    ----------
    of, work
        The classifier, and what computes its answers.
    temperature
        Its logits are divided by this.
    recorded
        Its answers by item, if they were recorded beforehand; then it can't answer anything else.
    """

    of: Subject
    work: Precompute
    temperature: float = 1.0
    recorded: Mapping[str, PictureAnswer] | None = None

    def answers(self, pictures: Sequence[Picture]) -> dict[str, PictureAnswer]:
        """Return the answers by the pictures' names; `Precompute` keeps them.

        Raises
        ------
        UserError
            If workers can't be started or the store can't be written.
        """
        if self.recorded is not None:
            named = (picture.name for picture in pictures)
            return {name: self.recorded[name] for name in named if name in self.recorded}
        return {
            name: self._answer_of(logits) for name, logits in self.work.logits(pictures).items()
        }

    def output_of(self, label: str) -> int:
        """Return the number of a label's output."""
        return self.of.outputs.index(label)

    def _answer_of(self, logits: NDArray[np.float32]) -> PictureAnswer:
        if self.temperature != 1:
            logits = (logits / self.temperature).astype(np.float32)
        output = int(logits.argmax())
        confidence = round(probability(logits, output), DIGITS)
        return PictureAnswer(output, self.of.outputs[output], confidence, logits)


def confidence_in(answer: PictureAnswer, output: int) -> float:
    """Return the AI's probability of any output, 0…1."""
    return round(probability(answer.logits, output), DIGITS)


Answers = Mapping[str, PictureAnswer]


ARMS_OF_TEXTS: Final = ("confidence", RATIONALE)
"""Arms of a pack of texts without a protocol file."""


def text_candidates(path: Path) -> list[Candidate]:
    """Return the texts of a table, in order; UserError as `read_texts`."""
    return [
        Candidate(item, text.label, _without_pixels, texts=text.texts)
        for item, text in read_texts(path).items()
    ]


def _without_pixels() -> NoReturn:
    raise AssertionError("a text has no pixels")


def text_changes(*, named_arms: bool) -> dict[str, Any]:
    """Return a protocol's changes for texts; the arms are among them unless a file names them."""
    changes: dict[str, Any] = {"cases": "texts", "prior": {"asked": False}}
    return changes if named_arms else {**changes, "help": {"arms": list(ARMS_OF_TEXTS)}}


ARMS_OF_ANSWERS: Final = ("confidence", RATIONALE, "salient_object")
"""Arms of a pack of recorded answers without a protocol file."""
LONGEST_RATIONALE: Final = 900
"""Most characters of a rationale, so that it fits beside an image on every screen."""
LEAST_PROBABILITY: Final = 1e-9
"""Smallest probability of a label, even if the AI rules the label out."""


def changes_of(path: Path, *, named_arms: bool) -> dict[str, Any]:
    """Return the changes of a protocol for recorded answers.

    Parameters
    ----------
    path
        The table.
    named_arms
        Whether a protocol file names the arms.
    """
    changes: dict[str, Any] = {
        "system": {"network": path.name, "layer": "", "calibration": "none", "temperature": 1.0},
        "bins": {"adversarial_per_level": 0},
    }
    if not named_arms:
        changes |= {"name": "recorded", "help": {"arms": list(ARMS_OF_ANSWERS)}}
    return changes


def of_answers(protocol: HumanAiTeam) -> HumanAiTeam:
    """Return a protocol whose deviations say: answers were recorded, no image is attacked."""
    more = (
        Deviation(
            field="system.network",
            published="The network is ResNet-34, trained on ImageNet.",
            here="Another system gave answers and confidences before the study ({system.network}).",
            reason="The system can't be run here, or not in the same way again.",
            whose="build",
        ),
        Deviation(
            field="bins.adversarial_per_level",
            published="A third of the images are attacked.",
            here="No image is attacked.",
            reason="An attack needs the system's gradients.",
            whose="build",
        ),
    )
    return with_deviations(protocol, more)


def changed(
    protocol: HumanAiTeam, changes: Mapping[str, Mapping[str, Any]], more: Sequence[Deviation]
) -> HumanAiTeam:
    """Return a protocol with changed values in some sections, and further deviations."""
    values = protocol.resolved()
    for section, section_changes in changes.items():
        values[section] = {**values[section], **section_changes}
    return with_deviations(HumanAiTeam.model_validate(values), more)


def subject_of(path: Path, labels: Collection[str], protocol: HumanAiTeam) -> Subject:
    """Return a stand-in for the network of a table: it has outputs, but can't answer."""
    look, sha256 = protocol.images, file_sha256(path)
    model = ImageModel(nn.Identity(), nn.Identity())
    frame = InputFrame(look.resize_px, look.size_px)
    outputs = tuple(sorted(labels))
    classifier = Classifier(path.name, model, frame, outputs, sha256, "recorded")
    return Subject(Network(path.name, None, "cpu", sha256), classifier, outputs)


def answered(
    path: Path,
    candidates: Sequence[Candidate],
    names: Names,
    reporter: Reporter,
    *,
    others: bool,
) -> tuple[dict[str, Recorded], tuple[str, ...]]:
    """Return a table's answers, and all labels: the images' labels, then other answers.

    Raises
    ------
    UserError
        If the table has errors, or an answer has no confidence, or is no label and ``others`` is
        false.
    """
    items = [candidate.item for candidate in candidates]
    image_labels = sorted({candidate.label for candidate in candidates})
    recorded = read_answers(path, items, image_labels, names, others=others)
    unsure = next((answer for answer in recorded.values() if answer.confidence is None), None)
    if unsure is not None:
        raise UserError(
            f"{unsure.where}: has no confidence, by which human_ai_team sorts images into bins"
        )
    if line := missing_line(recorded, items, path):
        reporter.say(line)
    outside = sorted({answer.answer for answer in recorded.values()} - set(image_labels))
    if outside:
        count = sum(answer.answer in outside for answer in recorded.values())
        of_texts = any(candidate.texts for candidate in candidates)
        noun = "text" if of_texts else "image"
        caution = "" if of_texts else "; they are shown only if prior.samples is 0"
        reporter.say(
            f"{path.name}: {count} answers are labels that no {noun} has ({', '.join(outside[:3])}"
            f"{', …' if len(outside) > 3 else ''}){caution}"
        )
    return recorded, (*image_labels, *outside)


def picture_answers(
    recorded: Mapping[str, Recorded], outputs: Sequence[str]
) -> dict[str, PictureAnswer]:
    """Return recorded answers in the form of a network's answers, by item.

    The rest of the probability is divided evenly among all other labels, since nothing more is
    known.
    """
    place = {label: number for number, label in enumerate(outputs)}
    answers = {}
    for item, answer in recorded.items():
        assert answer.confidence is not None
        rest = (1 - answer.confidence) / max(1, len(outputs) - 1)
        shares = np.full(len(outputs), max(rest, LEAST_PROBABILITY))
        shares[place[answer.answer]] = max(answer.confidence, LEAST_PROBABILITY)
        logits = np.log(shares).astype(np.float32)
        answers[item] = PictureAnswer(
            place[answer.answer], answer.answer, round(answer.confidence, DIGITS), logits
        )
    return answers


def rationales(
    recorded: Mapping[str, Recorded], judged: Sequence[Judged], protocol: HumanAiTeam
) -> dict[tuple[str, str], str]:
    """Return rationales by item and language.

    Raises
    ------
    UserError
        If a judged image has none, or one that is too long for the screen.
    """
    words: dict[tuple[str, str], str] = {}
    longest = LONGEST_TEXT if protocol.cases == "texts" else LONGEST_RATIONALE
    for image in judged:
        answer = recorded[image.item]
        texts = {ANY_LANGUAGE: answer.rationale, **answer.in_language}
        for language, text in texts.items():
            if language and language not in protocol.languages:
                continue
            if len(" ".join(text.split())) > longest:
                raise UserError(
                    f"{answer.where}: rationale of {image.item} has {len(text)} characters; "
                    f"{longest} at most fit on a screen: shorten it"
                )
            if text:
                words[image.item, language] = text
        if not answer.rationale and not all(
            (image.item, tag) in words for tag in protocol.languages
        ):
            raise UserError(
                f"{answer.where}: {image.item} has no rationale, but help.arms names {RATIONALE}"
            )
    return words


def without_network(batch: Batch) -> Answer:
    """Return maps of a method that needs only pictures and no network, such as salient objects."""
    assert batch.method is not None
    images = as_images(torch.from_numpy(batch.codes))
    model = ImageModel(nn.Identity(), nn.Identity())
    maps = batch.method.explain(model, images, torch.tensor(batch.targets)).numpy()
    about = {**provenance("cpu"), "seconds_each": 0.0, "halved_to": None, "compiled": False}
    return Answer(dict(zip(batch.keys, maps, strict=True)), about)

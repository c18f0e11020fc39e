"""An AI whose answers were recorded beforehand: what takes the place of a network."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import nn

from stimuli.cases import LONGEST as LONGEST_TEXT
from stimuli.errors import UserError
from stimuli.io.canonical import file_sha256
from stimuli.names import ANY_LANGUAGE, Names
from stimuli.protocol import Deviation
from stimuli.studies.human_ai_team.protocol import RATIONALE, HumanAiTeam
from xai_backend.explain.answering import Answer, Batch, Network
from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import InputFrame
from xai_backend.models.image_model import ImageModel, as_images
from xai_backend.packs.recorded_answers import Recorded, missing_line, read_answers
from xai_backend.packs.subject import Subject
from xai_backend.progress import Reporter
from xai_backend.provenance import provenance
from xai_backend.studies.human_ai_team.ai import DIGITS, Said
from xai_backend.studies.human_ai_team.draw import Judged
from xai_backend.studies.human_ai_team.images import Candidate
from xai_backend.studies.human_ai_team.text_cases import text_deviations

ARMS: Final = ("confidence", RATIONALE, "salient_object")
"""Of a pack without a protocol file."""
LONGEST: Final = 900
"""Characters of a rationale that fit beside an image on every screen."""
LEAST: Final = 1e-9
"""Probability of what an AI is sure that it isn't."""


def changes_of(path: Path, *, named_arms: bool) -> dict[str, Any]:
    """Return what recorded answers change in a protocol.

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
        "attack": {"disguise": "none"},
    }
    if not named_arms:
        changes |= {"name": "recorded", "help": {"arms": list(ARMS)}}
    return changes


def with_deviations(protocol: HumanAiTeam, path: Path) -> HumanAiTeam:
    """Return a protocol that says that answers were recorded, and that nothing is attacked."""
    more = (
        Deviation(
            field="system.network",
            published="The network is ResNet-34, trained on ImageNet.",
            here=f"Another system gave answers and confidences before the study ({path.name}).",
            reason="The system can't be run here, or not in the same way again.",
        ),
        Deviation(
            field="bins.adversarial_per_level",
            published="A third of the images are attacked.",
            here="No image is attacked.",
            reason="An attack needs the system's gradients.",
        ),
    )
    fields = {one.field for one in more}
    kept = [one for one in protocol.deviations if one.field not in fields]
    values = protocol.resolved()
    values["deviations"] = [one.model_dump() for one in (*kept, *more)]
    if protocol.cases == "texts":
        values["deviations"] = text_deviations(values)
    return HumanAiTeam.model_validate(values)


def subject_of(path: Path, labels: Collection[str], protocol: HumanAiTeam) -> Subject:
    """Return what stands for the network of a table: it has outputs, and answers nothing."""
    look, sha256 = protocol.images, file_sha256(path)
    model = ImageModel(nn.Identity(), nn.Identity())
    frame = InputFrame(look.resize_px, look.size_px)
    outputs = tuple(sorted(labels))
    classifier = Classifier(path.name, model, frame, outputs, sha256, "recorded")
    return Subject(Network(path.name, None, "cpu", sha256), classifier, outputs)


def answered(
    path: Path, candidates: Sequence[Candidate], names: Names, reporter: Reporter
) -> tuple[dict[str, Recorded], tuple[str, ...]]:
    """Return what a table says of images, and all labels: the images', then other answers.

    Raises
    ------
    UserError
        If the table is faulty, or an answer has no confidence.
    """
    items = [one.item for one in candidates]
    own = sorted({one.label for one in candidates})
    found = read_answers(path, items, own, names)
    unsure = next((one for one in found.values() if one.confidence is None), None)
    if unsure is not None:
        raise UserError(
            f"{unsure.where}: has no confidence, by which human_ai_team sorts images into bins"
        )
    if line := missing_line(found, items, path):
        reporter.say(line)
    outside = sorted({one.answer for one in found.values()} - set(own))
    if outside:
        count = sum(one.answer in outside for one in found.values())
        of_texts = any(one.texts for one in candidates)
        noun = "text" if of_texts else "image"
        shown = "" if of_texts else "; they are shown only if prior.samples is 0"
        reporter.say(
            f"{path.name}: {count} answers are labels that no {noun} has ({', '.join(outside[:3])}"
            f"{', …' if len(outside) > 3 else ''}){shown}"
        )
    return found, (*own, *outside)


def said_of(found: Mapping[str, Recorded], outputs: Sequence[str]) -> dict[str, Said]:
    """Return answers as a network would give them, by item.

    What is left of the confidence is shared out evenly to all other labels: nobody knows more.
    """
    place = {label: number for number, label in enumerate(outputs)}
    said = {}
    for item, one in found.items():
        assert one.confidence is not None
        rest = (1 - one.confidence) / max(1, len(outputs) - 1)
        shares = np.full(len(outputs), max(rest, LEAST))
        shares[place[one.answer]] = max(one.confidence, LEAST)
        logits = np.log(shares).astype(np.float32)
        said[item] = Said(place[one.answer], one.answer, round(one.confidence, DIGITS), logits)
    return said


def rationales(
    found: Mapping[str, Recorded], judged: Sequence[Judged], protocol: HumanAiTeam
) -> dict[tuple[str, str], str]:
    """Return rationales by item and language.

    Raises
    ------
    UserError
        If a judged image has none, or one that no screen has room for.
    """
    words: dict[tuple[str, str], str] = {}
    longest = LONGEST_TEXT if protocol.cases == "texts" else LONGEST
    for one in judged:
        own = found[one.item]
        texts = {ANY_LANGUAGE: own.rationale, **own.in_language}
        for language, text in texts.items():
            if language and language not in protocol.languages:
                continue
            if len(" ".join(text.split())) > longest:
                raise UserError(
                    f"{own.where}: rationale of {one.item} has {len(text)} characters; {longest} "
                    "at most fit on a screen: shorten it"
                )
            if text:
                words[one.item, language] = text
        if not own.rationale and not all((one.item, tag) in words for tag in protocol.languages):
            raise UserError(
                f"{own.where}: {one.item} has no rationale, but help.arms names {RATIONALE}"
            )
    return words


def without_network(batch: Batch) -> Answer:
    """Return maps of methods that look only at pictures, such as salient objects."""
    assert batch.method is not None
    images = as_images(torch.from_numpy(batch.codes))
    model = ImageModel(nn.Identity(), nn.Identity())
    maps = batch.method.explain(model, images, torch.tensor(batch.targets)).numpy()
    about = {**provenance("cpu"), "seconds_each": 0.0, "halved_to": None, "compiled": False}
    return Answer(dict(zip(batch.keys, maps, strict=True)), about)

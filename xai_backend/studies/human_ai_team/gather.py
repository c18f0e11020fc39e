"""From chosen images to a pack's material: helps, samples, words, and metrics of the maps."""

import importlib
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from stimuli.errors import UserError
from stimuli.io.given_tables import numbered_rows
from stimuli.languages import ENGLISH
from stimuli.maps.origin import IMAGE, NETWORK, Origin, settings_text, together
from stimuli.names import ANY_LANGUAGE, WNID
from stimuli.studies.human_ai_team import protocol as protocols
from stimuli.studies.human_ai_team.material import Case, Material, Metric
from stimuli.studies.human_ai_team.protocol import NEIGHBOURS, RATIONALE, TEXT, HumanAiTeam
from xai_backend.explain.precompute import Picture
from xai_backend.methods.human import origins_of
from xai_backend.methods.saliency_sod import SalientObject
from xai_backend.metrics.localisation import (
    Box,
    best_threshold,
    box_masks,
    hull,
    intersection_over_union,
    pointing_game,
    weakly_supervised_localisation,
)
from xai_backend.packs.origins import computed, imported
from xai_backend.progress import Reporter
from xai_backend.studies.human_ai_team.ai import Ai, rationales
from xai_backend.studies.human_ai_team.attacks import JpegAttack
from xai_backend.studies.human_ai_team.chosen import Chosen, counts_of
from xai_backend.studies.human_ai_team.draw import Judged
from xai_backend.studies.human_ai_team.helps import (
    Arm,
    Maps,
    described,
    heatmap_arms,
    heatmaps,
)
from xai_backend.studies.human_ai_team.images import ATTACKED, file_name, png_of
from xai_backend.studies.human_ai_team.request import TeamRequest
from xai_backend.studies.human_ai_team.source import Source
from xai_backend.studies.human_ai_team.training_images import Known

Boxes = Mapping[str, tuple[Box, ...]]

Words = Mapping[tuple[str, str], str]
NO_WORDS: Final[Words] = MappingProxyType({})

DIGITS = 6
"""Number of decimals of an overlap."""


def gather(
    source: Source, request: TeamRequest, ai: Ai, chosen: Chosen, reporter: Reporter
) -> tuple[Material, dict[str, Any]]:
    """Return a pack's material, and how it was made as plain JSON values.

    Raises
    ------
    UserError
        If a help isn't available.
    """
    protocol = source.protocol
    arms = heatmap_arms(protocol, request.maps, request.saliency, request.methods)
    boxes = _boxes(source, chosen.judged)
    texts = {candidate.item: candidate.texts for candidate in source.judged}
    texts |= {image.item: {} for image in chosen.attacked.main}
    cases = _Cases(chosen.pictures, boxes, texts, protocol.images.size_px)
    maps: dict[str, Maps] = {}
    metrics: dict[tuple[str, str], Metric] = {}
    for name, arm in arms.items():
        maps[name] = heatmaps(name, arm, ai, chosen.judged, chosen.pictures)
        metrics |= metrics_of(name, maps[name], boxes, chosen.judged, protocol.metrics)
    labels = sorted({image.label for image in chosen.judged})
    reporter.say(_line(chosen))
    meanings = definitions(request.definitions, labels, source.names, source.definitions)
    undefined = without_definition(labels, meanings, protocol)
    for language, undefined_labels in undefined.items():
        reporter.say(_undefined_line(language, undefined_labels, labels))
    material = Material(
        main=cases.of((*chosen.drawn.main, *chosen.attacked.main)),
        validation=cases.of(chosen.drawn.validation),
        practice=cases.of(chosen.drawn.practice),
        heatmaps=maps,
        examples=_examples(chosen, protocol),
        texts=_texts(source, request, chosen),
        names=source.names,
        definitions=meanings,
        samples={label: _pngs(chosen.showable.samples(label)) for label in labels}
        if protocol.prior.asked
        else {},
        metrics=metrics,
        origins=_origins(source, request, arms),
        ai=chosen.answers,
        found=chosen.by_bin,
        passed_over={arm: chosen.passed_over.get(arm, 0) for arm in protocol.help.arms},
        learned=source.learned,
    )
    for name in maps:
        if blank := len(material.blank(name)):
            reporter.say(f"{name}: {blank} of {len(material.main)} maps mark nothing")
    methods = {name: described(arm, maps[name]) for name, arm in arms.items()}
    counted = {
        "without_definition": {
            tag: len(undefined_labels) for tag, undefined_labels in undefined.items()
        }
    }
    return material, _made_with(source, chosen, methods) | counted


def _texts(source: Source, request: TeamRequest, chosen: Chosen) -> dict[str, Words]:
    """Return the helps in words, by arm."""
    texts: dict[str, Words] = {}
    if request.help_texts is not None:
        texts[TEXT] = help_texts(request.help_texts, chosen.judged)
    if source.recorded is not None and RATIONALE in source.protocol.help.arms:
        texts[RATIONALE] = rationales(source.recorded, chosen.judged, source.protocol)
    return texts


def without_definition(
    labels: Collection[str], meanings: Words, protocol: HumanAiTeam
) -> dict[str, list[str]]:
    """Return the labels that people see without a definition, by language; {} if none is shown."""
    if not protocol.prior.asked:
        return {}
    lacking = {
        language: [
            label
            for label in sorted(labels)
            if not (meanings.get((label, language)) or meanings.get((label, ANY_LANGUAGE)))
        ]
        for language in protocol.languages
    }
    return {language: labels for language, labels in lacking.items() if labels}


def _undefined_line(language: str, undefined: Sequence[str], labels: Collection[str]) -> str:
    return (
        f"{len(undefined)} of {len(labels)} labels have no definition in {language}: "
        f"{', '.join(undefined)}; give --definitions FILE, or install nltk and its corpus "
        "wordnet (English only)"
    )


def _line(chosen: Chosen) -> str:
    counts = ", ".join(f"{name} {count}" for name, count in chosen.by_bin.items())
    attacks = chosen.attacked
    misled = f"{attacks.misled} of {attacks.tried} attacks mislead the AI after their JPEG"
    return f"found: {counts}" + (f"; {misled}" if attacks.tried else "")


def _boxes(source: Source, judged: Sequence[Judged]) -> Boxes:
    wanted = {image.item.removesuffix(ATTACKED) for image in judged}
    boxes = {
        candidate.item: candidate.boxes() for candidate in source.judged if candidate.item in wanted
    }
    return {image.item: boxes[image.item.removesuffix(ATTACKED)] for image in judged}


@dataclass(frozen=True, slots=True)
class _Cases:
    """Makes cases of judged images or texts.

    Attributes
    ----------
    pictures, boxes
        Pictures and boxes of images, by item.
    texts
        Texts by item; empty for images.
    size_px
        Side of an image.
    """

    pictures: Mapping[str, Picture]
    boxes: Boxes
    texts: Mapping[str, Mapping[str, str]]
    size_px: int

    def of(self, judged: Sequence[Judged]) -> list[Case]:
        """Return the cases of judged images or texts, in order."""
        return [
            Case(
                image.item,
                b"" if self.texts[image.item] else _png(self.pictures[image.item]),
                image.true_label,
                image.label,
                image.confidence,
                image.adversarial,
                hull(self.boxes[image.item], self.size_px),
                image.swapped,
                self.texts[image.item],
            )
            for image in judged
        ]


def _examples(chosen: Chosen, protocol: HumanAiTeam) -> dict[str, list[bytes]]:
    if NEIGHBOURS not in protocol.help.arms:
        return {}
    return {image.item: _pngs(chosen.showable.examples(image)) for image in chosen.judged}


def _pngs(images: Sequence[Known]) -> list[bytes]:
    return [_png(known.picture) for known in images]


def _png(picture: Picture) -> bytes:
    return png_of(np.ascontiguousarray(picture.load()))


def _origins(source: Source, request: TeamRequest, arms: Mapping[str, Arm]) -> dict[str, Origin]:
    """Return the origin of each arm's help."""
    network, weights_sha256 = source.of.classifier.name, source.of.network.weights_sha256
    origins = {}
    for name, arm in arms.items():
        if arm.method is None:
            origins[name] = together(origins_of(request.maps[name]))
        elif isinstance(arm.method, SalientObject):
            origins[name] = replace(computed(arm.method, request.saliency, ""), kind=IMAGE)
        else:
            origins[name] = computed(arm.method, network, weights_sha256)
    if NEIGHBOURS in source.protocol.help.arms:
        settings = settings_text({"neighbours": source.protocol.help.neighbours})
        origins[NEIGHBOURS] = Origin(
            NETWORK, network, NEIGHBOURS, settings, weights_sha256=weights_sha256
        )
    if TEXT in source.protocol.help.arms and request.help_texts is not None:
        origins[TEXT] = imported(request.help_texts)
    if RATIONALE in source.protocol.help.arms and request.answers is not None:
        origins[RATIONALE] = imported(request.answers)
    return origins


def _made_with(source: Source, chosen: Chosen, methods: Mapping[str, Any]) -> dict[str, Any]:
    network, attacks = source.of.network, chosen.attacked
    return {
        "network": source.of.classifier.name,
        "weights_sha256": network.weights_sha256,
        "training_images": source.trained_on,
        **({} if source.recorded is None else {"answers": len(source.recorded)}),
        **({"truth": source.truth} if source.truth else {}),
        "dropped": dict(chosen.dropped),
        "passed_over": dict(chosen.passed_over),
        "validation": counts_of(chosen.drawn.validation, source.protocol.validation),
        "methods": dict(methods),
        "attack": {
            "jpeg": JpegAttack.of(source.protocol.attack).name,
            "tried": attacks.tried,
            "misled": attacks.misled,
            "outside_labels": attacks.outside,
        },
    }


def read_words(path: Path, of: str, column: str) -> dict[tuple[str, str], str]:
    """Return texts by the label or image that they belong to, and language.

    Parameters
    ----------
    path
        A CSV with the columns ``of`` and ``column``, and one more for each further language, headed
        by its IETF tag.
    of, column
        Names of these columns.

    Raises
    ------
    UserError
        If it can't be read, or something occurs twice.
    """
    words: dict[tuple[str, str], str] = {}
    for number, row in numbered_rows(path, (of, column)):
        key = row[of]
        if (key, ANY_LANGUAGE) in words:
            raise UserError(f"{path}, row {number}: {key} occurs twice")
        words[key, ANY_LANGUAGE] = row[column]
        words |= {(key, tag): text for tag, text in row.items() if tag not in (of, column) and text}
    return words


def help_texts(path: Path, judged: Sequence[Judged]) -> dict[tuple[str, str], str]:
    """Return helps in words by item and language, from a CSV ``image,text``.

    An image is named by its path within the set or by the name that ``--for-maps`` gives it.

    Raises
    ------
    UserError
        If the table can't be read.
    """
    words = read_words(path, "image", "text")
    items = {file_name(image.item): image.item for image in judged}
    items |= {image.item: image.item for image in judged}
    return {(items[key], tag): text for (key, tag), text in words.items() if key in items}


def definitions(
    path: Path | None, labels: Collection[str], names: Words, of_layout: Words = NO_WORDS
) -> dict[tuple[str, str], str]:
    """Return what labels mean: from a CSV ``label,definition``, else from WordNet if it's there.

    Definitions in the images' layout (ILSVRC's development kit has WordNet's) take precedence over
    nltk's corpus.

    WordNet (nltk's corpus) is searched for the label's number, if it is a WordNet id, or else its
    name. A label that neither has gets no definition.

    Raises
    ------
    UserError
        If the table can't be read.
    """
    lab_words = read_words(path, "label", "definition") if path else {}
    known = {key: text for key, text in lab_words.items() if key[0] in labels}
    defined = {label for label, _ in known}
    known |= {
        key: text for key, text in of_layout.items() if key[0] in labels and key[0] not in defined
    }
    lacking = sorted(set(labels) - {label for label, _ in known})
    words = {label: names.get((label, ANY_LANGUAGE), label) for label in lacking}
    return {**known, **_of_wordnet(words)}


def _of_wordnet(words: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """Return English definitions of labels and their words; {} without nltk or its corpus."""
    try:
        wordnet = importlib.import_module("nltk.corpus").wordnet
        wordnet.ensure_loaded()
    except (ImportError, LookupError, OSError):
        # nltk isn't installed, or its corpus is missing or incomplete.
        return {}
    meanings = {}
    for label, word in words.items():
        if WNID.fullmatch(label):
            with warnings.catch_warnings(action="ignore"):
                # nltk warns about numbers that it doesn't know.
                meaning = wordnet.synset_from_pos_and_offset("n", int(label[1:]))
        else:
            meaning = next(iter(wordnet.synsets(word.replace(" ", "_"), pos="n")), None)
        if meaning is not None:
            meanings[label, ENGLISH] = str(meaning.definition())
    return meanings


def metrics_of(
    arm: str,
    maps: Maps,
    boxes: Mapping[str, Sequence[Box]],
    judged: Sequence[Judged],
    rule: protocols.Metrics,
) -> dict[tuple[str, str], Metric]:
    """Return the metrics of an arm's maps, by item and arm.

    An arm has a single threshold for its IoU: that with the largest mean over the images that
    weren't attacked and whose label is right (over all images, if there are none of these).

    Parameters
    ----------
    arm
        The arm's name.
    maps
        Its maps, by item.
    boxes
        Objects by item, in pixels of the crop; images without any are left out.
    judged
        The images.
    rule
        The protocol's settings for metrics.
    """
    explained = [image for image in judged if boxes.get(image.item) and image.item in maps]
    if not explained:
        return {}
    values = np.stack([maps[image.item] for image in explained])
    image_boxes = [boxes[image.item] for image in explained]
    objects = box_masks(image_boxes, *values.shape[1:])
    pointing = pointing_game(values, objects, rule.pointing_tolerance_px)
    counts = np.array([image.right and not image.adversarial for image in explained])
    fair = counts if counts.any() else np.ones(len(explained), dtype=bool)
    threshold, _ = best_threshold(values[fair], objects[fair], thresholds(rule))
    overlaps = intersection_over_union(values, objects, threshold)
    located = weakly_supervised_localisation(values, image_boxes, rule.wsl_threshold, rule.wsl_iou)
    return {
        (image.item, arm): Metric(float(hit), round(float(overlap), DIGITS), float(local))
        for image, hit, overlap, local in zip(explained, pointing, overlaps, located, strict=True)
    }


def thresholds(rule: protocols.Metrics) -> tuple[float, ...]:
    """Return the thresholds to try for IoU, as shares of a map's maximum."""
    count = int((rule.iou_to - rule.iou_from) / rule.iou_step + 1e-9) + 1
    return tuple(round(rule.iou_from + k * rule.iou_step, 9) for k in range(count))

"""From chosen images to a pack's material: helps, samples, words, metrics."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stimuli.maps.origin import NETWORK, Origin, settings_text, together
from stimuli.studies.human_ai_team.material import Case, Material, Metric
from stimuli.studies.human_ai_team.protocol import NEIGHBOURS, TEXT, HumanAiTeam
from xai_backend.explain.precompute import Picture
from xai_backend.methods.human import origins_of
from xai_backend.methods.saliency_sod import SalientObject
from xai_backend.metrics.boxes import hull
from xai_backend.metrics.localisation import Box
from xai_backend.packs.origins import computed, imported
from xai_backend.progress import Reporter
from xai_backend.studies.human_ai_team.adversarial import JpegAttack
from xai_backend.studies.human_ai_team.ai import Ai
from xai_backend.studies.human_ai_team.chosen import Chosen
from xai_backend.studies.human_ai_team.draw import Judged
from xai_backend.studies.human_ai_team.helps import (
    Arm,
    Maps,
    described,
    heatmap_arms,
    heatmaps,
)
from xai_backend.studies.human_ai_team.images import ATTACKED
from xai_backend.studies.human_ai_team.metrics import metrics_of
from xai_backend.studies.human_ai_team.pictures import png_of
from xai_backend.studies.human_ai_team.pool import Known
from xai_backend.studies.human_ai_team.request import TeamRequest
from xai_backend.studies.human_ai_team.source import Source
from xai_backend.studies.human_ai_team.words import definitions, help_texts

Boxes = Mapping[str, tuple[Box, ...]]


def gather(
    source: Source, request: TeamRequest, ai: Ai, chosen: Chosen, reporter: Reporter
) -> tuple[Material, dict[str, Any]]:
    """Return a pack's material, and what it was made with as plain JSON values.

    Raises
    ------
    UserError
        If a help can't be had.
    """
    protocol = source.protocol
    arms = heatmap_arms(protocol, request.maps, request.saliency, request.methods)
    boxes = _boxes(source, chosen.judged)
    maps: dict[str, Maps] = {}
    metrics: dict[tuple[str, str], Metric] = {}
    for name, arm in arms.items():
        maps[name] = heatmaps(name, arm, ai, chosen.judged, chosen.pictures)
        metrics |= metrics_of(name, maps[name], boxes, chosen.judged, protocol.metrics)
    labels = sorted({one.label for one in chosen.judged})
    reporter.say(_line(chosen))
    material = Material(
        main=_cases((*_natural(chosen), *chosen.attacked.main), chosen, boxes, protocol),
        validation=_cases(chosen.drawn.validation, chosen, boxes, protocol),
        practice=_cases(chosen.drawn.practice, chosen, boxes, protocol),
        heatmaps=maps,
        examples=_examples(chosen, protocol),
        texts=help_texts(request.help_texts, chosen.judged) if request.help_texts else {},
        names=source.names,
        definitions=definitions(request.definitions, labels, source.names),
        samples={label: _pngs(chosen.showable.samples(label)) for label in labels}
        if protocol.prior.asked
        else {},
        metrics=metrics,
        origins=_origins(source, request, arms),
        ai=chosen.answers,
        found=chosen.found,
    )
    methods = {name: described(arm, maps[name]) for name, arm in arms.items()}
    return material, _made_with(source, chosen, methods)


def _line(chosen: Chosen) -> str:
    counts = ", ".join(f"{name} {count}" for name, count in chosen.found.items())
    attacks = chosen.attacked
    misled = f"{attacks.misled} of {attacks.tried} attacks mislead the AI after their JPEG"
    return f"found: {counts}" + (f"; {misled}" if attacks.tried else "")


def _natural(chosen: Chosen) -> Sequence[Judged]:
    return chosen.drawn.main


def _boxes(source: Source, judged: Sequence[Judged]) -> Boxes:
    wanted = {one.item.removesuffix(ATTACKED) for one in judged}
    found = {one.item: one.boxes() for one in source.judged if one.item in wanted}
    return {one.item: found[one.item.removesuffix(ATTACKED)] for one in judged}


def _cases(
    judged: Sequence[Judged], chosen: Chosen, boxes: Boxes, protocol: HumanAiTeam
) -> list[Case]:
    return [
        Case(
            one.item,
            _png(chosen.pictures[one.item]),
            one.true_label,
            one.label,
            one.confidence,
            one.adversarial,
            hull(boxes[one.item], protocol.images.size_px),
        )
        for one in judged
    ]


def _examples(chosen: Chosen, protocol: HumanAiTeam) -> dict[str, list[bytes]]:
    if NEIGHBOURS not in protocol.help.arms:
        return {}
    return {one.item: _pngs(chosen.showable.examples(one)) for one in chosen.judged}


def _pngs(some: Sequence[Known]) -> list[bytes]:
    return [_png(one.picture) for one in some]


def _png(picture: Picture) -> bytes:
    return png_of(np.ascontiguousarray(picture.load()))


def _origins(source: Source, request: TeamRequest, arms: Mapping[str, Arm]) -> dict[str, Origin]:
    """Return by arm who made its help, and how."""
    network, weights_sha256 = source.of.classifier.name, source.of.network.weights_sha256
    found = {}
    for name, arm in arms.items():
        if arm.method is None:
            found[name] = together(origins_of(request.maps[name]))
        elif isinstance(arm.method, SalientObject):
            rule = f"{request.saliency}, which never sees the classifier"
            found[name] = computed(arm.method, rule, "")
        else:
            found[name] = computed(arm.method, network, weights_sha256)
    if NEIGHBOURS in source.protocol.help.arms:
        settings = settings_text({"neighbours": source.protocol.help.neighbours})
        found[NEIGHBOURS] = Origin(
            NETWORK, network, NEIGHBOURS, settings, weights_sha256=weights_sha256
        )
    if TEXT in source.protocol.help.arms and request.help_texts is not None:
        found[TEXT] = imported(request.help_texts)
    return found


def _made_with(source: Source, chosen: Chosen, methods: Mapping[str, Any]) -> dict[str, Any]:
    network, attacks = source.of.network, chosen.attacked
    return {
        "network": source.of.classifier.name,
        "weights_sha256": network.weights_sha256,
        "training_images": source.trained_on,
        "dropped": dict(chosen.dropped),
        "methods": dict(methods),
        "attack": {
            "jpeg": JpegAttack.of(source.protocol.attack).name,
            "tried": attacks.tried,
            "misled": attacks.misled,
        },
    }

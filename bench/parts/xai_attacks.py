"""Attacked photographs: how many still mislead the network after their JPEG."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from bench.book import Effort, Measured, Part, table
from bench.parts.xai_data import NETWORKS, Photograph, photographs
from bench.parts.xai_racing import device_of, random_model
from bench.parts.xai_work import subject
from stimuli.protocol import load_protocol
from stimuli.studies.human_ai_team.material import band_of
from stimuli.studies.human_ai_team.protocol import Bins, HumanAiTeam
from xai_backend.methods import Execution
from xai_backend.models.frame import InputFrame, read_photo
from xai_backend.models.image_model import ImageModel, as_images, logits_of
from xai_backend.studies.human_ai_team.attacks import JpegAttack
from xai_backend.studies.human_ai_team.images import Codes, Jpeg

COST = "resnet34"
"""The published network. Its weights aren't at hand, so that only its time is measured."""
JPEGS = (Jpeg(95, "4:4:4"), Jpeg(75, "4:2:0"), Jpeg(50, "4:2:0"))
"""The study's own for digits, the published one, and a harder one."""
PHOTOGRAPHS = {"cpu": 40, "cuda": 460}
COSTED = {"cpu": 4, "cuda": 64}
AT_ONCE = {"cpu": 4, "cuda": 64}
BANDS = ("low", "mid", "high", None)


def measure(effort: Effort) -> Measured:
    """Attack photographs as the study does, and ask the network again after the JPEG."""
    device = device_of(effort)
    protocol = load_protocol("human_ai_team", None, {})
    assert isinstance(protocol, HumanAiTeam)
    attack = JpegAttack.of(protocol.attack)
    attack = replace(attack, steps=2) if effort.quick else attack
    count = 3 if effort.quick else PHOTOGRAPHS[device.type]
    shown = photographs(int(effort.options.get("photographs", count)))
    found = []
    for name in list(NETWORKS)[: 1 if effort.quick else None]:
        of = subject(name, device=str(device)).classifier
        for jpeg in JPEGS:
            effort.say(f"{name}: attacks, JPEG {jpeg.quality} {jpeg.subsampling}")
            codes = _seen(shown, of.frame, jpeg)
            own = replace(attack, quality=jpeg.quality, subsampling=jpeg.subsampling)
            about = {"network": name, "quality": jpeg.quality, "subsampling": jpeg.subsampling}
            labels = [one.label for one in shown]
            found.append(about | _attacked(of.model, codes, labels, own, protocol.bins))
    effort.say(f"{COST}: time")
    cost = _cost(attack, 1 if effort.quick else COSTED[device.type], device)
    figures = {"device": device.type, "photographs": len(shown), "attacks": found, "cost": cost}
    return Measured(_text(figures), figures)


def _seen(shown: Sequence[Photograph], frame: InputFrame, jpeg: Jpeg) -> Codes:
    """Return photographs (n, side, side, 3) as the network and people see them."""
    codes = [frame.codes(read_photo(photo.path)) for photo in shown]
    return np.stack([jpeg.through(np.ascontiguousarray(code)) for code in codes])


def _attacked(
    model: ImageModel,
    codes: Codes,
    labels: Sequence[int],
    attack: JpegAttack,
    limits: Bins,
) -> dict[str, Any]:
    """Return what came of the attacks on all photographs that the network gets right."""
    wanted = torch.tensor(labels)
    images = as_images(torch.from_numpy(codes))
    right = logits_of(model, images).argmax(dim=1) == wanted
    images, wanted = images[right], wanted[right]
    begun = time.perf_counter()
    execution = Execution(at_once=AT_ONCE[model.device.type])
    after = attack.explain(model, images, wanted, execution)
    seconds = time.perf_counter() - begun
    shares = logits_of(model, as_images(after)).softmax(dim=1)
    confidence, said = shares.max(dim=1)
    wrong = said != wanted
    bands = Counter(band_of(one, limits) for one in confidence[wrong].tolist())
    return {
        "right": len(wanted),
        "misled": int(wrong.sum()),
        "bands": {str(band): bands[band] for band in BANDS},
        "s_an_image": seconds / max(1, len(wanted)),
    }


def _cost(attack: JpegAttack, count: int, device: torch.device) -> dict[str, Any]:
    """Return the time of an attack on the published network, s an image."""
    model = random_model(COST, device)
    images = torch.rand(count, 3, 224, 224, generator=torch.Generator().manual_seed(1))
    labels = torch.zeros(count, dtype=torch.int64)
    execution = Execution(at_once=min(count, AT_ONCE[device.type]))
    seconds = []
    for _ in range(2):
        begun = time.perf_counter()
        attack.explain(model, images, labels, execution)
        seconds.append(time.perf_counter() - begun)
    return {"network": COST, "images": count, "s_an_image": seconds[-1] / count}


def _text(figures: Mapping[str, Any]) -> str:
    rows = [
        [
            figure["network"],
            f"{figure['quality']}, {figure['subsampling']}",
            str(figure["right"]),
            f"{figure['misled']} ({figure['misled'] / max(1, figure['right']):.1%})".replace(
                "%", " %"
            ),
            *(str(figure["bands"][str(band)]) for band in BANDS),
            f"{figure['s_an_image']:.3f}",
        ]
        for figure in figures["attacks"]
    ]
    headings = (
        "network", "JPEG", "attacked", "still wrong", "low", "middle", "high", "between", "s each"
    )  # fmt: skip
    cost = figures["cost"]
    return "\n\n".join(
        [
            f"Of {figures['photographs']} photographs, those that the network gets right are "
            "attacked with the published settings of human_ai_team (16 of 255, 40 steps, random "
            "start) and saved as a JPEG. Then the network is asked again. The table counts the "
            "images on which it is still wrong, and how confident it then is (`bins`). All "
            "photographs go through the same JPEG before the attack. *s each* includes the "
            "JPEG.",
            table(headings, rows),
            f"An attack on {COST} (random weights) takes {cost['s_an_image']:.3f} s.",
        ]
    )


PARTS = (Part("attacks", "Attacked photographs after a JPEG", measure),)

"""The heatmaps of every arm: made by the suite's methods, or brought by the lab.

Extremal perturbations may take hours. So a few steps are timed first, and the expected time is
printed.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.io.canonical import hash_of, sha256_hex
from stimuli.studies.human_ai_team.protocol import HumanAiTeam, help_kind
from xai_backend.determinism import not_finite
from xai_backend.explain.precompute import Picture
from xai_backend.methods import METHODS, Method, identity_of, method_of
from xai_backend.methods.extremal_perturbation import ExtremalPerturbation
from xai_backend.methods.gradcam import GradCam
from xai_backend.methods.human import Human, read_maps
from xai_backend.methods.saliency_sod import SalientObject
from xai_backend.models.frame import InputFrame
from xai_backend.models.image_model import as_images
from xai_backend.options import NONE_ASKED, NamedMethod, check_named
from xai_backend.studies.human_ai_team.ai import Ai
from xai_backend.studies.human_ai_team.draw import Judged
from xai_backend.studies.human_ai_team.images import file_name

FEW, MORE = 1, 4
"""Numbers of steps whose times are measured: their difference leaves out what is done once per
map."""

Clock = Callable[[], float]
Maps = Mapping[str, NDArray[np.float32]]
SALIENT_OBJECT = "salient_object"
PUBLISHED_SIDE_PX = 224
"""Side of the picture for which the published settings of extremal perturbations are meant."""


def say_how_long(
    method: ExtremalPerturbation,
    ai: Ai,
    pictures: Sequence[Picture],
    targets: Sequence[int],
    clock: Clock = time.perf_counter,
) -> None:
    """Say in one line how many maps still have to be computed, and about how long it will take."""
    missing, processes = ai.work.lacking(method, pictures, targets)
    codes = pictures[0].load() if missing else None
    if codes is None:
        return
    image = as_images(torch.from_numpy(codes[None].copy()))
    each_s = seconds_a_map(method, ai, image, targets[0], clock)
    if not processes:
        line = f"{method.name}: {missing} maps, about {in_words(each_s)} each on this PC"
    else:
        by = f" each, in {processes} processes" if processes > 1 else " each"
        whole = in_words(missing * each_s / processes)
        line = f"{method.name}: {missing} maps take about {whole} ({in_words(each_s)}{by})"
    ai.work.reporter.say(f"{line}; after an interruption the same command goes on")


def seconds_a_map(
    method: ExtremalPerturbation, ai: Ai, image: torch.Tensor, target: int, clock: Clock
) -> float:
    """Estimate how long a map takes on this PC, from a few steps for an image (1, 3, H, W)."""
    model, chosen = ai.of.classifier.model, torch.tensor([target])
    took = []
    for steps in (FEW, FEW, MORE):
        # The first run includes loading, so it isn't timed.
        begun = clock()
        replace(method, iterations=steps).explain(model, image, chosen)
        took.append(clock() - begun)
    a_step = max(0.0, (took[2] - took[1]) / (MORE - FEW))
    return took[1] + (method.iterations - FEW) * a_step


def in_words(time_s: float) -> str:
    """Return a time in words: seconds, minutes, or hours and minutes."""
    if time_s < 60:
        return f"{time_s:.2g} s"
    minutes = round(time_s / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


@dataclass(frozen=True, slots=True)
class Arm:
    """Where the heatmaps of an arm come from.

    Attributes
    ----------
    method
        The method that makes them; or
    human_maps
        the lab's own maps, by the image's name (`file_name`).
    """

    method: Method | None = None
    human_maps: Human | None = None


def heatmap_arms(
    protocol: HumanAiTeam,
    map_folders: Mapping[str, Path],
    saliency: str,
    choices: Mapping[str, NamedMethod] = NONE_ASKED,
) -> dict[str, Arm]:
    """Return where the maps of each arm with heatmaps come from.

    Parameters
    ----------
    protocol
        The protocol, which names the arms.
    map_folders
        Folders of maps by arm; they take precedence over a method of the same name.
    saliency
        Provider of salient objects.
    choices
        Methods of arms on the command line; they take precedence over a method of the same name,
        too.

    Raises
    ------
    UserError
        If an arm has neither a method nor maps, or maps or methods are given for an arm that
        doesn't exist.
    """
    heat = [arm for arm in protocol.help.arms if help_kind(arm) == "heatmap"]
    check_named({"--method": choices, "--maps": map_folders}, heat)
    arms = {}
    for arm in heat:
        if arm in map_folders:
            arms[arm] = Arm(human_maps=read_maps(map_folders[arm]))
        elif arm in choices:
            arms[arm] = Arm(method=choices[arm].method())
        else:
            arms[arm] = Arm(method=_method(arm, protocol, saliency))
    return arms


def _method(arm: str, protocol: HumanAiTeam, saliency: str) -> Method:
    rule, side = protocol.help, protocol.images.size_px
    scale = side / PUBLISHED_SIDE_PX
    usual = ExtremalPerturbation()
    if arm == GradCam.name:
        return GradCam(protocol.system.layer)
    if arm == SALIENT_OBJECT:
        return SalientObject(saliency)
    if arm == ExtremalPerturbation.name:
        return ExtremalPerturbation(
            areas=tuple(rule.extremal_areas),
            smoothing=rule.extremal_smoothing,
            variant=rule.extremal_variant,
            step_px=max(1, round(usual.step_px * scale)),
            sigma_px=usual.sigma_px * scale,
            blur_px=usual.blur_px * scale,
        )
    if arm in METHODS:
        return method_of(arm, {})
    raise UserError(
        f"help.arms: {arm} is not a method of the suite; give its maps with --maps {arm}=DIR, "
        f"or what makes them with --method {arm}=captum:NAME or {arm}=module:function"
    )


def heatmaps(
    arm: str,
    of: Arm,
    ai: Ai,
    judged: Sequence[Judged],
    pictures: Mapping[str, Picture],
) -> Maps:
    """Return an arm's maps of the proposed labels by item, float32 (side, side), 0…1.

    Relevance against the label counts as 0. Each map is divided by its maximum; a map without any
    relevance is 0 everywhere.

    Raises
    ------
    UserError
        If a map is missing, of other proportions or not finite.
    """
    side = ai.of.side_px
    if of.human_maps is not None:
        frame = InputFrame(side, side)
        names = [file_name(image.item) for image in judged]
        raw = of.human_maps.explain(names, [(side, side)] * len(names), frame).numpy()
        values = {image.item: relevance for image, relevance in zip(judged, raw, strict=True)}
    else:
        assert of.method is not None
        targets = [ai.output_of(image.label) for image in judged]
        explained = [pictures[image.item] for image in judged]
        if isinstance(of.method, ExtremalPerturbation):
            say_how_long(of.method, ai, explained, targets)
        maps = ai.work.maps(of.method, explained, targets)
        values = {item: computed.values for item, computed in maps.items()}
    return {item: _scaled(relevance, f"{arm}, {item}") for item, relevance in values.items()}


def described(of: Arm, maps: Maps) -> dict[str, Any]:
    """Return a description of an arm's maps, as plain JSON values."""
    if of.method is not None:
        return {"method": identity_of(of.method)}
    content = {item: sha256_hex(values.tobytes()) for item, values in maps.items()}
    return {"maps": hash_of(content)}


def _scaled(values: NDArray[np.floating], where: str) -> NDArray[np.float32]:
    if fault := not_finite(values):
        raise UserError(f"{where}: its map can't be shown: {fault}")
    positive = np.maximum(values, 0).astype(np.float32)
    peak = positive.max()
    return positive / peak if peak > 0 else positive

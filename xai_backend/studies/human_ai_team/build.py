"""Builder of human_ai_team's packs: images in their bins, attacks, helps, the sealed rest.

What the AI says, what attacks make and all maps and examples are kept by content in the lab's
cache, so that a build that was interrupted, by whatever means, goes on where it was.
"""

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final

import numpy as np

from stimuli.cases import Cases
from stimuli.errors import UserError
from stimuli.io.canonical import canonical_json
from stimuli.io.files import write_whole
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.compose import compose
from stimuli.studies.human_ai_team.tables import AVAILABLE, LISTS
from xai_backend.packs.sealed import about, checked_out, sealed
from xai_backend.progress import Reporter
from xai_backend.store import opened_store
from xai_backend.studies.human_ai_team.ai import Ai
from xai_backend.studies.human_ai_team.chosen import Chosen, choose
from xai_backend.studies.human_ai_team.confidence import calibrated
from xai_backend.studies.human_ai_team.gather import gather
from xai_backend.studies.human_ai_team.helps import heatmap_arms
from xai_backend.studies.human_ai_team.images import file_name, png_of
from xai_backend.studies.human_ai_team.protocol import resolved, with_differences
from xai_backend.studies.human_ai_team.request import TeamRequest, check_request
from xai_backend.studies.human_ai_team.source import Source, ai_of, source_of
from xai_backend.studies.human_ai_team.training_images import checked_distance

MADE_FILE = "made.json"
"""File that says how a pack was made: network, methods, attacks; part of its content."""

TABLE = "images.csv"
TRAINING_NAME: Final = re.compile(r"n\d{8}_\d+")
"""Name of a training image of ImageNet."""
NAMED: Final = 3
"""Most images that a line names."""


@dataclass(frozen=True, slots=True)
class Written:
    """A folder of images, and their number."""

    folder: Path
    images: int


def write_for_maps(folder: Path, chosen: Chosen, ai: Ai) -> Written:
    """Write each image as ``NAME.png``, and ``images.csv``: image, label and output to explain.

    Raises
    ------
    UserError
        If the folder isn't empty, or two images have the same name.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"--for-maps {folder}: is not empty; name a new folder")
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(("image", "label", "output"))
    seen: set[str] = set()
    for one in sorted(chosen.judged, key=lambda one: one.item):
        name = file_name(one.item)
        if name in seen:
            raise UserError(f"{one.item}: another image is called {name} too; rename one")
        seen.add(name)
        picture = chosen.pictures[one.item]
        write_whole(folder / f"{name}.png", png_of(np.ascontiguousarray(picture.load())))
        table.writerow((name, one.label, ai.output_of(one.label)))
    write_whole(folder / TABLE, stream.getvalue().encode("utf-8"))
    return Written(folder, len(seen))


@dataclass(frozen=True, slots=True)
class Built:
    """The result of a build.

    Attributes
    ----------
    pack, pack_id, kind
        The solution pack.
    images, sheets
        Number of images (or texts) of the main trials, and of sheets.
    found, used
        Images by bin: in the source, and in the pack.
    attacked, misled
        Number of images that were attacked, and on which the AI was still wrong after the JPEG.
    per_bin, adversarial_per_level
        Their values in the pack.
    cases
        What is judged: images or texts.
    """

    pack: Path
    pack_id: str
    kind: str
    images: int
    sheets: int
    found: Mapping[str, int]
    used: Mapping[str, int]
    attacked: int
    misled: int
    per_bin: int
    adversarial_per_level: int
    cases: Cases


def build(request: TeamRequest, reporter: Reporter) -> Built:
    """Build a solution pack: judged images, and each arm's help in judging them.

    Raises
    ------
    UserError
        On any mistake in the request; whatever can be checked early is checked before long work.
    """
    begun = datetime.now(UTC)
    source, chosen, made = _seal_pack(request, reporter, begun)
    return _built(made[0], made[1], source, chosen)


def build_for_maps(request: TeamRequest, reporter: Reporter) -> Written:
    """Write the images that a pack would show, for the lab's own maps; UserError as `build`."""
    assert request.for_maps is not None
    protocol = resolved(request)
    check_request(request, protocol)
    source = source_of(request, protocol, reporter)
    _say_if_learned(source, reporter)
    with opened_store() as store:
        source, ai, _ = calibrated(source, ai_of(source, request, store, reporter), reporter)
        chosen = choose(source, request, ai, store, reporter)
        return write_for_maps(request.for_maps, chosen, ai)


def _seal_pack(
    request: TeamRequest, reporter: Reporter, begun: datetime
) -> tuple[Source, Chosen, tuple[Path, Pack]]:
    protocol = resolved(request)
    check_request(request, protocol)
    heatmap_arms(
        protocol, request.maps, request.saliency, request.methods
    )  # refuses a folder before long work
    source = source_of(request, protocol, reporter)
    _say_if_learned(source, reporter)
    system, bins = source.protocol.system, source.protocol.bins
    if system.calibration == "none" and bins.limits == "fixed":
        early = with_differences(source.protocol, request, source.trained_on)
        checked_out(request.out, early, "solutions")
    with opened_store() as store:
        ai = ai_of(source, request, store, reporter)
        source, ai, calibration = calibrated(source, ai, reporter)
        measured = checked_distance(source, ai, reporter)
        chosen = choose(source, request, ai, store, reporter)
        protocol = with_differences(chosen.protocol, request, source.trained_on)
        source = replace(source, protocol=protocol)
        # If the temperature or the limits are measured, the protocol is known only now.
        out = checked_out(request.out, source.protocol, "solutions")
        material, made = gather(source, request, ai, chosen, reporter)
    made |= measured
    if calibration is not None:
        made["calibration"] = calibration.described()
    files = {**compose(source.protocol, material), MADE_FILE: canonical_json(made) + b"\n"}
    whole = {**about(begun, request.device), "made": made}
    return source, chosen, (out, sealed(out, source.protocol, "solutions", files, whole, reporter))


def _say_if_learned(source: Source, reporter: Reporter) -> None:
    """Say how many images are called like those from which ImageNet's networks have learned."""
    named = sorted(
        one.item
        for one in source.judged
        if TRAINING_NAME.fullmatch(PurePosixPath(one.item.replace("\\", "/")).stem)
    )
    if named:
        some = f"{', '.join(named[:NAMED])}{', …' if len(named) > NAMED else ''}"
        reporter.say(
            f"caution: {len(named)} of {len(source.judged)} images are called like ImageNet's "
            f"training images ({some}); if {source.of.classifier.name} has learned from them, it "
            "is too often right"
        )


def _built(out: Path, pack: Pack, source: Source, chosen: Chosen) -> Built:
    rows = pack.table(AVAILABLE)
    bins = source.protocol.bins
    return Built(
        pack=out,
        pack_id=pack.pack_id,
        kind="solutions",
        images=bins.images,
        sheets=len({row["list"] for row in pack.table(LISTS)}),
        found={str(row["bin"]): int(str(row["found"])) for row in rows},
        used={str(row["bin"]): int(str(row["used"])) for row in rows},
        attacked=chosen.attacked.tried,
        misled=chosen.attacked.misled,
        per_bin=bins.per_bin,
        adversarial_per_level=bins.adversarial_per_level,
        cases=source.protocol.cases,
    )

"""Builder of human_ai_team's packs: images in their bins, attacks, helps, the sealed rest.

What the AI says, what attacks make and all maps and examples are kept by content in the lab's
cache, so that a build that was interrupted, by whatever means, goes on where it was.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from stimuli.io.canonical import canonical_json
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.compose import compose
from stimuli.studies.human_ai_team.tables import AVAILABLE, LISTS
from xai_backend.packs.sealed import about, checked_out, sealed
from xai_backend.progress import Reporter
from xai_backend.store import opened_store
from xai_backend.studies.human_ai_team.chosen import Chosen, choose
from xai_backend.studies.human_ai_team.gather import gather
from xai_backend.studies.human_ai_team.helps import heatmap_arms
from xai_backend.studies.human_ai_team.outside import Written, write_for_maps
from xai_backend.studies.human_ai_team.protocol import resolved
from xai_backend.studies.human_ai_team.request import TeamRequest, check_request
from xai_backend.studies.human_ai_team.source import Source, ai_of, source_of

MADE_FILE = "made.json"
"""What a pack was made with: network, methods, attacks; part of its content."""


@dataclass(frozen=True, slots=True)
class Built:
    """What a build left.

    Attributes
    ----------
    pack, pack_id, kind
        The solution pack.
    images, sheets
        Images of the main trials, and sheets.
    found, used
        Images by bin: in the source, and in the pack.
    attacked, misled
        How many images were attacked, and after how many JPEGs the AI was still wrong.
    per_bin, adversarial_per_level
        As they are in the pack.
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


def build(request: TeamRequest, reporter: Reporter) -> Built:
    """Build a solution pack: judged images, and what helps to judge them in each arm.

    Raises
    ------
    UserError
        On any mistake in the request; what can be told early is told before long work.
    """
    begun = datetime.now(UTC)
    source, chosen, made = _seal_pack(request, reporter, begun)
    return _built(made[0], made[1], source, chosen)


def build_for_maps(request: TeamRequest, reporter: Reporter) -> Written:
    """Write the images that a pack would show, for maps of the lab's own; UserError as `build`."""
    assert request.for_maps is not None
    protocol = resolved(request)
    check_request(request, protocol)
    source = source_of(request, protocol, reporter)
    with opened_store() as store:
        ai = ai_of(source, request, store, reporter)
        chosen = choose(source, request, ai, store, reporter)
        return write_for_maps(request.for_maps, chosen, ai)


def _seal_pack(
    request: TeamRequest, reporter: Reporter, begun: datetime
) -> tuple[Source, Chosen, tuple[Path, Pack]]:
    protocol = resolved(request)
    check_request(request, protocol)
    heatmap_arms(
        protocol, request.maps, request.saliency, request.methods
    )  # refused before long work
    source = source_of(request, protocol, reporter)
    out = checked_out(request.out, source.protocol, "solutions")
    with opened_store() as store:
        ai = ai_of(source, request, store, reporter)
        chosen = choose(source, request, ai, store, reporter)
        material, with_what = gather(source, request, ai, chosen, reporter)
    files = compose(source.protocol, material)
    files = {**files, MADE_FILE: canonical_json(with_what) + b"\n"}
    whole = {**about(begun, request.device), "made": with_what}
    return source, chosen, (out, sealed(out, source.protocol, "solutions", files, whole, reporter))


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
    )

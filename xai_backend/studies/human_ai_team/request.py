"""What may be asked of human_ai_team's builder, and what goes together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from stimuli.errors import UserError
from stimuli.studies.human_ai_team.protocol import TEXT, HumanAiTeam
from stimuli.workers import Workers, check_reachable
from xai_backend.explain.precompute import checked_workers
from xai_backend.methods.asked import NamedMethod

DIGIT_SOURCES: Final = {"digits": "uci", "uci": "uci", "mnist": "mnist"}
"""What digits may be called, and which ones these are (`load_digits`)."""


@dataclass(frozen=True, slots=True)
class TeamRequest:
    """What is asked for; None where it is left open.

    Attributes
    ----------
    source
        ``digits`` or ``mnist``; or labelled images: a folder with one sub-folder a class, or
        a CSV.
    train
        Labelled training images, for samples and examples. None: a share of the source that
        nobody judges; digits: those that the network learns from.
    protocol_file, seed
        Protocol file, and a seed instead of the protocol's.
    per_bin, adversarial_per_level
        Fewer images than the protocol's.
    model, weights, classes
        The classifier instead of the protocol's, its weights, and what its outputs are called.
    saliency
        Provider of salient objects.
    methods
        What makes the maps of an arm, where that isn't the suite's method of its name.
    maps
        Folders of the lab's own maps, by arm.
    help_texts, names, definitions
        Tables of helps in words, of what labels are called and of what they mean.
    validation
        Table of the images that the lab chose for validation.
    boxes
        Table of where objects lie.
    for_maps
        Folder for the images that a pack would show, so that maps of them can be made.
    out, device
        The pack's folder; ``cpu`` or ``cuda``.
    workers
        Who computes; None for what suits the number of images.
    """

    source: str | None = None
    train: str | None = None
    protocol_file: Path | None = None
    seed: int | None = None
    per_bin: int | None = None
    adversarial_per_level: int | None = None
    model: str | None = None
    weights: str | None = None
    classes: Path | None = None
    saliency: str = "centre_surround"
    methods: Mapping[str, NamedMethod] = field(default_factory=dict)
    maps: Mapping[str, Path] = field(default_factory=dict)
    help_texts: Path | None = None
    names: Path | None = None
    definitions: Path | None = None
    validation: Path | None = None
    boxes: Path | None = None
    for_maps: Path | None = None
    out: Path | None = None
    device: str = "cpu"
    workers: Workers | None = None

    @property
    def of_digits(self) -> bool:
        """Whether the images are digits."""
        return self.source is None or self.source in DIGIT_SOURCES


def check_request(request: TeamRequest, protocol: HumanAiTeam) -> None:
    """Refuse what doesn't go together, and workers that can't be reached.

    Raises
    ------
    UserError
        In one line.
    """
    if request.of_digits:
        photographs = {
            "--weights": request.weights,
            "--classes": request.classes,
            "--train": request.train,
            "--boxes": request.boxes,
        }
        for option, value in photographs.items():
            if value is not None:
                raise UserError(f"{option} goes with images of your own (--source), not digits")
    elif not Path(str(request.source)).expanduser().exists():
        raise UserError(
            f"--source {request.source}: take digits, mnist, or labelled images (a folder with "
            "one sub-folder a class, or a CSV image,label)"
        )
    asked = TEXT in protocol.help.arms
    if asked and request.help_texts is None and request.for_maps is None:
        raise UserError("help.arms names text: give --help-texts FILE, a CSV image,text")
    if request.help_texts is not None and not asked:
        raise UserError("--help-texts: help.arms doesn't name text, so nobody would read them")
    workers = checked_workers(request.workers, request.device)
    if workers is not None:
        check_reachable(workers)

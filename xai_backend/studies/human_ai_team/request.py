"""What may be asked of human_ai_team's builder, and what goes together."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from stimuli.errors import UserError
from stimuli.options import Needs, NotWith
from xai_backend import options

if TYPE_CHECKING:
    from stimuli.studies.human_ai_team.protocol import HumanAiTeam

DIGIT_SOURCES: Final = {"digits": "uci", "uci": "uci", "mnist": "mnist"}
"""Names of digits on the command line, and the sets that they stand for (`load_digits`)."""


def is_of_digits(source: str | None) -> bool:
    """Return whether a source is digits."""
    return source is None or source in DIGIT_SOURCES


@dataclass(frozen=True, slots=True)
class TeamRequest:
    """What is asked for; None where it is left open. The fields are the command's options."""

    protocol_file: options.ProtocolFile = None
    source: Annotated[
        str | None,
        typer.Option(
            metavar="digits|mnist|DIR|CSV",
            help="Digits; or labelled images: a folder with one sub-folder for each class, "
            "ILSVRC's validation folder, the folder of Kaggle's download or of Stanford Dogs, "
            "or a CSV image,label. With --answers also texts: a table item,text,label. Default: "
            "digits.",
        ),
        NotWith(
            "--weights --classes --train --boxes --truth --answers",
            "it is for images of your own (--source DIR)",
            when=is_of_digits,
            of="digits",
        ),
        Needs(
            "--answers",
            "no network of the suite judges texts here",
            when=options.is_of_texts,
            of="of texts",
        ),
        NotWith(
            "--train --boxes --truth --maps --for-maps --definitions",
            "it is for images",
            when=options.is_of_texts,
            of="of texts",
        ),
    ] = None
    truth: options.Truth = None
    train: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|CSV",
            help="Labelled images for samples and examples, which nobody judges: those that the "
            "network has learned from, if you have them. Default: a quarter of each "
            "class of the source, which isn't shown.",
        ),
    ] = None
    train_learned: Annotated[
        bool,
        typer.Option(
            "--train-learned",
            help="The network has learned from the images of --train: participants are told so.",
        ),
        Needs("--train"),
    ] = False
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Instead of a network: answers of any system, such as a language model, recorded "
            "beforehand. A table item,answer,confidence,rationale, with one more "
            "column of rationales for each other language.",
        ),
        NotWith(
            "--model --weights --classes --method --set --adversarial-per-level",
            "the table has the answers, and no network is run or attacked",
        ),
    ] = None
    other_answers: options.OtherAnswers = False
    model: options.Model = None
    weights: options.Weights = None
    classes: options.Classes = None
    per_bin: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Images of each of the six bins."),
    ] = None
    adversarial_per_level: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Attacked images of each level; 0 for none."),
    ] = None
    saliency: Annotated[
        str,
        typer.Option(metavar="NAME", help="Method for salient objects: centre_surround or u2net."),
    ] = "centre_surround"
    methods: options.Methods = field(default_factory=dict)
    maps: options.Maps = field(default_factory=dict)
    for_maps: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Don't build a pack. Write its images and the labels to explain, for --maps.",
        ),
    ] = None
    help_texts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Helps in words for the arm text: a CSV image,text, with one more column "
            "for each other language.",
        ),
    ] = None
    names: options.Names = None
    definitions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What labels mean: a CSV label,definition, with one more column for each "
            "other language. Default: WordNet, if nltk and its corpus are there.",
        ),
    ] = None
    validation: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Images for validation: a CSV image,label; an empty label is the AI's own. "
            "Default: by a rule.",
        ),
    ] = None
    boxes: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DIR",
            help="Boxes of objects: a CSV image,x0,y0,x1,y1, in the file's pixels, "
            "LOC_val_solution.csv, or the folder of XML files. Default: those of the layout.",
        ),
    ] = None
    seed: options.Seed = None
    out: options.Out = None
    device: options.Device = "cpu"
    workers: options.WorkersAsked = None

    @property
    def of_digits(self) -> bool:
        """Whether the images are digits."""
        return is_of_digits(self.source)


def check_request(request: TeamRequest, protocol: "HumanAiTeam") -> None:
    """Refuse options that don't go with the protocol, and workers that can't be reached.

    Raises
    ------
    UserError
        In one line.
    """
    from stimuli.studies.human_ai_team.protocol import RATIONALE, TEXT
    from xai_backend.explain.precompute import checked_workers

    if not request.of_digits and not Path(str(request.source)).expanduser().exists():
        raise UserError(
            f"--source {request.source}: there is no such file or folder; take digits, mnist, or "
            "labelled images (a folder with one sub-folder a class, ILSVRC's validation folder, or "
            "a table image,label)"
        )
    asked = TEXT in protocol.help.arms
    if asked and request.help_texts is None and request.for_maps is None:
        raise UserError("help.arms names text: give --help-texts FILE, a CSV image,text")
    if request.help_texts is not None and not asked:
        raise UserError("--help-texts: help.arms doesn't name text, so nobody would read them")
    if request.answers is not None:
        _check_answers(request, protocol)
    elif RATIONALE in protocol.help.arms:
        raise UserError("help.arms names rationale: give --answers FILE, which has the rationales")
    checked_workers(request.workers, request.device)


def _check_answers(request: TeamRequest, protocol: "HumanAiTeam") -> None:
    """Refuse arms that need a network: answers from a table have none."""
    from stimuli.studies.human_ai_team.protocol import NEIGHBOURS, help_kind

    for arm in protocol.help.arms:
        if arm == NEIGHBOURS:
            raise UserError(f"help.arms: {arm} needs a network's features, and --answers has none")
        if help_kind(arm) == "heatmap" and arm != "salient_object" and arm not in request.maps:
            raise UserError(
                f"help.arms: {arm} needs a network, and --answers has none; give its maps with "
                f"--maps {arm}=DIR, or leave it out"
            )

"""What may be asked of accept_reject_accuracy's builder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from xai_backend import options


@dataclass(frozen=True, slots=True)
class AccuracyRequest:
    """What is asked for; None where it is left open. The fields are the command's options."""

    protocol_file: options.ProtocolFile = None
    source: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|CSV",
            help="The labelled images: a folder with one sub-folder for each class, ILSVRC's "
            "validation folder, the folder of Kaggle's download or of Stanford Dogs, or a CSV "
            "image,label. With --answers or --predictions also texts: a table item,text,label. "
            "Default: UCI's digits, and as S a network that is trained on the spot.",
        ),
    ] = None
    truth: options.Truth = None
    predictions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="S's answers, a CSV image,label,confidence; of texts item,label,confidence.",
        ),
    ] = None
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="S's answers, recorded from any system, such as a language model: a table "
            "item,answer,confidence,rationale. Rationales aren't shown.",
        ),
    ] = None
    other_answers: options.OtherAnswers = False
    model: options.Model = None
    weights: options.Weights = None
    classes: options.Classes = None
    names: options.Names = None
    seed: options.Seed = None
    out: options.Out = None
    device: options.Device = "cpu"
    workers: options.WorkersAsked = None

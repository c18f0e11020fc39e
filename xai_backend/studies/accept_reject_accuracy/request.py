"""What may be asked of accept_reject_accuracy's builder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from stimuli.options import Needs, NotWith
from xai_backend import options

OF_SOURCE: Final = Needs(
    "--source",
    "the labelled images that S answers (a folder with one sub-folder for each class, or a CSV "
    "image,label); without any options the suite's digits are taken, and a network that is "
    "trained on the spot",
)


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
        Needs(
            "--predictions --answers",
            "no network of the suite judges texts here",
            when=options.is_of_texts,
            of="of texts",
        ),
        Needs("--predictions --answers --model", "S's answers, or the network that gives them"),
        NotWith("--truth", "it is for images", when=options.is_of_texts, of="of texts"),
    ] = None
    truth: Annotated[options.Truth, OF_SOURCE] = None
    predictions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="S's answers, a CSV image,label,confidence; of texts item,label,confidence.",
        ),
        OF_SOURCE,
        NotWith("--answers --model --workers --scheduler", "the table has S's answers"),
    ] = None
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="S's answers, recorded from any system, such as a language model: a table "
            "item,answer,confidence,rationale. Rationales aren't shown.",
        ),
        OF_SOURCE,
        NotWith("--model --workers --scheduler", "the table has S's answers"),
    ] = None
    other_answers: options.OtherAnswers = False
    model: Annotated[options.Model, OF_SOURCE] = None
    weights: Annotated[options.Weights, Needs("--model")] = None
    classes: Annotated[options.Classes, Needs("--model")] = None
    names: options.Names = None
    seed: options.Seed = None
    out: options.Out = None
    device: options.Device = "cpu"
    workers: options.WorkersAsked = None

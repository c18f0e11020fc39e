"""Options that several commands of xai_backend share, and what they say about methods.

``--method NAME=METHOD`` says what a study's method stands for. ``--maps NAME=DIR`` names maps that
were made elsewhere.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final

import typer

from stimuli.errors import UserError
from stimuli.options import MadeOf, Needs, Repeated
from stimuli.workers import Workers

if TYPE_CHECKING:
    from xai_backend.methods.method import Method


@dataclass(frozen=True, slots=True)
class NamedMethod:
    """The method that a name in a study's protocol stands for.

    Attributes
    ----------
    what
        Its name, as `named_method` takes it.
    settings
        The method's settings, NAME=VALUE.
    """

    what: str
    settings: tuple[str, ...] = ()

    def method(self) -> "Method":
        """Return the method; UserError as `named_method`."""
        # This imports torch, which isn't needed to read a command line.
        from xai_backend.methods.registry import named_method

        return named_method(self.what, self.settings)


NONE_ASKED: Final[Mapping[str, NamedMethod]] = MappingProxyType({})


OtherAnswers = Annotated[
    bool,
    typer.Option(
        "--other-answers",
        help="Take answers of --answers that are neither a label nor a label's name, as they are.",
    ),
    Needs("--answers"),
]


def asked_methods(
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            metavar="NAME=METHOD",
            help="What the protocol's method NAME means: a method of the suite, captum:NAME, or "
            "your own module:function (docs/methods.md). May be repeated.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME.SETTING=VALUE",
            help="A setting of a method given by --method. May be repeated.",
        ),
    ] = None,
) -> dict[str, NamedMethod]:
    """Return methods by their names in the study.

    Parameters
    ----------
    methods
        Texts NAME=METHOD, such as ``deep=captum:DeepLift`` or ``mine=my_methods:edges``.
    settings
        Texts NAME.SETTING=VALUE.

    Raises
    ------
    UserError
        If a text has another form, or a name occurs twice or is missing.
    """
    whats = _pairs("--method", methods or (), "NAME=METHOD, such as deep=captum:DeepLift")
    own: dict[str, list[str]] = {name: [] for name in whats}
    for text in settings or ():
        name, dot, setting = text.partition(".")
        if not dot or name not in own:
            raise UserError(f"--set {text}: write NAME.SETTING=VALUE, with a NAME of --method")
        own[name].append(setting)
    return {name: NamedMethod(what, tuple(own[name])) for name, what in whats.items()}


def paths_by_name(option: str, form: str) -> Callable[[Iterable[str]], dict[str, Path]]:
    """Return a reader of an option's texts NAME=PATH; its UserError states the right form."""

    def read(texts: Iterable[str]) -> dict[str, Path]:
        pairs = _pairs(option, texts, form)
        return {name: Path(path).expanduser() for name, path in pairs.items()}

    return read


def check_named(options: Mapping[str, Iterable[str]], methods: Sequence[str]) -> None:
    """Refuse names that the protocol doesn't have, and names that are given twice.

    Parameters
    ----------
    options
        Names by option.
    methods
        The protocol's methods.

    Raises
    ------
    UserError
        In one line.
    """
    seen: dict[str, str] = {}
    for option, names in options.items():
        for name in names:
            if name not in methods:
                raise UserError(
                    f"{option} {name}: the protocol doesn't name {name} as a method, so nobody "
                    f"would be shown it; it names {', '.join(methods) or 'none'}"
                )
            if name in seen:
                raise UserError(f"{option} {name}: {seen[name]} gives its maps already")
            seen[name] = option


def _pairs(option: str, texts: Iterable[str], form: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, mark, what = text.partition("=")
        if not (name and mark and what):
            raise UserError(f"{option} {text}: write {form}")
        if name in found:
            raise UserError(f"{option} {text}: {name} is given already")
        found[name] = what
    return found


asked_maps: Final = paths_by_name("--maps", "NAME=DIR, the method's name and the maps' folder")


ProtocolFile = Annotated[
    Path | None,
    typer.Option("--protocol", metavar="F", help="Protocol file. Default: the study's."),
]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed instead of the protocol's.")]
Out = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="The pack's folder. Default: one in the lab's packs."),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        "--network",
        metavar="NAME",
        help="A classifier, for photographs: torchvision's NAME, timm:NAME, hf:DIR, FILE.pt2 or "
        "module:function (docs/models.md).",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Weights: a state dict, safetensors or checkpoint file, or a name of torchvision's "
        "such as IMAGENET1K_V2. Default: torchvision's first.",
    ),
]
Classes = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Labels of the classifier's outputs: a CSV, ImageNet's class index, or its "
        "LOC_synset_mapping.txt.",
    ),
]
Names = Annotated[
    Path | None,
    typer.Option(
        "--names",
        "--class-names",
        metavar="FILE",
        help="Names of the labels: a CSV label,name, with one more column for each other "
        "language; or ImageNet's LOC_synset_mapping.txt.",
    ),
]
Truth = Annotated[
    Path | None,
    typer.Option(
        "--truth",
        metavar="FILE|DIR",
        help="Labels of ILSVRC's validation images: the ground truth of the development kit, "
        "LOC_val_solution.csv, a text or CSV of images and labels, or the folder of XML files. "
        "Default: what is beside the images.",
    ),
]
Methods = Annotated[Mapping[str, NamedMethod], MadeOf(asked_methods)]
Maps = Annotated[
    Mapping[str, Path],
    typer.Option(
        "--maps",
        metavar="NAME=DIR",
        help="Maps made elsewhere for the method NAME: grey PNG, .npy or .safetensors by the "
        "image's name, or a map set. May be repeated.",
    ),
    Repeated(str, asked_maps),
]
Metrics = Annotated[
    bool,
    typer.Option(
        "--metrics",
        help="Compute how well the explanations foretell the model, for the report to correlate "
        "with people. On a CPU this takes longer than most maps.",
    ),
]
Device = Annotated[str, typer.Option(metavar="D", help="cpu or cuda.")]
Processes = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Number of processes. Default: chosen for this PC."),
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Run on a Dask cluster: its scheduler, tcp://HOST:PORT."),
]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


def is_of_texts(source: str | None) -> bool:
    """Return whether a source is a table of texts: a table of texts or items.

    Raises
    ------
    UserError
        If it is a table that can't be read.
    """
    from stimuli.io.given_tables import rows_of

    path = Path(source or "").expanduser()
    if not path.is_file():
        return False
    columns = next(iter(rows_of(path, ())), {}).keys()
    return not columns & {"image", "file"} and bool(columns & {"item", "text"})


def workers_of(workers: Processes = None, scheduler: Scheduler = None) -> Workers | None:
    """Return the workers of ``--workers`` and ``--scheduler``; None if neither is given."""
    if workers is None and scheduler is None:
        return None
    return Workers(workers or 0, scheduler, here=workers == 1 and scheduler is None)


WorkersAsked = Annotated[Workers | None, MadeOf(workers_of)]

"""Runs a builder from the command line: shows its progress, then prints what it made."""

import json
from collections.abc import Callable, Iterable
from dataclasses import Field, asdict
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from stimuli.languages import language_name
from stimuli.pack import Pack, open_pack
from stimuli.places import TEXTS, lab_root
from stimuli.study import foreign_texts, simulated_people
from xai_backend.progress import Reporter, Silent, Terminal


class Built(Protocol):
    """What every builder returns: a dataclass, which may have further fields."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def pack(self) -> Path:
        """The pack's folder."""

    @property
    def pack_id(self) -> str:
        """The pack's identity."""

    @property
    def kind(self) -> str:
        """``tasks`` or ``solutions``."""


NOT_FOR_MAIN = "The pack is for trying things: run refuses it for sessions of purpose main."

Request = TypeVar("Request")
Made = TypeVar("Made", bound=Built)


def run_build(
    build: Callable[[Request, Reporter], Made],
    request: Request,
    further: Callable[[Made], Iterable[str]],
    *,
    as_json: bool,
) -> None:
    """Build a pack and print what was made.

    Parameters
    ----------
    build
        The study's builder.
    request
        What to build.
    further
        Returns the lines to print after the pack's folder and identity.
    as_json
        Print all that the builder returns as JSON, with what is simulated, in another language
        than the texts or missing from them, and show no progress.
    """
    built = build(request, Silent() if as_json else Terminal())
    pack = open_pack(built.pack)
    simulated = simulated_people(pack)
    foreign = foreign_texts(pack)
    missing = lacking_texts(pack)
    if as_json:
        remarks = {"simulated": simulated, "other_language": foreign, "texts_lacking": missing}
        print(json.dumps({**asdict(built), **remarks}, default=str))
        return
    kind = " of tasks" if built.kind == "tasks" else ""
    print(f"pack{kind}: {built.pack}", f"pack_id: {built.pack_id}", *further(built), sep="\n")
    if simulated:
        print(f"Simulated people: {simulated}. {NOT_FOR_MAIN}")
    for language, what in foreign.items():
        print(f"In sessions in {language_name(language)}, {what}.")
    for language, lines in missing.items():
        for line in lines:
            print(f"No session can be in {language_name(language)} yet: {line}")


def lacking_texts(pack: Pack) -> dict[str, tuple[str, ...]]:
    """Return what this PC's texts lack for sessions with a pack, by language."""
    from participants.lacking import lacking

    study, texts = pack.protocol.catalogue_name, lab_root() / TEXTS
    lacks = {language: lacking(study, language, texts) for language in pack.protocol.languages}
    return {language: lines for language, lines in lacks.items() if lines}

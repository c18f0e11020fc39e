"""Each arm's help as a pack holds it: pictures of one length, or texts."""

import io
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stimuli.images.names import ANY_LANGUAGE
from stimuli.images.pictures import of_one_length
from stimuli.io.canonical import sha256_hex
from stimuli.io.tables import Row
from stimuli.studies.human_ai_team.material import Case, Heatmap, Material
from stimuli.studies.human_ai_team.opaque import asset_file
from stimuli.studies.human_ai_team.protocol import TEXT, HumanAiTeam, help_kind

Files = dict[str, bytes]
Pictures = dict[tuple[str, int], tuple[str, bytes]]
"""Path and content by presentation and place."""


def helps_of(
    protocol: HumanAiTeam, material: Material, named: Mapping[str, Case], key: str
) -> tuple[Files, list[Row]]:
    """Return the files of all helps and the rows of helps.csv, in the ids' order.

    Parameters
    ----------
    protocol, material
        Which arms there are, and their helps.
    named
        The judged images by presentation.
    key
        Root of every keyed draw.
    """
    files: Files = {}
    rows: list[Row] = []
    for arm in protocol.help.arms:
        kind = help_kind(arm)
        if kind == "heatmap":
            own = _maps(material.heatmaps[arm], named, arm, key)
        elif kind == "examples":
            own = _examples(material, named, arm, key)
        else:
            own = {}
        for (name, place), (path, data) in own.items():
            files[path] = data
            rows.append(_help_row(name, arm, place, help_file=path))
        if kind == "text":
            rows += _text_rows(protocol, material, named)
    rows.sort(key=lambda row: (row["presentation"], row["arm"], row["place"]))
    return files, rows


def _maps(
    heatmaps: Mapping[str, Heatmap], named: Mapping[str, Case], arm: str, key: str
) -> Pictures:
    """Return an arm's heatmaps as grey PNGs, all of one length."""
    pngs: dict[bytes, bytes] = {}  # equal maps are encoded once
    paths, contents = {}, {}
    for name, case in named.items():
        codes = np.rint(255 * heatmaps[case.item]).astype(np.uint8)
        content = codes.tobytes()
        if content not in pngs:
            pngs[content] = _png(codes)
        paths[name] = asset_file("helps", [key, arm, name])
        contents[paths[name]] = pngs[content]
    filled = of_one_length(contents)
    return {(name, 1): (path, filled[path]) for name, path in paths.items()}


def _examples(material: Material, named: Mapping[str, Case], arm: str, key: str) -> Pictures:
    """Return examples of all images, all of one length; one that occurs twice is one file."""
    paths = {
        (name, place): (asset_file("helps", [key, arm, sha256_hex(data)]), data)
        for name, case in named.items()
        for place, data in enumerate(material.examples[case.item], start=1)
    }
    filled = of_one_length(dict(paths.values()))
    return {at: (path, filled[path]) for at, (path, _) in paths.items()}


def _help_row(
    name: str,
    arm: str,
    place: int,
    *,
    help_file: str | None = None,
    help_text: str | None = None,
    language: str | None = None,
) -> Row:
    return {
        "presentation": name,
        "arm": arm,
        "place": place,
        "help_file": help_file,
        "help_text": help_text,
        "language": language,
    }


def _text_rows(
    protocol: HumanAiTeam, material: Material, named: Mapping[str, Case]
) -> Iterator[Row]:
    for name, case in named.items():
        for language in (ANY_LANGUAGE, *sorted(protocol.languages)):
            text = material.texts.get((case.item, language))
            if text:
                yield _help_row(name, TEXT, 1, help_text=text, language=language or None)


def _png(codes: NDArray[np.uint8]) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(codes).save(stream, "PNG")
    return stream.getvalue()

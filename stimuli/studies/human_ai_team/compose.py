"""From material to a pack's files: sheets, helps and words, opaque ids, files of one length."""

import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stimuli.cases import texts_file
from stimuli.errors import UserError
from stimuli.images.pictures import of_one_length
from stimuli.io.canonical import hash_of, keyed_order, seed_of, sha256_hex
from stimuli.io.tables import Row
from stimuli.maps.origin import UNKNOWN, origin_cells
from stimuli.names import ANY_LANGUAGE, name_rows
from stimuli.studies.human_ai_team import tables
from stimuli.studies.human_ai_team.fitting import check, wanted_in_bins
from stimuli.studies.human_ai_team.material import (
    Case,
    Heatmap,
    Material,
    Words,
    band_of,
    level_of,
    shown_percent,
    weights,
)
from stimuli.studies.human_ai_team.protocol import HumanAiTeam, help_kind


@dataclass(frozen=True, slots=True)
class Entry:
    """A place of a sheet: its phase (`tables.PHASES`) and the image."""

    phase: str
    item: str


def sheet_name(number: int) -> str:
    """Return a sheet's name by its number, from 1."""
    return f"sheet-{number:02d}"


def sheets_of(
    protocol: HumanAiTeam,
    main: Sequence[str],
    validation: Sequence[str],
    practice: Sequence[str],
    key: str,
) -> dict[str, list[Entry]]:
    """Return each sheet's entries in the order they are shown in.

    Parameters
    ----------
    protocol
        Number and length of the sheets, and where validation is placed.
    main, validation, practice
        Ids of the images. Practice and validation each have one order for all sheets.
    key
        Root of every keyed draw.
    """
    before = [Entry("practice", item) for item in keyed_order(practice, key, "practice")]
    checks = [Entry("validation", item) for item in keyed_order(validation, key, "validation")]
    sheets = {}
    for number, items in enumerate(dealt(main, protocol, key), start=1):
        name = sheet_name(number)
        judged = [Entry("main", item) for item in items]
        if protocol.validation.placed == "mixed":
            sheets[name] = [*before, *spread(checks, judged, key, name)]
        else:
            sheets[name] = [*before, *checks, *judged]
    return sheets


def dealt(items: Sequence[str], protocol: HumanAiTeam, key: str) -> list[list[str]]:
    """Return the images of each sheet, in a keyed order.

    If the images fill the sheets exactly, each image is in one sheet. Otherwise the shuffled images
    are used again from the first: each is in as many sheets as any other, or in one more, and in
    none twice.
    """
    wanted = protocol.bins
    shuffled, length = keyed_order(items, key, "sheets"), wanted.trials_per_sheet
    return [
        keyed_order(
            (shuffled[place % len(shuffled)] for place in range(start, start + length)),
            key,
            "order",
            number,
        )
        for number, start in enumerate(range(0, wanted.sheets * length, length))
    ]


def spread(checks: Sequence[Entry], entries: Sequence[Entry], *key: str) -> list[Entry]:
    """Return entries in equal stretches, one per check, each with its check at a keyed place.

    The first entry is never a check, so that nobody is judged by the first trial.
    """
    mixed = list(entries)
    for nth in reversed(range(len(checks))):
        first = 1 + nth * (len(entries) - 1) // len(checks)
        after = 1 + (nth + 1) * (len(entries) - 1) // len(checks)
        # Later stretches are filled first, so that earlier places stay where they are.
        mixed.insert(first + seed_of(*key, "check", nth) % max(1, after - first), checks[nth])
    return mixed


Files = dict[str, bytes]

Pictures = dict[tuple[str, int], tuple[str, bytes]]
"""Path and content by presentation and place."""

ID_DIGITS: Final = 12


def compose(protocol: HumanAiTeam, material: Material) -> Files:
    """Return the files of a solution pack.

    Raises
    ------
    UserError
        If the material doesn't fit the protocol: what, and what to do.
    """
    check(protocol, material)
    key = _key(protocol, material)
    named = _named(material, key)
    sheets = sheets_of(
        protocol,
        [case.item for case in material.main],
        [case.item for case in material.validation],
        [case.item for case in material.practice],
        key,
    )
    labels = {case.predicted_label for case in material.cases}
    images = {
        asset_file("images", [key, "image", name]): case.image
        for name, case in named.items()
        if not case.texts
    }
    texts = {name: case.texts for name, case in named.items() if case.texts}
    helps, help_rows = helps_of(protocol, material, named, key)
    samples, sample_rows = _samples(protocol, material, labels, key)
    return {
        **of_one_length(images),
        **helps,
        **samples,
        **(texts_file(texts, protocol.languages) if texts else {}),
        "items.csv": tables.ITEMS.to_csv(_item_rows(named, key)),
        "helps.csv": tables.HELPS.to_csv(help_rows),
        "arms.csv": tables.ARMS.to_csv(_arm_rows(protocol, material)),
        "arm_counts.csv": tables.ARM_COUNTS.to_csv(_count_rows(protocol, material)),
        "labels.csv": tables.LABELS.to_csv(
            label_rows(labels, material.names, material.definitions)
        ),
        "samples.csv": tables.SAMPLES.to_csv(sample_rows),
        "lists.csv": tables.LISTS.to_csv(_list_rows(sheets, named)),
        "key.csv": tables.KEY.to_csv(_key_rows(protocol, material, named)),
        "metrics.csv": tables.METRICS.to_csv(_metric_rows(material)),
        "available.csv": tables.AVAILABLE.to_csv(_available_rows(protocol, material)),
        "ai.csv": tables.AI.to_csv(
            {"item": answer.item, "confidence": answer.confidence, "correct": answer.correct}
            for answer in sorted(material.ai, key=lambda answer: answer.item)
        ),
    }


def _key(protocol: HumanAiTeam, material: Material) -> str:
    """Return the root of a pack's keyed draws: what is judged, and the protocol's seed."""
    content = {
        case.item: [
            sha256_hex(case.content),
            case.predicted_label,
            case.true_label,
            case.confidence,
        ]
        for case in material.cases
    }
    return hash_of([protocol.study, protocol.seed, content])


def _named(material: Material, key: str) -> dict[str, Case]:
    """Return the judged images by their opaque ids, in the ids' order."""
    named = {f"p{opaque([key, case.item])}": case for case in material.cases}
    if len(named) != len(material.cases):
        raise UserError("two presentations drew one id; change the protocol's seed")
    return dict(sorted(named.items()))


def _arm_rows(protocol: HumanAiTeam, material: Material) -> Iterator[Row]:
    for arm in protocol.help.arms:
        yield {
            "arm": arm,
            "kind": help_kind(arm),
            **origin_cells("help_origin", material.origins.get(arm, UNKNOWN)),
        }


def _count_rows(protocol: HumanAiTeam, material: Material) -> Iterator[Row]:
    for arm in protocol.help.arms:
        kind = help_kind(arm)
        yield {
            "arm": arm,
            "blank_maps": len(material.blank(arm)) if kind == "heatmap" else None,
            "passed_over": material.passed_over.get(arm, 0),
            "examples_learned": material.learned if kind == "examples" else None,
        }


def _samples(
    protocol: HumanAiTeam, material: Material, labels: Iterable[str], key: str
) -> tuple[Files, list[Row]]:
    """Return the files of all labels' samples, all of one length, and the rows of samples.csv."""
    if not protocol.prior.asked:
        return {}, []
    files: Files = {}
    rows: list[Row] = []
    for label in sorted(labels):
        for place, data in enumerate(material.samples.get(label, ()), start=1):
            path = asset_file("samples", [key, "sample", sha256_hex(data)])
            files[path] = data
            rows.append({"label": label, "place": place, "image_file": path})
    return of_one_length(files), rows


def _item_rows(named: Mapping[str, Case], key: str) -> Iterator[Row]:
    for name, case in named.items():
        yield {
            "presentation": name,
            "image_file": None if case.texts else asset_file("images", [key, "image", name]),
            "shown_label": case.predicted_label,
            "confidence_percent": shown_percent(case.confidence),
        }


def _list_rows(sheets: Mapping[str, list[Entry]], named: Mapping[str, Case]) -> Iterator[Row]:
    name_of = {case.item: name for name, case in named.items()}
    for sheet in sorted(sheets):
        for position, entry in enumerate(sheets[sheet], start=1):
            yield {
                "list": sheet,
                "phase": entry.phase,
                "position": position,
                "presentation": name_of[entry.item],
            }


def _key_rows(
    protocol: HumanAiTeam, material: Material, named: Mapping[str, Case]
) -> Iterator[Row]:
    role_of = {case.item: "main" for case in material.main}
    role_of |= {case.item: "validation" for case in material.validation}
    role_of |= {case.item: "practice" for case in material.practice}
    for name, case in named.items():
        yield {
            "presentation": name,
            "item": case.item,
            "true_label": case.true_label,
            "ai_correct": case.ai_correct,
            "confidence": case.confidence,
            "level": level_of(band_of(case.confidence, protocol.bins), case.ai_correct),
            "adversarial": case.adversarial,
            "role": role_of[case.item],
            "box": None if case.box is None else ";".join(map(str, case.box)),
            "swapped": case.swapped,
        }


def _metric_rows(material: Material) -> Iterator[Row]:
    for (item, method), scores in sorted(material.metrics.items()):
        yield {
            "item": item,
            "method": method,
            "pointing_game": scores.pointing_game,
            "iou": scores.iou,
            "wsl": scores.wsl,
        }


def _available_rows(protocol: HumanAiTeam, material: Material) -> Iterator[Row]:
    shares = weights(material.ai, protocol.bins)
    for name, used in wanted_in_bins(protocol).items():
        yield {
            "bin": name,
            "found": material.found.get(name, used),
            "used": used,
            "weight": shares.get(name),
        }


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
            of_arm = _maps(material.heatmaps[arm], named, arm, key)
        elif kind == "examples":
            of_arm = _examples(material, named, arm, key)
        else:
            of_arm = {}
        for (name, place), (path, data) in of_arm.items():
            files[path] = data
            rows.append(_help_row(name, arm, place, help_file=path))
        if kind == "text":
            rows += _text_rows(protocol, material, named, arm)
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
    protocol: HumanAiTeam, material: Material, named: Mapping[str, Case], arm: str
) -> Iterator[Row]:
    for name, case in named.items():
        for language in (ANY_LANGUAGE, *sorted(protocol.languages)):
            text = material.texts[arm].get((case.item, language))
            if text:
                yield _help_row(name, arm, 1, help_text=text, language=language or None)


def _png(codes: NDArray[np.uint8]) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(codes).save(stream, "PNG")
    return stream.getvalue()


def label_rows(labels: Collection[str], names: Words, definitions: Words) -> list[Row]:
    """Return the rows of ``labels.csv``; each is complete, so that a reader needs only one of them.

    A label without a word is named by its id. If a language has only a word or only a definition,
    the other is the one for any language.

    Raises
    ------
    UserError
        If two labels have one word: nobody could tell them apart.
    """
    words = {
        (str(row["label"]), str(row["language"] or ANY_LANGUAGE)): row["name"]
        for row in name_rows(labels, names)
    }
    for label, tag in definitions:
        if label in labels:
            words.setdefault((label, tag), words[label, ANY_LANGUAGE])
    return [
        {
            "label": label,
            "language": tag or None,
            "name": word,
            "definition": definitions.get((label, tag), definitions.get((label, ANY_LANGUAGE))),
        }
        for (label, tag), word in sorted(words.items())
    ]


def opaque(origin: Sequence[str]) -> str:
    """Return the opaque id of an origin: hexadecimal digits of its hash."""
    return hash_of(list(origin))[:ID_DIGITS]


def asset_file(folder: str, origin: Sequence[str]) -> str:
    """Return the path in a pack for the picture of an origin."""
    return f"assets/{folder}/{opaque(origin)}.png"

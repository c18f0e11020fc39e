"""From material to a pack's files: sheets, opaque ids, files of one length."""

from collections.abc import Iterable, Iterator, Mapping

from stimuli.errors import UserError
from stimuli.images.pictures import of_one_length
from stimuli.io.canonical import hash_of, sha256_hex
from stimuli.io.tables import Row
from stimuli.maps.origin import UNKNOWN, origin_cells
from stimuli.studies.human_ai_team.bins import band_of, level_of, shown_percent, weights
from stimuli.studies.human_ai_team.fitting import check, wanted_in_bins
from stimuli.studies.human_ai_team.helps import Files, helps_of
from stimuli.studies.human_ai_team.material import Case, Material
from stimuli.studies.human_ai_team.opaque import asset_file, opaque
from stimuli.studies.human_ai_team.protocol import HumanAiTeam, help_kind
from stimuli.studies.human_ai_team.sheets import Entry, sheets_of
from stimuli.studies.human_ai_team.tables import (
    AI,
    ARMS,
    AVAILABLE,
    HELPS,
    ITEMS,
    KEY,
    LABELS,
    LISTS,
    METRICS,
    SAMPLES,
)
from stimuli.studies.human_ai_team.words import label_rows


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
        asset_file("images", [key, "image", name]): case.image for name, case in named.items()
    }
    helps, help_rows = helps_of(protocol, material, named, key)
    samples, sample_rows = _samples(protocol, material, labels, key)
    return {
        **of_one_length(images),
        **helps,
        **samples,
        "items.csv": ITEMS.to_csv(_item_rows(named, key)),
        "helps.csv": HELPS.to_csv(help_rows),
        "arms.csv": ARMS.to_csv(_arm_rows(protocol, material)),
        "labels.csv": LABELS.to_csv(label_rows(labels, material.names, material.definitions)),
        "samples.csv": SAMPLES.to_csv(sample_rows),
        "lists.csv": LISTS.to_csv(_list_rows(sheets, named)),
        "key.csv": KEY.to_csv(_key_rows(protocol, material, named)),
        "metrics.csv": METRICS.to_csv(_metric_rows(material)),
        "available.csv": AVAILABLE.to_csv(_available_rows(protocol, material)),
        "ai.csv": AI.to_csv(
            {"item": one.item, "confidence": one.confidence, "correct": one.correct}
            for one in sorted(material.ai, key=lambda one: one.item)
        ),
    }


def _key(protocol: HumanAiTeam, material: Material) -> str:
    """Return the root of a pack's keyed draws: what is judged, and the protocol's seed."""
    content = {
        case.item: [sha256_hex(case.image), case.predicted_label, case.true_label, case.confidence]
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
            "image_file": asset_file("images", [key, "image", name]),
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
        }


def _metric_rows(material: Material) -> Iterator[Row]:
    for (item, method), one in sorted(material.metrics.items()):
        yield {
            "item": item,
            "method": method,
            "pointing_game": one.pointing_game,
            "iou": one.iou,
            "wsl": one.wsl,
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

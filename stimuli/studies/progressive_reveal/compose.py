"""From images and every method's maps to a pack's files: schedules, lists, opaque ids."""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from stimuli.errors import UserError
from stimuli.images.filters import resampled
from stimuli.io.canonical import hash_of, sha256_hex
from stimuli.io.tables import Row
from stimuli.maps.metrics import metrics_file
from stimuli.maps.origin import origin_cells
from stimuli.studies.progressive_reveal import tables
from stimuli.studies.progressive_reveal.classes import class_rows
from stimuli.studies.progressive_reveal.curves import (
    Floats,
    correlations,
    fragments,
    ranks_by_step,
    shares_uncovered,
)
from stimuli.studies.progressive_reveal.lists import (
    Entry,
    Presentation,
    catch_method,
    catch_schedule,
    lists_of,
)
from stimuli.studies.progressive_reveal.material import (
    Material,
    MethodMaps,
    ModelAnswer,
    Picture,
    check,
)
from stimuli.studies.progressive_reveal.protocol import PROTOTYPES, ProgressiveReveal
from stimuli.studies.progressive_reveal.reveal import (
    EVERY_RELEVANT,
    Bytes,
    Rule,
    Schedule,
    schedule,
)

__all__ = ["Material", "MethodMaps", "ModelAnswer", "Picture", "compose", "rule_of"]

ID_DIGITS = 12
NO_MAPS = MethodMaps({})
"""Of catch rounds."""

Lists = Mapping[str, Sequence[Entry]]


@dataclass(frozen=True, slots=True, eq=False)
class _Uncovering:
    """How a method uncovers an image; lists hold one value a step."""

    picture: Picture
    method: str
    schedule: Schedule
    correlation: Sequence[float | None]
    object_share: Sequence[float | None]


def compose(protocol: ProgressiveReveal, material: Material) -> dict[str, bytes]:
    """Return the files of a pack by path.

    Raises
    ------
    UserError
        If images or maps are missing, too many or of the wrong size, people marked nothing
        on an image, or two classes have one name.
    """
    check(protocol, material)
    images = {picture.item: _png(picture.image) for picture in material.pictures}
    main = {picture.item: picture.class_id for picture in material.main}
    practice, catch = (
        {picture.item: picture.class_id for picture in pictures}
        for pictures in (material.practice, material.catch)
    )
    key = _key(protocol, main | practice | catch, images)
    lists = lists_of(protocol, main, practice, key, catch)
    named = _named(lists, key)
    uncoverings = {
        (uncovering.picture.item, uncovering.method): uncovering
        for uncovering in (
            *(
                uncovering
                for picture in material.mapped
                for uncovering in _uncover(protocol, material.methods, picture)
            ),
            *_caught(protocol, material.catch, named),
        )
    }
    facts = {key: _facts(material, uncoverings[key]) for key in uncoverings}
    prototypes = _prototypes(protocol, material, named)
    file_of = {item: _file("images", _opaque([key, "image", item])) for item in images}
    return {
        **{file_of[item]: data for item, data in images.items()},
        **_step_files(uncoverings, named),
        **{_file("prototypes", name): data for name, data in prototypes.items()},
        "items.csv": tables.ITEMS.to_csv(
            {
                "presentation": name,
                "image_file": file_of[item],
                "steps_file": tables.steps_file(name),
                "prototype_file": _file("prototypes", name) if name in prototypes else None,
            }
            for (item, _), name in named.items()
        ),
        "key.csv": tables.KEY.to_csv(
            {"presentation": name, **facts[presentation]} for presentation, name in named.items()
        ),
        "lists.csv": tables.LISTS.to_csv(_list_rows(lists, named)),
        "classes.csv": tables.CLASSES.to_csv(class_rows(set(main.values()), material.names)),
        "item_table.csv": tables.ITEM_TABLE.to_csv(
            _item_rows(
                protocol,
                facts,
                uncoverings,
                {**dict.fromkeys(practice, "practice"), **dict.fromkeys(catch, "catch")},
            )
        ),
        "arms.csv": tables.ARMS.to_csv(
            {"method": name, **origin_cells("map_origin", material.methods[name].origin)}
            for name in protocol.reveal.methods
        ),
        "curves.csv": tables.CURVES.to_csv(_curve_rows(uncoverings)),
        "fragments.csv": tables.FRAGMENTS.to_csv(_fragment_rows(uncoverings)),
        **metrics_file(
            tables.METRICS,
            (
                {"item": item, "method": method, **scores}
                for method, maps in material.methods.items()
                for item, scores in maps.metrics.items()
            ),
        ),
    }


def rule_of(protocol: ProgressiveReveal, method: str) -> Rule:
    """Return how many pixels a method uncovers.

    What the protocol's ``rules`` don't say is as in Dawoud et al. 2023, section III.
    """
    reveal = protocol.reveal
    if method == reveal.reference:
        return EVERY_RELEVANT
    of_method = next((rule for rule in reveal.rules if rule.method == method), None)
    if of_method is not None:
        return Rule(of_method.share, of_method.follow)
    if method == PROTOTYPES:
        return Rule(reveal.prototype_share)
    return Rule(reveal.relevant_share, reveal.follow_reference)


def _uncover(
    protocol: ProgressiveReveal, methods: Mapping[str, MethodMaps], picture: Picture
) -> Iterable[_Uncovering]:
    """Yield how each method uncovers an image, in the methods' order."""
    maps = {
        method: resampled(methods[method].maps[picture.item], protocol.images.size_px)
        for method in protocol.reveal.methods
    }
    reference, steps = protocol.reveal.reference, protocol.reveal.steps
    human, first, theirs = maps.get(reference), None, None
    if human is not None:
        first = _schedule(protocol, reference, picture.item, human, None)
        theirs = ranks_by_step(human, first.step_of, steps)
    for method, relevance in maps.items():
        if first is not None and method == reference:
            plan = first
        else:
            plan = _schedule(protocol, method, picture.item, relevance, first)
        correlation: list[float | None] = [None] * steps
        if theirs is not None and method != reference:
            correlation = correlations(ranks_by_step(relevance, plan.step_of, steps), theirs)
        shares = shares_uncovered(plan.step_of, _weight(picture, human), steps)
        yield _Uncovering(picture, method, plan, correlation, shares)


def _caught(
    protocol: ProgressiveReveal, pictures: Sequence[Picture], named: Iterable[Presentation]
) -> Iterable[_Uncovering]:
    """Yield how each catch round that lists show uncovers its image."""
    steps, presentations = protocol.reveal.steps, set(named)
    for picture in pictures:
        for kind in tables.CATCH_KINDS:
            if (picture.item, catch_method(kind)) in presentations:
                plan = catch_schedule(picture, kind, steps)
                shares = shares_uncovered(plan.step_of, _weight(picture, None), steps)
                yield _Uncovering(picture, catch_method(kind), plan, [None] * steps, shares)


def _schedule(
    protocol: ProgressiveReveal, method: str, item: str, relevance: Floats, first: Schedule | None
) -> Schedule:
    return schedule(
        relevance,
        replace(rule_of(protocol, method), reference=None if first is None else first.pixels),
        steps=protocol.reveal.steps,
        key=hash_of([protocol.seed, item, method]),
        polarity=protocol.reveal.polarity,
        ties=protocol.reveal.ties,
    )


def _weight(picture: Picture, human: Floats | None) -> Floats:
    """Return what an image's object is: its own pixels, or else what people marked."""
    if picture.figure is not None:
        return picture.figure.astype(np.float64)
    return np.zeros(picture.image.shape[:2]) if human is None else np.maximum(human, 0.0)


def _facts(material: Material, uncovering: _Uncovering) -> Row:
    """Return what the key and the item table both say of an image and a method."""
    method = material.methods.get(uncovering.method, NO_MAPS)
    answer = method.answers.get(uncovering.picture.item)
    return {
        "item": uncovering.picture.item,
        "class": uncovering.picture.class_id,
        "method": uncovering.method,
        "model_class": None if answer is None else answer.class_id,
        "model_correct": None if answer is None else answer.class_id == uncovering.picture.class_id,
        "target_probability": None if answer is None else answer.target_probability,
        "final_pixels": uncovering.schedule.pixels[-1],
        "ran_out": uncovering.schedule.ran_out,
        "map_origin": method.origin.kind or None,
        "map_origin_note": method.origin.note or None,
    }


def _prototypes(
    protocol: ProgressiveReveal, material: Material, named: Mapping[Presentation, str]
) -> dict[str, bytes]:
    """Return the pictures beside the image by presentation."""
    if not protocol.reveal.prototype_beside:
        return {}
    prototypes = material.methods[PROTOTYPES].prototypes
    return {
        name: _png(prototypes[item])
        for (item, method), name in named.items()
        if method == PROTOTYPES
    }


def _key(
    protocol: ProgressiveReveal, class_of: Mapping[str, str], images: Mapping[str, bytes]
) -> str:
    """Return the root of a pack's keyed draws: what is shown, and the protocol's seed."""
    content = {item: [class_of[item], sha256_hex(images[item])] for item in images}
    return hash_of([protocol.study, protocol.seed, content])


def _named(lists: Lists, key: str) -> dict[Presentation, str]:
    """Return the opaque ids of all that lists show, in their order."""
    presentations = sorted(
        {(entry.item, entry.method) for entries in lists.values() for entry in entries}
    )
    named = {presentation: f"p{_opaque([key, *presentation])}" for presentation in presentations}
    if len(set(named.values())) != len(named):
        raise UserError("two presentations drew one id; change the protocol's seed")
    return dict(sorted(named.items(), key=lambda pair: pair[1]))


def _opaque(origin: Sequence[str]) -> str:
    return hash_of(list(origin))[:ID_DIGITS]


def _file(folder: str, name: str) -> str:
    return f"assets/{folder}/{name}.png"


def _list_rows(lists: Lists, named: Mapping[Presentation, str]) -> Iterable[Row]:
    for name in sorted(lists):
        for entry in lists[name]:
            yield {
                "list": name,
                "sitting": entry.sitting,
                "position": entry.position,
                "presentation": named[entry.item, entry.method],
            }


def _item_rows(
    protocol: ProgressiveReveal,
    facts: Mapping[Presentation, Row],
    uncoverings: Mapping[Presentation, _Uncovering],
    uses: Mapping[str, str],
) -> Iterable[Row]:
    for item, method in sorted(facts):
        yield {
            **facts[item, method],
            "use": uses.get(item, "main"),
            "image_pixels": protocol.image_pixels,
            "human_correlation": uncoverings[item, method].correlation[-1],
        }


def _curve_rows(uncoverings: Mapping[Presentation, _Uncovering]) -> Iterable[Row]:
    for item, method in sorted(uncoverings):
        uncovering = uncoverings[item, method]
        values = zip(
            uncovering.schedule.pixels, uncovering.correlation, uncovering.object_share, strict=True
        )
        for step, (pixels, correlation, share) in enumerate(values, start=1):
            yield {
                "item": item,
                "method": method,
                "step": step,
                "pixels": pixels,
                "human_correlation": correlation,
                "object_share": share,
            }


def _fragment_rows(uncoverings: Mapping[Presentation, _Uncovering]) -> Iterable[Row]:
    for item, method in sorted(uncoverings):
        plan = uncoverings[item, method].schedule
        for step, parts in enumerate(fragments(plan.step_of, len(plan.pixels)), start=1):
            yield {
                "item": item,
                "method": method,
                "step": step,
                "fragments": parts.count,
                "small_fragments": parts.small,
                "largest_px": parts.largest_px,
            }


def _step_files(
    uncoverings: Mapping[Presentation, _Uncovering], named: Mapping[Presentation, str]
) -> dict[str, bytes]:
    """Return what is uncovered when: of the image, and of a window beside it if there is one."""
    files = {}
    for presentation, name in named.items():
        plan = uncoverings[presentation].schedule
        files[tables.steps_file(name)] = _png(plan.step_of)
        if plan.against is not None:
            files[tables.against_file(name)] = _png(plan.against)
    return files


def _png(pixels: Bytes) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()

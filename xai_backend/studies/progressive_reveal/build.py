"""Builder of progressive_reveal's packs: images, maps by each method, lists, the sealed rest.

Trained networks and maps are kept by content in the lab's cache, so that a build that was
interrupted, by whatever means, goes on where it was, and one that is repeated computes
nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from stimuli.errors import UserError
from stimuli.images.digits import DIGIT_NAMES, Digits, load_digits
from stimuli.io.canonical import canonical_json, files_sha256
from stimuli.io.tables import Row
from stimuli.names import Names, read_names
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.classes import class_rows
from stimuli.studies.progressive_reveal.compose import compose
from stimuli.studies.progressive_reveal.material import Material, MethodMaps, Picture
from stimuli.studies.progressive_reveal.protocol import HUMAN, PROTOTYPES, ProgressiveReveal
from stimuli.studies.progressive_reveal.study import CLICKME, METHODS_FILE
from stimuli.studies.progressive_reveal.tables import ITEM_TABLE
from stimuli.studies.progressive_reveal.tasks import compose_tasks
from xai_backend.methods.human import Human
from xai_backend.models.frame import InputFrame, cut_line
from xai_backend.packs.sealed import about, checked_out, sealed
from xai_backend.packs.subject import labels_of, names_of_classes
from xai_backend.progress import Reporter
from xai_backend.store import opened_store
from xai_backend.studies.progressive_reveal.clickme import clickme_candidates
from xai_backend.studies.progressive_reveal.images import (
    Candidate,
    Codes,
    Drawn,
    Shown,
    digit_candidates,
    draw,
    listed_images,
    photo_candidates,
)
from xai_backend.studies.progressive_reveal.maps import Brought, Mapped, bubbled
from xai_backend.studies.progressive_reveal.protocol import (
    checked,
    fitted_line,
    resolved,
    with_differences,
)
from xai_backend.studies.progressive_reveal.request import RevealRequest, check_request
from xai_backend.studies.progressive_reveal.solvers import Origins, Solvers

BroughtMaps = Mapping[str, Brought]
"""Maps that already exist, by method: people's, and a lab's own."""


@dataclass(frozen=True, slots=True)
class Built:
    """The result of a build.

    Attributes
    ----------
    pack, pack_id, kind
        The solution pack.
    images, presentations
        Number of main images, and of pairs of an image and a method.
    right
        By method: number of main images on which the explained model is right. For brought maps the
        explained model isn't known.
    ran_out
        By method: number of main images on which relevance ran out before the method's share.
    blank
        By method: number of those without any relevance, on which nothing is uncovered.
    """

    pack: Path
    pack_id: str
    kind: str
    images: int
    presentations: int
    right: Mapping[str, int]
    ran_out: Mapping[str, int]
    blank: Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Everything that a pack is made from.

    Attributes
    ----------
    out
        The pack's folder.
    protocol
        The protocol, with the changes of the command line and the images.
    drawn
        The drawn images.
    by_method
        Every method's maps of them.
    material
        Images and maps in the form that `compose` takes.
    """

    out: Path
    protocol: ProgressiveReveal
    drawn: Drawn
    by_method: Mapping[str, Mapped]
    material: Material


def build(request: RevealRequest, reporter: Reporter) -> Built:
    """Build a solution pack: what every method uncovers in every image, and in which order.

    Raises
    ------
    UserError
        On any mistake in the request; whatever can be checked early is checked before long work.
    """
    begun = datetime.now(UTC)
    found = gather(request, reporter)
    with reporter.stage("uncovering images", 1) as advance:
        files = compose(found.protocol, found.material)
        advance(1)
    methods = {name: one.described for name, one in found.by_method.items()}
    halved = {name: dict(one.halved_to) for name, one in found.by_method.items() if one.halved_to}
    files = {**files, METHODS_FILE: canonical_json(methods) + b"\n"}
    whole = {**about(begun, request.device), "halved_to": halved, "methods": methods}
    pack = sealed(found.out, found.protocol, "solutions", files, whole, reporter)
    return _built(found.out, pack, found.drawn)


@dataclass(frozen=True, slots=True)
class BuiltTasks:
    """The result of `build_tasks`: the task pack, and its number of images."""

    pack: Path
    pack_id: str
    kind: str
    images: int


@dataclass(frozen=True, slots=True)
class _Job:
    """A resolved request; ``brought`` has the maps that already exist, by method."""

    request: RevealRequest
    protocol: ProgressiveReveal
    digits: Digits | None
    brought: BroughtMaps
    reporter: Reporter

    def origins(self, drawn: Drawn) -> Origins:
        """Return what the networks for the drawn images are made from."""
        request = self.request
        return Origins(
            self.protocol,
            drawn,
            self.digits,
            request.weights,
            request.classes,
            request.protopnet,
            request.device,
            request.workers,
            request.methods,
            request.model,
            request.metrics,
        )


def build_tasks(request: RevealRequest, reporter: Reporter) -> BuiltTasks:
    """Build the task pack on which people bubble the images; UserError as `build`.

    When the same command is given the maps, it draws the same images again.
    """
    begun = datetime.now(UTC)
    job, drawn, names = _prepare(request, reporter)
    protocol = job.protocol
    out = checked_out(request.out, protocol, "tasks", "-tasks")
    images = _read(drawn.mapped, protocol, reporter)
    files = compose_tasks(list(_pictures(images).values()), names)
    pack = sealed(out, protocol, "tasks", files, about(begun, request.device), reporter)
    return BuiltTasks(out, pack.pack_id, "tasks", len(images))


def gather(request: RevealRequest, reporter: Reporter) -> Gathered:
    """Return the images and maps that a pack is made of; UserError as `build`."""
    job, drawn, names = _prepare(request, reporter)
    protocol = job.protocol
    out = checked_out(request.out, protocol, "solutions")
    images = _read(drawn.mapped, protocol, reporter)
    _say_cut(images, protocol, reporter)
    by_method, beside = _mapped(job, drawn, images)
    caught = _read(drawn.catch, protocol, reporter)
    material = _material(drawn, {**images, **caught}, by_method, beside, names)
    return Gathered(out, protocol, drawn, by_method, material)


def _prepare(request: RevealRequest, reporter: Reporter) -> tuple[_Job, Drawn, Names]:
    """Return the job, its images and names, after all early checks."""
    digits = load_digits(request.source or "uci") if request.of_digits else None
    protocol = resolved(request.protocol_file, request.seed, request.model, digits)
    check_request(request, protocol)
    checked(protocol, request.methods, request.maps)
    names = _names(request, digits)
    candidates, where, people = _candidates(request, protocol, digits)
    brought = {name: Brought.by_lab(name, folder) for name, folder in request.maps.items()}
    if people is not None:
        brought[HUMAN] = people
    protocol = with_differences(protocol, request, brought.get(HUMAN))
    job = _Job(request, protocol, digits, brought, reporter)
    drawn = _drawn(job, candidates, where)
    class_rows(drawn.classes, names)  # refuses equal words before long work
    if digits is not None and request.protocol_file is None:
        reporter.say(fitted_line(protocol))
    return job, drawn, names


def _candidates(
    request: RevealRequest, protocol: ProgressiveReveal, digits: Digits | None
) -> tuple[list[Candidate], str, Brought | None]:
    """Return the available images, their name in error messages, and people's maps of them."""
    source = Path(str(request.source)).expanduser()
    if request.records:
        assert request.classes is not None
        candidates, maps = clickme_candidates(request.records, labels_of(request.classes))
        asked = HUMAN in protocol.reveal.methods
        sha256 = files_sha256(request.records, Path(request.records[0]).parent)
        people = Brought(Human(maps), replace(CLICKME, sha256=sha256)) if asked else None
        return candidates, f"--source {source}", people
    own = Brought.by_people(request.human_maps) if request.human_maps else None
    if digits is not None:
        return digit_candidates(digits), f"digits ({digits.source})", own
    return photo_candidates(source), f"--source {source}", own


def _drawn(job: _Job, candidates: list[Candidate], where: str) -> Drawn:
    request, protocol = job.request, job.protocol
    listed = None if request.images is None else listed_images(request.images, candidates)
    able = candidates
    for name, maps in job.brought.items():
        if not any(maps.has(candidate) for candidate in candidates):
            raise UserError(
                f"{maps.option}: none of its maps is of an image of --source; a map's file is "
                "named by its image, without the suffix"
            )
        able = [one for one in able if maps.has(one)]
        whose = "a human map" if name == HUMAN else f"a map of {name}"
        where = f"{where}, images with {whose}"
    if protocol.images.only_correct:
        able = _rightly_named(job, listed, able)
        where = f"{where}, images that {protocol.system.network} names rightly"
    fit = {one.item for one in able}
    return draw(candidates, protocol, where, lambda one: one.item in fit, listed)


def _rightly_named(
    job: _Job, listed: tuple[Candidate, ...] | None, candidates: list[Candidate]
) -> list[Candidate]:
    """Return the images that can be drawn and that the classifier classifies correctly."""
    wanted = {one.class_id for one in listed or ()} or set(job.protocol.images.named_classes)
    asked = [candidate for candidate in candidates if not wanted or candidate.class_id in wanted]
    if not asked:
        return []
    with opened_store() as store:
        origins = job.origins(Drawn(tuple(asked), (), ()))
        return Solvers(origins, store, job.reporter).named_rightly(asked)


def _read(
    candidates: Sequence[Candidate], protocol: ProgressiveReveal, reporter: Reporter
) -> dict[Candidate, Shown]:
    images = {}
    with reporter.stage("reading images", len(candidates)) as advance:
        for one in candidates:
            images[one] = one.read(protocol.images.size_px)
            advance(1)
    return images


def _say_cut(
    images: Mapping[Candidate, Shown], protocol: ProgressiveReveal, reporter: Reporter
) -> None:
    side, sizes = protocol.images.size_px, [one.whole_size for one in images.values()]
    line = cut_line("a person or a network", InputFrame(side, side), sizes)
    if line:
        reporter.say(line)


def _mapped(
    job: _Job, drawn: Drawn, images: Mapping[Candidate, Shown]
) -> tuple[dict[str, Mapped], Mapping[str, Codes]]:
    """Return every method's maps, and the prototypes to show beside images, by item."""
    protocol, brought = job.protocol, job.brought
    by_method: dict[str, Mapped] = {}
    with opened_store() as store:
        networks = Solvers(job.origins(drawn), store, job.reporter)
        for method in protocol.reveal.methods:
            if method in brought:
                by_method[method] = brought[method].mapped(images)
            elif method == HUMAN:
                by_method[method] = _by_robots(job, images)
            else:
                by_method[method] = networks.mapped(method, images)
        beside = networks.prototypes(images) if protocol.reveal.prototype_beside else {}
    return by_method, beside


def _by_robots(job: _Job, images: Mapping[Candidate, Shown]) -> Mapped:
    players = job.request.players
    job.reporter.say(f"human maps are simulated: {players} robots bubble each image")
    with job.reporter.stage("robots bubble", len(images)) as advance:
        return bubbled(images, job.protocol.seed, players, advance)


def _material(
    drawn: Drawn,
    images: Mapping[Candidate, Shown],
    by_method: Mapping[str, Mapped],
    beside: Mapping[str, Codes],
    names: Names,
) -> Material:
    pictures = _pictures(images)
    methods = {
        name: MethodMaps(
            mapped.maps,
            mapped.answers,
            beside if name == PROTOTYPES else {},
            mapped.origin,
            mapped.metrics,
        )
        for name, mapped in by_method.items()
    }
    return Material(
        [pictures[one.item] for one in drawn.main],
        [pictures[one.item] for one in drawn.practice],
        methods,
        names,
        [pictures[one.item] for one in drawn.catch],
    )


def _pictures(images: Mapping[Candidate, Shown]) -> dict[str, Picture]:
    return {
        one.item: Picture(one.item, one.class_id, shown.picture, shown.figure)
        for one, shown in images.items()
    }


def _names(request: RevealRequest, digits: Digits | None) -> Names:
    own = read_names(request.names) if request.names else {}
    if digits is not None:
        return {**DIGIT_NAMES, **own}
    return {**names_of_classes(request.classes), **own}


def _built(out: Path, pack: Pack, drawn: Drawn) -> Built:
    main = {one.item for one in drawn.main}
    rows = [row for row in pack.table(ITEM_TABLE) if row["item"] in main]
    methods = sorted({str(row["method"]) for row in rows})

    def counted(holds: Callable[[Row], bool]) -> dict[str, int]:
        return {
            method: sum(holds(row) for row in rows if row["method"] == method) for method in methods
        }

    judged = {str(row["method"]) for row in rows if row["model_correct"] is not None}
    right = counted(lambda row: bool(row["model_correct"]))
    return Built(
        pack=out,
        pack_id=pack.pack_id,
        kind="solutions",
        images=len(main),
        presentations=len(rows),
        right={method: count for method, count in right.items() if method in judged},
        ran_out=counted(lambda row: bool(row["ran_out"])),
        blank=counted(lambda row: row["final_pixels"] == 0),
    )

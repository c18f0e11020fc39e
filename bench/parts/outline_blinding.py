"""Would another vocabulary of outlines hide who drew a region, and what would it cost?"""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from bench.book import Effort, Measured, Part, table
from bench.parts.outlines import VOCABULARIES, Vocabulary
from participants.studies.accept_reject.robots import expert
from participants.studies.accept_reject.robots.leads import ROBOTS
from participants.studies.accept_reject.robots.percept import Sight
from participants.studies.accept_reject.trial import Cutoff, Trial
from stimuli.colour.spaces import axis_named
from stimuli.io.canonical import seed_of
from stimuli.io.tables import Row
from stimuli.maps.map_set import MapSet
from stimuli.maps.relevance import area_of, dots_inside, region_bytes, region_from_bytes
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.plates.plate import plate_from_bytes
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject.compose import compose_solutions, system_maps
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.stimulus import PlateStimulus
from stimuli.studies.accept_reject.tables import ITEMS, KEY, TASKS
from tests.stimuli.studies.accept_reject.built import SMALL, TRAINED, Built, build_small
from tests.stimuli.studies.accept_reject.lead_side import FORM, PLACE, guessing, lead_side

SOLVERS = ("S", "E")
HAND = ("OFFSET_SD", "WOBBLE_SD", "WIDTH_SD")
ERRORS = (0.0, 1.0, 2.0, 3.0)
LEADS, QUICK_LEADS = 3, 1
TRIALS = 120
PACKS = (("weak", SMALL), ("well trained", TRAINED))
KNOWN = {
    "form": FORM,
    "place": PLACE,
    "parts": ("parts_",),
    "fields": ("grid_",),
    "all": ("shape_", "parts_", "grid_"),
}
"""What the trees may know of an outline."""
PACK_WORDS = {
    "weak": "A weak network, coarse occlusion",
    "well trained": "A well-trained network, occlusion as by default",
}
RUNG = 1
"""Rung of the leads: the lower one of the packs, which a slight deficit reads now and then."""

Plate = tuple[str, str]
"""A plate's file and the digit that is shown with it."""
Maps = Mapping[tuple[object, ...], NDArray[np.float32]]


def redrawn(built: Built, vocabulary: Vocabulary) -> Pack:
    """Return the pack with the regions of S and E at the leads' rung in another vocabulary."""
    pack = built.pack
    files = {path: pack.asset(path) for path in pack.manifest.files}
    key = {row["presentation"]: row for row in pack.table(KEY)}
    maps = _maps([system_maps(built.tasks), *built.painted])
    rows = list(pack.table(ITEMS))
    for row in rows:
        if not _is_explained(row, key):
            continue
        what, name = key[row["presentation"]], str(row["presentation"])
        place = (row["axis"], row["rung"]) if what["solver"] == "S" else ()
        area = area_of(region_from_bytes(pack.asset(str(row["region_file"]))))
        values = maps[(what["solver_id"], what["item"], *place)]
        row["region_file"] = f"assets/regions/{name[1:]}.region"
        files[row["region_file"]] = region_bytes(vocabulary(values, area, name))
    files["items.csv"] = ITEMS.to_csv(rows)
    return pack_in_memory(pack.protocol, protocol_hash(pack.protocol), "solutions", files)


def repainted(built: Built, error: float) -> Pack:
    """Return the pack with paintings by hands whose errors are so many times the robots'."""
    tasks = built.tasks
    plates = {str(row["item"]): str(row["plate_file"]) for row in tasks.table(TASKS)}
    errors = {name: error * getattr(expert, name) for name in HAND}
    painted = []
    with mock.patch.multiple(expert, **errors):
        for maps in built.painted:
            paintings = {}
            for record in maps.records:
                if record.map not in maps.maps:
                    continue
                rng = np.random.Generator(np.random.PCG64(seed_of("hand", record.map)))
                plate = plate_from_bytes(tasks.asset(plates[record.item]))
                painting = expert.paint(plate, rng)
                paintings[record.map] = maps.maps[record.map] if painting is None else painting
            painted.append(MapSet(maps.records, paintings))
    files = compose_solutions(tasks, painted)
    return pack_in_memory(tasks.protocol, protocol_hash(tasks.protocol), "solutions", files)


def _maps(sets: Iterable[MapSet]) -> Maps:
    """Return each map by who made it, of which plate, and where S did at which axis and rung."""
    return {
        (record.solver_id, record.item)
        + ((record.axis, record.rung) if record.source == "model" else ()): maps.maps[record.map]
        for maps in sets
        for record in maps.records
        if record.map in maps.maps
    }


def _is_explained(row: Row, key: Mapping[object, Row]) -> bool:
    """Whether it is an explained solution of S or E at the rung of the leads."""
    solver = key[row["presentation"]]["solver"]
    return solver in SOLVERS and row["region_file"] is not None and row["rung"] == RUNG


def outlines_part(effort: Effort) -> Measured:
    """Each vocabulary on two packs that were built: what it hides, and what it costs."""
    leads = QUICK_LEADS if effort.quick else LEADS
    figures: dict[str, Any] = {"leads": leads}
    for name, protocol in (("weak", SMALL),) if effort.quick else PACKS:
        effort.say(f"a pack is built: {name}")
        with tempfile.TemporaryDirectory() as folder:
            if not effort.quick:
                protocol = protocol.replace("trials_per_run = 60", f"trials_per_run = {TRIALS}")
            built = build_small(Path(folder), protocol)
            found, bare = {}, unaided(built.pack, leads)
            for words, vocabulary in VOCABULARIES.items():
                effort.say(words)
                pack = redrawn(built, vocabulary)
                found[words] = {**told(pack), **covering(pack), **worth(pack, bare, leads)}
            hands = {str(error): told(repainted(built, error)) for error in ERRORS}
            figures[name] = {"vocabularies": found, "hands": hands}
    return Measured(_text(figures), figures)


def told(pack: Pack) -> dict[str, float]:
    """Return how well outlines tell the solver, by what is known of them; and the limit."""
    seen = lead_side(pack)
    seen = seen[
        seen["explained"] & (seen["items_rung"] == RUNG) & (seen["abstention_no_region"] == 0)
    ]
    seen = seen.reset_index(drop=True)
    found = {name: guessing(seen, kinds)[0] for name, kinds in KNOWN.items()}
    return found | {"limit": guessing(seen, FORM)[1]}


def unaided(pack: Pack, leads: int) -> dict[Plate, float]:
    """Return the share of leads who accept a plate's right digit in time without a region."""
    sight = Sight.of(pack, ROBOTS["lead"].observer)
    return {
        _plate(row): _accepted(sight, row, leads, explained=False) for row, _ in _right_digits(pack)
    }


def worth(pack: Pack, bare: Mapping[Plate, float], leads: int) -> dict[str, float]:
    """Return what the robot `lead` gains from regions of right digits, by solver.

    Acceptances in time beyond those of the same plates without a region.
    """
    sight = Sight.of(pack, ROBOTS["lead"].observer)
    return _by_solver(
        "profit",
        [
            (solver, _accepted(sight, row, leads, explained=True) - bare[_plate(row)])
            for row, solver in _right_digits(pack)
        ],
    )


def covering(pack: Pack) -> dict[str, float]:
    """Return the share of the figure's dots inside the regions of right digits, by solver."""
    found = []
    for row, solver in _right_digits(pack):
        plate = plate_from_bytes(pack.asset(str(row["plate_file"])))
        region = region_from_bytes(pack.asset(str(row["region_file"])))
        inside = dots_inside(region, plate.packing, dilate=0.0)
        found.append((solver, float(inside[plate.figure].mean())))
    return _by_solver("covered", found)


def _by_solver(name: str, values: list[tuple[str, float]]) -> dict[str, float]:
    return {f"{name}_{who}": float(np.mean([v for w, v in values if w == who])) for who in SOLVERS}


def _right_digits(pack: Pack) -> Iterator[tuple[Row, str]]:
    """Yield the explained solutions of S and E with the right digit, and who solved them."""
    key = {row["presentation"]: row for row in pack.table(KEY)}
    for row in pack.table(ITEMS):
        what = key[row["presentation"]]
        if _is_explained(row, key) and row["shown_label"] == what["true_label"]:
            yield row, str(what["solver"])


def _plate(row: Row) -> Plate:
    return str(row["plate_file"]), str(row["shown_label"])


def _accepted(sight: Sight, row: Row, leads: int, *, explained: bool) -> float:
    stimulus = _stimulus(sight.pack, row, explained)
    return float(np.mean([_accepts(sight, stimulus, row, lead) for lead in range(leads)]))


def _stimulus(pack: Pack, row: Row, explained: bool) -> PlateStimulus:
    protocol = pack.protocol
    assert isinstance(protocol, AcceptReject)
    axis, rung = axis_named(str(row["axis"])), int(row["rung"])  # type: ignore[arg-type]
    region = str(row["region_file"]) if explained else None
    contrast = protocol.plates.ladder(axis)[rung - 1]
    return PlateStimulus(
        str(row["plate_file"]), region, str(row["shown_label"]), axis, rung, contrast
    )


def _accepts(sight: Sight, stimulus: PlateStimulus, row: Row, lead: int) -> bool:
    """Return whether a lead accepts in time; their noise is the same whatever is shown."""
    trial_of = sight.pack.protocol.trial  # type: ignore[attr-defined]
    seed = seed_of("outline", row["plate_file"], lead)
    rng = np.random.Generator(np.random.PCG64(seed))
    name = str(row["presentation"])
    trial = Trial(
        step="trial-0001", trial=1, phase="main", run=1, position=1, presentation=name,
        stimulus=stimulus, options={}, device="keyboard", fixation_s=0.0,
        limit_s=trial_of.limit_s, cutoff=Cutoff.of(sight.pack.protocol),
    )  # fmt: skip
    percept = sight.percept(stimulus, trial_of.cutoff_s, rng)
    response = ROBOTS["lead"].respond(trial, percept, rng)
    in_time = response.rt_s is not None and response.rt_s <= trial_of.cutoff_s
    return in_time and response.decision == "accept"


def _text(figures: Mapping[str, Any]) -> str:
    packs = {name: found for name, found in figures.items() if name != "leads"}
    blocks = [
        "Is there a form of outline that hides who drew a region? The maps of the same solutions "
        "of S and E are drawn again in several forms, always with the yoked area "
        "(`bench/parts/outlines.py`). The same trees guess the solver from\n\n"
        "- an outline’s *form* alone: perimeter, parts and their sizes, holes, thickness, "
        "roughness\n"
        "- its *place*: height, width, row, column\n"
        "- the arrangement of its separate *parts*: distances, neighbours, spread\n"
        "- how much of it lies in each of 8 × 8 *fields*\n"
        "- *all* of these.\n\n"
        'Twelve discs apart are the protocol’s `outline = "discs"`. The last two columns show '
        "what a form costs: the share of the figure’s dots that lie inside the region, and how "
        "many points more of the right digits the robot `lead` accepts in time with the region "
        f"than without it ({figures['leads']} leads a solution)."
    ]
    for name, found in packs.items():
        blocks.append(f"**{PACK_WORDS[name]}**\n\n" + _vocabulary_table(found["vocabularies"]))
    blocks.append(
        "Are free outlines told apart only because the robots paint too precisely? Here their "
        "errors of painting (place, wobble and width of strokes) are multiplied by a factor:\n\n"
        + _hand_table(packs)
    )
    return "\n\n".join(blocks)


def _vocabulary_table(found: Mapping[str, Mapping[str, float]]) -> str:
    heads = ["outline", "form", "place", "parts", "fields", "all", "dots inside S / E, %",
             "profit S / E, points"]  # fmt: skip
    lines = [
        [words]
        + [f"{one[name]:.2f}" for name in KNOWN]
        + [" / ".join(f"{100 * one[f'{name}_{who}']:{form}}" for who in SOLVERS)
           for name, form in (("covered", ".0f"), ("profit", "+.0f"))]
        for words, one in found.items()
    ]  # fmt: skip
    limit = max(one["limit"] for one in found.values())
    return table(heads, lines) + f"\n\nRandom guessing stays below {limit:.2f}."


def _hand_table(packs: Mapping[str, Mapping[str, Any]]) -> str:
    heads = ["errors", *(f"{name}, {what}" for name in packs for what in ("form", "all"))]
    lines = [
        [f"× {error:.0f}"]
        + [f"{found['hands'][str(error)][what]:.2f}"
           for found in packs.values() for what in ("form", "all")]
        for error in ERRORS
    ]  # fmt: skip
    return table(heads, lines)


PARTS = (Part("outlines", "Can an outline hide who drew it?", outlines_part),)

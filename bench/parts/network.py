"""Bar 8: what the study's network reads of plates of digits that it has never seen."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from bench.book import Effort, Measured, table
from bench.parts.bars import AXES
from bench.parts.reading import digits_of
from bench.parts.spread import spread
from bench.parts.words import SOURCE_NAMES, SOURCES, bar, share, steps, verdicts
from stimuli import places
from stimuli.colour.spaces import Axis
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.protocol import AcceptReject
from tests.stimuli.plates.contrasts import DEFAULT_CONTRAST
from xai_backend.models.plate_cnn import trained
from xai_backend.models.plate_reading import accuracies, held_out_plates
from xai_backend.progress import Silent
from xai_backend.studies.accept_reject.network import places_of, training_settings

TRAINING_PLATES = {"uci": 20_000, "mnist": 60_000}
HELD_OUT_PLATES = 1000
QUICK_TRAINING_PLATES, QUICK_HELD_OUT_PLATES = 128, 10
LEAST = 0.95

Found = dict[str, Any]
Place = tuple[Axis, int, float]


def measure(effort: Effort) -> Measured:
    """Train the network on each source's training digits, and test it on the others."""
    effort.say("a network of each source learns, unless it is at hand, and reads")
    jobs = [(source, effort.quick) for source in SOURCES]
    found = [row for rows in spread(_measure_source, jobs, here=effort.quick) for row in rows]
    bars = [_reads(found), _reads_nothing(found)]
    return Measured(_text(found, bars), {"bars": bars, "accuracy": found})


def _measure_source(job: tuple[str, bool]) -> list[Found]:
    source, quick = job
    protocol = load_protocol("accept_reject")
    assert isinstance(protocol, AcceptReject)
    digits = digits_of(source)
    plates = QUICK_TRAINING_PLATES if quick else TRAINING_PLATES[source]
    settings = replace(training_settings(protocol), plates=plates)
    checkpoint = trained(settings, digits, places.cache_dir() / "checkpoints", Silent())
    most = QUICK_HELD_OUT_PLATES if quick else HELD_OUT_PLATES
    spec = settings.stream.spec
    shown = held_out_plates(digits, spec, protocol.seed, most, frozenset())
    asked = list(_places(protocol))
    measured = accuracies(checkpoint.model, shown, asked, spec, settings.stream.input_px)
    about = {"source": source, "trained_on": plates, "checkpoint": checkpoint.checkpoint_id}
    return [{**about, **asdict(accuracy)} for accuracy in measured]


def _places(protocol: AcceptReject) -> Iterable[Place]:
    """Return the ladders with the default contrasts between their rungs, and no contrast."""
    defaults = [(axis, -1, DEFAULT_CONTRAST[axis]) for axis in AXES]
    yield from sorted([*places_of(protocol), *defaults], key=lambda place: (place[0], place[2]))
    yield ("deutan", 0, 0.0)


def _reads(found: Sequence[Found]) -> Found:
    rows = [
        row
        for row in found
        if row["source"] == "mnist" and row["contrast"] >= DEFAULT_CONTRAST[row["axis"]]
    ]
    low = min(row["accuracy"] for row in rows)
    return bar(
        8,
        f"the network reads ≥ {share(LEAST)} of held-out MNIST plates at the default contrast "
        "and above",
        f"≥ {share(low)} (n = {rows[0]['n']} for each of {len(rows)} contrasts)",
        low >= LEAST,
    )


def _reads_nothing(found: Sequence[Found]) -> Found:
    rows = [row for row in found if row["contrast"] == 0]
    said = ", ".join(
        f"{SOURCE_NAMES[row['source']]} {share(row['accuracy'])} ({share(row['ci_low'])} to "
        f"{share(row['ci_high'])}, chance {share(row['chance'])})"
        for row in rows
    )
    return bar(
        8,
        "it is at chance on plates of zero contrast",
        said,
        all(row["ci_low"] <= row["chance"] <= row["ci_high"] for row in rows),
    )


def _text(found: Sequence[Found], bars: Sequence[Found]) -> str:
    rows = []
    for axis in AXES:
        on_axis = [row for row in found if row["axis"] == axis and row["contrast"] > 0]
        for contrast in sorted({row["contrast"] for row in on_axis}):
            cells = [
                f"{share(row['accuracy'])} ({share(row['ci_low'])} to {share(row['ci_high'])})"
                for source in SOURCES
                for row in on_axis
                if (row["source"], row["contrast"]) == (source, contrast)
            ]
            name = f"{axis} {steps(contrast)}"
            bold = contrast == DEFAULT_CONTRAST[axis]
            rows.append([f"**{name}**" if bold else name, *cells])
    heads = []
    for source in SOURCES:
        row = next(row for row in found if row["source"] == source)
        heads.append(
            f"{SOURCE_NAMES[source]} (trained on {row['trained_on']:,} plates, n = {row['n']})"
        )
    return "\n\n".join(
        [
            "The network of study accept_reject, one for the whole ladder of both axes, on 112 "
            "px pictures of digits and packings that weren't used in training.",
            verdicts(bars),
            table(("Δu′v′ in 10⁻⁴", *heads), rows),
        ]
    )

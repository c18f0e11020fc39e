"""Bars 1 to 3: what model observers read of plates as an sRGB display shows them."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from bench.book import Effort, Measured, table
from bench.parts.reading import SEEDS, Asked, Question, learn, read
from bench.parts.reading_picture import draw
from bench.parts.words import SOURCE_NAMES, SOURCES, bar, share, steps, verdicts
from stimuli.colour.spaces import Axis
from stimuli.plates.observer import Observer
from tests.stimuli.plates.contrasts import DEFAULT_CONTRAST, contrast_ladder

AXES: tuple[Axis, ...] = ("deutan", "protan")
STRENGTHS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0)
IDEAL, HUMAN = 1.0, 3.0
DECISION_S = 3.0
"""The study's decision time."""
UNHURRIED_S = Observer().latency_s + Observer().reference_s
"""When noise is that of thresholds, times the efficiency."""
TIMES_S = (DECISION_S, UNHURRIED_S)
PLATES_A_SEED, PLATES_A_SEED_OTHER_RUNGS = 1334, 150
QUICK_PLATES_A_SEED = 5

PICTURE = "reading.png"
CAPTION = (
    "*Reading by the strength of the anomaly, one line per contrast. Dashed: the ceiling; dotted: "
    "chance.*"
)

Found = dict[str, Any]


def measure(effort: Effort) -> Measured:
    """Measure bars 1, 2 and 3 on both sources and axes."""
    plates = QUICK_PLATES_A_SEED if effort.quick else PLATES_A_SEED
    others = QUICK_PLATES_A_SEED if effort.quick else PLATES_A_SEED_OTHER_RUNGS
    found: list[Found] = []
    at_length, in_short = _learnt(_at_length()), _learnt(_in_short())
    for source in SOURCES:
        effort.say(f"observers read {len(SEEDS) * plates} plates of {SOURCE_NAMES[source]}")
        found += _read(source, at_length, plates)
        found += _read(source, in_short, others)
    bars = [_first(found, IDEAL, 0.99), _first(found, HUMAN, 0.97), _second(found), _third(found)]
    curves = _where(found, source="mnist", noise=HUMAN)
    draw(curves, {axis: DEFAULT_CONTRAST[axis] for axis in AXES}, effort.picture(PICTURE))
    shown = effort.shown(PICTURE, "Reading falls with the strength of the anomaly")
    text = f"{_text(found, bars)}\n\n{shown}\n\n{CAPTION}"
    return Measured(text, {"bars": bars, "readings": found})


def contrasts(axis: Axis) -> tuple[float, ...]:
    """Return the default ladder of an axis and its default contrast, rising."""
    return tuple(sorted({*contrast_ladder(), DEFAULT_CONTRAST[axis]}))


def _at_length() -> Iterable[Question]:
    for axis in AXES:
        for contrast in contrasts(axis):
            yield Question(Observer(axis, 0.0, IDEAL), axis, contrast)
            yield Question(Observer(axis, 0.0, HUMAN), axis, contrast)
            yield Question(Observer(axis, 1.0, IDEAL), axis, contrast)
        yield from _by_strength(axis, DEFAULT_CONTRAST[axis])


def _in_short() -> Iterable[Question]:
    for axis in AXES:
        for contrast in contrast_ladder():
            yield from _by_strength(axis, contrast)


def _by_strength(axis: Axis, contrast: float) -> Iterable[Question]:
    for at_s in TIMES_S:
        for strength in STRENGTHS:
            if (strength, at_s) != (0.0, UNHURRIED_S):
                yield Question(Observer(axis, strength, HUMAN), axis, contrast, at_s=at_s)


def _learnt(questions: Iterable[Question]) -> list[Asked]:
    return [(question, learn(question)) for question in questions]


def _read(source: str, asked: Sequence[Asked], plates: int) -> list[Found]:
    readings = read(source, asked, plates)
    rows = []
    for number, (question, colours) in enumerate(asked):
        rate = readings.rate(number)
        rows.append(
            {
                "source": source,
                "axis": question.axis,
                "contrast": question.contrast,
                "strength": question.observer.strength,
                "noise": question.observer.efficiency,
                "at_s": question.at_s or UNHURRIED_S,
                "rate": rate.estimate,
                "ci_low": rate.ci_low,
                "ci_high": rate.ci_high,
                "ceiling": readings.ceiling_rate,
                "n": plates * len(SEEDS),
                "d_prime": colours.d_prime,
                "level_d_prime": colours.level_d_prime,
            }
        )
    return rows


def _where(found: Iterable[Found], **keys: Any) -> list[Found]:
    return [row for row in found if all(row[key] == value for key, value in keys.items())]


def _is_default(row: Mapping[str, Any]) -> bool:
    return row["contrast"] == DEFAULT_CONTRAST[row["axis"]]


def _first(found: Sequence[Found], noise: float, least: float) -> Found:
    unhurried = _where(found, strength=0.0, noise=noise, at_s=UNHURRIED_S)
    rows = [row for row in unhurried if _is_default(row)]
    lowest = min(row["rate"] / row["ceiling"] for row in rows)
    with_noise = "" if noise == IDEAL else f" with {noise:g} times the noise"
    return bar(
        1,
        f"a normal observer{with_noise} reads ≥ {share(least)} of the reader's ceiling at the "
        "default contrast",
        f"≥ {share(lowest)} (n = {rows[0]['n']} for each source and axis)",
        lowest >= least,
    )


def _second(found: Sequence[Found]) -> Found:
    rows = _where(found, strength=1.0, noise=IDEAL)
    high = max(row["ci_high"] for row in rows)
    apart = max(max(row["d_prime"], row["level_d_prime"]) for row in rows)
    return bar(
        2,
        "the matching dichromat at chance at every rung: upper 95 % bound ≤ .13, d′ ≤ .05 a dot",
        f"upper bound ≤ {share(high)} (n = {rows[0]['n']} for each of {len(rows)} cells), "
        f"d′ ≤ {apart:.4f}",
        high <= 0.13 and apart <= 0.05,
    )


def _third(found: Sequence[Found]) -> Found:
    falling, drop = _fall(found, DECISION_S)
    _, unhurried = _fall(found, UNHURRIED_S)
    return bar(
        3,
        "reading falls with the anomaly's strength, by ≥ .3 from 0 to .7, at the default contrast "
        f"within the study's {DECISION_S:g} s",
        f"{'falls at every step' if falling else 'does not fall at every step'}, "
        f"by ≥ {share(drop)} from 0 to .7 (unhurried, after {UNHURRIED_S:g} s, by ≥ "
        f"{share(unhurried)})",
        falling and drop >= 0.3,
    )


def _fall(found: Sequence[Found], at_s: float) -> tuple[bool, float]:
    """Return whether reading falls at every step, and by how much to .7 at least."""
    curves = [
        _curve(found, source, axis, DEFAULT_CONTRAST[axis], at_s)
        for source in SOURCES
        for axis in AXES
    ]
    falling = all(later <= earlier for curve in curves for earlier, later in pairwise(curve))
    at = STRENGTHS.index(0.7)
    return falling, min(curve[0] - curve[at] for curve in curves)


def _curve(
    found: Sequence[Found], source: str, axis: Axis, contrast: float, at_s: float
) -> list[float]:
    """Return the rates over the strengths."""
    rows = _where(found, source=source, axis=axis, contrast=contrast, noise=HUMAN, at_s=at_s)
    by_strength = {row["strength"]: row["rate"] for row in rows}
    return [by_strength[strength] for strength in STRENGTHS]


def _text(found: Sequence[Found], bars: Sequence[Found]) -> str:
    blocks = [
        "Each observer reads the 8-bit colours of an sRGB display. It has learnt the appearance "
        "of figure and ground from 20,000 dots of each, so that no wrong expectation hides the "
        "digit from it. Noise ×1 is that of normal thresholds; ×3 is assumed to give performance "
        "like people's. The ceiling is the same reader if it knows which dots are figure. Every "
        "plate has its own packing. All observers see the same plates, with equal numbers of "
        "each digit.",
        verdicts(bars),
        "Normal observers and the matching dichromat (noise ×1), by contrast (Δu′v′ in 10⁻⁴; "
        "the default contrast is set in bold). *d′* treats the luminance levels as noise; *d′, "
        "levels* is for an observer who can distinguish all six.",
    ]
    for source in SOURCES:
        for axis in AXES:
            blocks.append(_ladder_table(found, source, axis))
    for at_s, words in zip(TIMES_S, ("when the study decides", "unhurried"), strict=True):
        blocks.append(
            "Reading by the strength of the anomaly (0 normal, 1 dichromat), noise ×3, "
            f"{words} ({at_s:g} s after the onset):"
        )
        blocks += [_strength_table(found, source, at_s) for source in SOURCES]
    return "\n\n".join(blocks)


def _ladder_table(found: Sequence[Found], source: str, axis: Axis) -> str:
    rows = []
    for contrast in contrasts(axis):
        at = {"source": source, "axis": axis, "contrast": contrast}
        normal = _where(found, **at, strength=0.0, noise=IDEAL)[0]
        human = _where(found, **at, strength=0.0, noise=HUMAN, at_s=UNHURRIED_S)[0]
        blind = _where(found, **at, strength=1.0, noise=IDEAL)[0]
        label = f"**{steps(contrast)}**" if _is_default(normal) else steps(contrast)
        rows.append(
            [
                label,
                share(normal["rate"] / normal["ceiling"]),
                share(human["rate"] / human["ceiling"]),
                share(blind["rate"]),
                share(blind["ci_high"]),
                f"{blind['d_prime']:.4f}",
                f"{blind['level_d_prime']:.4f}",
            ]
        )
    headings = (
        f"{SOURCE_NAMES[source]}, {axis}",
        "normal ÷ ceiling",
        "normal ×3 ÷ ceiling",
        "dichromat",
        "95 % below",
        "d′",
        "d′, levels",
    )
    return table(headings, rows)


def _strength_table(found: Sequence[Found], source: str, at_s: float) -> str:
    rows = []
    for axis in AXES:
        for contrast in contrasts(axis):
            name = f"{axis} {steps(contrast)}"
            bold = contrast == DEFAULT_CONTRAST[axis]
            rates = [share(rate) for rate in _curve(found, source, axis, contrast, at_s)]
            rows.append([f"**{name}**" if bold else name, *rates])
    return table((SOURCE_NAMES[source], *(f"{v:g}" for v in STRENGTHS)), rows)

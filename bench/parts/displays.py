"""What leaks to a matching dichromat with other cones, or on a display that isn't as taken."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from bench.book import Effort, Measured, table
from bench.eyes.known_displays import display_spectra
from bench.eyes.viewing import AS_MEANT, Viewing, on_display, with_cones, with_gun_gains
from bench.parts.bars import AXES, HUMAN, IDEAL
from bench.parts.reading import SEEDS, Asked, Question, Readings, learn, read
from bench.parts.words import bar, share, steps, verdicts
from stimuli.colour.display import SRGB, DisplayProfile
from stimuli.colour.spaces import Axis
from stimuli.colour.spectra import stockman_sharpe
from stimuli.plates.observer import Observer
from tests.stimuli.plates.contrasts import DEFAULT_CONTRAST

SOURCE = "uci"
PLATES_A_SEED, QUICK_PLATES_A_SEED = 500, 5
MIDDLE, TOP = 0.0484, 0.0970
LIMITS = {MIDDLE: 0.06, TOP: 0.09}
NOTABLE = 0.13
"""A rate of reading above which a plate is no longer called hidden (bar 2's bound)."""

CONES = ("Stockman–Sharpe 2°", "Stockman–Sharpe 10°")

DISPLAY_P3 = DisplayProfile(
    name="Display P3 instead of sRGB",
    red_xy=(0.680, 0.320),
    green_xy=(0.265, 0.690),
    blue_xy=(0.150, 0.060),
    white_xy=(0.3127, 0.3290),
)

Found = dict[str, Any]


def measure_cones(effort: Effort) -> Measured:
    """Measure what a dichromat with Stockman–Sharpe cones reads on measured displays."""
    viewings = [
        with_cones(spectra, stockman_sharpe(degrees), by_spectra=by_spectra)
        for by_spectra in (True, False)
        for degrees in (2, 10)
        for spectra in display_spectra()
    ]
    found = _measure(effort, viewings, lambda axis: (DEFAULT_CONTRAST[axis], MIDDLE, TOP))
    known = [row for row in found if not _by_chromaticities(row)]
    guessed = [row for row in found if _by_chromaticities(row)]
    bars = [
        bar(
            2,
            f"with {cones} cones d′ ≤ .06 at {steps(MIDDLE)}, ≤ .09 at {steps(TOP)}, on every "
            "display known by its spectra",
            _by_display(known, cones),
            not _beyond(known, cones),
        )
        for cones in CONES
    ]
    origins = "; ".join(f"{spectra.name}: {spectra.origin}" for spectra in display_spectra())
    text = [
        "The suite's cones are those of the CIE 1931 observer. For an eye with other cones the "
        "colours are slightly off its confusion line. Here a dichromat has the cones of Stockman "
        "and Sharpe (2000) for a 2° or a 10° field, and the display's guns have the spectra of "
        f"one of four kinds ({origins}; `bench/eyes/known_displays.py` says how the "
        "synthesised ones are made), with white at D65 and a gamma of 2.2.",
        "If the lab measured the spectra, plates are rendered for cones between the two "
        "fields (their mean, `stimuli.colour.spectra.middle_cones`), so that both kinds of "
        "eyes are about equally close:",
        verdicts(bars),
        _table(known, (DEFAULT_CONTRAST, MIDDLE, TOP)),
        "If it measured only chromaticities, or nothing, plates are rendered for the suite's own "
        "cones:",
        _table(guessed, (DEFAULT_CONTRAST, MIDDLE, TOP)),
        _legend(found),
        _cones_words(known, guessed),
    ]
    return Measured("\n\n".join(text), {"bars": bars, "cones": found})


def _by_chromaticities(row: Found) -> bool:
    return str(row["viewing"]).endswith("by chromaticities")


def measure_displays(effort: Effort) -> Measured:
    """Measure what a dichromat reads where the display isn't what the profile says."""
    found = _measure(effort, _miscalibrated(), lambda axis: (DEFAULT_CONTRAST[axis], TOP))
    text = [
        "A plate hides its digit only on the display for which its colours were computed. Here "
        "the display differs from its profile, and the dichromat has learnt what the two colours "
        "look like on it.",
        _table(found, (DEFAULT_CONTRAST, TOP)),
        _legend(found),
        _display_words(found),
    ]
    return Measured("\n\n".join(text), {"displays": found})


def _miscalibrated() -> list[Viewing]:
    taken = replace(SRGB, name="gamma 2.2", gamma=(2.2, 2.2, 2.2))
    gammas = [
        on_display(replace(taken, name=f"gamma {g}, taken for 2.2", gamma=(g, g, g)), taken)
        for g in (2.0, 2.4)
    ]
    curve = on_display(replace(taken, name="gamma 2.2 instead of sRGB's curve"), SRGB)
    guns = [
        on_display(with_gun_gains(SRGB, gains, f"{gun} gun {sign} 10 %"), SRGB)
        for position, gun in enumerate(("red", "green", "blue"))
        for sign, gain in (("+", 1.1), ("−", 0.9))
        for gains in [[gain if k == position else 1.0 for k in range(3)]]
    ]
    as_meant = replace(AS_MEANT, name="as it was taken for")
    return [as_meant, *gammas, curve, *guns, on_display(DISPLAY_P3, SRGB)]


def _measure(effort: Effort, viewings: Sequence[Viewing], contrasts: Any) -> list[Found]:
    plates = QUICK_PLATES_A_SEED if effort.quick else PLATES_A_SEED
    asked: list[Asked] = [
        (question, learn(question))
        for viewing in viewings
        for axis in AXES
        for contrast in contrasts(axis)
        for question in _questions(viewing, axis, contrast)
    ]
    effort.say(f"dichromats read {len(SEEDS) * plates} plates in {len(viewings)} viewings")
    readings = read(SOURCE, asked, plates)
    return [
        _row(asked[number], asked[number + 1], readings, number)
        for number in range(0, len(asked), 2)
    ]


def _questions(viewing: Viewing, axis: Axis, contrast: float) -> Iterable[Question]:
    for noise in (IDEAL, HUMAN):
        yield Question(Observer(axis, 1.0, noise), axis, contrast, viewing)


def _row(ideal: Asked, human: Asked, readings: Readings, number: int) -> Found:
    question = ideal[0]
    rate, human_rate = readings.rate(number), readings.rate(number + 1)
    return {
        "viewing": question.viewing.name,
        "axis": question.axis,
        "contrast": question.contrast,
        "d_prime": ideal[1].d_prime,
        "level_d_prime": ideal[1].level_d_prime,
        "human_d_prime": human[1].d_prime,
        "rate": rate.estimate,
        "ci_low": rate.ci_low,
        "ci_high": rate.ci_high,
        "human_rate": human_rate.estimate,
        "human_ci_low": human_rate.ci_low,
        "human_ci_high": human_rate.ci_high,
        "n": len(readings.right),
    }


def _table(found: Sequence[Found], contrasts: Sequence[Any]) -> str:
    rows = []
    for name in dict.fromkeys(row["viewing"] for row in found):
        for axis in AXES:
            cells = []
            for contrast in contrasts:
                at = contrast[axis] if isinstance(contrast, dict) else contrast
                row = _find(found, name, axis, at)
                cells.append(
                    f"{row['d_prime']:.3f}, {share(row['rate'])}, {share(row['human_rate'])}"
                )
            rows.append([f"{name}, {axis}", *cells])
    heads = [
        f"default ({', '.join(f'{axis} {steps(c[axis])}' for axis in AXES)})"
        if isinstance(c, dict)
        else steps(c)
        for c in contrasts
    ]
    return table(("", *heads), rows)


def _legend(found: Sequence[Found]) -> str:
    n = found[0]["n"]
    beyond_chance = 0.1 + 1.96 * (0.1 * 0.9 / n) ** 0.5
    return (
        "Each cell: d′ a dot at the noise of normal thresholds; share of plates that an ideal "
        "reader with that noise reads, if it can distinguish the luminance levels; the same with "
        f"three times the noise, which is closer to people. Chance is .100; with n = {n} plates a "
        f"share above {share(beyond_chance)} is more than chance."
    )


def _find(found: Sequence[Found], name: str, axis: Axis, contrast: float) -> Found:
    return next(
        row
        for row in found
        if (row["viewing"], row["axis"], row["contrast"]) == (name, axis, contrast)
    )


def _beyond(found: Sequence[Found], cones: str) -> list[Found]:
    return [
        row
        for row in found
        if row["viewing"].startswith(f"{cones},")
        and row["d_prime"] > LIMITS.get(row["contrast"], float("inf"))
    ]


def _by_display(found: Sequence[Found], cones: str) -> str:
    own = [row for row in found if row["viewing"].startswith(f"{cones},")]
    parts = [
        f"≤ {max(row['d_prime'] for row in own if row['contrast'] == contrast):.3f} at "
        f"{steps(contrast)}"
        for contrast in (MIDDLE, TOP)
    ]
    beyond = dict.fromkeys(
        f"{row['viewing'].split(', ')[1]} ({row['axis']})" for row in _beyond(found, cones)
    )
    human = max(row["human_d_prime"] for row in own)
    over = f"; beyond it: {', '.join(beyond)}" if beyond else ""
    return f"{', '.join(parts)}{over}; with three times the noise ≤ {human:.3f} at every contrast"


def _cones_words(known: Sequence[Found], guessed: Sequence[Found]) -> str:
    limits = "; ".join(
        f"{cones}: {_by_display(guessed, cones)}" for cones in CONES if _beyond(guessed, cones)
    )
    beyond = f" Beyond the limits by chromaticities alone: {limits}." if limits else ""
    return (
        f"With three times the noise the most that is read is {_most(known)} by spectra and "
        f"{_most(guessed)} by chromaticities.{beyond} So measure spectra if dichromats take "
        "part. A lead's rung is titrated with that lead's own eyes, so it includes any such "
        "difference. For a dichromat use a rung no higher than the default."
    )


def _most(found: Sequence[Found]) -> str:
    high = max(found, key=lambda row: row["human_rate"])
    default = [row for row in found if row["contrast"] == DEFAULT_CONTRAST[row["axis"]]]
    at_default = max(default, key=lambda row: row["human_rate"])
    return (
        f"{share(high['human_rate'])} ({high['viewing'].removesuffix(', by chromaticities')}, "
        f"{high['axis']} at {steps(high['contrast'])}; {share(at_default['human_rate'])} at the "
        "default contrast)"
    )


def _display_words(found: Sequence[Found]) -> str:
    taken = found[0]["viewing"]
    worst: dict[str, float] = {}
    for row in found:
        if row["viewing"] != taken and row["contrast"] == DEFAULT_CONTRAST[row["axis"]]:
            worst[row["viewing"]] = max(worst.get(row["viewing"], 0.0), row["human_rate"])
    leaks = {name: rate for name, rate in worst.items() if rate > NOTABLE}
    hidden = [name for name in worst if name not in leaks]
    said = "; ".join(f"{name} ({share(rate)})" for name, rate in leaks.items())
    kept = "; ".join(hidden)
    advice = (
        "Measure the display (primaries, white, gamma of each gun), give the profile to the "
        "session, switch off night light, True Tone and dynamic contrast, and set a wide-gamut "
        "display to its sRGB mode or measure its profile."
    )
    return (
        "At the default contrast and with three times the noise more than "
        f"{share(NOTABLE)} of the plates are read with: {said or 'none of these'}. Still hidden: "
        f"{kept or 'none'}. {advice}"
    )

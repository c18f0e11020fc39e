"""What the model observer assumes, each with its source: the one place where all stand.

None of it has been fitted to people. Until a pilot has been run the observer's figures are
for verifying plates and for trying the machinery, not for claims about people.
"""

from dataclasses import dataclass

from bench.book import Effort, Measured
from stimuli.plates.observer import Observer

PILOT = "an assumption that needs a pilot"


@dataclass(frozen=True, slots=True)
class Assumption:
    """One assumption.

    Parameters
    ----------
    number
        As in the text of `stimuli.plates.observer`.
    name
        What it is about.
    says
        What is taken for true.
    source
        Where it comes from, or `PILOT`.
    fields
        The `Observer`'s parameters that set it.
    """

    number: int
    name: str
    says: str
    source: str
    fields: tuple[str, ...]


ASSUMPTIONS: tuple[Assumption, ...] = (
    Assumption(
        1,
        "channels",
        "a dot gives log(L+M), L/(L+M) and S/(L+M), on cones of the Smith and Pokorny kind",
        "MacLeod & Boynton 1979; Smith & Pokorny 1975",
        (),
    ),
    Assumption(
        1,
        "anomaly",
        "the anomalous cone is a mixture, (1 − v) of its own signal and v of the other "
        "long-wave cone's (tritan: of L+M), scaled so that the base colour stays as it is; "
        "v = 1 is the dichromat",
        "form after Machado, Oliveira & Fernandes 2009, who shift the pigment's spectrum; "
        f"that signals mix in proportion: {PILOT}",
        ("axis", "strength"),
    ),
    Assumption(
        2,
        "colour thresholds",
        "noise on each dot and channel is independent and Gaussian, and as large as makes "
        "normal thresholds (Δu′v′) of the Cambridge Colour Test on the deutan and tritan lines",
        "Paramei 2012 (adults of 20 to 29: P 42, D 42, T 55, in 10⁻⁴)",
        ("red_green_threshold", "tritan_threshold"),
    ),
    Assumption(
        2,
        "dots in a threshold",
        "a threshold is a d′ of 1.68 over 15 dots of the test's gap, so that a dot's noise is "
        "threshold · √15 ÷ 1.68",
        PILOT,
        (),
    ),
    Assumption(
        2,
        "luminance threshold",
        "a Weber fraction",
        f"the order of magnitude of photopic increment thresholds; for such dots {PILOT}",
        ("luminance_threshold",),
    ),
    Assumption(
        3,
        "efficiency",
        "people integrate worse than an ideal reader of the same noisy dots: the noise is so many "
        "times as large",
        f"makes reading rates like people's; {PILOT}",
        ("efficiency",),
    ),
    Assumption(
        4,
        "accumulation over time",
        "nothing is known within the latency; then information on every dot grows in "
        "proportion to time, is as the noise says after the reference time, and nothing is "
        "forgotten; noise of the plate itself never averages out",
        PILOT,
        ("latency_s", "reference_s"),
    ),
    Assumption(
        5,
        "guidance by a region",
        "a region takes a share of attention (focus) for the first seconds of evidence, spread "
        "evenly over its dots, and attention yields more there (guidance), for nothing is "
        "searched for; it says nothing about which dots are figure; robots are guided in "
        "proportion to how well region and figure agree",
        PILOT,
        ("focus", "focus_s", "guidance"),
    ),
    Assumption(
        6,
        "knowledge",
        "the observer knows both colours as its own cones give them, the plate's noise, where "
        "digits stand, and exemplars of each digit with blurred outlines; a dot on an "
        "exemplar's ink is figure almost surely (hit), off it hardly ever (false); digits and no "
        "numeral are equally likely",
        f"an ideal reader's; the two shares allow for outlines that differ from all exemplars: "
        f"{PILOT}",
        ("template_hit", "template_false"),
    ),
)


def measure(effort: Effort) -> Measured:
    """Return the list of assumptions; nothing is measured."""
    del effort
    observer = Observer()
    lines = []
    for assumption in ASSUMPTIONS:
        values = ", ".join(f"`{field}` {getattr(observer, field)}" for field in assumption.fields)
        parameters = f" Parameters: {values}." if values else ""
        lines.append(
            f"- **{assumption.name.capitalize()}**: {assumption.says}.{parameters} "
            f"*Source: {assumption.source}.*"
        )
    unproven = sum(PILOT in assumption.source for assumption in ASSUMPTIONS)
    text = (
        "Bars 1 to 3, the robots and titration by robots use a model of the observer "
        "(`stimuli/plates/observer.py`). It hasn't been fitted to people, and "
        f"{unproven} of its {len(ASSUMPTIONS)} assumptions need a pilot study, wholly or in "
        "part. Its results serve to verify plates, not to make claims about people.\n\n"
        + "\n".join(lines)
    )
    return Measured(text, {"assumptions": len(ASSUMPTIONS), "until_a_pilot": unproven})

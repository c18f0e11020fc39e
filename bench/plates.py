"""The plates: all quality bars, speeds and pictures."""

from collections.abc import Mapping
from typing import Any

from bench.book import Book, table
from bench.parts import leaks, palettes, pictures, soundness, speed

INTRO = """
This page says what the plates are. It measures how well they hide their digit, and how long
they take to make. `python3 lab.py plates --out plates` makes plates, `python3 lab.py bench plates`
measures again.

A pseudo-isochromatic plate hides a digit from people with one kind of colour-vision deficiency and
shows it to everybody else. Three properties make sure that only colour shows the digit:

- **Dots are packed without the digit.** If dots follow the outline of the digit, their gaps and
  sizes show it, and a classifier can read it even if all dots have the same colour. Here dots are
  packed first. Then those with more than half of their area on the digit become the figure.
- **Colours are on the participant's own confusion line.** Figure and ground differ only in the
  excitation of one cone, the one that the matching dichromat lacks: M on deutan plates, L on
  protan, S on tritan. Contrast is the distance of the pair in the u′v′ diagram (Δu′v′). A ladder
  of eight contrasts allows a setting for each participant.
- **Noise hides other differences.** Every dot has one of six luminances at random, and on deutan
  and protan plates also a random S excitation. This noise masks remaining differences in luminance
  or S (due to other cones, another display, or rounding).

Plates are stored as dots with cone excitations and are rendered for the display in linear light.
"""


def summarise(figures: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table of quality bars, from the ``bars`` of every part measured so far."""
    lines = [(line, part) for part, found in figures.items() for line in found.get("bars", ())]
    rows = [
        [
            str(line["bar"]),
            line["asked"],
            line["measured"],
            "yes" if line["met"] else "**no**",
            f"`{part}`",
        ]
        for line, part in sorted(lines, key=lambda pair: pair[0]["bar"])
    ]
    if not rows:
        return ""
    return "## Quality bars\n\n" + table(("bar", "asked", "measured", "met", "part"), rows)


BOOK = Book(
    name="plates",
    title="Plates",
    intro=INTRO,
    parts=(*pictures.PARTS, *palettes.PARTS, *soundness.PARTS, *leaks.PARTS, *speed.PARTS),
    summary=summarise,
)

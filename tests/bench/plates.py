"""The plates: all quality bars, speeds and pictures."""

from collections.abc import Mapping
from typing import Any

from tests.bench.book import Book, table
from tests.bench.parts import leaks, palettes, pictures, soundness, speed

INTRO = """
This page measures how well plates hide their digit, and how long they take to make.
`python3 lab.py plates --out plates` makes plates, `python3 lab.py bench plates` measures again.

A pseudo-isochromatic plate hides a digit from one kind of colour-vision deficiency and shows it to
everybody else. Three things make ours hide it for that reason and no other:

- **Dots that don't know the digit.** Packers that respect the digit's outline write it into the
  gaps and sizes of the dots, where a classifier reads it with every dot in the same colour. Ours
  takes no mask: dots are packed first, and those that lie on the digit by more than half of
  their area are figure.
- **Colours on the participant's own confusion line.** Figure and ground differ in one cone's
  excitation alone, the one that the matching dichromat lacks: M on deutan plates, L on protan,
  S on tritan. Contrast is the distance of the pair in the u′v′ diagram (Δu′v′), and a ladder of
  eight contrasts lets it be set for each participant.
- **Noise in what else could tell.** Every dot takes one of six luminances at random, and on
  deutan and protan plates its S excitation is jittered too: what is left of a luminance or S
  difference (another person's cones, another display, rounding) drowns in it.

Plates are stored as dots with cone excitations and rendered for the display at hand, in linear
light.
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

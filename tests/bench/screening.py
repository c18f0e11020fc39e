"""Screening and titration: what they make of simulated observers whose own values are known."""

from tests.bench.book import Book
from tests.bench.parts import screening_rounding, screening_titration, screening_trivector

INTRO = """
This page shows how far screening and titration can be trusted: what they find in simulated
observers whose own values are known. `python3 lab.py bench screening` measures it again;
[screening.md](screening.md) says how people are screened.

**Observers.** All are the model observer of [plates.md](plates.md), whose assumptions no pilot has
tested. It stands for people here, so these figures show that the procedures find what is there, not
how people do. Each observer has a red–green and a tritan threshold of its own, drawn as they vary
between people of 20 to 29 (Paramei 2012); thresholds rise with age, and the protocol's limits are
for such people. Two more things are assumed. The noise on a dot of a gap is anchored to that
test's thresholds and isn't raised by the factor *efficiency*, which is for numerals. Caps are put
in a row one after the other, each time the one that looks nearest to the last, with the noise of a
gap on each comparison.

**Trivector.** It follows the Cambridge Colour Test's (Regan, Reffin & Mollon 1994; Mollon & Regan
2000): a C on a confusion line, its gap in one of four places, six levels of luminance, three
interleaved staircases. The base is grey, with a little S noise (SD .05 of the logarithm). Three
things differ, and each has its reason:

- The step up is three times the step down (Kaernbach 1991), so that 75 % of answers come to be
  right. The observer's thresholds lie there too.
- A threshold is estimated from all answers of its staircase (as in QUEST, Watson & Pelli 1983), not
  from the mean of the last reversals. Reversals say when a staircase ends. The table compares both.
- Figure and ground lie on the confusion line at equal distances from grey, as on all our plates.

**D-15.** Caps have the colours of Vingrys & King-Smith (1988), relative to the display's white, and
orders are scored by their method. It fails strong deficits alone, so it sets who is slight.

**Titration.** QUEST (Watson & Pelli 1983) chooses the rung of each plate, at the posterior's mean
(King-Smith et al. 1994). The rung whose expected share is nearest the target is then verified on
fresh plates, by as many short exposures as long ones; each part ends as soon as its outcome is
certain. A rung that fails is followed by its neighbour. Where no rung meets both conditions the
person is no lead.

**References.**
Farnsworth (1947), The Farnsworth Dichotomous Test for Color Blindness, Panel D-15: Manual.
Kaernbach (1991), Perception & Psychophysics 49, 227–229.
King-Smith, Grigsby, Vingrys, Benes & Supowit (1994), Vision Research 34, 885–912.
Mollon & Regan (2000), Cambridge Colour Test: Handbook, Cambridge Research Systems.
Paramei (2012), Journal of the Optical Society of America A 29, A290–A305.
Regan, Reffin & Mollon (1994), Vision Research 34, 1279–1299.
Vingrys & King-Smith (1988), Investigative Ophthalmology & Visual Science 29, 50–63.
Watson & Pelli (1983), Perception & Psychophysics 33, 113–120.
"""

BOOK = Book(
    name="screening",
    title="What screening finds",
    intro=INTRO,
    parts=(*screening_trivector.PARTS, *screening_titration.PARTS, *screening_rounding.PARTS),
    page="screening_truth",
)

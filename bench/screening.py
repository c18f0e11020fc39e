"""Screening and titration: what they make of simulated observers whose own values are known."""

from bench.book import Book
from bench.parts import screening_rounding, screening_titration, screening_trivector

INTRO = """
This page shows how far you can trust screening and titration. It gives what they find in simulated
observers whose true values are known. `python3 lab.py bench screening` measures it again.
[screening.md](screening.md) says how to screen people.

**Observers.** The model observer of [plates.md](plates.md) takes the place of people. No pilot
has tested its assumptions. So these figures show that the procedures find what is there; they
don't show how people perform. Each observer has a red–green and a tritan threshold of its own,
drawn from the distribution in people of 20 to 29 (Paramei 2012). The protocol's limits are for
people of this age; thresholds rise later. The page assumes two more things. The noise on a dot of
the C follows from Paramei's thresholds; the factor *efficiency*, which is for numerals, doesn't
raise it. An observer puts the caps in a row one by one, always taking the cap that looks nearest
to the last one, and each comparison has the noise of a dot of the C.

**Trivector.** It follows the Cambridge Colour Test's (Regan, Reffin & Mollon 1994; Mollon & Regan
2000): a C on a confusion line, its gap in one of four places, six levels of luminance, three
interleaved staircases. The base is grey, with a little S noise (SD .05 of the logarithm). It
differs from that test in three ways:

- The step up is three times the step down (Kaernbach 1991), so that a staircase converges to
  75 % right answers. The observers' true thresholds are defined in the same way.
- A threshold is estimated from all answers of its staircase (as in QUEST, Watson & Pelli 1983), not
  from the mean of the last reversals. A staircase ends after a number of reversals. The table
  below compares both estimates.
- Figure and ground lie on the confusion line at equal distances from grey, as on all our plates.

**D-15.** Caps have the colours of Vingrys & King-Smith (1988), relative to the display's white, and
orders are scored by their method. Only people with a strong deficit fail it, so it decides whose
deficit is slight.

**Titration.** QUEST (Watson & Pelli 1983) chooses the rung of each plate, at the posterior's mean
(King-Smith et al. 1994). The rung whose expected share is nearest the target is then verified on
new plates, by equal numbers of short and of long exposures. Each part ends as soon as its outcome
is certain. If a rung fails, its neighbour is tried. If no rung meets both conditions, the person
can't be a lead.

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

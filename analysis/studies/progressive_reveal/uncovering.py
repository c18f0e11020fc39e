"""How many pixels each method uncovers, in words."""

from collections.abc import Callable, Iterator, Sequence

from analysis.report.wording import listed, percent
from stimuli.studies.progressive_reveal.protocol import NO_REFERENCE, PROTOTYPES, Reveal


def uncovering(reveal: Reveal, called: Callable[[str], str]) -> Iterator[str]:
    """Yield a sentence for each rule by which a protocol's methods uncover images.

    Parameters
    ----------
    reveal
        The protocol's section ``reveal``.
    called
        Says what a method is called.
    """
    reference, rules = reveal.reference, reveal.rules
    if reference == NO_REFERENCE:
        yield "There is no reference method."
    else:
        yield f"The reference, {called(reference)}, uncovers every pixel that is relevant."
    own = {reference, PROTOTYPES, *(rule.method for rule in rules)}
    others = [called(method) for method in reveal.methods if method not in own]
    if others:
        yield _sentence(others, reveal.relevant_share, reveal.follow_reference, reference)
    ruled = {rule.method: (rule.share, rule.follow) for rule in rules}
    if PROTOTYPES in reveal.methods and reference != PROTOTYPES:
        ruled.setdefault(PROTOTYPES, (reveal.prototype_share, False))
    for method, (share, follows) in ruled.items():
        yield _sentence([called(method)], share, follows, reference)


def _sentence(methods: Sequence[str], share: float, follows: bool, reference: str) -> str:
    verb = "uncovers" if len(methods) == 1 else "uncover"
    more = " or, where that is more, as much as the reference"
    said = f"{listed(methods)} {verb} {percent(share, 1)} of the image"
    said += more if follows and reference != NO_REFERENCE else ""
    return f"{said[:1].upper()}{said[1:]}."

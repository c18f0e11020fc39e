"""A solution pack in memory, without a network: digits, or texts on them, S's answers drawn.

What a sketch shows of S is an assumption, never a result.
"""

from dataclasses import dataclass

import numpy as np
from PIL import Image

from stimuli.images.digits import DIGIT_WORDS, Digits, load_digits
from stimuli.images.pictures import framed
from stimuli.images.sets import Answer
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.names import ANY_LANGUAGE
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject_accuracy.compose import Tasks, compose_solutions
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy


@dataclass(frozen=True, slots=True)
class SketchRates:
    """What a sketch assumes.

    Attributes
    ----------
    images
        How many digits there are to judge.
    system_error
        Share of wrong answers of S.
    runner_up
        How often the right label is then among S's three most likely.
    """

    images: int = 120
    system_error: float = 0.15
    runner_up: float = 0.6


def sketch(
    protocol: AcceptRejectAccuracy,
    rates: SketchRates = SketchRates(),
    digits: Digits | None = None,
) -> Pack:
    """Return a solution pack in memory; the same for the same arguments.

    Parameters
    ----------
    protocol
        The protocol; its ``seed`` is the root of every draw.
    rates
        What is assumed.
    digits
        Where images come from; UCI's if None.

    Returns
    -------
    Pack
        Its id begins with ``sketch-``.
    """
    digits = load_digits("uci") if digits is None else digits
    held_out = [int(index) for index in digits.held_out_indices]
    drawn = keyed_order(held_out, protocol.seed, "images")[: rates.images]
    labels = {f"digit-{index:05d}": str(digits.labels[index]) for index in drawn}
    of_texts = protocol.cases == "texts"
    files = compose_solutions(
        protocol,
        Tasks(
            labels=labels,
            answers={
                item: _answers(item, label, protocol, rates) for item, label in labels.items()
            },
            pictures={}
            if of_texts
            else {f"digit-{index:05d}": _picture(digits, index, protocol) for index in drawn},
            names={},
            system_id="sketch",
            expert_id=digits.source,
            texts={item: _text(item, label) for item, label in labels.items()} if of_texts else {},
        ),
    )
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


def _text(item: str, label: str) -> dict[str, str]:
    return {
        ANY_LANGUAGE: f"Somebody wrote the number {DIGIT_WORDS[label, '']}. (Text {item}.)",
        "de": f"Jemand hat die Zahl {DIGIT_WORDS[label, 'de']} geschrieben. (Text {item}.)",
    }


def _picture(digits: Digits, index: int, protocol: AcceptRejectAccuracy) -> bytes:
    grey = np.rint(255 * digits.images[index]).astype(np.uint8)
    return framed(Image.fromarray(grey), protocol.images.size_px, protocol.images.ground_srgb)


def _answers(
    item: str, label: str, protocol: AcceptRejectAccuracy, rates: SketchRates
) -> tuple[Answer, ...]:
    rng = np.random.Generator(np.random.PCG64(seed_of("sketch", "S", protocol.seed, item)))
    wrong, known = rng.random() < rates.system_error, rng.random() < rates.runner_up
    others = [str(digit) for digit in rng.permutation(10) if str(digit) != label]
    if not wrong:
        ranked = [label, *others[:2]]
    else:
        ranked = [others[0], label, others[1]] if known else others[:3]
    shares = rng.dirichlet((8, 2, 1, 1))[:3]
    shares = np.sort(shares)[::-1]
    return tuple(Answer(name, float(share)) for name, share in zip(ranked, shares, strict=True))

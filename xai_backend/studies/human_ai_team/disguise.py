"""Images as they are get an attack's grain, so that nobody can see which ones were attacked.

An attack leaves a fine grain, which shows wherever an image is smooth. Who learns that grain means
an attack knows that the AI is wrong. So each image gets the change that an attack made to some
other image: moved round the image's edges, mirrored and with either sign, it looks alike, but it
wasn't made to mislead the AI here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from xai_backend.explain.precompute import Picture
from xai_backend.store.keys import input_sha256
from xai_backend.studies.human_ai_team.adversarial import JpegAttack, codes_in
from xai_backend.studies.human_ai_team.ai import Ai, Answers
from xai_backend.studies.human_ai_team.pictures import Codes, codes_of, jpeg_of

DONORS: Final = 256
"""Images whose attacks lend their grain."""
BLOCK: Final = 8
"""Side of a JPEG's blocks, pixels."""
Grain = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Disguise:
    """Grains of attacks, lent to images by a key.

    Attributes
    ----------
    grains
        What attacks changed, int16 (side, side, 3), in steps of 255.
    seed, quality
        Root of the draws; quality of the JPEG.
    """

    grains: Sequence[Grain]
    seed: int
    quality: int

    def of(self, item: str, codes: Codes) -> Codes:
        """Return an image, uint8 (side, side, 3), with a grain, through the JPEG."""
        return codes_of(self.jpeg(item, codes))

    def jpeg(self, item: str, codes: Codes) -> bytes:
        """Return the JPEG of an image, uint8 (side, side, 3), with a grain."""
        rng = np.random.Generator(np.random.PCG64(seed_of("disguise", self.seed, item)))
        grain = self.grains[int(rng.integers(len(self.grains)))]
        # On the blocks of the JPEG a second JPEG changes next to nothing.
        down, right = (BLOCK * int(rng.integers(side // BLOCK)) for side in grain.shape[:2])
        grain = np.roll(grain, (down, right), axis=(0, 1))
        if rng.random() < 0.5:
            grain = grain[:, ::-1]
        if rng.random() < 0.5:
            grain = -grain
        changed = np.clip(codes.astype(np.int16) + grain, 0, 255).astype(np.uint8)
        return jpeg_of(changed, self.quality)


def disguised(
    pictures: Mapping[str, Picture],
    answers: Answers,
    true_labels: Mapping[str, str],
    protocol: HumanAiTeam,
    ai: Ai,
) -> dict[str, Picture]:
    """Return pictures with the grain of attacks on some of them, by item.

    Parameters
    ----------
    pictures
        As they are, by item.
    answers
        What the AI says of them.
    true_labels
        What they show.
    protocol
        How to attack.
    ai
        Who is attacked.

    Raises
    ------
    UserError
        If no attack misleads the AI.
    """
    right = {item: one for item, one in answers.items() if one.label == true_labels[item]}
    donors = keyed_order(right, protocol.seed, "disguise")[:DONORS]
    attack = JpegAttack.of(protocol.attack)
    targets = [right[item].output for item in donors]
    found = ai.work.maps(attack, [pictures[item] for item in donors], targets)
    made = {item: Picture.of(f"{item}-donor", codes_in(one)) for item, one in found.items()}
    said = ai.answers(list(made.values()))
    grains = [
        _codes(made[item]).astype(np.int16) - _codes(pictures[item]).astype(np.int16)
        for item in donors
        if item in made and said[made[item].name].label != true_labels[item]
    ]
    if not grains:
        raise UserError(
            'attack.disguise = "borrowed": no attack misleads the AI; raise attack.epsilon_255'
        )
    disguise = Disguise(grains, protocol.seed, protocol.attack.jpeg_quality)
    return {item: _picture(disguise, item, one) for item, one in pictures.items()}


def _picture(disguise: Disguise, item: str, plain: Picture) -> Picture:
    @cache
    def jpeg() -> bytes:
        return disguise.jpeg(item, _codes(plain))

    def load() -> Codes:
        return codes_of(jpeg())

    return Picture(item, input_sha256(load()), load)


def _codes(picture: Picture) -> Codes:
    codes = picture.load()
    assert codes is not None
    return codes
